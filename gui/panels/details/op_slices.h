// The direct flows of a slice, as places that a person can go to. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct LinkedSlice {
  SliceRef slice;
  trace::FlowKind kind{};
  bool outgoing = false;  // leaves the slice; else it enters it
  Timestamp at{};         // where it touches the other slice
};

// The slice of `track` that a flow leaves or enters at `at`: the one that holds it, or that ends there; the
// deepest of several.
[[nodiscard]] std::optional<SliceRef> slice_touching(const trace::Trace& trace, TrackId track, Timestamp at);

// What flows of `ref`'s op tie it to; at most `limit`. Empty for a slice without an op, or that is not here.
[[nodiscard]] std::vector<LinkedSlice> linked_slices(const trace::Trace& trace, const SliceRef& ref,
                                                     std::size_t limit);

}  // namespace runahead::gui
