// Search for slices by name and by value. The functions are pure; any thread may call them on a snapshot.
//
// The search text, as the user types it:
//
//   matmul                      names that contain this word, ignoring case; several words: all of them
//   "wait for"                  words with the space between them
//   name=add                    exactly this name
//   dur>1ms  dur<=10us          duration, with ns, us, ms, s, min or h
//   bytes>=4M                   bytes that a slice moved or allocated, with k, M, G (powers of 1000), Ki, Mi,
//                               Gi
//   step=12  op=4711            slices of this step, or of the op with this number (any engine)
//   kind=wait                   zone, enqueue, execute, wait, copy, allocation, step
//   track=compute               on tracks whose name, or whose group's name, contains this word
//
// A slice must match all words and all conditions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/analysis/timeline/found_rows.h"
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
  trace::SliceKinds kinds = 0;  // 0: all kinds
  Bounds<Duration> duration;
  Bounds<std::int64_t> size_bytes;
  std::optional<std::int64_t> step;
  std::optional<std::uint64_t> op_number;

  [[nodiscard]] bool empty() const;  // true: the search has no condition
};

// Parses the search text. If a word cannot be read, the error names this word and lists the allowed forms.
[[nodiscard]] Result<SliceSearch> parse_slice_search(std::string_view words);

struct FoundSlice {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::uint64_t row = 0;
  trace::Slice slice;
};
enum class FoundOrder : std::uint8_t { kByTime, kLongestFirst };
// Whether FoundSlices has `durations` and `rows` of all matching slices. kKept costs 8 bytes per matching
// slice, and about 1.3 bits per row from the first to the last match of each lane.
enum class FoundDetail : std::uint8_t { kKept, kLeftOut };
struct FoundSlices {
  std::vector<FoundSlice> slices;  // the first `most` matching slices in the requested order
  std::uint64_t count = 0;         // number of all matching slices
  std::array<std::uint64_t, trace::kSliceKindCount> kinds{};  // index: SliceKind; all matching slices
  std::vector<Duration> durations;        // the durations of all matching slices in track order, if requested
  std::shared_ptr<const FoundRows> rows;  // the rows of all matching slices; nullptr: not requested
  bool cancelled = false;                 // true: cancelled before all rows were examined
};
// Finds the matching slices that begin within `range`. Queue tracks are not searched, because their slices
// only show the lifetimes of ops, from enqueue to end. Stops soon after `cancel` is set. O(rows in range);
// rows that the kinds and tracks exclude are not read.
[[nodiscard]] FoundSlices find_slices(const trace::Trace& trace, const SliceSearch& search, TimeRange range,
                                      FoundOrder order, std::size_t most, const std::atomic<bool>& cancel,
                                      FoundDetail detail = FoundDetail::kKept);

}  // namespace runahead::analysis
