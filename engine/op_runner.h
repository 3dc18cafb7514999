// OpRunner: runs a ready op, for any device. It calls the op's function or skips the op. Then it reports the
// end of the op to the op's step, to the RunAheadGate, to the op's successors and to the frontends that wait
// for it. OpRunner holds no lock while an op's function runs or is destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/op_node.h"
#include "engine/op_node_pool.h"
#include "engine/run_ahead_gate.h"
#include "engine/step_book.h"
#include "engine/sync/asymmetric_fence.h"
#include "engine/sync/failures.h"

namespace runahead::engine {

// The op that runs on the calling thread. Used to refuse calls that would deadlock. engine null: no op runs.
struct RunningOp {
  const void* engine = nullptr;
  const OpNode* node = nullptr;
};
inline constinit thread_local RunningOp t_running_op;  // written by OpRunner
[[nodiscard]] inline RunningOp running_op() { return t_running_op; }

class OpRunner {
 public:
  // All arguments must outlive this object. `engine` only identifies the engine: the pointer is compared,
  // never dereferenced.
  OpRunner(const void* engine, FailureBook& failures, RunAheadGate& gate, StepBook& steps,
           OpNodePool& node_pool)
      : engine_(engine), failures_(failures), gate_(gate), steps_(steps), node_pool_(node_pool) {}

  // Marks a ready op as running, so that cancel() can no longer cancel it. False: the op must be skipped,
  // because it was cancelled or a predecessor failed.
  [[nodiscard]] bool start(OpNode& node);
  // To cancel ops, call begin_cancel() once, then cancel() for each op whose number is at most last_number.
  // cancel() returns true if the op will be skipped. REQUIRES: the enqueue lock.
  void begin_cancel(std::uint64_t last_number);
  [[nodiscard]] bool cancel(OpNode& node);
  // Calls the op's function. False: it threw, and the node has the failure.
  bool call(OpNode& node);
  // Stores the failure of an op that failed on its device after call() had returned. Called before
  // complete().
  void fail_late(OpNode& node, const std::string& what);
  // Only on a device that looks ahead: releases the op's successors on the same device. Called before
  // complete(), when the values are ready or the op has failed. end_ticks: when the op will end.
  void release_near(OpNode& node, std::uint64_t end_ticks, ReadyList& released);
  // Ends an op after start() or call(). Appends the ops that became ready to `released`. The node may be
  // reused when complete() returns. end_ticks: when the op ended; 0: not measured, because recording is off.
  // returns: the return queue of the calling thread, null if the thread has none. Returns true if a frontend
  // waited for the op.
  bool complete(OpNode& node, std::uint64_t end_ticks, ReadyList& released, OpQueue* returns = nullptr);
  // Ends an op that start() refused. The arguments and the result are like those of complete().
  bool skip(OpNode& node, ReadyList& released, OpQueue* returns = nullptr);

  struct Ran {
    std::uint64_t end_ticks = 0;  // 0: nothing is recorded
    bool waited_for = false;      // a frontend waited for the op
  };
  // Does start(), call() and complete() on the calling worker thread; if start() returns false, does skip()
  // instead. Records the op's slice. not_before: the end of the previous op, if this op directly follows it
  // on this thread; the slice then starts at that time. 0: the slice starts now.
  Ran run_here(OpNode& node, std::uint64_t not_before, ReadyList& released, OpQueue* returns = nullptr);
  // Makes a return queue for one thread. That thread must then use the queue for all ops that it ends.
  // REQUIRES: the enqueue lock.
  [[nodiscard]] OpQueue& add_returns() { return node_pool_.add_returns(); }

  [[nodiscard]] std::int64_t failed() const { return failed_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t skipped() const { return skipped_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] FailurePtr failure_of(const OpNode& node, std::string_view what, Where where = {}) noexcept;
  // Returns the failure of a skipped op. known null: the op was cancelled. Otherwise the op reads a Var that
  // is invalid because of the failure `known`, which has been reported before.
  [[nodiscard]] FailurePtr refusal_of(const OpNode& node, const Failure* known) noexcept;
  void release(Edge edge, const FailurePtr& failure, std::uint64_t end_ticks, ReadyList& released);

  const void* engine_;
  FailureBook& failures_;
  RunAheadGate& gate_;
  StepBook& steps_;
  OpNodePool& node_pool_;
  const AsymmetricFence fence_;  // light fence in start(), heavy fence in begin_cancel()
  // written under the enqueue lock, read by threads that run ops
  std::atomic<std::uint64_t> cancelled_to_{0};
  std::atomic<std::int64_t> failed_{0}, skipped_{0};  // completing threads add, any thread reads
};

}  // namespace runahead::engine
