// What a page has of a trace: a part of it, or a summary of it.
//
// In a summary, slices that are shorter than a limit T are joined: those of a lane that begin in the same
// interval of length T become one slice from the first begin to the last end. Its name says how many they
// are and how long they were busy. Slices of T and longer stay as they are. Of the samples of a counter that
// are in one interval, the first, the least, the greatest and the last stay, so no peak is missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "instrumentation/base/time.h"

namespace runahead::gui {

struct Reduction {
  // Only rows that overlap this time, and the last sample of a counter before it; nullopt: all rows. A slice
  // that overlaps it is not cut.
  std::optional<TimeRange> range;
  Duration joined_below{};  // T; 0: nothing is joined

  [[nodiscard]] bool none() const { return !range && joined_below == Duration::zero(); }
};

// What a summary joins or leaves out. Rows outside of the range do not count.
struct ReductionCounts {
  std::uint64_t joined_slices = 0, blocks = 0;  // so many slices became so many
  std::uint64_t samples = 0, instants = 0, ops = 0, flows = 0, dependencies = 0, allocations = 0;
};

// A reduced recording says so in its metadata, as whole numbers that are divided by blanks.
inline constexpr const char* kReducedRange = "page.range_ns";         // BEGIN END
inline constexpr const char* kReducedBelow = "page.joined_below_ns";  // T
inline constexpr const char* kReducedCounts = "page.joined_rows";     // ReductionCounts, in their order

// The reduction that the metadata of a recording tells; nullopt: it is not reduced.
struct ToldReduction {
  Reduction reduction;
  ReductionCounts counts;
};
[[nodiscard]] std::optional<ToldReduction> reduction_in(const std::map<std::string, std::string>& metadata);

}  // namespace runahead::gui
