// Binding of flows to slices. Flows of a Trace bind to slices by time. Flows of a Chrome trace also bind by
// time, but only strictly inside a slice, and the end of a flow must not be before its start. bind_flow()
// finds the slices of a flow, and moves its times so that the rules of a Chrome trace hold. Flows of a
// Perfetto trace bind to the slices themselves; slices_of_flow() finds them.
#pragma once

#include <optional>

#include "instrumentation/export/chrome_layout.h"

namespace runahead::exporters {
using namespace trace;

struct FlowEnd {
  int pid = 0, tid = 0;
  Timestamp at{};
};
struct BoundFlow {
  FlowEnd from, to;
};

// A slice that an arrow leaves or enters.
struct FlowSlice {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::uint64_t row = 0;  // row in TrackPlace::lanes[depth]
  Slice slice;
};
struct FlowSlices {
  FlowSlice from, to;
};

// Finds the slices that a flow leaves and enters. nullopt: no slice touches the flow's time at one of its
// ends. `with_async`: true if the function searches asynchronous tracks too.
[[nodiscard]] std::optional<FlowSlices> slices_of_flow(const ChromeLayout& layout, const Flow& flow,
                                                       bool with_async);

// A Perfetto arrow only connects two events, each the begin or the end (`at_end`) of a slice. These functions
// derive the arrow's other fields from the two slices, as an importer does. leaves_at() returns the time at
// which the arrow leaves. If the arrow leaves at an end event, this is the end of the slice. Otherwise the
// arrow leaves at the time `enters`; if this time is outside the slice that the arrow leaves, it leaves at
// the nearest time in the slice. flow_between() derives the times, the kind and the operation of the flow.
// The returned flow has no tracks and no name.
struct FlowTouch {
  const Slice* slice = nullptr;  // not null; the slice has ended
  bool at_end = false;
};
[[nodiscard]] Timestamp leaves_at(const FlowTouch& from, Timestamp enters);
[[nodiscard]] Flow flow_between(const FlowTouch& from, const FlowTouch& to);

// Finds the slices and times of a Chrome flow. nullopt: no slice touches the flow's time at one of its ends,
// or the flow would go back in time.
[[nodiscard]] std::optional<BoundFlow> bind_flow(const ChromeLayout& layout, const Flow& flow);

}  // namespace runahead::exporters
