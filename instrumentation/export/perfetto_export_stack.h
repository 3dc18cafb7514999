// The slices of a Perfetto track as begin and end events, in writing order. An inner slice opens after and
// closes before the slice that contains it, also at equal times.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/export/chrome_layout.h"

namespace runahead::exporters {
using namespace trace;

// A slice, the number of its lane (`depth`), and its row in that lane.
struct PlacedSlice {
  std::uint32_t depth = 0;
  std::uint64_t row = 0;
  Slice slice;
};

// Merges lanes whose slices nest or are disjoint.
class StackWalk {
 public:
  // Merges the lanes `depths` of `lanes`. `lanes` must outlive this object.
  StackWalk(const std::vector<LaneRowsView>& lanes, std::vector<std::uint32_t> depths);

  // Stores the next event in `out`. False: there are no more events. O(log n) for n lanes.
  struct Event {
    bool begins = false;
    PlacedSlice placed;
  };
  bool next(Event& out);

 private:
  struct Head {
    std::uint32_t depth = 0;
    std::uint64_t row = 0;
    Slice slice;
    // This slice has length zero, and the next slice of its lane begins at the same time.
    bool more_at_begin = false;
  };
  bool load(Head& head) const;
  [[nodiscard]] static bool before(const Head& a, const Head& b);
  [[nodiscard]] static bool after(const Head& a, const Head& b) { return before(b, a); }

  const std::vector<LaneRowsView>& lanes_;
  // The next slice of each lane that has slices left; a heap, with the slice to open next in front.
  std::vector<Head> heads_;
  std::vector<PlacedSlice> open_;
};

}  // namespace runahead::exporters
