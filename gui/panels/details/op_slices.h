// The direct flows of a slice, as slices that the user can go to. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct LinkedSlice {
  SliceRef slice;
  trace::FlowKind kind{};
  bool outgoing = false;  // true: leaves the slice; false: enters it
  Timestamp at{};         // the time of the flow at the other slice
};

// Returns the slice of `track` that a flow leaves or enters at `at`: a slice that contains `at` or ends at
// `at`. If there are several, it is the deepest.
[[nodiscard]] std::optional<SliceRef> slice_touching(const trace::Trace& trace, TrackId track, Timestamp at);

// Returns at most `limit` slices that flows of `ref`'s op lead to or come from. Empty for a slice without an
// op, or a slice that does not exist.
[[nodiscard]] std::vector<LinkedSlice> linked_slices(const trace::Trace& trace, const SliceRef& ref,
                                                     std::size_t limit);

}  // namespace runahead::gui
