// Event: the record that a hook writes, a slot of 32 bytes. An event is raw: it contains ticks, addresses of
// interned sites and tracks, and ids. The collector interprets it later. Some records take two slots, which
// are next to each other in a chunk.
#pragma once

#include <cstdint>

namespace runahead::record {

// The comments say what the members of Event contain; `packed` contains flags and payload.
enum class EventKind : std::uint8_t {
  kPad,      // fills the end of a chunk before a record of two slots
  kSession,  // recording started (again) on this thread: no earlier scope is open
  // records were lost here. word: the number of open scopes that the lost records closed. payload: the number
  // of scopes that the lost records opened and did not close.
  kGap,
  kZoneBegin,     // place: Site, word: op, payload: bytes
  kZoneEnd,       // flags
  kWaitBegin,     // place: Site, word: op
  kWaitEnd,       // word: the op that released the wait, flags
  kWaitReleased,  // word: the op that released the thread; the wait continues
  kOpStarted,     // place: Site, word: op, payload: ticks from ready to start
  kOpEnded,       // word: op, flags
  kOpSkipped,     // word: op
  kCounter,       // place: TrackDesc, word: bits of the double
  kFlowOut,       // place: Site or null, word: id of the flow
  kFlowIn,        // word: id of the flow
  kMessageOut,    // place: Site, word: id of the message
  kMessageIn,     // word: id of the message
  // word: an op that depends on an earlier op of the same engine. payload: the number of the earlier op.
  // flags: the trace::DependencyKind. place: a second earlier op (its number * 4 + its DependencyKind), or 0.
  kOpDepends,
  // word: the ticks at which the program dropped its last handle of a block of memory. payload: the lower 48
  // bits of the block's number. ticks: as in the kMemoryFreed of this block, which follows.
  kMemoryDropped,
  // The kinds below take two slots, that is, two Events. The comments list the members of the first slot,
  // then "|", then the members of the second slot, both in the order ticks, place, word, payload, flags.
  // Exception: the second slot of kOpEnqueued has a dependency in all of `packed`, in the form of the `place`
  // of kOpDepends.
  kOpEnqueued,  // begin, Site, op, output bytes | end, queue's track or null, step, packed dependency
  kOpRan,       // start, Site, op, bytes, flags | end, track, ready ticks
  kOpRunning,   // start, Site, op | 0, track, ready ticks
  kAsyncSlice,  // begin, Site, op, bytes, flags | end, track, 0
  kInstant,     // at, Site, op | 0, track (null: the thread's own), 0
  // A block of memory was allocated or freed. The comments show the first slot. The second slot contains the
  // MemoryKind and the new values of its counters (MemoryNumbers).
  kMemoryAllocated,  // at, Site or null, op, bytes, flags 1: the block is for the op that is enqueued next
  kMemoryFreed,      // at, Site or null, op or 0, bytes, flags: kAllocationLost, kDroppedAtFree
};
inline constexpr std::uint8_t kAllocationLost = 1;
inline constexpr std::uint8_t kDroppedAtFree = 2;  // the program dropped the block when it was freed
inline constexpr std::uint8_t kFlowOptional = 1;

// The members have no initialisers, so that a new chunk does not have to be zeroed before it is written.
struct Event {
  std::uint64_t ticks;
  const void* place;  // Site or TrackDesc, by kind
  std::uint64_t word;
  std::uint64_t packed;  // kind in bits 0-7, flags in 8-15, payload in 16-63 (signed)

  // payload has 48 bits with sign: enough for 140 TB, or for the ticks of half a day.
  [[nodiscard]] static constexpr std::uint64_t pack(EventKind kind, std::uint8_t flags = 0,
                                                    std::int64_t payload = 0) {
    return static_cast<std::uint64_t>(kind) | (std::uint64_t{flags} << 8) |
           (static_cast<std::uint64_t>(payload) << 16);
  }
  [[nodiscard]] constexpr EventKind kind() const { return static_cast<EventKind>(packed & 0xff); }
  [[nodiscard]] constexpr std::uint8_t flags() const { return static_cast<std::uint8_t>(packed >> 8); }
  [[nodiscard]] constexpr std::int64_t payload() const { return static_cast<std::int64_t>(packed) >> 16; }
};
static_assert(sizeof(Event) == 32);

// The second slot of a memory event, 48 bits for each number. held_ticks: lifetime of a freed block; 0: the
// allocation was not recorded, or is too long ago.
struct MemoryNumbers {
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << 48) - 1;
  std::uint64_t live_bytes, category_bytes, held_ticks, number;

  [[nodiscard]] constexpr Event slot(const void* kind) const {
    return {live_bytes << 16 | number >> 32, kind, category_bytes << 16 | (number >> 16 & 0xffff),
            held_ticks << 16 | (number & 0xffff)};
  }
  [[nodiscard]] static constexpr MemoryNumbers of(const Event& slot) {
    return {slot.ticks >> 16, slot.word >> 16, slot.packed >> 16,
            (slot.ticks & 0xffff) << 32 | (slot.word & 0xffff) << 16 | (slot.packed & 0xffff)};
  }
};

[[nodiscard]] constexpr bool opens_scope(EventKind kind) {
  return kind == EventKind::kZoneBegin || kind == EventKind::kWaitBegin || kind == EventKind::kOpStarted;
}
[[nodiscard]] constexpr bool closes_scope(EventKind kind) {
  return kind == EventKind::kZoneEnd || kind == EventKind::kWaitEnd || kind == EventKind::kOpEnded;
}
[[nodiscard]] constexpr bool takes_two_slots(EventKind kind) { return kind >= EventKind::kOpEnqueued; }

}  // namespace runahead::record
