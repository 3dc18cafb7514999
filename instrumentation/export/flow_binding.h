// Flows of a Trace bind to slices by time; those of a Chrome trace too, but only strictly inside a slice, and
// an end may not come before its start. bind_flow() finds the slices and moves the times to where both hold.
// Those of a Perfetto trace bind to the slices themselves: slices_of_flow().
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
  std::uint64_t row = 0;  // of the place's LaneRowsView
  Slice slice;
};
struct FlowSlices {
  FlowSlice from, to;
};

// nullopt where an end has no slice that touches its moment. `with_async`: on asynchronous tracks too.
[[nodiscard]] std::optional<FlowSlices> slices_of_flow(const ChromeLayout& layout, const Flow& flow,
                                                       bool with_async);

// What a Perfetto trace says of an arrow by the slices that it is bound to, at their begins or ends: our
// kinds of slices tell kind and operation. It leaves at the end of its slice, or when it enters the next one,
// whichever is earlier. No tracks and no name.
struct FlowTouch {
  const Slice* slice = nullptr;  // not null, and ended
  bool at_end = false;
};
[[nodiscard]] Timestamp leaves_at(const FlowTouch& from, Timestamp enters);
[[nodiscard]] Flow flow_between(const FlowTouch& from, const FlowTouch& to);

// nullopt where an end has no slice that could hold it.
[[nodiscard]] std::optional<BoundFlow> bind_flow(const ChromeLayout& layout, const Flow& flow);

}  // namespace runahead::exporters
