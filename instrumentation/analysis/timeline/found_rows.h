// The slices that a search found, as sets of rows. A frame of the timeline asks how many slices of a box
// were found, so each set counts the rows of an interval in constant time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "instrumentation/base/ids.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// A set of rows of one lane. It has one bit for each row from the first to the last row of the set, plus a
// third of that for counts, and a count touches at most two cache lines. The layout of the counts is that of
// rank9 (Vigna, "Broadword implementation of rank/select queries").
class RowSet {
 public:
  void add(std::uint64_t row);  // REQUIRES: `row` is greater than each row of the set
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Returns how many rows of the set are in [first, last). O(1). REQUIRES: first <= last.
  [[nodiscard]] std::uint64_t count(std::uint64_t first, std::uint64_t last) const {
    return size_ == 0 ? 0 : before(last) - before(first);
  }
  [[nodiscard]] std::size_t size_bytes() const { return lines_.size() * sizeof(Line); }

 private:
  static constexpr std::uint64_t kWords = 6, kLineRows = 64 * kWords;
  struct alignas(64) Line {    // one cache line
    std::uint64_t before = 0;  // number of rows in all earlier lines
    std::uint64_t before_words =
        0;  // 9 bits for each word except the first: number of rows in the words before it
    std::array<std::uint64_t, kWords> words{};
  };
  [[nodiscard]] std::uint64_t before(std::uint64_t row) const;  // the number of rows of the set before `row`

  std::uint64_t first_ = 0, size_ = 0;  // first_: the first row of the set
  std::vector<Line> lines_;
};

// The rows that a search found, for all lanes of the snapshot that was searched. Immutable after the search;
// any thread may read it then.
class FoundRows {
 public:
  FoundRows() = default;
  explicit FoundRows(const trace::Trace& trace);  // no lane has a found row yet

  void add(TrackId track, std::uint32_t depth, std::uint64_t row);  // REQUIRES: the same as RowSet::add()
  // Returns how many of the lane's rows [first, last) were found. nullopt: unknown, because the snapshot
  // that was searched did not have all of these rows. O(1). REQUIRES: first <= last.
  [[nodiscard]] std::optional<std::uint64_t> count(TrackId track, std::uint32_t depth, std::uint64_t first,
                                                   std::uint64_t last) const;
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  struct LaneRows {
    std::uint64_t end = 0;  // the lane had the rows before this one
    RowSet found;
  };
  std::vector<std::vector<LaneRows>> lanes_;  // index: track, depth
};

}  // namespace runahead::analysis
