// Event: what a hook writes, 32 bytes a slot. Raw: ticks, addresses of interned sites and tracks, ids. All
// meaning is given later, by the collector. Some records take two slots, which lie side by side in a chunk.
#pragma once

#include <cstdint>

namespace runahead::record {

enum class EventKind : std::uint8_t {
  kPad,        // fills the end of a chunk before a record of two slots
  kSession,    // recording began (again) on this thread: nothing from before is open any more
  kGap,        // records were lost here; `word`: how the stack of open scopes changed meanwhile
  kZoneBegin,  // place: Site, word: op, payload: bytes
  kZoneEnd,    // flags
  kWaitBegin,  // place: Site, word: op
  kWaitEnd,    // word: the op that released it, flags
  kOpStarted,  // place: Site, word: op, payload: ticks from ready to start
  kOpEnded,    // word: op, flags
  kOpSkipped,  // word: op
  kCounter,    // place: TrackDesc, word: the double's bits
  kFlowOut,    // place: Site or null, word: the flow's id
  kFlowIn,     // word: the flow's id
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
  // A block of memory. packed of the second slot: its category, a text of static storage.
  kMemoryTaken,  // at, Site or null, op, bytes, flags: 1 for the op that is enqueued next | 0, counter,
                 // number
  kMemoryGiven,  // at, Site or null, 0, bytes | when it was taken (0: not recorded), counter, number
};

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

[[nodiscard]] constexpr bool opens_scope(EventKind kind) {
  return kind == EventKind::kZoneBegin || kind == EventKind::kWaitBegin || kind == EventKind::kOpStarted;
}
[[nodiscard]] constexpr bool closes_scope(EventKind kind) {
  return kind == EventKind::kZoneEnd || kind == EventKind::kWaitEnd || kind == EventKind::kOpEnded;
}
[[nodiscard]] constexpr bool takes_two_slots(EventKind kind) { return kind >= EventKind::kOpEnqueued; }

}  // namespace runahead::record
