// Flows of a Chrome trace: joins the starts, steps and ends with the same key into arrows between threads.
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
  StringId category{}, name{};  // category, name and id are the key of the flow
  EventKey id;
  Phase phase = Phase::kStart;
  bool binds_to_enclosing = true;  // for an end; false: it binds to the slice that begins next
  bool unique_id = false;          // true: no other flow uses the id, so an end may come before its start
  FlowKind kind = FlowKind::kOther;
  StringId flow_name{};
};

// Returns the arrows between `points`, sorted by the time at which they leave. `points` are in file order.
// Each step and each end gets an arrow from the last earlier start or step with the same key. Several ends
// may follow one start. A new start replaces the previous start of the same key. A point binds to the slice
// of its track that contains its time. Exception: an end with binds_to_enclosing == false binds to the slice
// that begins next. Counted as kUnboundFlow: a start that no step or end follows, a step or end without a
// start, and an arrow of which one point binds to no slice. REQUIRES: `trace` has the slices. O(n log n).
[[nodiscard]] std::vector<Flow> match_flows(const Trace& trace, std::vector<FlowPoint> points,
                                            LossCounts& losses);

}  // namespace runahead::importers
