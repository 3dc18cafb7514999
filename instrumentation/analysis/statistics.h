// Statistics by name: count and durations. The functions are pure; any thread may call them on a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct NameStatistics {
  std::string name;
  trace::SliceKind kind{};
  std::string track_group;  // "Frontend", "Workers", "virtual:0 (simulated)"
  std::uint64_t count = 0;
  Duration total{}, min{}, max{}, mean{}, p50{}, p99{};  // percentiles are exact, by nearest rank
  std::int64_t size_bytes = 0;
};
// Says whether the slices on kQueue tracks count. Such a slice shows how long an op exists, from enqueue to
// end, and not work.
enum class OpLives : std::uint8_t { kCounted, kLeftOut };
// Returns the statistics of the slices that begin in `range`, ordered by total duration, largest first.
// O(rows in range).
[[nodiscard]] std::vector<NameStatistics> statistics_by_name(const trace::Trace& trace, TimeRange range,
                                                             OpLives lives = OpLives::kCounted);

}  // namespace runahead::analysis
