#include "instrumentation/trace/instant_table.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

bool earlier(const Instant& a, const Instant& b) { return a.at < b.at; }

}  // namespace

InstantBlock::Summary InstantBlock::summary_of(std::span<const Instant> rows) {
  Summary out{rows.front().at, rows.back().at, 0};
  for (const Instant& row : rows) out.tracks |= bit_of(row.track);
  return out;
}

Instant InstantBlock::row(std::size_t i) const { return packed_.row(i); }

void InstantTable::adopt(const StoredBlocks<InstantBlock>& blocks) {
  for (const InstantBlock::Summary& summary : blocks.summaries) tracks_ |= summary.tracks;
  rows_.adopt(blocks.source, blocks.summaries);
}

Instant InstantTable::row(std::uint64_t index) const {
  RUNAHEAD_CHECK_OP(index, <, size());
  const std::uint64_t row = rows_.first_row() + index;
  if (rows_.in_tail(row)) return rows_.tail_at(row);
  return rows_.block_with(row)->row(rows_.index_in_block(row));
}

Timestamp InstantTable::first_at() const {
  return rows_.blocks().empty() ? rows_.tail().front().at : rows_.blocks().front().summary.first;
}

Timestamp InstantTable::last_at() const {
  return rows_.tail().empty() ? rows_.blocks().back().summary.last : rows_.tail().back().at;
}

std::uint64_t InstantTable::first_from(Timestamp t) const {
  const auto found = rows_.first_where(
      rows_.first_row(), [t](const auto& entry) { return entry.summary.last >= t; },
      [t](const InstantBlock& block, std::size_t i) { return block.at_ns(i) >= ns_from(t); },
      [t](const Instant& instant) { return instant.at >= t; });
  return found - rows_.first_row();
}

void InstantTable::append(std::span<const Instant> rows) {
  if (rows.empty()) return;
  RUNAHEAD_CHECK(std::is_sorted(rows.begin(), rows.end(), earlier));
  for (const Instant& instant : rows) tracks_ |= bit_of(instant.track);
  if (!empty() && rows.front().at < last_at()) {
    insert(rows);
    return;
  }
  for (const Instant& instant : rows) rows_.push_back(instant);
}

void InstantTable::insert(std::span<const Instant> rows) {
  // Takes out the rows at or after the time of the first new row, merges them with the new rows, and appends
  // the result.
  const std::uint64_t stays = first_from(rows.front().at);
  std::vector<Instant> after, merged;
  for (std::uint64_t i = stays; i < size(); ++i) after.push_back(row(i));
  std::merge(after.begin(), after.end(), rows.begin(), rows.end(), std::back_inserter(merged), earlier);
  rows_.truncate(rows_.first_row() + stays);
  for (const Instant& instant : merged) rows_.push_back(instant);
}

void InstantTable::add_block_ends(std::vector<BlockEnd>& out) const {
  rows_.add_ends(out, &InstantBlock::Summary::last);
}

std::uint64_t InstantTable::evict_before(Timestamp t) {
  return rows_.evict(rows_.ending_before(t, &InstantBlock::Summary::last));
}

}  // namespace runahead::trace
