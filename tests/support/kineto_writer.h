// Writes a recording of our engine as PyTorch's profiler (Kineto) would have recorded the same program on
// CUDA. So a test can import it again, and compare what is inferred with what the engine knows.
//
//   op                   a kernel or gpu_memcpy, with device, stream and correlation
//   enqueue of an op     cudaLaunchKernel or cudaMemcpyAsync, and an arrow (ac2g) to the op
//   dependency on an op  cudaEventRecord after the launch of that op, cudaStreamWaitEvent before the launch
//   of another stream    of the op that depends on it
//   item, asnumpy, print aten::item or aten::to, which contains the copy and a cudaStreamSynchronize. If the
//                        copy overtook an op of its stream, the call would wait for this op too: then a
//                        cudaEventSynchronize
//   wait for an op       cudaEventSynchronize; the event was recorded after the launch of the op
//   wait for all         cudaDeviceSynchronize
//   step, other zones    user_annotation
//
// Nothing else is written: no ops, no dependencies, not what a wait waited for. Workers of the cpu are
// streams of a device. A stream of the engine starts the op that became ready first, where CUDA keeps the
// order of launching; such an op is written on the same stream, with the launch that it had. Times keep their
// nanoseconds, as Kineto writes them: microseconds with three decimals.
#pragma once

#include <string>

#include "instrumentation/trace/trace.h"

namespace runahead::testing {

struct KinetoOptions {
  // Also writes the records of synchronisations (cat cuda_sync), which PyTorch has only with
  // enable_cuda_sync_events.
  bool sync_records = false;
  // False: without the calls of cudaEventRecord, as from a tool that does not record them.
  bool event_records = true;
};

// The JSON of a Chrome trace. The correlation id of an op's work is the op's number (op_number()).
[[nodiscard]] std::string kineto_json(const trace::Trace& trace, const KinetoOptions& options = {});

}  // namespace runahead::testing
