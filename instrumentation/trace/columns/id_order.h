// Finds rows by op id in blocks that are ordered by time. IdOrder lists the rows of one block in the order of
// their ids. IdBounds has the smallest and largest ids of the blocks, so that a search only reads blocks that
// may contain the id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace runahead::trace {

// Widens the range [min_id, max_id] so that it contains `id`. Id 0 (no op) is ignored. For an empty range,
// start with min_id = UINT64_MAX and max_id = 0.
inline void widen_ids(std::uint64_t id, std::uint64_t& min_id, std::uint64_t& max_id) {
  if (id == 0) return;
  if (id < min_id) min_id = id;
  if (id > max_id) max_id = id;
}

// The rows of one block in the order of their op ids, without rows of id 0 (no op).
class IdOrder {
 public:
  explicit IdOrder(std::span<const std::uint64_t> ids);

  // Returns the positions [first, second) of the rows of `id`; row(position) is the row at a position.
  // id_at(row) must return a row's id. O(log n).
  template <typename IdAt>
  [[nodiscard]] std::pair<std::size_t, std::size_t> find(std::uint64_t id, IdAt id_at) const {
    std::size_t low = 0, high = rows_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (id_at(rows_[middle]) < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    std::size_t last = low;
    while (last < rows_.size() && id_at(rows_[last]) == id) ++last;
    return {low, last};
  }
  [[nodiscard]] std::size_t row(std::size_t position) const { return rows_[position]; }
  [[nodiscard]] std::size_t size_bytes() const { return rows_.size() * sizeof(std::uint16_t); }

 private:
  std::vector<std::uint16_t> rows_;
};

// The id bounds of consecutive blocks. In largest_until_ and in least_from_, the values never decrease from
// block to block. Therefore the blocks that may contain an id are consecutive, and a binary search finds
// them.
class IdBounds {
 public:
  void add_block(std::uint64_t min_id, std::uint64_t max_id);  // O(earlier blocks with ids above min_id)
  void evict(std::size_t count);
  [[nodiscard]] std::pair<std::size_t, std::size_t> candidates(std::uint64_t id) const;  // [first, last)
  // The first block that may contain this id or a larger one; the number of blocks if there is none.
  [[nodiscard]] std::size_t first_from(std::uint64_t id) const;
  [[nodiscard]] std::size_t size_bytes() const { return largest_until_.size() * 2 * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> largest_until_;  // largest id in this block and all earlier blocks
  std::vector<std::uint64_t> least_from_;     // smallest id in this block and all later blocks
};

}  // namespace runahead::trace
