// CounterBlock: kBlockRows samples of one counter, sealed (immutable). The times are packed. The values are
// packed as integers if all of them are whole numbers. For every group of kGroupRows samples, the block also
// stores the begin time and the extremes (minimum and maximum).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "instrumentation/trace/columns/row_packing.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::trace {

// The minimum and maximum of the values added so far; NaNs are ignored. Empty (min > max) before the first
// value.
struct GrowingExtremes {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  void add(double value) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  void add(const GrowingExtremes& other) {  // an empty `other` changes nothing
    if (other.min < min) min = other.min;
    if (other.max > max) max = other.max;
  }
  [[nodiscard]] bool empty() const { return min > max; }
};

class CounterBlock {
 public:
  using Row = CounterSample;
  struct Summary {
    Timestamp first{}, last{};
    double first_value = 0, last_value = 0;
    GrowingExtremes extremes;
    friend bool operator==(const Summary&, const Summary&);  // compares bits, so that a NaN equals itself
  };
  [[nodiscard]] static Summary summary_of(std::span<const CounterSample> rows);  // REQUIRES: not empty
  static constexpr std::size_t kGroupRows = 32;
  static constexpr std::size_t kGroups = kBlockRows / kGroupRows;

  explicit CounterBlock(std::span<const CounterSample> rows);

  [[nodiscard]] Summary summary() const { return summary_; }
  [[nodiscard]] std::int64_t at_ns(std::size_t i) const { return unpack(at_, bytes_.data(), i); }
  [[nodiscard]] double value(std::size_t i) const;
  // The first of rows [first, last) at or after `t`; `last` if there is none.
  [[nodiscard]] std::size_t first_from(Timestamp t, std::size_t first, std::size_t last) const;
  [[nodiscard]] CounterSample row(std::size_t i) const {
    CounterSample out{timestamp_from_ns(at_ns(i)), value(i)};
    for_each_column_index<CounterSample>([&]<std::size_t kIndex>() {
      if constexpr (kIndex >= kOwnColumns) {
        KindAt<CounterSample, kIndex>::unpack(out, unpack(others_[kIndex - kOwnColumns], bytes_.data(), i));
      }
    });
    return out;
  }
  // Returns the extremes of rows [first, last), which may be empty. O(groups + kGroupRows).
  [[nodiscard]] GrowingExtremes extremes(std::size_t first, std::size_t last) const;
  // The begin time and the extremes of rows [group * kGroupRows, (group + 1) * kGroupRows). They are stored,
  // so these functions read no rows.
  [[nodiscard]] Timestamp group_begin(std::size_t group) const { return group_begins_[group]; }
  [[nodiscard]] const GrowingExtremes& group_extremes(std::size_t group) const { return groups_[group]; }
  // These functions prefetch data into the CPU's cache: prefetch_groups() the begin times and extremes of all
  // groups, prefetch_group() the rows of one group. Call them shortly before that data is read.
  void prefetch_groups() const;
  void prefetch_group(std::size_t group) const;
  [[nodiscard]] std::size_t size_bytes() const { return sizeof *this + bytes_.size(); }

 private:
  void add_values(std::size_t first, std::size_t last, GrowingExtremes& out) const;

  // This class packs the two columns time and value itself. pack_column() packs all other columns, as in
  // PackedRows.
  static constexpr std::size_t kOwnColumns = 2;
  PackedColumn at_, value_;
  std::array<PackedColumn, kColumnCount<CounterSample> - kOwnColumns> others_;
  bool whole_ = false;  // true: values are packed as integers; false: as the bits of doubles
  std::vector<std::byte> bytes_;
  Summary summary_;
  std::array<Timestamp, kGroups> group_begins_;
  std::array<GrowingExtremes, kGroups> groups_;
};

}  // namespace runahead::trace
