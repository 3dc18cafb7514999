// LaneEnds: for each lane of a track, the time until which the lane is occupied. Used while the slices of the
// track are placed in time order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "instrumentation/base/time.h"

namespace runahead::importers {

// The ends are stored in a binary tree with one leaf for each lane. Each node has the smallest and the
// largest end of the lanes below it. So each query costs O(log lanes), however many slices overlap.
class LaneEnds {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  // Returns the lowest lane >= `first` that is free at `t`; size() if no lane is free.
  [[nodiscard]] std::size_t first_free(std::size_t first, Timestamp t) const {
    if (first >= size_) return size_;
    std::size_t node = first + leaves_;
    while (nodes_[node].least > t) {
      while (node % 2 == 1) node /= 2;  // goes up while the node is a right child
      if (node == 0) return size_;
      ++node;
    }
    while (node < leaves_) {
      node *= 2;
      if (nodes_[node].least > t) ++node;
    }
    return node - leaves_;
  }

  // REQUIRES: lane < size().
  [[nodiscard]] bool is_free(std::size_t lane, Timestamp t) const {
    return nodes_[lane + leaves_].least <= t;
  }

  // Returns the lane directly below the deepest lane that is occupied until `t` or longer. 0: no lane is
  // occupied that long.
  [[nodiscard]] std::size_t below_taken_until(Timestamp t) const {
    if (size_ == 0 || nodes_[1].greatest < t) return 0;
    std::size_t node = 1;
    while (node < leaves_) {
      node = 2 * node + 1;
      if (nodes_[node].greatest < t) --node;
    }
    return node - leaves_ + 1;
  }

  // REQUIRES: lane <= size(). lane == size() adds a lane.
  void set(std::size_t lane, Timestamp end) {
    if (lane == size_) grow();
    std::size_t node = lane + leaves_;
    nodes_[node] = {end, end};
    for (node /= 2; node > 0; node /= 2) nodes_[node] = joined(node);
  }

 private:
  struct Ends {
    // The defaults are the values of a leaf without a lane: such a leaf is neither free nor occupied.
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

// Where the next slice of a track goes.
struct LanePlace {
  std::size_t lane = 0;   // at most ends.size(), which means a new lane
  bool overlaps = false;  // true: it overlaps an earlier slice in part
};

// Returns the place of a slice in a track with these lanes. REQUIRES: no earlier slice of the track begins
// later.
[[nodiscard]] inline LanePlace place_of_slice(const LaneEnds& ends, Timestamp begin, Timestamp end) {
  // A slice that is already on a lane began no later than the new slice. If the earlier slice also occupies
  // its lane until the end of the new slice, the earlier slice contains the new slice. A slice of length zero
  // at a time t is inside a slice that continues after t, but not inside a slice that ends at t.
  const Timestamp just_after = begin + Duration{1};
  const std::size_t outermost = ends.below_taken_until(std::max(end, just_after));
  // If a lane below `outermost` is still occupied when the new slice begins, the earlier slice on that lane
  // overlaps the new slice in part. The earlier slice began earlier, so it cannot be inside the new slice.
  // It also ends earlier, so it cannot contain the new slice.
  return {ends.first_free(outermost, begin), ends.below_taken_until(just_after) > outermost};
}

}  // namespace runahead::importers
