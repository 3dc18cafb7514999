// Makes the rows of a Perfetto trace's tracks: sorts events by time, pairs ends with begins, and binds arrows
// to the slices that they leave and enter.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/import/perfetto/perfetto_decoder.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::importers::perfetto {
using namespace trace;

struct NodeRows {
  std::vector<Slice> slices;  // ordered by begin; an open slice ends at kNeverClosed
  std::vector<Instant> instants;
  std::vector<CounterSample> samples;
  [[nodiscard]] bool empty() const { return slices.empty() && instants.empty() && samples.empty(); }
};

// An arrow between two tracks of the file (nodes), which have no TrackId yet.
struct NodeFlow {
  NodeId from{}, to{};
  Flow flow;
};

struct Rows {
  // index: NodeId; if nodes were merged, the node into which they were merged has the rows of all of them
  std::vector<NodeRows> nodes;
  std::vector<NodeFlow> flows;
  Timestamp begin{}, end{};  // the time range of all rows
  LossCounts losses;
};

// Makes rows from the events, samples and runs of `decoded`, and removes them from `decoded`. Afterwards
// `decoded.clocks` can convert times.
[[nodiscard]] Rows rows_of(Decoded& decoded);

}  // namespace runahead::importers::perfetto
