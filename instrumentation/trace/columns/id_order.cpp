#include "instrumentation/trace/columns/id_order.h"

#include <algorithm>

namespace runahead::trace {

IdOrder::IdOrder(std::span<const std::uint64_t> ids) {
  rows_.reserve(ids.size());
  bool sorted = true;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == 0) continue;
    sorted = sorted && (rows_.empty() || ids[rows_.back()] <= ids[i]);
    rows_.push_back(static_cast<std::uint16_t>(i));
  }
  rows_.shrink_to_fit();
  // With a single worker the ops end in the order of their ids, so there is nothing to sort.
  if (sorted) return;
  std::stable_sort(rows_.begin(), rows_.end(),
                   [&](std::uint16_t a, std::uint16_t b) { return ids[a] < ids[b]; });
}

void IdBounds::add_block(std::uint64_t min_id, std::uint64_t max_id) {
  const std::uint64_t largest_before = largest_until_.empty() ? 0 : largest_until_.back();
  largest_until_.push_back(std::max(largest_before, max_id));
  // least_from_[i] is the smallest id in block i and all later blocks. Therefore no entry of an earlier block
  // may be larger than min_id. Ids grow with time, so only the entries of the last few blocks have to change.
  for (std::size_t i = least_from_.size(); i-- > 0 && least_from_[i] > min_id;) least_from_[i] = min_id;
  least_from_.push_back(min_id);
}

void IdBounds::evict(std::size_t count) {
  const auto last = static_cast<std::ptrdiff_t>(count);
  largest_until_.erase(largest_until_.begin(), largest_until_.begin() + last);
  least_from_.erase(least_from_.begin(), least_from_.begin() + last);
}

std::pair<std::size_t, std::size_t> IdBounds::candidates(std::uint64_t id) const {
  const std::size_t first = first_from(id);
  const auto last = static_cast<std::size_t>(std::upper_bound(least_from_.begin(), least_from_.end(), id) -
                                             least_from_.begin());
  return last <= first ? std::pair<std::size_t, std::size_t>{} : std::pair{first, last};
}

std::size_t IdBounds::first_from(std::uint64_t id) const {
  return static_cast<std::size_t>(std::lower_bound(largest_until_.begin(), largest_until_.end(), id) -
                                  largest_until_.begin());
}

}  // namespace runahead::trace
