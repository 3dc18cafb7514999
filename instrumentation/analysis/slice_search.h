// Finding slices by name and by value. Pure; any thread on a snapshot.
//
// What is searched for is written as a person would type it:
//
//   matmul                      names that hold it, no matter the case; several words: all of them
//   "wait for"                  with the space
//   name=add                    named so, and no more
//   dur>1ms  dur<=10us          duration, with ns, us, ms, s, min or h
//   bytes>=4M                   what a slice moved or allocated, with k, M, G (powers of 1000), Ki, Mi, Gi
//   step=12  op=4711            of that step, of the op of that number (of any engine)
//   kind=wait                   zone, enqueue, execute, wait, copy, allocation, step
//   track=compute               on tracks whose name, or whose group's, holds it
//
// Everything said must hold.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct SliceSearch {
  template <typename T>
  struct Bounds {
    std::optional<T> least, most;  // both included
    [[nodiscard]] bool hold(T value) const {
      return (!least || value >= *least) && (!most || value <= *most);
    }
  };
  std::vector<std::string> name_words, track_words;
  std::optional<std::string> name;
  trace::SliceKinds kinds = 0;  // 0: all
  Bounds<Duration> duration;
  Bounds<std::int64_t> size_bytes;
  std::optional<std::int64_t> step;
  std::optional<std::uint64_t> op_number;

  [[nodiscard]] bool empty() const;  // nothing is searched for
};

// The error names the word that cannot be read, and what can.
[[nodiscard]] Result<SliceSearch> parse_slice_search(std::string_view words);

struct FoundSlice {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::uint64_t row = 0;
  trace::Slice slice;
};
enum class FoundOrder : std::uint8_t { kByTime, kLongestFirst };
enum class FoundDurations : std::uint8_t { kKept, kLeftOut };  // 8 bytes for each slice that holds
struct FoundSlices {
  std::vector<FoundSlice> slices;   // the first `most` in the order asked for
  std::uint64_t count = 0;          // of all that hold
  std::vector<Duration> durations;  // of all of them, in the order of tracks, where asked for
  bool cancelled = false;           // not all were looked at
};
// Slices that begin within `range`, those of op lives left out (they are ops, from their enqueue to their
// end). Stops soon after `cancel` is set. O(rows in range), without reading what the kinds and tracks leave
// out.
[[nodiscard]] FoundSlices find_slices(const trace::Trace& trace, const SliceSearch& search, TimeRange range,
                                      FoundOrder order, std::size_t most, const std::atomic<bool>& cancel,
                                      FoundDurations durations = FoundDurations::kKept);

}  // namespace runahead::analysis
