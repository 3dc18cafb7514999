// Says who holds a device's memory at a given time (by category, by op, and the largest blocks), and when
// memory use was at its peak. The functions are pure; any thread may call them on a snapshot. Rows that are
// only in the file are read from the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct MemoryPeak {
  Timestamp at{};  // the first time at which the peak is reached
  double bytes = 0;
  friend bool operator==(const MemoryPeak&, const MemoryPeak&) = default;
};

// The memory of all blocks that have the same category and were written by ops with the same name.
struct MemoryHolder {
  std::string op;        // name of the op; empty: the blocks have no op
  std::string category;  // empty: unknown
  std::int64_t bytes = 0;
  std::uint64_t blocks = 0;
  Timestamp since{};    // when the oldest of these blocks was allocated
  OpId oldest = kNoOp;  // the op that wrote the oldest block; kNoOp: unknown
  // the op that wrote the largest of these blocks; of equally large blocks, the oldest counts
  OpId largest = kNoOp;
  Timestamp largest_since{};  // when the largest block was allocated
  friend bool operator==(const MemoryHolder&, const MemoryHolder&) = default;
};

struct MemoryShare {
  std::string category;
  std::int64_t bytes = 0;
  std::uint64_t blocks = 0;  // number of blocks; 0: only the number of bytes is known
  friend bool operator==(const MemoryShare&, const MemoryShare&) = default;
};

struct MemoryReport {
  TrackId counter = kNoTrack;  // counter of the device's live bytes
  Timestamp at{};
  std::optional<double> counted;  // the counter's value at `at`; nullopt: `at` is before its first sample
  // Total bytes and number of the known blocks that are live at `at`.
  std::int64_t named_bytes = 0;
  std::uint64_t blocks = 0;
  std::vector<MemoryHolder> holders;       // most bytes first
  std::vector<trace::Allocation> largest;  // at most kLargestBlocks, largest first
  // Most bytes first. Computed from the known blocks; if no block of the device is known, from the counters
  // of its categories.
  std::vector<MemoryShare> by_category;
  bool lifetimes = false;  // true: at least one block of this device is known

  // Returns the value of the counter minus the bytes of known blocks. Above 0: some live blocks are unknown,
  // for example blocks that were allocated before the recording began. Below 0: some known blocks were freed,
  // but their free events were lost.
  [[nodiscard]] double unnamed_bytes() const {
    return counted ? *counted - static_cast<double>(named_bytes) : 0;
  }
};
inline constexpr std::size_t kLargestBlocks = 20;

// Returns the counters of live bytes, one per device, in track order. Counters without samples are omitted.
[[nodiscard]] std::vector<TrackId> memory_counters(const trace::Trace& trace);
// Returns the maximum of a counter in the range. The value that the counter already has at the start of the
// range counts too. nullopt: the counter has no value in the range. O(log n + blocks).
[[nodiscard]] std::optional<MemoryPeak> memory_peak(const trace::CounterSeries& counter, TimeRange range);
// Returns the report of the memory at `at`. `counter` is one of the results of memory_counters().
// O(allocation rows of the trace).
[[nodiscard]] MemoryReport memory_report(const trace::Trace& trace, TrackId counter, Timestamp at);

}  // namespace runahead::analysis
