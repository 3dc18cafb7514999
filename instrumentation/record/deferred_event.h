// DeferredEvent: an event that must be sorted together with other threads' events: a change of an op's state,
// the end of a wait, a counter sample. Zones are not deferred: for zones, the order of the events within one
// thread is enough.
#pragma once

#include <cstdint>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::record {

// What happened. The comments say what the members of DeferredEvent contain; all times are in ns.
enum class DeferredKind : std::uint8_t {
  kEnqueued,   // at: begin of the enqueue; desc: queue; a: output bytes; b: step
  kStarted,    // at: start; a: time when the op became ready
  kEnded,      // an op that started on a thread has ended
  kEndUnseen,  // the end of the op was lost: its slice is closed as unfinished
  // at: end; a: start; b: time when the op became ready (kNever: unknown); desc: the stream, null if a thread
  // ran the op; size_bytes: size of a copy
  kRan,
  kRunning,  // at: start; b: time when the op became ready; desc: the stream
  kSkipped,
  kWaitReleased,  // op: the op that released the wait
  kCounter,       // desc: the counter; a: the bits of its new value, a double
  // memory (not desc): the MemoryKind; a: live bytes of the device; b: live bytes of the category
  kMemory,
  kFlowOut,  // a: id of the flow
  kFlowIn,   // a: id of the flow
};

struct DeferredEvent {
  Timestamp at{};
  DeferredKind kind{};
  std::uint8_t flags = 0;
  TrackId track = kNoTrack;  // track of the thread or stream
  OpId op = kNoOp;
  const Site* site = nullptr;
  union {
    const TrackDesc* desc = nullptr;
    const MemoryKind* memory;
  };
  std::int64_t a = 0, b = 0;
  std::int64_t size_bytes = 0;
};

}  // namespace runahead::record
