#include "instrumentation/record/hooks/hooks.h"

#include <algorithm>
#include <bit>

#include "instrumentation/record/hooks/event.h"
#include "instrumentation/record/hooks/recorder_state.h"

namespace runahead::record {
namespace {

// The calling thread's buffer of the recorder in use; null if recording is off, or the thread has no buffer
// of this recorder yet. InUse explains why the relaxed load is enough.
inline ThreadBuffer* buffer_at_hand() noexcept {
  const internal::ThreadHook& hook = internal::thread_hook;
  return hook.generation == internal::in_use.generation.load(std::memory_order_relaxed) ? hook.buffer
                                                                                        : nullptr;
}

// The slow path. Kept out of line, so that the fast path of a hook calls nothing and saves no registers.
ThreadBuffer* this_buffer() noexcept {
  if (internal::in_use.generation.load(std::memory_order_relaxed) == 0) return nullptr;
  ThreadBuffer* const buffer = buffer_at_hand();
  return buffer != nullptr ? buffer : internal::adopt_thread();
}
[[gnu::noinline]] void push_unusually(std::uint64_t ticks, const void* place, std::uint64_t word,
                                      std::uint64_t packed) noexcept {
  if (ThreadBuffer* const buffer = this_buffer()) buffer->push({ticks, place, word, packed});
}
// The events are passed by value. For a reference, the caller would have to build each event in memory first.
[[gnu::noinline]] bool push_pair_unusually(Event first, Event second) noexcept {
  ThreadBuffer* const buffer = this_buffer();
  return buffer != nullptr && buffer->push_pair(first, second);
}

inline void push(EventKind kind, std::uint64_t ticks, const void* place, std::uint64_t word,
                 std::uint8_t flags = 0, std::int64_t payload = 0) noexcept {
  const std::uint64_t packed = Event::pack(kind, flags, payload);
  ThreadBuffer* const buffer = buffer_at_hand();
  if (buffer == nullptr || !buffer->try_push({ticks, place, word, packed})) [[unlikely]]
    push_unusually(ticks, place, word, packed);
}

inline bool push_pair(const Event& first, const Event& second) noexcept {
  ThreadBuffer* const buffer = buffer_at_hand();
  if (buffer != nullptr && buffer->try_push_pair(first, second)) [[likely]]
    return true;
  return push_pair_unusually(first, second);
}

constexpr std::uint64_t packed(const OpDependency& earlier) {
  return earlier.number == 0 ? 0 : earlier.number << 2 | static_cast<std::uint64_t>(earlier.kind);
}

constexpr MemoryNumbers numbers_of(const MemoryBlock& block, std::uint64_t held_ticks) {
  return {static_cast<std::uint64_t>(block.live_bytes) & MemoryNumbers::kMost,
          static_cast<std::uint64_t>(block.category_bytes) & MemoryNumbers::kMost, held_ticks,
          block.number & MemoryNumbers::kMost};
}

}  // namespace

void name_thread(trace::TrackKind kind, std::string_view name, std::int32_t sort_order) {
  internal::name_this_thread(kind, name, sort_order);
}

void zone_begin(const Site& site, std::uint64_t ticks, OpId op, std::int64_t size_bytes) noexcept {
  push(EventKind::kZoneBegin, ticks, &site, raw(op), 0, size_bytes);
}

void zone_end(std::uint64_t ticks, std::uint8_t flags) noexcept {
  push(EventKind::kZoneEnd, ticks, nullptr, 0, flags);
}

void op_enqueued(const OpEnqueued& op, std::uint64_t begin_ticks, std::uint64_t end_ticks) noexcept {
  push_pair({begin_ticks, op.site, raw(op.op), Event::pack(EventKind::kOpEnqueued, 0, op.output_bytes)},
            {end_ticks, op.queue, static_cast<std::uint64_t>(op.step), packed(op.follows)});
}

void op_depends(OpId op, const OpDependency& first, const OpDependency& second,
                std::uint64_t ticks) noexcept {
  push(EventKind::kOpDepends, ticks, reinterpret_cast<const void*>(packed(second)), raw(op),
       static_cast<std::uint8_t>(first.kind), static_cast<std::int64_t>(first.number));
}

void op_started(OpId op, const Site& site, std::uint64_t ready_ticks, std::uint64_t start_ticks) noexcept {
  push(EventKind::kOpStarted, start_ticks, &site, raw(op), 0,
       static_cast<std::int64_t>(start_ticks - ready_ticks));
}

void op_ended(OpId op, std::uint64_t end_ticks, std::uint8_t flags) noexcept {
  push(EventKind::kOpEnded, end_ticks, nullptr, raw(op), flags);
}

void op_ran(const OpRan& op) noexcept {
  push_pair({op.start_ticks, op.site, raw(op.op), Event::pack(EventKind::kOpRan, op.flags, op.size_bytes)},
            {op.end_ticks, op.track, op.ready_ticks, 0});
}

void op_running(const OpRan& op) noexcept {
  push_pair({op.start_ticks, op.site, raw(op.op), Event::pack(EventKind::kOpRunning)},
            {0, op.track, op.ready_ticks, 0});
}

void op_skipped(OpId op, std::uint64_t ticks) noexcept {
  push(EventKind::kOpSkipped, ticks, nullptr, raw(op));
}

void wait_begin(const Site& site, std::uint64_t ticks, OpId op) noexcept {
  push(EventKind::kWaitBegin, ticks, &site, raw(op));
}

void wait_released(std::uint64_t ticks, OpId released_by) noexcept {
  push(EventKind::kWaitReleased, ticks, nullptr, raw(released_by));
}

void wait_end(std::uint64_t ticks, OpId released_by, std::uint8_t flags) noexcept {
  push(EventKind::kWaitEnd, ticks, nullptr, raw(released_by), flags);
}

void async_slice(const AsyncSlice& slice) noexcept {
  push_pair({slice.begin_ticks, slice.site, raw(slice.op),
             Event::pack(EventKind::kAsyncSlice, slice.flags, slice.size_bytes)},
            {slice.end_ticks, slice.track, 0, 0});
}

void counter(const TrackDesc& track, std::uint64_t ticks, double value) noexcept {
  push(EventKind::kCounter, ticks, &track, std::bit_cast<std::uint64_t>(value));
}

bool memory_allocated(const MemoryBlock& block, std::uint64_t ticks) noexcept {
  const bool awaits_op = block.has_op && block.site != nullptr && block.op == kNoOp;
  return push_pair({ticks, block.site, raw(block.op),
                    Event::pack(EventKind::kMemoryAllocated, awaits_op ? 1 : 0, block.size_bytes)},
                   numbers_of(block, 0).slot(block.kind));
}

void memory_freed(const MemoryBlock& block, MemoryAllocated allocated, std::uint64_t ticks,
                  std::uint64_t dropped_ticks) noexcept {
  // the duration is at least 1, because 0 means unknown
  const std::uint64_t held = allocated.ticks != 0 ? std::max<std::uint64_t>(ticks - allocated.ticks, 1) : 0;
  const bool with_free = dropped_ticks >= ticks;
  const auto flags =
      static_cast<std::uint8_t>((allocated.lost ? kAllocationLost : 0) | (with_free ? kDroppedAtFree : 0));
  if (dropped_ticks != 0 && !with_free)
    push(EventKind::kMemoryDropped, ticks, nullptr, dropped_ticks, 0,
         static_cast<std::int64_t>(block.number));
  push_pair({ticks, block.site, raw(block.op), Event::pack(EventKind::kMemoryFreed, flags, block.size_bytes)},
            numbers_of(block, held <= MemoryNumbers::kMost ? held : 0).slot(block.kind));
}

bool instant(const TrackDesc& track, const Site& site, std::uint64_t ticks, OpId op) noexcept {
  return push_pair({ticks, &site, raw(op), Event::pack(EventKind::kInstant)}, {0, &track, 0, 0});
}

void instant_here(const Site& site, std::uint64_t ticks, OpId op) noexcept {
  push_pair({ticks, &site, raw(op), Event::pack(EventKind::kInstant)}, {0, nullptr, 0, 0});
}

void flow_out(const Site& site, std::uint64_t ticks, std::uint64_t id, bool optional) noexcept {
  push(EventKind::kFlowOut, ticks, &site, id, optional ? kFlowOptional : 0);
}

void flow_in(std::uint64_t ticks, std::uint64_t id) noexcept { push(EventKind::kFlowIn, ticks, nullptr, id); }

void message_out(const Site& site, std::uint64_t ticks, std::uint64_t id) noexcept {
  if (id != 0) push(EventKind::kMessageOut, ticks, &site, id);
}

void message_in(std::uint64_t ticks, std::uint64_t id) noexcept {
  if (id != 0) push(EventKind::kMessageIn, ticks, nullptr, id);
}

}  // namespace runahead::record
