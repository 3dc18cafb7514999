#include "instrumentation/trace/dependency_table.h"

#include <algorithm>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

std::vector<std::uint64_t> ops_of(std::span<const Dependency> rows) {
  std::vector<std::uint64_t> ids;
  ids.reserve(rows.size());
  for (const Dependency& row : rows) ids.push_back(raw(row.op));
  return ids;
}

// Collects the first `limit` rows that match, and counts all rows that match.
class Gathering {
 public:
  Gathering(std::size_t limit, std::vector<Dependency>& out) : limit_(limit), out_(out) { out.clear(); }
  void operator()(const Dependency& row) {
    ++count_;
    if (out_.size() < limit_) out_.push_back(row);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  const std::size_t limit_;
  std::vector<Dependency>& out_;
  std::uint64_t count_ = 0;
};

}  // namespace

DependencyBlock::DependencyBlock(std::span<const Dependency> rows)
    : packed_(rows), by_op_(ops_of(rows)), summary_(summary_of(rows)) {}

DependencyBlock::Summary DependencyBlock::summary_of(std::span<const Dependency> rows) {
  Summary out{UINT64_MAX, 0, raw(rows.front().on), raw(rows.front().on), rows.front().at};
  for (const Dependency& row : rows) {
    widen_ids(raw(row.op), out.min_op, out.max_op);
    out.min_on = std::min(out.min_on, raw(row.on));
    out.max_on = std::max(out.max_on, raw(row.on));
    out.last = std::max(out.last, row.at);
  }
  return out;
}

Dependency DependencyBlock::row(std::size_t i) const { return packed_.row(i); }

void DependencyTable::adopt(const StoredBlocks<DependencyBlock>& blocks) {
  rows_.adopt(blocks.source, blocks.summaries);
  for (const DependencyBlock::Summary& summary : blocks.summaries) {
    bounds_.add_block(summary.min_op, summary.max_op);
  }
}

void DependencyTable::append(std::span<const Dependency> rows) {
  for (const Dependency& row : rows) {
    if (!rows_.push_back(row)) continue;
    const DependencyBlock::Summary& sealed = rows_.blocks().back().summary;
    bounds_.add_block(sealed.min_op, sealed.max_op);
  }
}

Dependency DependencyTable::row(std::uint64_t index) const {
  RUNAHEAD_CHECK_OP(index, <, size());
  const std::uint64_t row = rows_.first_row() + index;
  if (rows_.in_tail(row)) return rows_.tail_at(row);
  return rows_.block_with(row)->row(rows_.index_in_block(row));
}

std::uint64_t DependencyTable::of_op(OpId op, std::size_t limit, std::vector<Dependency>& out) const {
  Gathering gather(limit, out);
  if (op == kNoOp) return 0;
  const auto [first, last] = bounds_.candidates(raw(op));
  for (std::size_t b = first; b < last; ++b) {
    const auto& entry = rows_.blocks()[b];
    if (raw(op) < entry.summary.min_op || raw(op) > entry.summary.max_op) continue;
    rows_.block(b)->rows_of_op(op, [&](const Dependency& row) { gather(row); });
  }
  for (const Dependency& row : rows_.tail()) {
    if (row.op == op) gather(row);
  }
  return gather.count();
}

std::uint64_t DependencyTable::on_op(OpId op, std::size_t limit, std::vector<Dependency>& out,
                                     std::optional<std::size_t> most_blocks) const {
  Gathering gather(limit, out);
  if (op == kNoOp) return 0;
  std::size_t read = 0;
  bool omitted = false;
  for (std::size_t b = most_blocks ? bounds_.first_from(raw(op)) : 0; b < rows_.blocks().size(); ++b) {
    const DependencyBlock::Summary& summary = rows_.blocks()[b].summary;
    if (raw(op) < summary.min_on || raw(op) > summary.max_on) continue;
    omitted = most_blocks && read == *most_blocks;
    if (omitted) break;
    ++read;
    rows_.block(b)->rows_on(op, [&](const Dependency& row) { gather(row); });
  }
  for (const Dependency& row : rows_.tail()) {
    if (row.on == op) gather(row);
  }
  return gather.count() + (omitted ? 1 : 0);
}

void DependencyTable::add_block_ends(std::vector<BlockEnd>& out) const {
  rows_.add_ends(out, &DependencyBlock::Summary::last);
}

std::uint64_t DependencyTable::evict_before(Timestamp t) {
  const std::size_t count = rows_.ending_before(t, &DependencyBlock::Summary::last);
  bounds_.evict(count);
  return rows_.evict(count);
}

}  // namespace runahead::trace
