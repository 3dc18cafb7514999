// PayloadReader: reads one payload. A failed check marks the reader as failed: ok() and finish() report it.
// Reads after a failure are safe and give 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::recordings {
using namespace trace;

class PayloadReader {
 public:
  explicit PayloadReader(std::string_view payload) : in_(payload) {}

  ByteReader& in() { return in_; }
  [[nodiscard]] bool ok() const { return in_.ok(); }
  [[nodiscard]] bool finish() const { return in_.ok() && in_.at_end(); }
  void require(bool condition) {
    if (!condition) in_.fail();
  }

  // Reads a number of rows. Fails if the rest of the payload has fewer than `least_bytes` for each row, or if
  // the rows so far exceed kMaxBlockRows. Returns 0 after a failure.
  std::size_t rows(std::size_t least_bytes) {
    const std::size_t n = in_.count(least_bytes);
    total_rows_ += n;
    require(total_rows_ <= kMaxBlockRows);
    return ok() ? n : 0;
  }
  RowSummary summary() {
    RowSummary out;
    out.track = optional_track();
    const std::uint64_t depth = in_.varint();
    require(depth < kMaxDepth);
    out.depth = static_cast<std::uint32_t>(depth);
    out.rows = in_.varint();
    out.first = timestamp_from_ns(in_.svarint());
    out.last = timestamp_from_ns(in_.svarint());
    require(columns::time_fits(ns_from(out.first)) && columns::time_fits(ns_from(out.last)));
    return out;
  }
  std::uint32_t id() {
    const std::uint64_t value = in_.varint();
    require(value <= static_cast<std::uint64_t>(kMaxId));
    return static_cast<std::uint32_t>(value);
  }
  TrackId track() { return TrackId{id()}; }
  TrackId optional_track() {
    const auto id = columns::optional_track_of(static_cast<std::int64_t>(in_.varint()));
    require(id.has_value());
    return id.value_or(kNoTrack);
  }
  std::uint8_t below(int limit) {
    const std::uint8_t value = in_.u8();
    require(value < limit);
    return value;
  }
  // Reads a column of n values and calls set(row, value) for each. Fails at the first value for which set
  // returns false.
  template <typename Set>
  void column(std::size_t n, Set set) {
    in_.column(n, column_);
    set_all(n, set);
  }
  // Like column(), for a column with at least one byte per row.
  template <typename Set>
  void dense_column(std::size_t n, Set set) {
    in_.dense_column(n, column_);
    set_all(n, set);
  }
  // Like dense_column(), for times. Each value is the gap in ns after the previous time; the first value is
  // the gap after `before`.
  template <typename Set>
  void times_by_gaps(std::size_t n, Timestamp before, Set set) {
    dense_column(n, [&](std::size_t i, std::int64_t gap_ns) {
      set(i, before = later(before, gap_ns));
      return ok();
    });
  }
  // Returns before + gap_ns. Fails if gap_ns is negative or the sum exceeds kMaxTimeNs.
  Timestamp later(Timestamp before, std::int64_t gap_ns) {
    if (gap_ns < 0 || gap_ns > kMaxTimeNs - ns_from(before)) {
      in_.fail();
      return before;
    }
    return before + Duration{gap_ns};
  }

 private:
  template <typename Set>
  void set_all(std::size_t n, Set& set) {
    if (!ok()) return;
    for (std::size_t i = 0; i < n; ++i) {
      if (!set(i, column_[i])) return in_.fail();
    }
  }

  ByteReader in_;
  std::vector<std::int64_t> column_;
  std::size_t total_rows_ = 0;
};

}  // namespace runahead::recordings
