// The hooks: the calls that an instrumented program makes (our engine first of all). Each hook may be called
// on any thread at any time. On its fast path a hook takes no lock. A hook never blocks and never fails. When
// recording is off, a hook costs one relaxed load. Events that cannot be recorded are counted
// (LossCause::kBufferFull).
//
// Times are raw ticks (TickClock::get().now()) that the caller reads. Therefore several events at the same
// time can share one reading of the clock. For example, the end of an op is also the ready time of the op
// that it released, and the start of the next op on the worker.
#pragma once

#include <cstdint>
#include <string_view>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/in_use.h"
#include "instrumentation/record/hooks/site.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::record {

// Returns true while a recorder accepts events.
[[nodiscard]] inline bool recording() noexcept {
  return internal::in_use.generation.load(std::memory_order_relaxed) != 0;
}
// Returns TickClock::get().now(). If the clock is the TSC, reads it without a function call.
[[nodiscard]] inline std::uint64_t now_ticks() noexcept { return internal::read_ticks(); }

// Names the calling thread and sets its kind. May be called before recording starts, and again later (the
// last call applies). kFrontend threads are shown in the group "Frontend", kWorker threads in "Workers",
// others in "Threads".
void name_thread(trace::TrackKind kind, std::string_view name, std::int32_t sort_order = 0);

// ---- zones: nested scopes of the calling thread ----------------------------------------------------------
void zone_begin(const Site& site, std::uint64_t ticks, OpId op = kNoOp, std::int64_t size_bytes = 0) noexcept;
// Ends the innermost zone; flags: trace::SliceFlag.
void zone_end(std::uint64_t ticks, std::uint8_t flags = 0) noexcept;

class Zone {
 public:
  explicit Zone(const Site& site, OpId op = kNoOp, std::int64_t size_bytes = 0) noexcept
      : active_(recording()) {
    if (active_) zone_begin(site, now_ticks(), op, size_bytes);
  }
  ~Zone() {
    if (active_) zone_end(now_ticks());
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  bool active_;
};

// ---- an op's life ---------------------------------------------------------------------------------------
// An earlier op that must run before this op; see trace::Dependency. The members have no initialisers: an
// engine makes an array of these objects for each op, and should not spend time on unused elements.
struct OpDependency {
  std::uint64_t number;  // op_number() of the earlier op, of the same engine; 0: none
  trace::DependencyKind kind;
};
struct OpEnqueued {
  const Site* site = nullptr;  // the name of the op
  // The counter of run-ahead ops of the op's device (kRunAheadOps). The collector computes the values of this
  // counter.
  const TrackDesc* queue = nullptr;
  OpId op = kNoOp;
  std::int64_t step = -1;
  std::int64_t output_bytes = 0;
  OpDependency follows{};  // one of the dependencies; op_depends() records the other dependencies
};
// The op was enqueued on the calling (frontend) thread, from begin_ticks to end_ticks. The enqueue is shown
// as a thin slice on this thread. It may enclose other slices of the thread (a wait, or the op itself). The
// enclosed slices were recorded first, so the enqueue goes to a lane below them.
void op_enqueued(const OpEnqueued& op, std::uint64_t begin_ticks, std::uint64_t end_ticks) noexcept;
// The number of dependencies that one call of op_depends() can record.
inline constexpr std::size_t kDependenciesPerEvent = 2;
// `op`, enqueued at `ticks`, also depends on these earlier ops. Writes one event. `second` may have number 0:
// no second dependency. REQUIRES: the first number is not 0.
void op_depends(OpId op, const OpDependency& first, const OpDependency& second, std::uint64_t ticks) noexcept;
// The op started to run on the calling worker thread. ready_ticks: the time when the op's last dependency was
// met.
void op_started(OpId op, const Site& site, std::uint64_t ready_ticks, std::uint64_t start_ticks) noexcept;
// The op that runs on the calling thread ended. flags: trace::SliceFlag.
void op_ended(OpId op, std::uint64_t end_ticks, std::uint8_t flags = 0) noexcept;
// OpRan describes an op that ran on a track without a thread (a device's stream), after it has ended. `kind`
// is kExecute or a copy.
struct OpRan {
  const Site* site = nullptr;
  const TrackDesc* track = nullptr;
  OpId op = kNoOp;
  std::uint64_t ready_ticks = 0, start_ticks = 0, end_ticks = 0;  // ready 0: unknown
  std::int64_t size_bytes = 0;                                    // for copies
  std::uint8_t flags = 0;
};
void op_ran(const OpRan& op) noexcept;
// Records that an op on a track without a thread has started and not ended yet. end_ticks, flags and
// size_bytes are ignored. The op is drawn as running until op_ran() is called for it.
void op_running(const OpRan& op) noexcept;
// Records an op that never ran, because an op before it failed or because it was cancelled.
void op_skipped(OpId op, std::uint64_t ticks) noexcept;

// ---- waits: the calling thread is blocked ---------------------------------------------------------------
// op: the op that the thread waits for. kNoOp: the thread waits for all ops, or because a limit is reached.
// The kind of the site is kWait. Waits nest like zones.
// released_by (of wait_end): the op whose completion ended the wait. kNoOp if the thread did not have to
// wait, or if wait_released() has already named the op.
void wait_begin(const Site& site, std::uint64_t ticks, OpId op) noexcept;
// An op released the thread, but the wait continues because the caller's request is not complete (for
// example, the blocked call still copies the result).
void wait_released(std::uint64_t ticks, OpId released_by) noexcept;
void wait_end(std::uint64_t ticks, OpId released_by, std::uint8_t flags = 0) noexcept;

// ---- anything else --------------------------------------------------------------------------------------
// A finished slice on a track without a thread. It may overlap other slices of that track; the collector
// gives each slice a lane.
struct AsyncSlice {
  const Site* site = nullptr;
  const TrackDesc* track = nullptr;
  std::uint64_t begin_ticks = 0, end_ticks = 0;
  OpId op = kNoOp;
  std::int64_t size_bytes = 0;
  std::uint8_t flags = 0;
};
void async_slice(const AsyncSlice& slice) noexcept;
// A sample of a counter: the counter has this value until the next sample. If several threads sample one
// counter, they must read the clock and the value under a common lock, so that the sample with the later time
// has the newer value.
void counter(const TrackDesc& track, std::uint64_t ticks, double value) noexcept;
// A block of device memory was allocated or freed. The event is also a sample of the counters of its
// MemoryKind. If several threads record blocks, they must read the clock and the counters under a common
// lock, so that the live blocks add up to the counter's value at each time. Numbers below 0 or above 48 bits
// are truncated.
struct MemoryBlock {
  const MemoryKind* kind = nullptr;
  const Site* site = nullptr;  // site of the op that writes the block, or of the code; null: none
  // The op that writes the block. kNoOp with a site: the op that the calling thread enqueues next.
  OpId op = kNoOp;
  std::uint64_t number = 0;  // unique in the process
  std::int64_t size_bytes = 0;
  std::int64_t live_bytes = 0, category_bytes = 0;  // the new values of the counters
  bool has_op = true;  // false: no op writes the block; the site says who allocated it
};
// Returns false if recording is off, or if there was no room for the event.
bool memory_allocated(const MemoryBlock& block, std::uint64_t ticks) noexcept;
// The time when a block was allocated. ticks: the value passed to memory_allocated(); 0: recording was off at
// that time. lost: there was no room for the allocation event. If the allocation was recorded, the time of
// the free is recorded even if there is no room for the free event.
struct MemoryAllocated {
  std::uint64_t ticks = 0;
  bool lost = false;
};
// block.op may be kNoOp. dropped_ticks: when the program dropped its last handle of the block (see
// trace::Allocation::dropped); `ticks` or later (kDroppedWithFree): at the free; 0: unknown. If there is no
// room for the drop's own event, the time of the drop is unknown.
inline constexpr std::uint64_t kDroppedWithFree = UINT64_MAX;
void memory_freed(const MemoryBlock& block, MemoryAllocated allocated, std::uint64_t ticks,
                  std::uint64_t dropped_ticks = 0) noexcept;
// A point in time on a track. On a kMarkers track, the instant is drawn as a line through all tracks. The
// instant has the name of the site. Returns false if the instant was not recorded, because the thread's
// buffer is full (counted) or recording is off.
bool instant(const TrackDesc& track, const Site& site, std::uint64_t ticks, OpId op = kNoOp) noexcept;
// An instant on the calling thread's own track.
void instant_here(const Site& site, std::uint64_t ticks, OpId op = kNoOp) noexcept;
// An arrow between slices of two threads. The arrow leaves the slice that is open on the thread that calls
// flow_out(). The arrow enters the slice that is open when a thread later calls flow_in() with the same id.
// An id joins one flow_out() with one flow_in() and may then be reused. An arrow without its other end is
// counted (kUnboundFlow). Exception: an optional arrow without its end is left out and not counted.
void flow_out(const Site& site, std::uint64_t ticks, std::uint64_t id, bool optional = false) noexcept;
void flow_in(std::uint64_t ticks, std::uint64_t id) noexcept;
// An end of an arrow between two processes; the other process records the other end with the same id. The
// arrow leaves (message_out) or enters (message_in) the slice that is open on the calling thread. Each call
// records a half (trace::Flow), even if both ends are in this process. No half is counted as lost. An id of 0
// is not recorded.
void message_out(const Site& site, std::uint64_t ticks, std::uint64_t id) noexcept;
void message_in(std::uint64_t ticks, std::uint64_t id) noexcept;

}  // namespace runahead::record

#define RUNAHEAD_CONCAT_INNER(a, b) a##b
#define RUNAHEAD_CONCAT(a, b) RUNAHEAD_CONCAT_INNER(a, b)
// RUNAHEAD_RECORD_ZONE("name"): a zone from this line to the end of the scope.
#define RUNAHEAD_RECORD_ZONE(text)                                                     \
  static constexpr ::runahead::record::Site RUNAHEAD_CONCAT(runahead_site_, __LINE__){ \
      text, ::runahead::trace::SliceKind::kZone, __FILE__, __LINE__};                  \
  const ::runahead::record::Zone RUNAHEAD_CONCAT(runahead_zone_,                       \
                                                 __LINE__)(RUNAHEAD_CONCAT(runahead_site_, __LINE__))
