// Calls a function for each slice of a lane whose kind is one of the given kinds. Any thread may call it on a
// snapshot.
#pragma once

#include <cstdint>

#include "instrumentation/trace/lane.h"

namespace runahead::trace {

// Calls found(slice) for each row in [first, last) whose kind is in `kinds`, in order. REQUIRES: the same as
// Lane::next_of_kinds().
template <typename Found>
void each_of_kinds(const Lane& lane, SliceKinds kinds, std::uint64_t first, std::uint64_t last, Found found) {
  for (std::uint64_t row = lane.next_of_kinds(kinds, first, last); row < last;
       row = lane.next_of_kinds(kinds, row + 1, last))
    found(lane.slice(row));
}

}  // namespace runahead::trace
