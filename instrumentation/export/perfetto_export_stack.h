// The slices of a Perfetto track as begin and end events, in the order in which they must be written: what is
// inside is opened after and closed before what holds it, also where times are equal.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/export/chrome_layout.h"

namespace runahead::exporters {
using namespace trace;

// A slice of a place's lanes.
struct PlacedSlice {
  std::uint32_t depth = 0;
  std::uint64_t row = 0;
  Slice slice;
};

// Merges lanes whose slices nest or do not touch.
class StackWalk {
 public:
  // `lanes` must outlive this; `depths` of them take part.
  StackWalk(const std::vector<LaneRowsView>& lanes, std::vector<std::uint32_t> depths);

  // The next event; false at the end. O(log depths).
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
    bool more_at_begin = false;  // of length zero, and the lane's next slice begins there too
  };
  bool load(Head& head) const;
  [[nodiscard]] static bool before(const Head& a, const Head& b);
  [[nodiscard]] static bool after(const Head& a, const Head& b) { return before(b, a); }

  const std::vector<LaneRowsView>& lanes_;
  std::vector<Head> heads_;  // of the lanes not yet at their end; a heap, the next one in front
  std::vector<PlacedSlice> open_;
};

}  // namespace runahead::exporters
