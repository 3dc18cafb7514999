// Tracks: the groups of rows in the timeline. A track has lanes of slices (one lane per depth), or one
// counter series, or only children (a group). A track is defined before anything refers to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/base/ids.h"

namespace runahead::trace {

enum class TrackKind : std::uint8_t {
  kGroup,     // contains tracks: "Frontend", "Workers", "virtual:0", "Memory", a process of an import
  kThread,    // a thread without a known role
  kFrontend,  // a thread that enqueues
  kWorker,    // a thread that executes ops
  kStream,    // a stream of a device (compute or copy)
  kQueue,     // one slice per op, from enqueue to end; ops that overlap are on separate lanes
  kAsync,     // slices that may overlap; overlapping slices are on separate lanes
  kCounter,   // one CounterSeries, no lanes
  kMarkers,   // instants, such as barrier changes, that are drawn through all tracks
};
inline constexpr int kTrackKindCount = 9;

// The unit of a counter. The unit decides how the window and the exports write the values.
enum class Unit : std::uint8_t { kNone, kCount, kBytes, kPerSecond, kBytesPerSecond, kNanoseconds, kRatio };
inline constexpr int kUnitCount = static_cast<int>(Unit::kRatio) + 1;

// The meaning of a counter. Code that needs a certain counter (for example the statistics) finds it by its
// role, not by its name.
enum class CounterRole : std::uint8_t {
  kOther,
  kRunAheadOps,    // ops enqueued and not finished
  kRunAheadBytes,  // output bytes of the ops enqueued and not finished
  kRunAheadSteps,  // steps begun and not finished
  kStepsFinished,  // cumulative
  kLiveBytes,      // live bytes of one device's pool
  kReservedBytes,  // reserved bytes of one device's pool
  kProcessRss,
  kStepsPerSecond,  // throughput, computed from kStepsFinished
  kCopyBandwidth,
  kCategoryBytes,  // live bytes of one category in one device's pool
};
inline constexpr int kCounterRoleCount = static_cast<int>(CounterRole::kCategoryBytes) + 1;

// A run may have parts, such as "op by op" and "compiled". A part begins with an instant on a kMarkers track.
// The label of the instant is kPartLabel and the name of the part. Three names have a fixed meaning.
inline constexpr std::string_view kPartLabel = "part: ";
inline constexpr std::string_view kPreparationPart = "preparation";  // no step has begun yet
inline constexpr std::string_view kStepsPart = "steps";      // the steps of a workload that names no part
inline constexpr std::string_view kResultsPart = "results";  // all steps are done; results are read

// The name of an instant on the track of a frontend: here the barrier waits, if it waits for an array
// (BarrierKind). The instant is recorded whatever the barrier is, and before the wait. Its `op` is
// the last op that writes the array: the op for which wait_to_read would wait. kNoOp: no op has written the
// array, or the step waits for all ops.
inline constexpr const char* kWaitPoint = "wait point";

struct TrackInfo {
  TrackId id = kNoTrack;
  TrackId parent = kNoTrack;  // a kGroup track, defined earlier; kNoTrack: top level
  TrackKind kind = TrackKind::kThread;
  Unit unit = Unit::kNone;                 // kCounter only
  CounterRole role = CounterRole::kOther;  // kCounter only
  bool simulated = false;                  // belongs to a virtual device: marked "(simulated)" where shown
  std::int32_t sort_order = 0;             // order among siblings; on a tie, the order of ids
  std::int64_t pid = 0, tid = 0;           // process and thread number; 0: the track has no thread
  std::string name;                        // "main", "cpu 0", "compute", "run-ahead"
  std::string device;                      // "cpu", "virtual:0", or empty

  friend bool operator==(const TrackInfo&, const TrackInfo&) = default;
};

}  // namespace runahead::trace
