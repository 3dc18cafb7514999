// CounterSeries: samples of one counter over time. A value applies until the next sample. The samples are
// stored like the slices of a Lane: in sealed blocks, which may stay in a file, and a tail. Each group of
// rows has its minimum and maximum, so that a view shows exact extremes. The queries of this class may read
// the file; fold_counter() never does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "instrumentation/trace/columns/block_sequence.h"
#include "instrumentation/trace/columns/counter_block.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::trace {

class CounterSeries {
 public:
  struct Extremes {
    double min = 0, max = 0;
  };

  CounterSeries();
  [[nodiscard]] std::uint64_t first_row() const;
  [[nodiscard]] std::uint64_t end_row() const;
  [[nodiscard]] bool empty() const { return first_row() == end_row(); }
  [[nodiscard]] CounterSample sample(std::uint64_t row) const;
  // Times of the first and the last sample. These two functions never read the file. REQUIRES: not empty.
  [[nodiscard]] Timestamp first_at() const;
  [[nodiscard]] Timestamp last_at() const;

  // The value at `t`, from the last sample at or before `t`; nullopt before the first sample. O(log n).
  [[nodiscard]] std::optional<double> value_at(Timestamp t) const;
  // The first row at or after `t`; end_row() if there is none. O(log n).
  [[nodiscard]] std::uint64_t first_row_from(Timestamp t) const;
  // Returns the same row, but starts the search at `from_row`. REQUIRES: `from_row` is not after the result.
  // O(log d) for a result that is d rows after `from_row`.
  [[nodiscard]] std::uint64_t first_row_from(Timestamp t, std::uint64_t from_row) const;
  // Exact extremes of the values that apply anywhere in `range`, including the value that applies at its
  // start; nullopt: no value applies. If several samples have the same time, the values of all of them count,
  // although only the last value applies after this time. Therefore a peak of length zero is included too.
  // NaNs do not count. O(log n + blocks in the range).
  [[nodiscard]] std::optional<Extremes> extremes(TimeRange range) const;

  void adopt(const StoredBlocks<CounterBlock>& blocks);  // REQUIRES: no rows yet; `blocks` are in time order
  // REQUIRES: `rows` are sorted, none before the last sample.
  void append(std::span<const CounterSample> rows);
  // Evicts the whole blocks that are not needed for the values from `t` on. Returns the number of evicted
  // rows.
  std::uint64_t evict_before(Timestamp t);
  // Appends the time from which each block can be evicted: the start of the next block.
  void add_block_ends(std::vector<BlockEnd>& out) const;
  [[nodiscard]] std::size_t size_bytes() const;

  // Copies share their blocks, like copies of a Lane.
  CounterSeries(const CounterSeries&);
  CounterSeries& operator=(const CounterSeries&);
  CounterSeries(CounterSeries&&) noexcept;
  CounterSeries& operator=(CounterSeries&&) noexcept;
  ~CounterSeries();

  // The extremes of the samples [first, last) alone, without the value that applies before them; nullopt:
  // there are no samples, or only NaNs.
  [[nodiscard]] std::optional<Extremes> extremes_of_rows(std::uint64_t first, std::uint64_t last) const;
  // The extremes of all samples, also of evicted ones; empty: there are no samples, or only NaNs. O(1), and
  // never reads the file.
  [[nodiscard]] const GrowingExtremes& all_extremes() const { return all_; }
  [[nodiscard]] const BlockSequence<CounterBlock>& sequence() const { return rows_; }

 private:
  // Returns the time of the first sample after the block; nullopt: there is none.
  [[nodiscard]] std::optional<Timestamp> next_begin(std::size_t block) const;

  BlockSequence<CounterBlock> rows_;
  GrowingExtremes all_;
};

}  // namespace runahead::trace
