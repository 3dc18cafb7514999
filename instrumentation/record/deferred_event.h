// Moment: what several threads' events must be brought into one order for: moments of ops, ends of waits,
// counter samples. Zones need none of it: a thread's own order is enough.
#pragma once

#include <cstdint>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::record {

enum class DeferredKind : std::uint8_t {
  kEnqueued,   // at: begin of the enqueue; desc: queue; a: bytes, b: step
  kStarted,    // at: start; a: ready, ns
  kEnded,      // of an op that started on a thread
  kEndUnseen,  // the op's end was lost: its slice is closed as unfinished
  kRan,      // at: end; a: start, ns; b: ready, ns (kNever: not known); desc: the stream, null where a thread
             // ran it; bytes
  kRunning,  // at: start; b: ready, ns; desc: the stream
  kSkipped,
  kWaitReleased,  // op: the one that did
  kCounter,       // a: the double's bits
  kMemory,        // memory, not desc; a: bytes live, b: bytes of the category
  kFlowOut,       // a: the flow's id
  kFlowIn,        // ditto
};

struct DeferredEvent {
  Timestamp at{};
  DeferredKind kind{};
  std::uint8_t flags = 0;
  TrackId track = kNoTrack;  // of the thread or stream
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
