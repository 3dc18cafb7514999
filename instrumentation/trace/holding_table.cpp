#include "instrumentation/trace/holding_table.h"

#include <algorithm>
#include <unordered_map>

#include "instrumentation/base/check.h"

namespace runahead::trace {

std::int64_t HoldingCodec::value(const Holding& row, int column) {
  switch (column) {
    case kBlock:
      return static_cast<std::int64_t>(row.block);
    case kCounter:
      return raw(row.counter);
    case kCategory:
      return raw(row.category);
    case kName:
      return raw(row.name);
    case kOp:
      return static_cast<std::int64_t>(raw(row.op));
    case kBytes:
      return row.size_bytes;
    case kBegin:
      return ns_from(row.begin);
    case kHeld:
      return row.end == kNever ? kStillHeld : (row.end - row.begin).count();
    default:
      return row.flags;
  }
}

std::optional<std::int64_t> HoldingCodec::null_of(int column) {
  if (column == kOp) return 0;
  if (column == kHeld) return kStillHeld;
  return std::nullopt;
}

template <typename At>
Holding HoldingCodec::row(At at) {
  const Timestamp begin = timestamp_from_ns(at(kBegin));
  const std::int64_t held = at(kHeld);
  return {.block = static_cast<std::uint64_t>(at(kBlock)),
          .counter = TrackId(static_cast<std::uint32_t>(at(kCounter))),
          .category = StringId(static_cast<std::uint32_t>(at(kCategory))),
          .name = StringId(static_cast<std::uint32_t>(at(kName))),
          .op = OpId(static_cast<std::uint64_t>(at(kOp))),
          .size_bytes = at(kBytes),
          .begin = begin,
          .end = held == kStillHeld ? kNever : begin + Duration{held},
          .flags = static_cast<std::uint8_t>(at(kFlags))};
}

HoldingBlock::Summary HoldingBlock::summary_of(std::span<const Holding> rows) {
  Summary out{rows.front().begin, moment_of(rows.front())};
  for (const Holding& row : rows) {
    out.first = std::min(out.first, row.begin);
    out.last = std::max(out.last, moment_of(row));
  }
  return out;
}

Holding HoldingBlock::row(std::size_t i) const { return packed_.row(i); }

void HoldingTable::append(std::span<const Holding> rows) {
  for (const Holding& row : rows) rows_.push_back(row);
}

void HoldingTable::adopt(const StoredBlocks<HoldingBlock>& blocks) {
  rows_.adopt(blocks.source, blocks.summaries);
}

Holding HoldingTable::row(std::uint64_t index) const {
  RUNAHEAD_CHECK_OP(index, <, size());
  if (index < kept_held().size()) return kept_held()[index];
  const std::uint64_t row = rows_.first_row() + (index - kept_held().size());
  if (rows_.in_tail(row)) return rows_.tail_at(row);
  return rows_.block_with(row)->row(rows_.index_in_block(row));
}

void HoldingTable::add_block_ends(std::vector<BlockEnd>& out) const {
  rows_.add_ends(out, &HoldingBlock::Summary::last);
}

std::uint64_t HoldingTable::let_go_before(Timestamp t) {
  const std::size_t count = rows_.ending_before(t, &HoldingBlock::Summary::last);
  if (count == 0) return 0;
  std::unordered_map<std::uint64_t, Holding> held;
  const auto follow = [&held](const Holding& row) {
    if (row.end == kNever) {
      held[row.block] = row;
    } else {
      held.erase(row.block);
    }
  };
  for (const Holding& row : kept_held()) follow(row);
  for (std::size_t b = 0; b < count; ++b) {
    const BlockPin<HoldingBlock> block = rows_.block(b);
    for (std::size_t i = 0; i < kBlockRows; ++i) follow(block->row(i));
  }
  auto kept = std::make_shared<std::vector<Holding>>();
  kept->reserve(held.size());
  for (const auto& [number, row] : held) kept->push_back(row);
  std::ranges::sort(*kept, {}, &Holding::block);
  held_ = std::move(kept);
  return rows_.let_go(count);
}

}  // namespace runahead::trace
