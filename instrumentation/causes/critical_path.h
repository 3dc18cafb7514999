// The critical path of a run: the chain of host time, launches, kernels, copies and waits that decided when
// the run ended. Method: a walk back in time from the end, over the graph of Execution. At each node it
// follows the edge that was satisfied last. So each moment of the run belongs to exactly one segment.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/causes/communication.h"
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
  // What the time is named after: the work, the work that was launched or that waited, or the call that woke
  // up. Host time is named after the slices of the thread (path_names.h).
  StringId name = kEmptyString;
};

using PathTimes = std::array<Duration, kPathClassCount>;

// The time of the path with one name. Host time: the outermost operator, otherwise the innermost call, range
// or Python function, otherwise the same of the parent of the thread, otherwise the thread. Launches and
// waits of a device: the work that was launched or that waited. Wake-ups: the call.
struct PathName {
  PathClass path_class = PathClass::kHost;
  std::string name;
  Duration time{};
  std::uint64_t count = 0;  // number of times that it was on the path
};

struct PathStep {
  TimeRange range;
  PathTimes times{};

  [[nodiscard]] Duration of(PathClass path_class) const {
    return times[static_cast<std::size_t>(path_class)];
  }
};

struct CriticalPath {
  TimeRange range;
  std::vector<PathSegment> segments;  // sorted, disjoint; together they cover the range
  PathTimes times{};
  std::vector<PathName> names;   // longest time first, at most kMostPathNames
  std::uint64_t more_names = 0;  // names that are not in `names`
  Duration more_time{};          // their time; it and that of `names` add up to the range
  std::vector<PathStep> steps;   // the steps of the program, clipped to the range

  [[nodiscard]] Duration of(PathClass path_class) const {
    return times[static_cast<std::size_t>(path_class)];
  }
};
inline constexpr std::size_t kMostPathNames = 100;

// O((segments + threads) * log n + host slices that the path passes). `all` are the synchronisations of
// `execution`.
[[nodiscard]] CriticalPath critical_path(const Execution& execution, const std::vector<Synchronisation>& all,
                                         const Steps& steps, TimeRange range);

}  // namespace runahead::causes
