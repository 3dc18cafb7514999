#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/fold.h"

namespace runahead::trace {
namespace {

// Puts the samples of a range into columns, a block at once where it lies in one column, and then says what
// holds in each.
class CounterFold {
 public:
  CounterFold(const CounterSeries& series, TimeRange range, int width_px)
      : rows_(series.sequence()),
        range_(range),
        width_px_(width_px),
        ns_per_px_(static_cast<double>(ns_from(range.duration())) / width_px),
        columns_(static_cast<std::size_t>(width_px)) {}

  void fold(std::vector<CounterColumn>& out);

 private:
  struct Column {
    GrowingExtremes seen;  // of its samples
    double last = 0;       // of them
    bool any = false;
    bool replaced = false;  // a sample lies right at its begin
  };

  // Where column x begins. Monotonic; the last one ends exactly at the range's end.
  [[nodiscard]] Timestamp begin_of(int x) const {
    if (x >= width_px_) return range_.end;
    return std::min(range_.end, range_.begin + Duration{static_cast<std::int64_t>(ns_per_px_ * x)});
  }
  // At the finest zoom several columns share a nanosecond: each is at least that wide.
  [[nodiscard]] Timestamp end_of(int x) const { return std::max(begin_of(x + 1), begin_of(x) + Duration{1}); }
  // The column that holds `t`, which is in the range and not before the time asked about last.
  [[nodiscard]] int column_of(Timestamp t) {
    while (t >= end_of(x_)) ++x_;
    return x_;
  }
  // Samples of column x, the first of them at `at`.
  void take(int x, const GrowingExtremes& seen, Timestamp at, double last) {
    Column& column = columns_[static_cast<std::size_t>(x)];
    if (!column.any) column.replaced = at == begin_of(x);
    column.any = true;
    column.seen.add(seen);
    column.last = last;
  }
  void add_block(std::size_t b);
  void add_rows(const CounterBlock& block);
  void add_unread(const CounterBlock::Summary& summary);
  void add_tail();
  void finish(std::vector<CounterColumn>& out) const;

  const BlockSequence<CounterBlock>& rows_;
  const TimeRange range_;
  const int width_px_;
  const double ns_per_px_;
  std::vector<Column> columns_;
  int x_ = 0;                      // of the time asked about last
  std::optional<double> carried_;  // what holds as the range begins
};

void CounterFold::add_rows(const CounterBlock& block) {
  std::size_t i =
      gallop(0, kBlockRows, [&](std::size_t r) { return block.at_ns(r) >= ns_from(range_.begin); });
  if (i > 0) carried_ = block.value(i - 1);
  while (i < kBlockRows) {
    const Timestamp at = timestamp_from_ns(block.at_ns(i));
    if (at >= range_.end) return;
    const int x = column_of(at);
    const std::int64_t end_ns = ns_from(end_of(x));
    const std::size_t next =
        gallop(i + 1, kBlockRows, [&](std::size_t r) { return block.at_ns(r) >= end_ns; });
    take(x, block.extremes(i, next), at, block.value(next - 1));
    i = next;
  }
}

// All columns that it reaches into: several may share its last nanosecond.
void CounterFold::add_unread(const CounterBlock::Summary& summary) {
  if (summary.first < range_.begin) carried_ = summary.first_value;
  for (int x = column_of(std::max(summary.first, range_.begin)); x < width_px_ && begin_of(x) <= summary.last;
       ++x) {
    take(x, summary.extremes, summary.first, summary.last_value);
  }
}

void CounterFold::add_block(std::size_t b) {
  const CounterBlock::Summary& summary = rows_.blocks()[b].summary;
  if (summary.first >= range_.begin) {
    const int x = column_of(summary.first);
    if (summary.last < end_of(x) && summary.last < range_.end)
      return take(x, summary.extremes, summary.first, summary.last_value);
  }
  const BlockPin<CounterBlock> block = rows_.block_if_here(b);
  block.get() != nullptr ? add_rows(*block) : add_unread(summary);
}

void CounterFold::add_tail() {
  const auto tail = rows_.tail();
  std::size_t i = gallop(0, tail.size(), [&](std::size_t r) { return tail[r].at >= range_.begin; });
  if (i > 0) carried_ = tail[i - 1].value;
  for (; i < tail.size() && tail[i].at < range_.end; ++i) {
    GrowingExtremes seen;
    seen.add(tail[i].value);
    take(column_of(tail[i].at), seen, tail[i].at, tail[i].value);
  }
}

void CounterFold::finish(std::vector<CounterColumn>& out) const {
  std::optional<double> carried = carried_;
  for (int x = 0; x < width_px_; ++x) {
    const Column& column = columns_[static_cast<std::size_t>(x)];
    GrowingExtremes seen = column.seen;
    // What holds from before does so for some of the column, unless a sample lies right at its begin.
    if (carried && !column.replaced) seen.add(*carried);
    if (column.any) carried = column.last;
    if (!seen.empty()) out.push_back({x, seen.min, seen.max, *carried});
  }
}

void CounterFold::fold(std::vector<CounterColumn>& out) {
  const auto blocks = rows_.blocks();
  std::size_t b =
      gallop(0, blocks.size(), [&](std::size_t i) { return blocks[i].summary.last >= range_.begin; });
  if (b > 0) carried_ = blocks[b - 1].summary.last_value;
  for (; b < blocks.size() && blocks[b].summary.first < range_.end; ++b) add_block(b);
  if (b == blocks.size()) add_tail();
  finish(out);
}

}  // namespace

void fold_counter(const CounterSeries& series, TimeRange range, int width_px,
                  std::vector<CounterColumn>& out) {
  RUNAHEAD_CHECK(!range.empty() && width_px > 0);
  out.clear();
  if (!series.empty()) CounterFold(series, range, width_px).fold(out);
}

}  // namespace runahead::trace
