// The timeline's words, in one place, to be said in other languages by gui/text.
#pragma once

#include "instrumentation/trace/slice.h"

namespace runahead::gui::words {

inline constexpr const char* kSimulated = "simulated";
inline constexpr const char* kHeldByLimit = "held by the limit";
inline constexpr const char* kOp = "op";
inline constexpr const char* kMin = "min";
inline constexpr const char* kMax = "max";
inline constexpr const char* kLanes = "lanes";
inline constexpr const char* kOf = "of";
inline constexpr const char* kSlices = "slices";

inline constexpr const char* kNothingFound = "No track's name holds the words searched for.";
inline constexpr const char* kClickToShow = "Click to show or hide.";
inline constexpr const char* kInThisRun = "In this run";
inline constexpr const char* kValue = "Value";

inline constexpr const char* kName = "Name";
inline constexpr const char* kKind = "Kind";
inline constexpr const char* kTrack = "Track";
inline constexpr const char* kBegins = "Begins";
inline constexpr const char* kDuration = "Duration";
inline constexpr const char* kStillRunning = "so far";
inline constexpr const char* kBytes = "Bytes";
inline constexpr const char* kRate = "Rate";
inline constexpr const char* kOpNumber = "Op";
inline constexpr const char* kStep = "Step";
inline constexpr const char* kEnqueued = "Enqueued";
inline constexpr const char* kReady = "Ready";
inline constexpr const char* kStarted = "Started";
inline constexpr const char* kEnded = "Ended";
inline constexpr const char* kNotYet = "not yet";
inline constexpr const char* kOutput = "Output";
inline constexpr const char* kWaitedFor = "Waited for";
inline constexpr const char* kWaitsFor = "Waits for";
inline constexpr const char* kNote = "Note";
inline constexpr const char* kLate = "late: its values came after the modelled end";
inline constexpr const char* kFailed = "failed";
inline constexpr const char* kSkipped = "skipped: an op before it failed";
inline constexpr const char* kUnfinished = "its end was never seen";
inline constexpr const char* kHeldNote = "held by the safety limit, not by the barrier";

[[nodiscard]] constexpr const char* kind_name(trace::SliceKind kind) {
  switch (kind) {
    case trace::SliceKind::kZone:
      return "zone";
    case trace::SliceKind::kEnqueue:
      return "enqueue";
    case trace::SliceKind::kExecute:
      return "execute";
    case trace::SliceKind::kWait:
      return "wait";
    case trace::SliceKind::kCopyToDevice:
      return "copy to device";
    case trace::SliceKind::kCopyToHost:
      return "copy to host";
    case trace::SliceKind::kCopyOnDevice:
      return "copy on device";
    case trace::SliceKind::kAllocation:
      return "allocation";
    case trace::SliceKind::kStep:
      return "step";
  }
  return "";
}

}  // namespace runahead::gui::words
