// Finding rows by an op's id in blocks that are ordered by time: a sorted order within each block (IdOrder),
// and bounds over the blocks (IdBounds), so that a search looks only into blocks that may hold the id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace runahead::trace {

// Bounds of ids, of which 0 (no op) is none; at first UINT64_MAX and 0.
inline void widen_ids(std::uint64_t id, std::uint64_t& min_id, std::uint64_t& max_id) {
  if (id == 0) return;
  if (id < min_id) min_id = id;
  if (id > max_id) max_id = id;
}

// Rows of one block by id. Rows with id 0 (no op) are left out.
class IdOrder {
 public:
  explicit IdOrder(std::span<const std::uint64_t> ids);

  // Positions [first, second) hold the rows of `id`. id_at(row) gives a row's id. O(log n).
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

// Bounds of blocks in order. Both vectors never fall, so that the blocks that may hold an id are a range.
class IdBounds {
 public:
  void add_block(std::uint64_t min_id, std::uint64_t max_id);  // O(blocks whose ids overlap)
  void evict(std::size_t count);
  [[nodiscard]] std::pair<std::size_t, std::size_t> candidates(std::uint64_t id) const;  // [first, last)
  [[nodiscard]] std::size_t size_bytes() const { return largest_until_.size() * 2 * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> largest_until_;  // largest id in this block or one before it
  std::vector<std::uint64_t> least_from_;     // least id in this block or one after it
};

}  // namespace runahead::trace
