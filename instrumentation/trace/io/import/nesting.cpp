#include "instrumentation/trace/io/import/nesting.h"

#include <algorithm>
#include <utility>

namespace runahead::trace::io {
namespace {

// Until when each lane is taken, as a tree of the least and the greatest of these ends, so that both
// questions cost O(log lanes) however many slices overlap.
class LaneEnds {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  // The lowest lane from `first` on that is free at `t`; size() if none is.
  [[nodiscard]] std::size_t first_free(std::size_t first, Timestamp t) const {
    if (first >= size_) return size_;
    std::size_t node = first + leaves_;
    while (nodes_[node].least > t) {
      while (node % 2 == 1) node /= 2;  // up from right children, to the next subtree on the right
      if (node == 0) return size_;
      ++node;
    }
    while (node < leaves_) {
      node *= 2;
      if (nodes_[node].least > t) ++node;
    }
    return node - leaves_;
  }

  // One more than the deepest lane that is taken until `t` or longer; 0 if none is.
  [[nodiscard]] std::size_t below_taken_until(Timestamp t) const {
    if (size_ == 0 || nodes_[1].greatest < t) return 0;
    std::size_t node = 1;
    while (node < leaves_) {
      node = 2 * node + 1;
      if (nodes_[node].greatest < t) --node;
    }
    return node - leaves_ + 1;
  }

  void set(std::size_t lane, Timestamp end) {
    if (lane == size_) grow();
    std::size_t node = lane + leaves_;
    nodes_[node] = {end, end};
    for (node /= 2; node > 0; node /= 2) nodes_[node] = joined(node);
  }

 private:
  struct Ends {
    // Of a leaf that is no lane yet: neither free nor taken.
    Timestamp least = Timestamp::max(), greatest = Timestamp::min();
  };

  [[nodiscard]] Ends joined(std::size_t node) const {
    const Ends &left = nodes_[2 * node], &right = nodes_[2 * node + 1];
    return {std::min(left.least, right.least), std::max(left.greatest, right.greatest)};
  }

  void grow() {
    if (size_++ < leaves_) return;
    std::vector<Ends> larger(4 * std::max<std::size_t>(leaves_, 1));
    const std::size_t leaves = larger.size() / 2;
    std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(leaves_), size_ - 1,
                larger.begin() + static_cast<std::ptrdiff_t>(leaves));
    nodes_ = std::move(larger);
    leaves_ = leaves;
    for (std::size_t node = leaves_ - 1; node > 0; --node) nodes_[node] = joined(node);
  }

  std::vector<Ends> nodes_ = std::vector<Ends>(2);  // node i has children 2i and 2i + 1; leaves come last
  std::size_t leaves_ = 1, size_ = 0;
};

bool comes_before(const Slice& a, const Slice& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
}

void close(Slice& slice, Timestamp end_of_trace, NestedSlices& out) {
  if (slice.end == kNeverClosed) {
    slice.end = std::max(slice.begin, end_of_trace);
    slice.flags |= kSliceUnfinished;
    ++out.unfinished;
  } else if (slice.end < slice.begin) {
    slice.end = slice.begin;
    ++out.backwards;
  }
}

}  // namespace

NestedSlices nest_slices(TrackId track, std::vector<Slice> slices, Timestamp end_of_trace) {
  NestedSlices out;
  bool sorted = true;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    close(slices[i], end_of_trace, out);
    sorted = sorted && (i == 0 || !comes_before(slices[i], slices[i - 1]));
  }
  if (!sorted) std::stable_sort(slices.begin(), slices.end(), comes_before);
  LaneEnds ends;
  for (const Slice& slice : slices) {
    // What is taken at all at the begin of this one began no later, so what is taken until its end holds it.
    // A slice of length zero is held by what goes on, not by what ends there.
    const Timestamp held_until = std::max(slice.end, slice.begin + Duration{1});
    const std::size_t outermost = ends.below_taken_until(held_until);
    const std::size_t lane = ends.first_free(outermost, slice.begin);
    // What goes on below the holders holds nothing of this one, nor lies in it: it began earlier.
    if (ends.below_taken_until(slice.begin + Duration{1}) > outermost) ++out.overlapping;
    if (lane >= kMostNestedLanes) {
      ++out.too_deep;
      continue;
    }
    if (lane == out.lanes.size()) out.lanes.push_back({track, static_cast<std::uint32_t>(lane), {}});
    // Most of them, mostly: memory that is not written is not taken.
    if (lane == 0 && out.lanes[0].rows.empty()) out.lanes[0].rows.reserve(slices.size());
    out.lanes[lane].rows.push_back(slice);
    ends.set(lane, slice.end);
  }
  return out;
}

}  // namespace runahead::trace::io
