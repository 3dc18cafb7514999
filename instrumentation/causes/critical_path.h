// The critical path of a run: the chain of host time, launches, kernels, copies and waits that decided when
// the run ended. Method: a walk back in time from the end, over the graph of Execution. At each node it
// follows the edge that was satisfied last. So each moment of the run belongs to exactly one segment.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "instrumentation/causes/execution.h"
#include "instrumentation/causes/steps.h"
#include "instrumentation/causes/synchronisation.h"

namespace runahead::causes {

enum class PathClass : std::uint8_t {
  kHost,
  kLaunch,  // from the begin of a launch to the begin of its work
  kKernel,
  kCopy,
  kCommunication,  // a collective of NCCL, RCCL or another library
  kWaiting,        // nothing of the chain ran: a wake-up, or launched work that had not begun
  kUnknown,        // the trace does not have what came before
};
inline constexpr std::size_t kPathClassCount = 7;
[[nodiscard]] std::string_view key_of(PathClass path_class);  // "host" and so on

struct PathSegment {
  TimeRange range;
  PathClass path_class = PathClass::kHost;
  TrackId track = kNoTrack;
  WorkIndex work = kNone;  // for kKernel, kCopy and kCommunication
};

struct CriticalPath {
  TimeRange range;
  std::vector<PathSegment> segments;  // sorted, disjoint; together they cover the range
  std::array<Duration, kPathClassCount> times{};

  [[nodiscard]] Duration of(PathClass path_class) const {
    return times[static_cast<std::size_t>(path_class)];
  }
};

// O((segments + threads) * log n). `all` are the synchronisations of `execution`.
[[nodiscard]] CriticalPath critical_path(const Execution& execution, const std::vector<Synchronisation>& all,
                                         const Steps& steps, TimeRange range);

// True if the name is that of a collective or of a transfer between ranks.
[[nodiscard]] bool is_communication(std::string_view name);

}  // namespace runahead::causes
