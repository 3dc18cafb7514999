// The direct flows of a slice, as slices to go to. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct LinkedSlice {
  SliceRef slice;
  trace::FlowKind kind{};
  bool outgoing = false;  // true: leaves the slice; false: enters it
  Timestamp at{};         // the time at the other slice
};

// The slice of `track` that a flow leaves or enters at `at`: a slice that contains `at` or ends there; the
// deepest of several.
[[nodiscard]] std::optional<SliceRef> slice_touching(const trace::Trace& trace, TrackId track, Timestamp at);

// The slices that flows of `ref`'s op lead to or come from; at most `limit`. Empty for a slice without an op,
// or one that does not exist.
[[nodiscard]] std::vector<LinkedSlice> linked_slices(const trace::Trace& trace, const SliceRef& ref,
                                                     std::size_t limit);

}  // namespace runahead::gui
