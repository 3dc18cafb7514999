// Flows of a Chrome trace: joins starts, steps and ends of the same key to arrows between threads.
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
  StringId category{}, name{};  // with the id: the key
  EventKey id;
  Phase phase = Phase::kStart;
  bool binds_to_enclosing = true;  // for an end; false: it binds to the next slice that begins
  bool unique_id = false;          // no other flow uses the id, so an end may come before its start
  FlowKind kind = FlowKind::kOther;
  StringId flow_name{};
};

// Returns the arrows between `points`, sorted by the time of their source. `points` are in file order. Each
// step and each end is joined to the last start or step of its key before it. Several ends may follow one
// start. A new start replaces the start before it. A point binds to the slice of its track that contains its
// time; an end may instead bind to the next slice that begins. Counted as kUnboundFlow: a start without a
// follower, a step or end without a start, and an arrow with a point that no slice contains. REQUIRES:
// `trace` has the slices. O(n log n).
[[nodiscard]] std::vector<Flow> match_flows(const Trace& trace, std::vector<FlowPoint> points,
                                            LossCounts& losses);

}  // namespace runahead::importers
