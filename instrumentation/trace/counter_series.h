// A CounterSeries: samples of one counter over time; holds its value from one sample to the next. Stored like
// a Lane (sealed blocks, which may stay in a file, and a tail), with minima and maxima per group of rows, so
// that a view shows exact extremes. What is asked here may read the file; fold_counter() never does.
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
  // Of the first and the last sample; never read the file. REQUIRES: not empty.
  [[nodiscard]] Timestamp first_at() const;
  [[nodiscard]] Timestamp last_at() const;

  // The value that holds at `t`: of the last sample at or before it; nullopt before the first. O(log n).
  [[nodiscard]] std::optional<double> value_at(Timestamp t) const;
  // The first row at or after `t`; end_row() if none. O(log n).
  [[nodiscard]] std::uint64_t first_row_from(Timestamp t) const;
  // The same, from a row that is known not to be after the answer: O(log of the distance).
  [[nodiscard]] std::uint64_t first_row_from(Timestamp t, std::uint64_t from_row) const;
  // Exact extremes of the values that hold anywhere in `range`, the one carried in from before included;
  // nullopt if none does. A sample that another at the same time replaced counts too (a peak of no length is
  // a peak); NaNs do not. O(log n + a block's summary).
  [[nodiscard]] std::optional<Extremes> extremes(TimeRange range) const;

  void adopt(const StoredBlocks<CounterBlock>& blocks);  // REQUIRES: empty; blocks in the order of time
  void append(std::span<const CounterSample> rows);      // REQUIRES: sorted, not before the last sample
  std::uint64_t evict_before(Timestamp t);               // whole blocks; keeps the value at t findable
  // From when on the oldest block can be released: where what follows it begins.
  void add_block_ends(std::vector<BlockEnd>& out) const;
  [[nodiscard]] std::size_t size_bytes() const;

  // Copies share, as of Lane.
  CounterSeries(const CounterSeries&);
  CounterSeries& operator=(const CounterSeries&);
  CounterSeries(CounterSeries&&) noexcept;
  CounterSeries& operator=(CounterSeries&&) noexcept;
  ~CounterSeries();

  // Extremes of the samples [first, last) themselves; nullopt if there is none but NaNs.
  [[nodiscard]] std::optional<Extremes> extremes_of_rows(std::uint64_t first, std::uint64_t last) const;
  [[nodiscard]] const BlockSequence<CounterBlock>& sequence() const { return rows_; }

 private:
  // Where the samples after a block begin; nullopt for the last.
  [[nodiscard]] std::optional<Timestamp> next_begin(std::size_t block) const;

  BlockSequence<CounterBlock> rows_;
};

}  // namespace runahead::trace
