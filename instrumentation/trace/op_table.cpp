#include "instrumentation/trace/op_table.h"

#include <algorithm>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

std::vector<std::uint64_t> ids_of(std::span<const OpRow> rows) {
  std::vector<std::uint64_t> ids;
  ids.reserve(rows.size());
  for (const OpRow& row : rows) ids.push_back(raw(row.id));
  return ids;
}

}  // namespace

OpBlock::OpBlock(std::span<const OpRow> rows)
    : packed_(rows), order_(ids_of(rows)), summary_(summary_of(rows)) {}

OpBlock::Summary OpBlock::summary_of(std::span<const OpRow> rows) {
  Summary out{UINT64_MAX, 0, kNever, rows.front().ended, rows.front().ended, rows.front().enqueued};
  for (const OpRow& row : rows) {
    widen_ids(raw(row.id), out.min_id, out.max_id);
    out.first_end = std::min(out.first_end, row.ended);
    out.first_enqueue = std::min(out.first_enqueue, row.enqueued);
    out.last_end = std::max(out.last_end, row.ended);
    out.last = std::max({out.last, row.enqueued, row.ready, row.started, row.ended});
  }
  return out;
}

OpRow OpBlock::row(std::size_t i) const { return packed_.row(i); }

std::optional<OpRow> OpBlock::find(OpId id) const {
  if (raw(id) < summary_.min_id || raw(id) > summary_.max_id) return std::nullopt;
  const auto id_at = [this](std::size_t i) {
    return static_cast<std::uint64_t>(packed_.packed<&OpRow::id>(i));
  };
  const auto [first, last] = order_.find(raw(id), id_at);
  if (first == last) return std::nullopt;
  return row(order_.row(first));
}

void OpTable::adopt(const StoredBlocks<OpBlock>& blocks) {
  rows_.adopt(blocks.source, blocks.summaries);
  for (const OpBlock::Summary& summary : blocks.summaries) bounds_.add_block(summary.min_id, summary.max_id);
}

void OpTable::append(std::span<const OpRow> rows) {
  for (const OpRow& row : rows) {
    if (!rows_.push_back(row)) continue;
    const OpBlock::Summary& sealed = rows_.blocks().back().summary;
    bounds_.add_block(sealed.min_id, sealed.max_id);
  }
}

OpRow OpTable::row(std::uint64_t index) const {
  RUNAHEAD_CHECK_OP(index, <, size());
  const std::uint64_t row = rows_.first_row() + index;
  if (rows_.in_tail(row)) return rows_.tail_at(row);
  return rows_.block_with(row)->row(rows_.index_in_block(row));
}

std::uint64_t OpTable::ended_in(TimeRange range) const {
  std::uint64_t count = 0;
  for (std::size_t b = 0; b < rows_.blocks().size(); ++b) {
    const auto& entry = rows_.blocks()[b];
    if (entry.summary.last_end < range.begin || entry.summary.first_end >= range.end) continue;
    if (range.contains(entry.summary.first_end) && range.contains(entry.summary.last_end)) {
      count += kBlockRows;
      continue;
    }
    const BlockPin<OpBlock> block = rows_.block(b);
    for (std::size_t i = 0; i < kBlockRows; ++i) count += range.contains(block->ended(i)) ? 1 : 0;
  }
  for (const OpRow& row : rows_.tail()) count += range.contains(row.ended) ? 1 : 0;
  return count;
}

void OpTable::in_flight_at(Timestamp t, std::vector<OpRow>& out) const {
  const auto take = [&](const OpRow& row) {
    if (row.enqueued != kNever && row.enqueued <= t && row.ended > t) out.push_back(row);
  };
  for (std::size_t b = 0; b < rows_.blocks().size(); ++b) {
    const OpBlock::Summary& summary = rows_.blocks()[b].summary;
    if (summary.last_end <= t || summary.first_enqueue > t) continue;
    const BlockPin<OpBlock> block = rows_.block(b);
    for (std::size_t i = 0; i < kBlockRows; ++i) {
      if (block->ended(i) > t) take(block->row(i));
    }
  }
  for (const OpRow& row : rows_.tail()) take(row);
}

std::optional<OpRow> OpTable::find(OpId id) const {
  if (id == kNoOp) return std::nullopt;
  // Searches the newest ops first, because in a live view the user looks at them.
  const auto tail = rows_.tail();
  for (std::size_t i = tail.size(); i-- > 0;) {
    if (tail[i].id == id) return tail[i];
  }
  const auto [first, last] = bounds_.candidates(raw(id));
  for (std::size_t block = first; block < last; ++block) {
    const OpBlock::Summary& summary = rows_.blocks()[block].summary;
    if (raw(id) < summary.min_id || raw(id) > summary.max_id) continue;
    if (auto found = rows_.block(block)->find(id)) return found;
  }
  return std::nullopt;
}

void OpTable::add_block_ends(std::vector<BlockEnd>& out) const {
  rows_.add_ends(out, &OpBlock::Summary::last);
}

std::uint64_t OpTable::evict_before(Timestamp t) {
  const std::size_t count = rows_.ending_before(t, &OpBlock::Summary::last);
  bounds_.evict(count);
  return rows_.evict(count);
}

}  // namespace runahead::trace
