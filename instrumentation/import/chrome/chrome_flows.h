// Flows of a Chrome trace: starts, steps and ends that share a key, made arrows between threads.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/import/chrome/json_event.h"
#include "instrumentation/trace/rows/loss.h"
#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

struct FlowPoint {
  enum class Phase : std::uint8_t { kStart, kStep, kEnd };

  Timestamp at{};
  TrackId track = kNoTrack;
  StringId category{}, name{};  // with the id, the key
  EventKey id;
  Phase phase = Phase::kStart;
  bool binds_to_enclosing = true;  // of an end: else it binds to the next slice that begins
  bool unique_id = false;          // no other flow has the id: an end may come before its start
  FlowKind kind = FlowKind::kOther;
  StringId flow_name{};
};

// The arrows between `points`, given in the order of the file, sorted by where they leave. Of one key, each
// step and each end is joined to the last start or step before it; several ends may leave one start, and a
// start replaces the one before. A point binds to the slice of its track that holds its time, or an end to
// the next that begins. Counted as kUnboundFlow: a start that nothing follows, a step or end without a start,
// and an arrow with a point that no slice holds. REQUIRES: `trace` has the slices. O(n log n).
[[nodiscard]] std::vector<Flow> match_flows(const Trace& trace, std::vector<FlowPoint> points,
                                            LossCounts& losses);

}  // namespace runahead::importers
