// A CounterSeries: samples of one counter over time; holds its value from one sample to the next. Stored like
// a Lane (sealed blocks, a tail), with minima and maxima per group of rows, so that a view shows exact extremes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "instrumentation/trace/batch.h"

namespace runahead::trace {

class CounterSeries {
 public:
  struct Extremes { double min = 0, max = 0; };

  CounterSeries();
  [[nodiscard]] std::uint64_t first_row() const;
  [[nodiscard]] std::uint64_t end_row() const;
  [[nodiscard]] bool empty() const { return first_row() == end_row(); }
  [[nodiscard]] CounterSample sample(std::uint64_t row) const;

  // The value that holds at `t`: of the last sample at or before it; nullopt before the first. O(log n).
  [[nodiscard]] std::optional<double> value_at(Timestamp t) const;
  // The first row at or after `t`; end_row() if none. O(log n).
  [[nodiscard]] std::uint64_t first_row_from(Timestamp t) const;
  // Exact extremes of the values that hold anywhere in `range`, the one carried in from before included;
  // nullopt if none does. O(log n + a block's summary).
  [[nodiscard]] std::optional<Extremes> extremes(TimeRange range) const;

  void append(std::span<const CounterSample> rows);  // REQUIRES: sorted, not before the last sample
  std::uint64_t let_go_before(Timestamp t);          // whole blocks; keeps the value at t findable
  [[nodiscard]] std::size_t size_bytes() const;

  // Copies share, as of Lane.
  CounterSeries(const CounterSeries&);
  CounterSeries& operator=(const CounterSeries&);
  CounterSeries(CounterSeries&&) noexcept;
  CounterSeries& operator=(CounterSeries&&) noexcept;
  ~CounterSeries();
};

}  // namespace runahead::trace
