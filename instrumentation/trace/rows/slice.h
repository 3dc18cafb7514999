// One slice: something that took from begin to end on one lane. The value type by which rows are read and
// written; stored as columns (lane.h).
#pragma once

#include <cstdint>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"

namespace runahead::trace {

// What a slice is: the one meaning of colour in the window.
enum class SliceKind : std::uint8_t {
  kZone,     // anything else: a named scope
  kEnqueue,  // a frontend hands an op over
  kExecute,  // an op runs
  kWait,     // a thread is held back by a barrier, a blocker or a limit
  kCopyToDevice,
  kCopyToHost,
  kCopyOnDevice,  // or between devices
  kAllocation,
  kStep,   // one step of a workload, on its frontend
  kPause,  // a frontend stands still because a person paused it: no wait, and no part of any rate
};
inline constexpr int kSliceKindCount = 10;
[[nodiscard]] constexpr bool is_copy(SliceKind kind) {
  return kind == SliceKind::kCopyToDevice || kind == SliceKind::kCopyToHost ||
         kind == SliceKind::kCopyOnDevice;
}

enum SliceFlag : std::uint8_t {
  kSliceLate = 1,         // a virtual device's values came later than its model said
  kSliceFailed = 2,       // the op failed, or was skipped because an op before it had
  kSliceUnfinished = 4,   // its end was never seen: drawn to the end of what is known
  kSliceHeldByLimit = 8,  // a wait caused by the safety limit, not by the barrier
  kSliceSkipped = 16,     // with kSliceFailed: never ran, poisoned by an op before it
  kSlicePartOfOp = 32,  // of an op that has a slice of its own, where time and bytes are counted: its kernel
};

struct Slice {
  Timestamp begin{};
  Timestamp end{};  // >= begin; equal is a slice of length zero, still shown
  StringId name{};
  SliceKind kind = SliceKind::kZone;
  std::uint8_t flags = 0;       // SliceFlag
  OpId op = kNoOp;              // the op it enqueues, executes, copies for, or waits for
  std::int64_t size_bytes = 0;  // moved or allocated; 0 where it has no meaning
  ArgsId args = kNoArgs;

  [[nodiscard]] Duration duration() const { return end - begin; }
  friend bool operator==(const Slice&, const Slice&) = default;
};

// A point in time, on a track or (kMarkers tracks) through all of them.
struct Instant {
  Timestamp at{};
  TrackId track = kNoTrack;
  StringId name{};
  OpId op = kNoOp;
  ArgsId args = kNoArgs;
  friend bool operator==(const Instant&, const Instant&) = default;
};

// An arrow. Binds by time, not by row, since rows may come later: it leaves the slice of `from_track` that
// holds from_time (for an end: the slice that ends there) and enters the one of `to_track` at to_time.
enum class FlowKind : std::uint8_t {
  kEnqueueToExecute,
  kExecuteToWait,   // the completion that released a wait
  kOpToOp,          // a dependency
  kLaunchToDevice,  // an API call to its kernel or copy
  kOther,           // of an import, or of the public API
};
inline constexpr int kFlowKindCount = static_cast<int>(FlowKind::kOther) + 1;
struct Flow {
  FlowKind kind = FlowKind::kOther;
  TrackId from_track = kNoTrack, to_track = kNoTrack;
  Timestamp from_time{}, to_time{};
  OpId op = kNoOp;
  StringId name{};
  friend bool operator==(const Flow&, const Flow&) = default;
};

// The four moments of an op. Moments that have not happened yet, or were lost, are kNever.
inline constexpr Timestamp kNever = timestamp_from_ns(INT64_MIN);
struct OpRow {
  OpId id = kNoOp;
  StringId name{};
  std::int64_t step = -1;  // of the workload; -1: none
  Timestamp enqueued = kNever, ready = kNever, started = kNever, ended = kNever;
  TrackId enqueue_track = kNoTrack;  // the frontend
  TrackId execute_track = kNoTrack;  // the worker or stream
  std::int64_t output_bytes = 0;
  std::uint8_t flags = 0;  // SliceFlag: late, failed, skipped
  friend bool operator==(const OpRow&, const OpRow&) = default;
};

// Why an op had to follow an earlier one, by the Var that both name.
enum class DependencyKind : std::uint8_t {
  kReadAfterWrite,   // it reads what the earlier one wrote
  kWriteAfterRead,   // it overwrites what the earlier one read: order only
  kWriteAfterWrite,  // both write it: order, and data where the write is an update
};
inline constexpr int kDependencyKindCount = 3;
// One edge of the dependency graph: `op` had to follow `on`, whether or not that had ended by then. A pair of
// ops may come more than once, through several Vars.
struct Dependency {
  OpId op = kNoOp;
  OpId on = kNoOp;
  DependencyKind kind = DependencyKind::kReadAfterWrite;
  Timestamp at{};  // when `op` was enqueued
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

// What is said of a holding besides.
enum AllocationFlag : std::uint8_t {
  kAllocationBeganBefore = 1,  // taken before it was recorded: `begin` is when that began
  kAllocationEndUnseen = 2,    // recording stopped: `end` is when, and what became of the block is not known
};
// One block of a device's memory from when it was taken until it was given back. A block that is held for
// long has two rows: one without an end, written soon after it was taken, and the whole one, which replaces
// it.
struct Allocation {
  std::uint64_t block = 0;     // its number; no two blocks of a recording have the same
  TrackId counter = kNoTrack;  // of its device's live bytes, which it is counted in
  StringId category{};         // what it is for; empty: nobody said
  StringId name{};             // of the op that writes it
  OpId op = kNoOp;
  std::int64_t size_bytes = 0;
  Timestamp begin{}, end = kNever;  // kNever: held still when the row was written
  std::uint8_t flags = 0;           // AllocationFlag
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

}  // namespace runahead::trace
