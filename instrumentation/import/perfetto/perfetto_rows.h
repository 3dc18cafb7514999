// Rows of a Perfetto trace's tracks: events in the order of time, ends with their begins, arrows with the
// slices that they leave and enter.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/import/perfetto/perfetto_decoder.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::importers::perfetto {
using namespace trace;

struct NodeRows {
  std::vector<Slice> slices;  // in the order of beginning; of open ones the end is kNeverClosed
  std::vector<Instant> instants;
  std::vector<CounterSample> samples;
  [[nodiscard]] bool empty() const { return slices.empty() && instants.empty() && samples.empty(); }
};

// An arrow between nodes, whose tracks are not numbered yet.
struct NodeFlow {
  NodeId from{}, to{};
  Flow flow;
};

struct Rows {
  std::vector<NodeRows> nodes;  // by NodeId; of those that are the same, at the one they are
  std::vector<NodeFlow> flows;
  Timestamp begin{}, end{};  // of everything
  LossCounts losses;
};

// Takes the events and samples out of `decoded`; its clocks become ready to convert.
[[nodiscard]] Rows rows_of(Decoded& decoded);

}  // namespace runahead::importers::perfetto
