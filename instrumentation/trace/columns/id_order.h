// Finds rows by op id in blocks that are ordered by time: a sorted order inside each block (IdOrder), and
// bounds over the blocks (IdBounds), so that a search only reads blocks that may contain the id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace runahead::trace {

// Widens bounds of ids by `id`. Id 0 (no op) is ignored. Start with UINT64_MAX and 0.
inline void widen_ids(std::uint64_t id, std::uint64_t& min_id, std::uint64_t& max_id) {
  if (id == 0) return;
  if (id < min_id) min_id = id;
  if (id > max_id) max_id = id;
}

// The rows of one block by id, without rows of id 0 (no op).
class IdOrder {
 public:
  explicit IdOrder(std::span<const std::uint64_t> ids);

  // Positions [first, second) contain the rows of `id`. id_at(row) returns a row's id. O(log n).
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

// Bounds of consecutive blocks. In both vectors the values never decrease from block to block. Therefore the
// blocks that may contain an id form a range.
class IdBounds {
 public:
  void add_block(std::uint64_t min_id, std::uint64_t max_id);  // O(blocks whose ids overlap)
  void evict(std::size_t count);
  [[nodiscard]] std::pair<std::size_t, std::size_t> candidates(std::uint64_t id) const;  // [first, last)
  [[nodiscard]] std::size_t size_bytes() const { return largest_until_.size() * 2 * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> largest_until_;  // largest id in this block and all earlier blocks
  std::vector<std::uint64_t> least_from_;     // smallest id in this block and all later blocks
};

}  // namespace runahead::trace
