// Who holds a device's memory at a moment: by category, by op, the largest blocks; and when its memory was at
// its peak. Pure; any thread on a snapshot. Reads the file where the rows are there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct MemoryPeak {
  Timestamp at{};  // the first moment at which it is reached
  double bytes = 0;
  friend bool operator==(const MemoryPeak&, const MemoryPeak&) = default;
};

// What the blocks of one op hold, of one category.
struct MemoryHolder {
  std::string op;        // its name; empty: of no op
  std::string category;  // empty: nobody said
  std::int64_t bytes = 0;
  std::uint64_t blocks = 0;
  Timestamp since{};          // when the oldest of them was taken
  OpId oldest = kNoOp;        // the op that wrote it; kNoOp: not known
  OpId largest = kNoOp;       // that of the largest block; of equal ones the oldest
  Timestamp largest_since{};  // when that block was taken
  friend bool operator==(const MemoryHolder&, const MemoryHolder&) = default;
};

struct MemoryShare {
  std::string category;
  std::int64_t bytes = 0;
  std::uint64_t blocks = 0;  // 0: only the bytes are known
  friend bool operator==(const MemoryShare&, const MemoryShare&) = default;
};

struct MemoryReport {
  TrackId counter = kNoTrack;  // of the device's live bytes
  Timestamp at{};
  std::optional<double> counted;  // its value then; nullopt: before its first sample
  // Of the blocks that were held then, as far as they are known.
  std::int64_t named_bytes = 0;
  std::uint64_t blocks = 0;
  std::vector<MemoryHolder> holders;       // most bytes first
  std::vector<trace::Allocation> largest;  // at most kLargestBlocks, largest first
  std::vector<MemoryShare> by_category;  // most bytes first; of the blocks, or where none is known at all, of
                                         // the categories' counters
  bool lifetimes = false;                // something is known of single blocks of this device

  // Of what the counter says. Above 0: held by blocks that are not known, taken before recording began, say.
  // Below: the end of some was lost.
  [[nodiscard]] double unnamed_bytes() const {
    return counted ? *counted - static_cast<double>(named_bytes) : 0;
  }
};
inline constexpr std::size_t kLargestBlocks = 20;

// The counters of live bytes that have samples, one for each device, in the order of their tracks.
[[nodiscard]] std::vector<TrackId> memory_counters(const trace::Trace& trace);
// The most that a counter says anywhere in the range, the value that it begins with included. nullopt: it
// says nothing there. O(log n + blocks).
[[nodiscard]] std::optional<MemoryPeak> memory_peak(const trace::CounterSeries& counter, TimeRange range);
// `counter`: one of memory_counters(). O(holdings of the trace).
[[nodiscard]] MemoryReport memory_report(const trace::Trace& trace, TrackId counter, Timestamp at);

}  // namespace runahead::analysis
