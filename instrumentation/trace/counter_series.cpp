#include "instrumentation/trace/counter_series.h"

#include <algorithm>

#include "instrumentation/base/check.h"

namespace runahead::trace {

CounterSeries::CounterSeries() = default;
CounterSeries::CounterSeries(const CounterSeries&) = default;
CounterSeries& CounterSeries::operator=(const CounterSeries&) = default;
CounterSeries::CounterSeries(CounterSeries&&) noexcept = default;
CounterSeries& CounterSeries::operator=(CounterSeries&&) noexcept = default;
CounterSeries::~CounterSeries() = default;

std::uint64_t CounterSeries::first_row() const { return rows_.first_row(); }
std::uint64_t CounterSeries::end_row() const { return rows_.end_row(); }
std::size_t CounterSeries::size_bytes() const { return rows_.size_bytes(); }

CounterSample CounterSeries::sample(std::uint64_t row) const {
  if (rows_.in_tail(row)) return rows_.tail_at(row);
  const CounterBlock::Summary& summary = rows_.entry_of(row).summary;
  const std::size_t i = rows_.index_in_block(row);
  if (i == 0) return {summary.first, summary.first_value};  // no need to read the block
  if (i == kBlockRows - 1) return {summary.last, summary.last_value};
  return rows_.block_with(row)->row(i);
}

Timestamp CounterSeries::first_at() const { return sample(first_row()).at; }
Timestamp CounterSeries::last_at() const { return sample(end_row() - 1).at; }

std::uint64_t CounterSeries::first_row_from(Timestamp t) const { return first_row_from(t, first_row()); }

std::uint64_t CounterSeries::first_row_from(Timestamp t, std::uint64_t from_row) const {
  return rows_.first_where(
      from_row, [t](const auto& entry) { return entry.summary.last >= t; },
      [t](const CounterBlock& block, std::size_t i) { return block.at_ns(i) >= ns_from(t); },
      [t](const CounterSample& row) { return row.at >= t; });
}

std::optional<double> CounterSeries::value_at(Timestamp t) const {
  const std::uint64_t after = rows_.first_where(
      first_row(), [t](const auto& entry) { return entry.summary.last > t; },
      [t](const CounterBlock& block, std::size_t i) { return block.at_ns(i) > ns_from(t); },
      [t](const CounterSample& row) { return row.at > t; });
  if (after == first_row()) return std::nullopt;
  return sample(after - 1).value;
}

std::optional<CounterSeries::Extremes> CounterSeries::extremes_of_rows(std::uint64_t first,
                                                                       std::uint64_t last) const {
  GrowingExtremes out;
  const std::uint64_t packed_last = std::min(last, rows_.tail_row());
  std::uint64_t row = first;
  while (row < packed_last) {
    const auto& entry = rows_.entry_of(row);
    const std::uint64_t block_first = row - rows_.index_in_block(row);
    const std::uint64_t stop = std::min(packed_last, block_first + kBlockRows);
    const bool whole = row == block_first && stop == block_first + kBlockRows;
    out.add(whole ? entry.summary.extremes
                  : rows_.block_with(row)->extremes(row - block_first, stop - block_first));
    row = stop;
  }
  for (; row < last; ++row) out.add(rows_.tail_at(row).value);
  if (out.empty()) return std::nullopt;
  return Extremes{out.min, out.max};
}

std::optional<CounterSeries::Extremes> CounterSeries::extremes(TimeRange range) const {
  if (range.empty()) return std::nullopt;
  std::uint64_t first = first_row_from(range.begin);
  const std::uint64_t last = first_row_from(range.end, first);
  // The last value before the range still applies at the start of the range, unless a sample is exactly at
  // the start.
  const bool sample_at_begin = first < end_row() && sample(first).at == range.begin;
  if (!sample_at_begin && first > first_row()) --first;
  return extremes_of_rows(first, last);
}

void CounterSeries::adopt(const StoredBlocks<CounterBlock>& blocks) {
  rows_.adopt(blocks.source, blocks.summaries);
  for (const CounterBlock::Summary& summary : blocks.summaries) all_.add(summary.extremes);
}

void CounterSeries::append(std::span<const CounterSample> rows) {
  if (rows.empty()) return;
  Timestamp last = empty() ? rows.front().at : last_at();
  for (const CounterSample& row : rows) {
    RUNAHEAD_CHECK(row.at >= last);
    last = row.at;
    all_.add(row.value);
    rows_.push_back(row);
  }
}

std::optional<Timestamp> CounterSeries::next_begin(std::size_t block) const {
  const auto blocks = rows_.blocks();
  if (block + 1 < blocks.size()) return blocks[block + 1].summary.first;
  if (block + 1 == blocks.size() && !rows_.tail().empty()) return rows_.tail().front().at;
  return std::nullopt;
}

void CounterSeries::add_block_ends(std::vector<BlockEnd>& out) const {
  rows_.add_ends(out, [this](std::size_t block) { return next_begin(block); });
}

std::uint64_t CounterSeries::evict_before(Timestamp t) {
  std::size_t count = 0;
  // A block can be evicted if the next block begins at or before `t`: the next block then gives the value at
  // `t`.
  for (auto next = next_begin(0); next && *next <= t; next = next_begin(count)) ++count;
  return rows_.evict(count);
}

}  // namespace runahead::trace
