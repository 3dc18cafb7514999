// The slices at the other ends of a slice's direct flows. The details panel lists these slices, so that the
// user can go to each of them. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct LinkedSlice {
  SliceRef slice;
  trace::FlowKind kind{};
  bool outgoing = false;  // true: the flow leaves the slice; false: the flow enters it
  Timestamp at{};         // time of the flow's end at the other slice
};

// Returns the slice of `track` that a flow leaves or enters at `at`: a slice that contains `at` or ends at
// `at`. If there are several such slices, returns the deepest.
[[nodiscard]] std::optional<SliceRef> slice_touching(const trace::Trace& trace, TrackId track, Timestamp at);

// Returns the slices at the other ends of the flows that leave or enter the slice `ref`. Looks at no more
// than `limit` flows of the slice's op. Returns nothing if the slice has no op or does not exist.
[[nodiscard]] std::vector<LinkedSlice> linked_slices(const trace::Trace& trace, const SliceRef& ref,
                                                     std::size_t limit);

}  // namespace runahead::gui
