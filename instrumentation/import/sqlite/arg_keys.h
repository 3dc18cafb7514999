// ArgKeys: the keys of the arguments that the importers of databases give to slices, as ids. So no row has to
// search for a key. Where PyTorch's profiler has such an argument, the key is the same.
#pragma once

#include "instrumentation/base/ids.h"
#include "instrumentation/import/common/import_names.h"

namespace runahead::importers {

struct ArgKeys {
  explicit ArgKeys(ImportNames& names)
      : device(names.intern("device")),
        context(names.intern("context")),
        stream(names.intern("stream")),
        queue(names.intern("queue")),
        correlation(names.intern("correlation")),
        external_id(names.intern("External id")),
        bytes(names.intern("bytes")),
        bandwidth(names.intern("memory bandwidth (GB/s)")),
        registers(names.intern("registers per thread")),
        shared_memory(names.intern("shared memory")),
        scratch_memory(names.intern("scratch memory")),
        grid(names.intern("grid")),
        block(names.intern("block")),
        graph(names.intern("graph id")),
        graph_exec(names.intern("graph exec id")),
        graph_node(names.intern("graph node id")),
        event(names.intern("event")),
        return_value(names.intern("return value")),
        call_args(names.intern("args")),
        hip_stream(names.intern("hip stream")),
        domain(names.intern("domain")),
        category(names.intern("category")),
        payload(names.intern("payload")),
        flow(names.intern("ac2g")) {}

  StringId device, context, stream, queue, correlation, external_id;
  StringId bytes, bandwidth, registers, shared_memory, scratch_memory, grid, block;
  StringId graph, graph_exec, graph_node, event;
  StringId return_value, call_args, hip_stream;
  StringId domain, category, payload;
  StringId flow;  // the name of the flows from launch to device
};

}  // namespace runahead::importers
