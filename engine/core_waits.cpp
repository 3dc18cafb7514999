// The part of Core for waits.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/core.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

constinit thread_local WaitInterrupt* t_interrupt = nullptr;
// The engine in whose wait_all() this thread is.
constinit thread_local const Core* t_drained = nullptr;

class Drains {
 public:
  explicit Drains(const Core* core) : before_(std::exchange(t_drained, core)) {}
  ~Drains() { t_drained = before_; }
  Drains(const Drains&) = delete;
  Drains& operator=(const Drains&) = delete;

 private:
  const Core* const before_;
};

Status interrupted(const record::Site& site) {
  return Error{std::string(site.name) + ": the wait was interrupted; the ops go on"};
}

}  // namespace

InterruptibleWaits::InterruptibleWaits(WaitInterrupt* interrupt)
    : before_(std::exchange(t_interrupt, interrupt)) {}
InterruptibleWaits::~InterruptibleWaits() { t_interrupt = before_; }

WaitMode Core::interruptible() const {
  WaitMode mode = mode_;
  mode.interrupt = t_interrupt;
  return mode;
}

Status Core::refuse_inside_op(std::string_view what) const {
  return running_op().engine == this ? Status(refusal_inside_op(what)) : Status(Ok{});
}

Error Core::refusal_inside_op(std::string_view what) const {
  const OpNode& node = *running_op().node;
  return Error{std::string(what) + " inside op '" + node.site->name + "' #" + std::to_string(node.number()) +
               " could deadlock and is refused; do it on a frontend thread"};
}

// Records a wait of the calling thread and counts its time, from the constructor to the end of the scope.
class Core::RecordedWait {
 public:
  RecordedWait(Core& core, const record::Site& site, OpId op, std::uint8_t flags = 0)
      : core_(core), flags_(flags), recording_(record::recording()), begin_(record::now_ticks()) {
    if (recording_) record::wait_begin(site, begin_, op);
  }
  ~RecordedWait() {
    const std::uint64_t end = record::now_ticks();
    if (recording_) record::wait_end(end, released_by_, flags_);
    const double ns = static_cast<double>(end - begin_) / TickClock::get().ticks_per_ns();
    core_.blocked_ns_.fetch_add(static_cast<std::int64_t>(ns), std::memory_order_relaxed);
  }
  RecordedWait(const RecordedWait&) = delete;
  RecordedWait& operator=(const RecordedWait&) = delete;

  // `by`: the op that ended the wait. kNoOp: the thread did not have to wait.
  void released(OpId by) { released_by_ = by; }
  // Call this when the op for which the thread waited has ended, but the wait continues with the blocker's
  // own work, such as a copy.
  void goes_on() {
    if (recording_) record::wait_released(record::now_ticks(), std::exchange(released_by_, kNoOp));
  }

 private:
  Core& core_;
  const std::uint8_t flags_;
  const bool recording_;
  const std::uint64_t begin_;
  OpId released_by_ = kNoOp;
};

bool Core::help() {
  const std::size_t count = helper_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (helpers_[i]->run_one()) return true;
  }
  return false;
}

Core::Waited Core::wait_for(OpRef op) {
  const WaitMode mode = interruptible();
  Waiter on_stack;
  std::unique_ptr<Waiter> on_heap(mode.interrupt != nullptr ? new Waiter : nullptr);
  Waiter& waiter = on_heap ? *on_heap : on_stack;
  std::vector<Linked> closed;
  {
    const std::lock_guard lock(enqueue_lock_);  // while it is held, op.node cannot be reused
    if (!op.is_current() || !op.node->successors.push(Edge(waiter), node_pool_))
      return {kNoOp, outcome_locked(op, nullptr)};
    close_bulks_locked(closed);
  }
  hand_over(closed);
  if (!waiter.wait(mode) && waiter.abandon()) {
    (void)on_heap.release();  // the op deletes it
    return {.interrupted = true};
  }
  return {waiter.released_by(), waiter.failure()};
}

FailurePtr Core::outcome_locked(OpRef op, const VarState* var) {
  if (op.is_current() && op.node->done()) return op.node->final_failure();
  if (FailurePtr failure = var != nullptr ? var->failure_of(op.number) : nullptr) return failure;
  return failures_.outcome(op.number);
}

Status Core::tell(const FailurePtr& failure) {
  if (!failure) return Ok{};
  return failures_.tell(failure, last_number_.load(std::memory_order_relaxed));
}

Status Core::wait_to_read(const Var& var, const record::Site& site, const std::function<void()>& then) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  if (!var || &var.get()->home != &vars_) {
    return Error{std::string(site.name) + ": the Var is " + (var ? "another engine's" : "empty")};
  }
  OpRef writer;
  {
    const std::lock_guard lock(enqueue_lock_);
    writer = var.get()->writer;
  }
  Waited waited;
  {
    RecordedWait wait(*this, site, writer.node != nullptr ? id_of(writer.number) : kNoOp);
    if (writer.node != nullptr) waited = wait_for(writer);
    wait.released(waited.released_by);
    if (then && !waited.failure && !waited.interrupted) {
      wait.goes_on();
      then();
    }
  }
  if (waited.interrupted) return interrupted(site);
  return tell(waited.failure);
}

Status Core::wait_op(const OpHandle& op, const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  if (op.node == nullptr) return Error{std::string(site.name) + ": the op handle is empty"};
  if (id_of(op_number(op.id)) != op.id) return Error{std::string(site.name) + ": the op is another engine's"};
  Waited waited;
  {
    RecordedWait wait(*this, site, op.id);
    waited = wait_for({static_cast<OpNode*>(op.node), op_number(op.id)});
    wait.released(waited.released_by);
  }
  if (waited.interrupted) return interrupted(site);
  return tell(waited.failure);
}

// Does not wait for ops that other frontends enqueue after the call has begun.
Status Core::wait_all(const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  if (t_drained == this)
    return Error{std::string(site.name) + " inside an interrupt of wait_all() could deadlock and is refused"};
  {
    const Drains drains(this);
    RecordedWait wait(*this, site, kNoOp);
    const std::optional<OpId> by = gate_.wait_drained(enqueue_lock_, interruptible());
    if (!by) return interrupted(site);
    wait.released(*by);
  }
  return failures_.tell_all(last_number_.load(std::memory_order_relaxed));
}

Status Core::check(const Var& var) {
  if (!var || &var.get()->home != &vars_) return Error{"check: the Var is empty or another engine's"};
  const std::lock_guard lock(enqueue_lock_);
  const OpRef writer = var.get()->writer;
  if (writer.node == nullptr || writer.in_flight()) return Ok{};
  const FailurePtr failure = outcome_locked(writer, var.get());
  return failure ? Status(Error{failure->message}) : Status(Ok{});
}

Status Core::wait_step(std::int64_t index, const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  if (steps_.open_index() == index) {
    return Error{std::string(site.name) + ": step " + std::to_string(index) +
                 " has not been ended, so it cannot finish"};
  }
  RecordedWait wait(*this, site, kNoOp);
  const std::optional<OpId> by = steps_.wait(index, interruptible());
  if (!by) return interrupted(site);
  wait.released(*by);
  return Ok{};
}

Status Core::wait_in_flight(std::int64_t ops, std::int64_t bytes, const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  RecordedWait wait(*this, site, kNoOp);
  const std::optional<OpId> by = gate_.wait_until({ops, bytes}, -1, interruptible());
  if (!by) return interrupted(site);
  wait.released(*by);
  return Ok{};
}

// Holds a frontend back until the gate admits one more op with `bytes` of outputs. A frontend that is
// interrupted enqueues the op in spite of the bound. If the safety limit stopped the frontend, it continues
// when a sixteenth of the limit is free, so that it is not woken for every op. A bound that the user set
// (set_run_ahead_bound()) has no such margin: the frontend continues as soon as one op fits.
void Core::hold_back(std::int64_t bytes) {
  const InFlightBound limit = this->limit();
  const InFlightBound bound = run_ahead_bound();
  const auto admitted = [&](InFlightBound by) {
    const std::lock_guard lock(enqueue_lock_);
    return gate_.admits(by, bytes);
  };
  if (!admitted(bound)) {
    const bool by_ops = !admitted({bound.ops, 0});
    const BarrierPolicy policy = by_ops ? BarrierPolicy{BarrierKind::kOps, bound.ops}
                                        : BarrierPolicy{BarrierKind::kBytes, bound.bytes};
    const record::Site& site = record::intern_site("held by " + to_string(policy), trace::SliceKind::kWait);
    RecordedWait wait(*this, site, kNoOp);
    wait.released(gate_.wait_until(bound, bytes, interruptible()).value_or(kNoOp));
    return;
  }
  if (admitted(limit)) return;  // enough ops have ended since the last check, so no wait is needed
  static const record::Site kLimitSite{"held by the limit", trace::SliceKind::kWait};
  const InFlightBound resume{limit.ops - limit.ops / 16, limit.bytes - limit.bytes / 16};
  held_by_limit_.fetch_add(1, std::memory_order_relaxed);
  RecordedWait wait(*this, kLimitSite, kNoOp, trace::kSliceHeldByLimit);
  wait.released(gate_.wait_until(resume, bytes, interruptible()).value_or(kNoOp));
}

}  // namespace runahead::engine
