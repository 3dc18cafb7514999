#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/fold.h"

namespace runahead::trace {
namespace {

constexpr std::size_t kGroupRows = CounterBlock::kGroupRows;
constexpr std::size_t kMostWaiting = 8;

// Puts the samples of a range into columns. A block or group that is inside one column is added at once, from
// its stored extremes. Then CounterFold determines the values of each column. With many samples, most of the
// time would be cache misses. Therefore the blocks and groups that must be read are queued: some of them are
// prefetched while others are read.
class CounterFold {
 public:
  CounterFold(const CounterSeries& series, const ColumnGrid& grid, Timestamp end, FoldBudget& budget);
  CoarseSpan fold(std::vector<CounterColumn>& out);

 private:
  // Column 0 contains the rows before the range. Its last value continues into the first visible column.
  struct Column {
    GrowingExtremes seen;        // extremes of the column's samples
    double last = 0;             // value of the column's last sample
    std::uint64_t next_row = 0;  // the row after the row of `last`; 0: the column has no sample
    Timestamp begin{};
    // A sample is exactly at the start of the column, so the last value of the previous column does not apply
    // here.
    bool replaced = false;
  };
  struct Samples {
    Timestamp first_at;
    GrowingExtremes extremes;
    std::uint64_t next_row;  // the row after the last sample
    double last;
  };
  // A block in the queue: its groups must be read.
  struct Waiting {
    BlockPin<CounterBlock> block;
    std::uint64_t first_row;
    std::size_t column;  // the column in which the block begins
  };
  // A group in the queue: its rows must be read, because they may belong to several columns.
  struct Split {
    const CounterBlock* block;
    std::uint64_t first_row;  // first row of the block
    std::size_t group, column;
  };

  // The column that contains `t`; columns_.size() if `t` is after the range. The search starts at `column`,
  // which must not be after the result.
  [[nodiscard]] std::size_t column_from(std::size_t column, Timestamp t) const {
    while (column < ends_.size() && t >= ends_[column]) ++column;
    return column;
  }
  void take(std::size_t column, const Samples& samples);  // in any order
  void add_block(std::size_t b);
  void add_waiting();
  void add_groups(const Waiting& one);
  void add_unread(const CounterBlock::Summary& summary, std::uint64_t first_row);
  void add_tail();
  void split_later(const Split& split);
  void split(const Split& split);
  void split_all();
  void finish(std::vector<CounterColumn>& out) const;

  const BlockSequence<CounterBlock>& rows_;
  std::vector<Column> columns_;
  std::vector<Timestamp> ends_;  // the end of each column
  const Timestamp begin_;
  std::size_t column_ = 0;  // the column in which the last added block or row begins
  std::array<Split, 64> splits_;
  std::size_t split_count_ = 0;
  std::vector<Waiting> waiting_;
  CoarseSpan coarse_;
  FoldBudget& budget_;
};

// The last column ends at `end`, which may be before the next column would begin.
CounterFold::CounterFold(const CounterSeries& series, const ColumnGrid& grid, Timestamp end,
                         FoldBudget& budget)
    : rows_(series.sequence()),
      columns_(static_cast<std::size_t>(grid.count) + 1),
      begin_(grid.begin_of(grid.first)),
      budget_(budget) {
  for (std::size_t c = 1; c < columns_.size(); ++c)
    columns_[c].begin = std::min(end, grid.begin_of(grid.first + static_cast<std::int64_t>(c) - 1));
  ends_.reserve(columns_.size());
  ends_.push_back(begin_);
  // At the finest zoom several columns begin in the same nanosecond. Nevertheless each column takes at least
  // 1 ns, so that each column can contain a sample.
  for (std::size_t c = 2; c < columns_.size(); ++c)
    ends_.push_back(std::max(columns_[c].begin, columns_[c - 1].begin + Duration{1}));
  ends_.push_back(std::max(end, columns_.back().begin + Duration{1}));
}

void CounterFold::take(std::size_t c, const Samples& samples) {
  Column& column = columns_[c];
  column.replaced = column.replaced || samples.first_at == column.begin;
  column.seen.add(samples.extremes);
  if (samples.next_row <= column.next_row) return;
  column.next_row = samples.next_row;
  column.last = samples.last;
}

void CounterFold::add_groups(const Waiting& one) {
  const CounterBlock& block = *one.block;
  std::size_t c = one.column;
  for (std::size_t group = 0; group < CounterBlock::kGroups; ++group) {
    const Timestamp begin = block.group_begin(group);
    c = column_from(c, begin);
    if (c == columns_.size()) return;
    const bool last = group + 1 == CounterBlock::kGroups;
    const Timestamp reaches = last ? block.summary().last : block.group_begin(group + 1);
    if (reaches >= ends_[c]) {
      split_later({&block, one.first_row, group, c});
    } else {
      // The last argument is the last value of the block, although the group may end earlier. This is correct
      // for the last group. After any other group, the next group begins in the same column and replaces the
      // value.
      take(c, {begin, block.group_extremes(group), one.first_row + (group + 1) * kGroupRows,
               block.summary().last_value});
    }
  }
}

void CounterFold::split_later(const Split& one) {
  one.block->prefetch_group(one.group);
  splits_[split_count_++] = one;
  if (split_count_ == splits_.size()) split_all();
}

void CounterFold::split_all() {
  for (std::size_t i = 0; i < split_count_; ++i) split(splits_[i]);
  split_count_ = 0;
}

void CounterFold::split(const Split& one) {
  const CounterBlock& block = *one.block;
  const std::size_t end = (one.group + 1) * kGroupRows;
  std::size_t c = one.column;
  for (std::size_t i = one.group * kGroupRows; i < end;) {
    const Timestamp at = timestamp_from_ns(block.at_ns(i));
    c = column_from(c, at);
    if (c == columns_.size()) return;
    const std::size_t next = block.first_from(ends_[c], i + 1, end);
    take(c, {at, block.extremes(i, next), one.first_row + next, block.value(next - 1)});
    i = next;
  }
}

// Adds the block's summary to all columns that the block overlaps. At the finest zoom, several columns may
// begin in the last nanosecond of the block: they all get the summary.
void CounterFold::add_unread(const CounterBlock::Summary& summary, std::uint64_t first_row) {
  if (summary.first < begin_) take(0, {summary.first, {}, first_row + 1, summary.first_value});
  const Samples samples{summary.first, summary.extremes, first_row + kBlockRows, summary.last_value};
  std::size_t c = column_from(column_, std::max(summary.first, begin_));
  // Columns before this one do not change, so the inexact columns begin here.
  if (coarse_.first_px == coarse_.end_px) coarse_.first_px = static_cast<int>(c) - 1;
  for (; c < columns_.size() && columns_[c].begin <= summary.last; ++c) take(c, samples);
  // The next column is exact: the value that continues into it is the block's last value, which the summary
  // has.
  coarse_.end_px = static_cast<int>(c) - 1;
}

void CounterFold::add_block(std::size_t b) {
  const CounterBlock::Summary& summary = rows_.blocks()[b].summary;
  const std::uint64_t first_row = rows_.first_row_of(b);
  column_ = column_from(column_, summary.first);
  if (summary.last < ends_[column_]) {
    take(column_, {summary.first, summary.extremes, first_row + kBlockRows, summary.last_value});
    return;
  }
  if (budget_.blocks == 0) {
    budget_.spent = true;
    return add_unread(summary, first_row);
  }
  if (budget_.missing == 0) return add_unread(summary, first_row);
  BlockPin<CounterBlock> block = rows_.block_if_here(b);
  if (block.get() == nullptr) {
    --budget_.missing;
    return add_unread(summary, first_row);
  }
  --budget_.blocks;
  block->prefetch_groups();
  waiting_.push_back({std::move(block), first_row, column_});
  if (waiting_.size() == kMostWaiting) add_waiting();
}

void CounterFold::add_waiting() {
  for (const Waiting& one : waiting_) add_groups(one);
  split_all();
  waiting_.clear();
}

void CounterFold::add_tail() {
  for (std::uint64_t row = rows_.tail_row(); row < rows_.end_row(); ++row) {
    const CounterSample& sample = rows_.tail_at(row);
    column_ = column_from(column_, sample.at);
    if (column_ == columns_.size()) return;
    GrowingExtremes seen;
    seen.add(sample.value);
    take(column_, {sample.at, seen, row + 1, sample.value});
  }
}

void CounterFold::finish(std::vector<CounterColumn>& out) const {
  out.reserve(columns_.size());
  std::optional<double> last_value;
  if (columns_[0].next_row > 0) last_value = columns_[0].last;
  for (std::size_t c = 1; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    GrowingExtremes seen = column.seen;
    // The last value of the previous column applies at the start of this column, unless a sample is exactly
    // there.
    if (last_value && !column.replaced) seen.add(*last_value);
    if (column.next_row > 0) last_value = column.last;
    if (!seen.empty()) out.push_back({static_cast<int>(c) - 1, seen.min, seen.max, *last_value});
  }
}

CoarseSpan CounterFold::fold(std::vector<CounterColumn>& out) {
  const auto blocks = rows_.blocks();
  std::size_t b = gallop(0, blocks.size(), [&](std::size_t i) { return blocks[i].summary.last >= begin_; });
  if (b > 0) {
    const CounterBlock::Summary& before = blocks[b - 1].summary;
    take(0, {before.first, before.extremes, rows_.first_row_of(b), before.last_value});
  }
  for (; b < blocks.size() && blocks[b].summary.first < ends_.back(); ++b) add_block(b);
  if (b == blocks.size()) add_tail();
  add_waiting();
  finish(out);
  return coarse_;
}

}  // namespace

Timestamp ColumnGrid::begin_of(std::int64_t column) const {
  const double exact = ns_per_px * static_cast<double>(column);
  // The cast rounds towards 0; the next line corrects this for negative numbers. std::floor would be a
  // function call.
  const auto whole = static_cast<std::int64_t>(exact);
  return origin + Duration{whole > exact ? whole - 1 : whole};
}

void fold_counter(const CounterSeries& series, TimeRange range, int width_px,
                  std::vector<CounterColumn>& out) {
  RUNAHEAD_CHECK(!range.empty() && width_px > 0);
  out.clear();
  const double ns_per_px = static_cast<double>(ns_from(range.duration())) / width_px;
  const ColumnGrid grid{.origin = range.begin, .ns_per_px = ns_per_px, .count = width_px};
  FoldBudget all;
  if (!series.empty()) CounterFold(series, grid, range.end, all).fold(out);
}

CoarseSpan fold_counter(const CounterSeries& series, const ColumnGrid& grid, std::vector<CounterColumn>& out,
                        FoldBudget& budget) {
  RUNAHEAD_CHECK(grid.ns_per_px > 0 && grid.count > 0);
  out.clear();
  if (series.empty()) return {};
  return CounterFold(series, grid, grid.begin_of(grid.first + grid.count), budget).fold(out);
}

}  // namespace runahead::trace
