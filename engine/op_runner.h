// OpRunner: what happens to an op once it is ready, whatever device it is for: its function is called, or it
// is skipped; its end is told to its step, to the gate, to those that follow it and to those that wait for
// it. Holds no lock while an op's function runs or is destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>
#include <string_view>

#include "engine/op_node.h"
#include "engine/op_node_pool.h"
#include "engine/run_ahead_gate.h"
#include "engine/step_book.h"
#include "engine/sync/asymmetric_fence.h"
#include "engine/sync/failures.h"

namespace runahead::engine {

// The op that runs on the calling thread, for refusing what would deadlock; engine null: none.
struct RunningOp {
  const void* engine = nullptr;
  const OpNode* node = nullptr;
};
inline constinit thread_local RunningOp t_running_op;  // OpRunner writes it
[[nodiscard]] inline RunningOp running_op() { return t_running_op; }

class OpRunner {
 public:
  // All must outlive this. engine: only told from others.
  OpRunner(const void* engine, FailureBook& failures, RunAheadGate& gate, StepBook& steps,
           OpNodePool& node_pool)
      : engine_(engine), failures_(failures), gate_(gate), steps_(steps), node_pool_(node_pool) {}

  // Claims a ready op. False: it must be skipped, because it was cancelled or one before it failed.
  [[nodiscard]] bool start(OpNode& node);
  // Under the enqueue lock: begin_cancel(), then cancel() of each op up to that number; true: it will be
  // skipped.
  void begin_cancel(std::uint64_t last_number);
  [[nodiscard]] bool cancel(OpNode& node);
  // Calls the op's function. False: it threw; the node has its failure.
  bool call(OpNode& node);
  // That it failed on its device after call() had returned, before complete().
  void fail_late(OpNode& node, const std::string& what);
  // Lets go, before complete(), those that follow an op on its own device, where that looks ahead: its values
  // are there, or its failure is, and it will end at end_ticks.
  void release_near(OpNode& node, std::uint64_t end_ticks, ReadyList& released);
  // Ends an op that start() or call() is done with; appends those that became ready to `released`. The node
  // is another op's when this returns. end_ticks: 0 if nobody wants to know. returns: the calling thread's,
  // if it has one. True: somebody waited for it.
  bool complete(OpNode& node, std::uint64_t end_ticks, ReadyList& released, OpQueue* returns = nullptr);
  // For an op that start() refused; likewise.
  bool skip(OpNode& node, ReadyList& released, OpQueue* returns = nullptr);

  struct Ran {
    std::uint64_t end_ticks = 0;  // 0: not recording
    bool waited_for = false;      // a frontend waited for it
  };
  // start, call and complete, or skip, on the calling worker thread, recorded as its slice. not_before: the
  // end of the op before on this thread if it followed at once, else 0.
  Ran run_here(OpNode& node, std::uint64_t not_before, ReadyList& released, OpQueue* returns = nullptr);
  // For the ops that one thread ends, whose only way back it is then. Under the enqueue lock.
  [[nodiscard]] OpQueue& add_returns() { return node_pool_.add_returns(); }

  [[nodiscard]] std::int64_t failed() const { return failed_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t skipped() const { return skipped_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] FailurePtr failure_of(const OpNode& node, std::string_view what,
                                      std::source_location where = {}) noexcept;
  // Of one that is skipped: it was cancelled (null), or it reads what a failure left that was told before.
  [[nodiscard]] FailurePtr refusal_of(const OpNode& node, const Failure* known) noexcept;
  void release(Edge edge, const FailurePtr& failure, std::uint64_t end_ticks, ReadyList& released);

  const void* engine_;
  FailureBook& failures_;
  RunAheadGate& gate_;
  StepBook& steps_;
  OpNodePool& node_pool_;
  const AsymmetricFence fence_;                       // light by who runs ops, heavy by who cancels
  std::atomic<std::uint64_t> cancelled_to_{0};        // the enqueuing side writes, threads that run ops read
  std::atomic<std::int64_t> failed_{0}, skipped_{0};  // completing threads add, anyone reads
};

}  // namespace runahead::engine
