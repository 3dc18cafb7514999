// Why a wait took so long: its time, split into disjoint parts that sum to it exactly. The method is a walk
// back along the chain of ops that led to its end: from the op that released it to the op whose end made that
// one ready (the engine passes an end on as the ready time, to the tick), and so on until before the wait
// began. Pure; any thread on a snapshot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

enum class WaitPart : std::uint8_t {
  kExecuting,  // an op of the chain computed
  kCopying,   // an op of the chain copied, or the waiting thread itself once it was let go (a blocker's copy)
  kQueueing,  // an op of the chain was ready, and its worker or stream was busy with another op
  kDispatch,  // an op of the chain was ready, and its worker or stream idle: until it was woken and began
  kEnqueue,   // the earliest op of the chain had not been enqueued yet
  kWakeUp,    // the rest, from the end of the releasing op to the end of the wait: the wait's own cost
  kLimit,     // all of a wait that the safety limit caused
  kOther,     // not known: ops that were let go or lost, or that have not started yet
};
inline constexpr std::size_t kWaitPartCount = 8;

struct WaitSplit {
  std::array<Duration, kWaitPartCount> parts{};

  [[nodiscard]] Duration of(WaitPart part) const { return parts[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Duration& of(WaitPart part) { return parts[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Duration total() const;
  // What went by because the ops before it, and the copy that a blocker asked for, were not done: what a
  // stopwatch around the wait charges to it.
  [[nodiscard]] Duration ops_before() const;
  void add(const WaitSplit& other);
};

// A slice of kind kWait and where it is; of an open one `slice.end` is how far it is known (the watermark).
struct Wait {
  trace::Slice slice;
  TrackId track = kNoTrack;
  bool open = false;
};

struct WaitReason {
  WaitSplit split;
  std::uint64_t op_count = 0;  // ops of the chain that were walked; 0: there was nothing to wait for
  bool whole = true;           // false: the chain is longer than that, and the rest of the wait is kOther
  std::vector<OpId> chain;     // newest first, from the one that released it; op_count - size() are left out
  OpId longest = kNoOp;        // the op of the chain that ran for most of the wait
  Duration longest_time{};     // for how long, within the wait
};

struct WaitReasonOptions {
  std::size_t most_listed = 4096;            // ops in WaitReason::chain
  std::uint64_t most_followed = UINT64_MAX;  // ops walked
};

// The op that the walk starts at is, in this order: the one waited for, if it has ended; the one that a flow
// kExecuteToWait says released it; for a wait for no op in particular, the last that ended within
// it. Of a wait that is open: the one waited for, as far as it has come.
// O(blocks of flows and ops at its end) for the flow, then for each op of the chain O(lanes of the tracks
// that execute * log rows) and one Trace::op().
[[nodiscard]] WaitReason wait_reason(const trace::Trace& trace, const Wait& wait,
                                     const WaitReasonOptions& options = {});

}  // namespace runahead::analysis
