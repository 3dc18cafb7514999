#include "instrumentation/trace/flow_table.h"

#include <algorithm>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

std::vector<std::uint64_t> ops_of(std::span<const Flow> rows) {
  std::vector<std::uint64_t> ops;
  ops.reserve(rows.size());
  for (const Flow& row : rows) ops.push_back(raw(row.op));
  return ops;
}

bool touches(const Flow& flow, TrackId track, TimeRange range) {
  return (flow.from_track == track && range.contains(flow.from_time)) ||
         (flow.to_track == track && range.contains(flow.to_time));
}

}  // namespace

FlowBlock::FlowBlock(std::span<const Flow> rows)
    : packed_(rows), order_(ops_of(rows)), summary_(summary_of(rows)) {}

FlowBlock::Summary FlowBlock::summary_of(std::span<const Flow> rows) {
  Summary out{UINT64_MAX, 0, rows.front().from_time, rows.front().from_time};
  for (const Flow& row : rows) {
    widen_ids(raw(row.op), out.min_op, out.max_op);
    out.first = std::min({out.first, row.from_time, row.to_time});
    out.last = std::max({out.last, row.from_time, row.to_time});
  }
  return out;
}

Flow FlowBlock::row(std::size_t i) const { return packed_.row(i); }

void FlowTable::adopt(const StoredBlocks<FlowBlock>& blocks) {
  rows_.adopt(blocks.source, blocks.summaries);
  for (const FlowBlock::Summary& summary : blocks.summaries)
    bounds_.add_block(summary.min_op, summary.max_op);
}

void FlowTable::append(std::span<const Flow> rows) {
  for (const Flow& row : rows) {
    if (!rows_.push_back(row)) continue;
    const FlowBlock::Summary& sealed = rows_.blocks().back().summary;
    bounds_.add_block(sealed.min_op, sealed.max_op);
  }
}

Flow FlowTable::row(std::uint64_t index) const {
  RUNAHEAD_CHECK_OP(index, <, size());
  const std::uint64_t row = rows_.first_row() + index;
  if (rows_.in_tail(row)) return rows_.tail_at(row);
  return rows_.block_with(row)->row(rows_.index_in_block(row));
}

std::uint64_t FlowTable::of_op(OpId op, std::size_t limit, std::vector<Flow>& out) const {
  out.clear();
  if (op == kNoOp) return 0;
  std::uint64_t count = 0;
  const auto [first, last] = bounds_.candidates(raw(op));
  for (std::size_t b = first; b < last; ++b) {
    const auto& entry = rows_.blocks()[b];
    if (raw(op) < entry.summary.min_op || raw(op) > entry.summary.max_op) continue;
    const BlockPin<FlowBlock> block = rows_.block(b);
    block->rows_of_op(op, [&](std::size_t i) {
      ++count;
      if (out.size() < limit) out.push_back(block->row(i));
    });
  }
  for (const Flow& flow : rows_.tail()) {
    if (flow.op != op) continue;
    ++count;
    if (out.size() < limit) out.push_back(flow);
  }
  return count;
}

std::uint64_t FlowTable::touching(TrackId track, TimeRange range, std::size_t limit,
                                  std::vector<Flow>& out) const {
  out.clear();
  std::uint64_t count = 0;
  const auto take = [&](const Flow& flow) {
    if (!touches(flow, track, range)) return;
    ++count;
    if (out.size() < limit) out.push_back(flow);
  };
  for (std::size_t b = 0; b < rows_.blocks().size(); ++b) {
    const FlowBlock::Summary& summary = rows_.blocks()[b].summary;
    if (summary.last < range.begin || summary.first >= range.end) continue;
    const BlockPin<FlowBlock> block = rows_.block(b);
    for (std::size_t i = 0; i < kBlockRows; ++i) take(block->row(i));
  }
  for (const Flow& flow : rows_.tail()) take(flow);
  return count;
}

void FlowTable::add_block_ends(std::vector<BlockEnd>& out) const {
  rows_.add_ends(out, &FlowBlock::Summary::last);
}

std::uint64_t FlowTable::evict_before(Timestamp t) {
  const std::size_t count = rows_.ending_before(t, &FlowBlock::Summary::last);
  bounds_.evict(count);
  return rows_.evict(count);
}

}  // namespace runahead::trace
