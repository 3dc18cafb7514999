// DeferredEvent: an event that must be sorted together with other threads' events: a change of an op's state,
// the end of a wait, a counter sample. Zones are not deferred: for them the order of the events of their own
// thread is enough.
#pragma once

#include <cstdint>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::record {

enum class DeferredKind : std::uint8_t {
  kEnqueued,   // at: start of the enqueue; desc: queue; a: bytes, b: step
  kStarted,    // at: start; a: ready, ns
  kEnded,      // an op that started on a thread has ended
  kEndUnseen,  // the end of the op was lost: its slice is closed as unfinished
  // at: end; a: start, ns; b: ready, ns (kNever: unknown); desc: the stream, null if a thread ran the op;
  // bytes
  kRan,
  kRunning,  // at: start; b: ready, ns; desc: the stream
  kSkipped,
  kWaitReleased,  // op: the op that released the wait
  kCounter,       // a: the bits of the double
  kMemory,        // has `memory` instead of `desc`; a: live bytes, b: bytes of the category
  kFlowOut,       // a: id of the flow
  kFlowIn,        // a: id of the flow
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
