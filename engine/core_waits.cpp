// The waits of Core.
#include <algorithm>
#include <utility>

#include "engine/barrier.h"
#include "engine/core.h"
#include "instrumentation/record/hooks.h"

namespace runahead::engine {

Status Core::refuse_inside_op(std::string_view what) const {
  const RunningOp running = running_op();
  if (running.engine != this) return Ok{};
  return Error{std::string(what) + " inside op '" + running.node->site->name + "' #" +
               std::to_string(running.node->number()) +
               " could deadlock and is refused; do it on a frontend thread"};
}

template <typename Wait>
OpId Core::record_wait(const record::Site& site, OpId op, std::uint8_t flags, Wait wait) {
  const std::uint64_t begin = record::now_ticks();
  const bool recording = record::recording();
  if (recording) record::wait_begin(site, begin, op);
  const OpId released_by = wait();
  const std::uint64_t end = record::now_ticks();
  if (recording) record::wait_end(end, released_by, flags);
  const double ns = static_cast<double>(end - begin) / TickClock::get().ticks_per_ns();
  blocked_ns_.fetch_add(static_cast<std::int64_t>(ns), std::memory_order_relaxed);
  return released_by;
}

OpId Core::wait_for(OpNode& node) const {
  Waiter waiter;
  WaitEdge edge(waiter);
  if (!node.push(edge)) return kNoOp;
  waiter.wait(spin_);
  return waiter.released_by();
}

Status Core::tell(const OpNode& node) {
  if (!node.failure()) return Ok{};
  return failures_.tell(node.failure(), last_number_.load(std::memory_order_relaxed));
}

Status Core::wait_to_read(const Var& var, const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  if (!var || var.get()->engine != this) {
    return Error{std::string(site.name) + ": the Var is " + (var ? "another engine's" : "empty")};
  }
  OpNodePtr writer;
  {
    const std::lock_guard lock(enqueue_mutex_);
    writer = var.get()->writer;
  }
  record_wait(site, writer ? writer->id : kNoOp, 0, [&] { return writer ? wait_for(*writer) : kNoOp; });
  return writer ? tell(*writer) : Status(Ok{});
}

Status Core::wait_op(const OpHandle& op, const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  if (!op.node) return Error{std::string(site.name) + ": the op handle is empty"};
  OpNode& node = *static_cast<OpNode*>(op.node.get());
  record_wait(site, op.id, 0, [&] { return wait_for(node); });
  return tell(node);
}

OpNodePtr Core::newest_undone(std::uint64_t number) {
  const std::lock_guard lock(enqueue_mutex_);
  const auto after = [](std::uint64_t wanted, const OpNodePtr& node) { return wanted < node->number(); };
  for (auto at = std::upper_bound(log_.begin(), log_.end(), number, after); at != log_.begin();) {
    if (!(*--at)->done()) return *at;
  }
  return nullptr;
}

// The newest first: when it is done, most others are, and the waiter wakes up seldom. Ops that other
// frontends enqueue meanwhile are not waited for.
OpId Core::wait_for_everything() {
  std::uint64_t number = last_number_.load(std::memory_order_relaxed);
  OpId released_by = kNoOp;
  while (const OpNodePtr node = newest_undone(number)) {
    number = node->number() - 1;
    if (const OpId by = wait_for(*node); by != kNoOp) released_by = by;
  }
  return released_by;
}

Status Core::wait_all(const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  record_wait(site, kNoOp, 0, [&] { return wait_for_everything(); });
  return failures_.tell_all(last_number_.load(std::memory_order_relaxed));
}

Status Core::check(const Var& var) {
  if (!var || var.get()->engine != this) return Error{"check: the Var is empty or another engine's"};
  const std::lock_guard lock(enqueue_mutex_);
  const OpNodePtr& writer = var.get()->writer;
  if (!writer || !writer->done() || !writer->failure()) return Ok{};
  return Error{writer->failure()->message};
}

Status Core::wait_step(std::int64_t index, const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  if (steps_.open_index() == index) {
    return Error{std::string(site.name) + ": step " + std::to_string(index) +
                 " has not been ended, so it cannot finish"};
  }
  record_wait(site, kNoOp, 0, [&] { return steps_.wait(index, spin_); });
  return Ok{};
}

Status Core::wait_in_flight(std::int64_t ops, std::int64_t bytes, const record::Site& site) {
  if (Status status = refuse_inside_op(site.name); !status) return status;
  record_wait(site, kNoOp, 0, [&] { return gate_.wait_until({ops, bytes}, 0, 0, spin_); });
  return Ok{};
}

// Holds a frontend until one more op with `bytes` of outputs is admitted. One that meets the safety limit
// goes on when a sixteenth of it is free, so that it is not woken for every op; a bound that a person set is
// kept to the op.
void Core::hold_back(std::int64_t bytes) {
  const InFlightBound bound = run_ahead_bound();
  if (!gate_.fits(bound, 1, bytes)) {
    const bool by_ops = !gate_.fits({bound.ops, 0}, 1, bytes);
    const BarrierPolicy policy = by_ops ? BarrierPolicy{BarrierKind::kOps, bound.ops}
                                        : BarrierPolicy{BarrierKind::kBytes, bound.bytes};
    const record::Site& site = record::intern_site("held by " + to_string(policy), trace::SliceKind::kWait);
    record_wait(site, kNoOp, 0, [&] { return gate_.wait_until(bound, 1, bytes, spin_); });
    return;
  }
  if (gate_.fits({options_.limit_ops, options_.limit_bytes}, 1, bytes)) return;  // ops have ended meanwhile
  static const record::Site kLimitSite{"held by the limit", trace::SliceKind::kWait};
  const InFlightBound resume{options_.limit_ops - options_.limit_ops / 16,
                             options_.limit_bytes - options_.limit_bytes / 16};
  held_by_limit_.fetch_add(1, std::memory_order_relaxed);
  record_wait(kLimitSite, kNoOp, trace::kSliceHeldByLimit,
              [&] { return gate_.wait_until(resume, 1, bytes, spin_); });
}

}  // namespace runahead::engine
