// Slice: an interval on a lane, from begin to end. Rows are read and written as this value type and stored as
// columns (lane.h).
#pragma once

#include <chrono>
#include <cstdint>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"

namespace runahead::trace {

// The kind of a slice. The kind determines the slice's colour in the window.
enum class SliceKind : std::uint8_t {
  kZone,     // a named scope: any slice without one of the kinds below
  kEnqueue,  // a frontend enqueues an op
  kExecute,  // an op runs
  kWait,     // a thread is blocked by a barrier, by a call that needs a result (item, print), or by a limit
  kCopyToDevice,
  kCopyToHost,
  kCopyOnDevice,  // a copy on one device, or between devices
  kAllocation,
  kStep,   // one step of a workload, on its frontend
  kPause,  // the user paused the frontend; this time is not a wait, and rates do not count it
};
inline constexpr int kSliceKindCount = 10;
[[nodiscard]] constexpr bool is_copy(SliceKind kind) {
  return kind == SliceKind::kCopyToDevice || kind == SliceKind::kCopyToHost ||
         kind == SliceKind::kCopyOnDevice;
}

// A slice of a virtual device is late if its values are ready more than this after its modelled end.
inline constexpr Duration kLateAfter = std::chrono::milliseconds(1);

enum SliceFlag : std::uint8_t {
  kSliceLate = 1,         // late (see kLateAfter): the host computed the values too slowly
  kSliceFailed = 2,       // the op failed, or was skipped because an op before it failed
  kSliceUnfinished = 4,   // the end was never recorded; the slice is drawn to the end of the trace
  kSliceHeldByLimit = 8,  // a wait caused by the engine's safety limit, not by the barrier
  kSliceSkipped = 16,     // always with kSliceFailed: the op never ran, because an earlier op failed
  // GPU work of an op; its time and bytes do not count, because the op's own slice has them
  kSlicePartOfOp = 32,
};

struct Slice {
  Timestamp begin{};
  Timestamp end{};  // >= begin; if equal, the slice has length zero and is still shown
  StringId name{};
  SliceKind kind = SliceKind::kZone;
  std::uint8_t flags = 0;       // SliceFlag
  OpId op = kNoOp;              // the op that the slice enqueues, executes, copies for, or waits for
  std::int64_t size_bytes = 0;  // bytes moved or allocated; 0 for other slices
  ArgsId args = kNoArgs;

  [[nodiscard]] Duration duration() const { return end - begin; }
  friend bool operator==(const Slice&, const Slice&) = default;
};

// A point in time. The timeline draws it on its track, or through all tracks if its track is of kind
// kMarkers. Instants named kWaitPoint (track.h) are on the track of a frontend.
struct Instant {
  Timestamp at{};
  TrackId track = kNoTrack;
  StringId name{};
  OpId op = kNoOp;
  ArgsId args = kNoArgs;
  friend bool operator==(const Instant&, const Instant&) = default;
};

// A flow: an arrow between two slices. An arrow refers to its slices by track and time, not by row, because
// their rows may arrive later. The arrow leaves the slice of `from_track` that contains from_time, or that
// ends at from_time. It enters the slice of `to_track` at to_time.
//
// A flow may belong to a message between two processes; `message` is then the id of the message. Each process
// has its own recording, and knows one end of the arrow: a half, whose other end is in the recording of the
// other process. A half has a message id, the kind kOther, no op, and one track:
//   it leaves    from_track and from_time are set, to_track is kNoTrack, to_time is from_time
//   it arrives   to_track and to_time are set, from_track is kNoTrack, from_time is to_time
// Readers that need both ends must skip halves. A flow with both ends may have a message id too.
enum class FlowKind : std::uint8_t {
  kEnqueueToExecute,
  kExecuteToWait,   // from the op that completed to the wait that it released
  kOpToOp,          // a dependency
  kLaunchToDevice,  // from an API call to the kernel or copy that it launched
  kOther,           // an arrow from an imported file or from the public API
};
inline constexpr int kFlowKindCount = static_cast<int>(FlowKind::kOther) + 1;
struct Flow {
  FlowKind kind = FlowKind::kOther;
  TrackId from_track = kNoTrack, to_track = kNoTrack;
  Timestamp from_time{}, to_time{};
  OpId op = kNoOp;
  StringId name{};
  std::uint64_t message = 0;  // the id of a message between processes; 0: none

  [[nodiscard]] bool is_half() const {
    return message != 0 && (from_track == kNoTrack || to_track == kNoTrack);
  }
  friend bool operator==(const Flow&, const Flow&) = default;
};

// An op and its four times. A time that has not happened yet, or was lost, is kNever.
inline constexpr Timestamp kNever = timestamp_from_ns(INT64_MIN);
struct OpRow {
  OpId id = kNoOp;
  StringId name{};
  std::int64_t step = -1;  // step of the workload; -1: none
  Timestamp enqueued = kNever, ready = kNever, started = kNever, ended = kNever;
  TrackId enqueue_track = kNoTrack;  // the frontend
  TrackId execute_track = kNoTrack;  // the worker or stream
  std::int64_t output_bytes = 0;
  std::uint8_t flags = 0;  // SliceFlag: late, failed, skipped
  friend bool operator==(const OpRow&, const OpRow&) = default;
};

// Why an op depends on an earlier op that uses the same Var.
enum class DependencyKind : std::uint8_t {
  kReadAfterWrite,   // the op reads what the earlier op wrote
  kWriteAfterRead,   // the op overwrites what the earlier op read: no data passes, only the order matters
  kWriteAfterWrite,  // both ops write the Var; data passes only if the later op updates the old value
};
inline constexpr int kDependencyKindCount = 3;
// An edge of the dependency graph: `op` depends on `on`, whether or not `on` had ended already. A pair of ops
// may have several edges, if the ops share several Vars.
struct Dependency {
  OpId op = kNoOp;
  OpId on = kNoOp;
  DependencyKind kind = DependencyKind::kReadAfterWrite;
  Timestamp at{};  // when `op` was enqueued
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

// Further properties of an allocation.
enum AllocationFlag : std::uint8_t {
  kAllocationBeganBefore = 1,  // allocated before the recording: `begin` is the recording's start
  // the recording stopped before the block was freed: `end` is the time of the stop
  kAllocationEndUnseen = 2,
};
// A block of device memory from its allocation to its free. A block with a long life has two rows. The first
// row has no end and is written soon after the allocation. The second, complete row is written after the
// free; readers must use it instead of the first row.
struct Allocation {
  std::uint64_t block = 0;     // number of the block; unique in a recording
  TrackId counter = kNoTrack;  // the device's counter of live bytes, which includes this block
  StringId category{};         // purpose of the block; empty: unknown
  StringId name{};             // name of the op that writes the block
  OpId op = kNoOp;
  std::int64_t size_bytes = 0;
  Timestamp begin{}, end = kNever;  // kNever: live when the row was written
  std::uint8_t flags = 0;           // AllocationFlag
  // When the program dropped its last handle of the block. From then until `end`, only unfinished ops held
  // the block. Within [begin, end]. kNever: not dropped yet, not freed yet, or unknown. It is known for the
  // arrays of our engine. It is unknown for other blocks (of an imported trace, of the public API, or freed
  // by an op itself), for arrays that were dropped before the recording began, and if events were lost.
  Timestamp dropped = kNever;
  // If the program dropped the block before it was allocated (AllocationTime::kAtExecution): how long before.
  // `dropped` is then `begin`; in a damaged file, perhaps not. Otherwise 0.
  std::int64_t early_drop_ns = 0;
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

}  // namespace runahead::trace
