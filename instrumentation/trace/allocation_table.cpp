#include "instrumentation/trace/allocation_table.h"

#include <algorithm>
#include <unordered_map>

#include "instrumentation/base/check.h"

namespace runahead::trace {

AllocationBlock::Summary AllocationBlock::summary_of(std::span<const Allocation> rows) {
  Summary out{rows.front().begin, written_at(rows.front())};
  for (const Allocation& row : rows) {
    out.first = std::min(out.first, row.begin);
    out.last = std::max(out.last, written_at(row));
  }
  return out;
}

Allocation AllocationBlock::row(std::size_t i) const { return packed_.row(i); }

void AllocationTable::append(std::span<const Allocation> rows) {
  for (const Allocation& row : rows) rows_.push_back(row);
}

void AllocationTable::adopt(const StoredBlocks<AllocationBlock>& blocks) {
  rows_.adopt(blocks.source, blocks.summaries);
}

Allocation AllocationTable::row(std::uint64_t index) const {
  RUNAHEAD_CHECK_OP(index, <, size());
  if (index < retained_live().size()) return retained_live()[index];
  const std::uint64_t row = rows_.first_row() + (index - retained_live().size());
  if (rows_.in_tail(row)) return rows_.tail_at(row);
  return rows_.block_with(row)->row(rows_.index_in_block(row));
}

void AllocationTable::add_block_ends(std::vector<BlockEnd>& out) const {
  rows_.add_ends(out, &AllocationBlock::Summary::last);
}

std::uint64_t AllocationTable::evict_before(Timestamp t) {
  const std::size_t count = rows_.ending_before(t, &AllocationBlock::Summary::last);
  if (count == 0) return 0;
  std::unordered_map<std::uint64_t, Allocation> held;
  const auto follow = [&held](const Allocation& row) {
    if (row.end == kNever) {
      held[row.block] = row;
    } else {
      held.erase(row.block);
    }
  };
  for (const Allocation& row : retained_live()) follow(row);
  for (std::size_t b = 0; b < count; ++b) {
    const BlockPin<AllocationBlock> block = rows_.block(b);
    for (std::size_t i = 0; i < kBlockRows; ++i) follow(block->row(i));
  }
  auto kept = std::make_shared<std::vector<Allocation>>();
  kept->reserve(held.size());
  for (const auto& [number, row] : held) kept->push_back(row);
  std::ranges::sort(*kept, {}, &Allocation::block);
  held_ = std::move(kept);
  return rows_.evict(count);
}

}  // namespace runahead::trace
