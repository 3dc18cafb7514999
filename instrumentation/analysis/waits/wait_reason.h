// Says why a wait took as long as it did. The wait is split into disjoint parts that together are exactly as
// long as the wait. Method: the code walks back along the chain of ops that led to the end of the wait. The
// walk goes from the op that released the wait to the op whose end made that op ready, and so on, until an op
// ended before the wait began. The walk finds the previous op by its end time: the engine stores the end of
// an op as the ready time of its successor, exact to the tick. The code is pure: any thread may call it on a
// snapshot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

enum class WaitPart : std::uint8_t {
  kExecuting,  // an op of the chain computed
  // an op of the chain copied, or the waiting thread itself copied after its release (a blocker, such as
  // asnumpy, copies the values that it waited for)
  kCopying,
  kQueueing,  // an op of the chain was ready, but its worker or stream was busy with another op
  // an op of the chain was ready and its worker or stream was idle, but the op had not started yet
  kDispatch,
  kEnqueue,  // the earliest op of the chain was not enqueued yet
  kWakeUp,   // from the end of the op that released the wait to the end of the wait: the wait's own cost
  // everything had ended before the wait began: its whole time is its own cost. Only in traces of other
  // tools (causes/synchronisation.h); in our recordings this is kWakeUp
  kFinished,
  kLimit,  // the safety limit caused the wait; the whole wait is then in this part
  kOther,  // cause unknown: the op was evicted or lost, or has not started yet
};
inline constexpr std::size_t kWaitPartCount = 9;

struct WaitSplit {
  std::array<Duration, kWaitPartCount> parts{};

  [[nodiscard]] Duration of(WaitPart part) const { return parts[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Duration& of(WaitPart part) { return parts[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Duration total() const;
  // The part of the wait in which the thread waited for earlier ops, or for the copy that a blocker
  // requested. This time is not the wait's own cost, but a stopwatch around the waiting call includes it.
  [[nodiscard]] Duration ops_before() const;
  // The parts that the wait itself costs: the wake-up, and all of it if everything had ended before.
  [[nodiscard]] Duration own_cost() const { return of(WaitPart::kWakeUp) + of(WaitPart::kFinished); }
  void add(const WaitSplit& other);
};

// A slice of kind kWait, and the track that it is on. For an open wait `slice.end` is the watermark.
struct Wait {
  trace::Slice slice;
  TrackId track = kNoTrack;
  bool open = false;
};

struct WaitReason {
  WaitSplit split;
  // number of ops of the chain that the walk visited; 0: there was nothing to wait for, or no op of the chain
  // is known
  std::uint64_t op_count = 0;
  bool whole = true;  // false: the walk stopped at `most_followed` ops; kOther has the rest of the wait
  // the visited ops, newest first: the first is the op that released the wait. At most `most_listed` ops; the
  // oldest op_count - size() ops are omitted.
  std::vector<OpId> chain;
  OpId longest = kNoOp;     // the op of the chain that ran longest during the wait
  Duration longest_time{};  // how long `longest` ran during the wait
};

struct WaitReasonOptions {
  std::size_t most_listed = 4096;            // maximum number of ops in WaitReason::chain
  std::uint64_t most_followed = UINT64_MAX;  // maximum number of ops to walk
};

// The walk starts at the first op that exists in this list: (1) the op that the wait was for, if it has
// ended; (2) the op that released the wait according to a kExecuteToWait flow; (3) if the wait was for no
// particular op, the last op that ended during the wait. For an open wait, the walk starts at the op that the
// wait is for, even if this op has not ended yet. If neither (1) nor (2) exists and the waiting thread is no
// frontend, the trace comes from another tool and does not say what the wait was for. The reason of this wait
// is then unknown (kOther). Finding the flow costs O(n) for the n blocks of flows and ops around the end of
// the wait. Each op of the chain costs one Trace::op() and O(lanes * log(rows)), counted over all tracks that
// execute ops.
[[nodiscard]] WaitReason wait_reason(const trace::Trace& trace, const Wait& wait,
                                     const WaitReasonOptions& options = {});

}  // namespace runahead::analysis
