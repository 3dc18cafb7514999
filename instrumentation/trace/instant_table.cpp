#include "instrumentation/trace/instant_table.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

bool earlier(const Instant& a, const Instant& b) { return a.at < b.at; }

}  // namespace

const Instant& InstantTable::row(std::uint64_t index) const {
  RUNAHEAD_CHECK_OP(index, <, size());
  const std::uint64_t row = rows_.first_row() + index;
  if (rows_.in_tail(row)) return rows_.tail_at(row);
  return rows_.entry_of(row).block->row(rows_.index_in_block(row));
}

std::uint64_t InstantTable::first_from(Timestamp t) const {
  const auto found = rows_.first_where(
      rows_.first_row(), [t](const auto& entry) { return entry.block->row(kBlockRows - 1).at >= t; },
      [t](const auto& block, std::size_t i) { return block.row(i).at >= t; },
      [t](const Instant& instant) { return instant.at >= t; });
  return found - rows_.first_row();
}

void InstantTable::append(std::span<const Instant> rows) {
  if (rows.empty()) return;
  RUNAHEAD_CHECK(std::is_sorted(rows.begin(), rows.end(), earlier));
  if (size() > 0 && rows.front().at < row(size() - 1).at) {
    insert(rows);
    return;
  }
  for (const Instant& instant : rows) rows_.push_back(instant);
}

void InstantTable::insert(std::span<const Instant> rows) {
  // What comes after the first new one is taken out, merged, and appended again.
  const std::uint64_t stays = first_from(rows.front().at);
  std::vector<Instant> after, merged;
  for (std::uint64_t i = stays; i < size(); ++i) after.push_back(row(i));
  std::merge(after.begin(), after.end(), rows.begin(), rows.end(), std::back_inserter(merged), earlier);
  rows_.truncate(rows_.first_row() + stays);
  for (const Instant& instant : merged) rows_.push_back(instant);
}

std::optional<Timestamp> InstantTable::oldest_block_end() const {
  if (rows_.blocks().empty()) return std::nullopt;
  return rows_.blocks().front().block->row(kBlockRows - 1).at;
}

std::uint64_t InstantTable::let_go_before(Timestamp t) {
  std::size_t count = 0;
  const auto blocks = rows_.blocks();
  while (count < blocks.size() && blocks[count].block->row(kBlockRows - 1).at < t) ++count;
  return rows_.let_go(count);
}

}  // namespace runahead::trace
