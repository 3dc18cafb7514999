// The hooks: all that an instrumented program (our engine first) calls. Each may be called on any thread, at
// any time, takes no lock on its usual path, never blocks and never fails; with recording off each costs one
// relaxed load. What cannot be recorded is counted (LossCause::kBufferFull).
//
// Times are raw ticks (TickClock::get().now()), read by the caller, so that moments that coincide share one
// reading: the end of an op is the ready time of the one it released and the start of the next on the worker.
#pragma once

#include <cstdint>
#include <string_view>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/in_use.h"
#include "instrumentation/record/hooks/site.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::record {

// True while a recorder takes events.
[[nodiscard]] inline bool recording() noexcept {
  return internal::in_use.generation.load(std::memory_order_relaxed) != 0;
}
// TickClock::get().now(), without the call where the clock is the TSC.
[[nodiscard]] inline std::uint64_t now_ticks() noexcept { return internal::read_ticks(); }

// Names the calling thread and says what it is. May be called before recording starts and again later (the
// last call holds). kFrontend threads go to the group "Frontend", kWorker to "Workers", others to "Threads".
void name_thread(trace::TrackKind kind, std::string_view name, std::int32_t sort_order = 0);

// ---- zones: nested scopes of the calling thread ----------------------------------------------------------
void zone_begin(const Site& site, std::uint64_t ticks, OpId op = kNoOp, std::int64_t size_bytes = 0) noexcept;
// Ends the innermost; flags: trace::SliceFlag.
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
// An earlier op that one has to follow; see trace::Dependency. Without initialisers: an engine keeps room for
// some with each op it links.
struct OpDependency {
  std::uint64_t number;  // op_number() of the earlier one, of the same engine; 0: none
  trace::DependencyKind kind;
};
struct OpEnqueued {
  const Site* site = nullptr;  // the op's name
  // Counter of run-ahead ops of its device (kRunAheadOps); the collector adds and subtracts.
  const TrackDesc* queue = nullptr;
  OpId op = kNoOp;
  std::int64_t step = -1;
  std::int64_t output_bytes = 0;
  OpDependency follows{};  // one of those; the others by op_depends()
};
// The op was handed over between the two times, on the calling (frontend) thread: makes the thin slice. One
// that encloses other slices of its thread (a wait, the op itself) goes to a lane below them, as they came
// first.
void op_enqueued(const OpEnqueued& op, std::uint64_t begin_ticks, std::uint64_t end_ticks) noexcept;
// `op`, enqueued at `ticks`, has to follow these earlier ones too.
inline constexpr std::size_t kDependenciesPerEvent = 2;
// One event; the second may be of number 0, for none. REQUIRES: the first is not.
void op_depends(OpId op, const OpDependency& first, const OpDependency& second, std::uint64_t ticks) noexcept;
// The op began to run on the calling worker thread; ready_ticks: when its last dependency was met.
void op_started(OpId op, const Site& site, std::uint64_t ready_ticks, std::uint64_t start_ticks) noexcept;
// The op that runs on the calling thread ended. flags: trace::SliceFlag.
void op_ended(OpId op, std::uint64_t end_ticks, std::uint8_t flags = 0) noexcept;
// The same for an op whose execution belongs to a track that is no thread's (a device's stream), once it has
// ended. kind: kExecute or a copy.
struct OpRan {
  const Site* site = nullptr;
  const TrackDesc* track = nullptr;
  OpId op = kNoOp;
  std::uint64_t ready_ticks = 0, start_ticks = 0, end_ticks = 0;  // ready 0: not known
  std::int64_t size_bytes = 0;                                    // copies
  std::uint8_t flags = 0;
};
void op_ran(const OpRan& op) noexcept;
// The same op has started and not ended (end_ticks, flags and size are ignored): it is drawn as running until
// op_ran() of it.
void op_running(const OpRan& op) noexcept;
// An op that never ran because one before it failed.
void op_skipped(OpId op, std::uint64_t ticks) noexcept;

// ---- waits: the calling thread is held back -------------------------------------------------------------
// op: what it waits for (kNoOp: everything, or a limit). Nests like a zone. kind of the site: kWait.
// At the end, released_by: the op whose completion let it go (kNoOp if it did not have to wait, and where
// wait_released() has said so).
void wait_begin(const Site& site, std::uint64_t ticks, OpId op) noexcept;
// The wait goes on, as what its caller asked for is not all done (a blocker's own copy), but an op let it go.
void wait_released(std::uint64_t ticks, OpId released_by) noexcept;
void wait_end(std::uint64_t ticks, OpId released_by, std::uint8_t flags = 0) noexcept;

// ---- anything else --------------------------------------------------------------------------------------
// A finished slice on a track that is no thread's; may overlap others there (it gets a lane).
struct AsyncSlice {
  const Site* site = nullptr;
  const TrackDesc* track = nullptr;
  std::uint64_t begin_ticks = 0, end_ticks = 0;
  OpId op = kNoOp;
  std::int64_t size_bytes = 0;
  std::uint8_t flags = 0;
};
void async_slice(const AsyncSlice& slice) noexcept;
// A sample of a counter: its value from now on. Callers that race give (ticks, value) under one lock of
// theirs.
void counter(const TrackDesc& track, std::uint64_t ticks, double value) noexcept;
// A block of a device's memory was taken, or given back: also a sample of its kind's counters. Callers that
// race read the clock and the counters under one lock of theirs, so that the blocks held at a time add up to
// the counter's value then. Numbers below 0 or of more than 48 bits are cut.
struct MemoryBlock {
  const MemoryKind* kind = nullptr;
  const Site* site = nullptr;  // of the op that writes it; null: none
  // That op; kNoOp with a site: the one that the calling thread enqueues next.
  OpId op = kNoOp;
  std::uint64_t number = 0;  // no two blocks of the process have the same
  std::int64_t size_bytes = 0;
  std::int64_t live_bytes = 0, category_bytes = 0;  // the counters from now on
};
// False: nobody records, or there was no room for it.
bool memory_allocated(const MemoryBlock& block, std::uint64_t ticks) noexcept;
// When it was taken: as told by memory_allocated(), 0 where recording was off then; lost: there was no room.
// Of one that is recorded the end is, even where there is no room for its event.
struct MemoryAllocated {
  std::uint64_t ticks = 0;
  bool lost = false;
};
// The op may be left out.
void memory_freed(const MemoryBlock& block, MemoryAllocated taken, std::uint64_t ticks) noexcept;
// A point in time on a track; on a kMarkers track it is drawn through all tracks. The name is the site's.
// False: it was not recorded, as the thread's buffer is full (counted) or nobody records.
bool instant(const TrackDesc& track, const Site& site, std::uint64_t ticks, OpId op = kNoOp) noexcept;
// The same on the calling thread's own track.
void instant_here(const Site& site, std::uint64_t ticks) noexcept;
// An arrow between two threads' slices: out of the one that is open here, into the one that is open where the
// same id comes in, later. An id joins one out with one in, and is free again then; what finds no other end
// is counted (kUnboundFlow).
void flow_out(const Site& site, std::uint64_t ticks, std::uint64_t id) noexcept;
void flow_in(std::uint64_t ticks, std::uint64_t id) noexcept;

}  // namespace runahead::record

#define RUNAHEAD_CONCAT_INNER(a, b) a##b
#define RUNAHEAD_CONCAT(a, b) RUNAHEAD_CONCAT_INNER(a, b)
// RUNAHEAD_RECORD_ZONE("name"): a zone from here to the end of the scope.
#define RUNAHEAD_RECORD_ZONE(text)                                                     \
  static constexpr ::runahead::record::Site RUNAHEAD_CONCAT(runahead_site_, __LINE__){ \
      text, ::runahead::trace::SliceKind::kZone, __FILE__, __LINE__};                  \
  const ::runahead::record::Zone RUNAHEAD_CONCAT(runahead_zone_,                       \
                                                 __LINE__)(RUNAHEAD_CONCAT(runahead_site_, __LINE__))
