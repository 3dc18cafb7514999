// Event: what a hook writes, 32 bytes a slot. Raw: ticks, addresses of interned sites and tracks, ids. All
// meaning is given later, by the collector. Some records take two slots, which lie side by side in a chunk.
#pragma once

#include <cstdint>

namespace runahead::record {

enum class EventKind : std::uint8_t {
  kPad,           // fills the end of a chunk before a record of two slots
  kSession,       // recording began (again) on this thread: nothing from before is open any more
  kGap,           // records were lost here; `word`: how the stack of open scopes changed meanwhile
  kZoneBegin,     // place: Site, word: op, payload: bytes
  kZoneEnd,       // flags
  kWaitBegin,     // place: Site, word: op
  kWaitEnd,       // word: the op that released it, flags
  kWaitReleased,  // word: the op that released it; the wait goes on
  kOpStarted,     // place: Site, word: op, payload: ticks from ready to start
  kOpEnded,       // word: op, flags
  kOpSkipped,     // word: op
  kCounter,       // place: TrackDesc, word: the double's bits
  kFlowOut,       // place: Site or null, word: the flow's id
  kFlowIn,        // word: the flow's id
  // word: op; it depends on the ops of the same engine numbered payload (flags: trace::DependencyKind) and,
  // if place is not 0, place / 4 (place % 4: the kind).
  kOpDepends,
  // Two slots: the first as said, the second {ticks, TrackDesc, word}.
  kOpEnqueued,  // begin, Site, op, bytes | end, queue or null, step, packed: an op it depends on, as `place`
                // above
  kOpRan,       // start, Site, op, bytes, flags | end, track, ready ticks
  kOpRunning,   // start, Site, op | 0, track, ready ticks
  kAsyncSlice,  // begin, Site, op, bytes, flags | end, track, 0
  kInstant,     // at, Site, op | 0, track (null: the thread's own), 0
  // A block of memory, and what its counters say from then on. The second slot: MemoryKind, MemoryNumbers.
  kMemoryAllocated,  // at, Site or null, op, bytes, flags: 1 for the op that is enqueued next
  kMemoryGiven,      // at, Site or null, op or 0, bytes, flags: kTakingLost
};
inline constexpr std::uint8_t kTakingLost = 1;

// Without initialisers: a chunk of them is not to be zeroed before it is written.
struct Event {
  std::uint64_t ticks;
  const void* place;  // Site or TrackDesc, by kind
  std::uint64_t word;
  std::uint64_t packed;  // kind in bits 0-7, flags in 8-15, payload in 16-63 (signed)

  // payload: 48 bits with sign: bytes up to 140 TB, ticks up to half a day.
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

// What the second slot of a block says, in 48 bits each. held_ticks: of one that is given back; 0: it is not
// recorded when it was taken, or it is too long ago.
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
