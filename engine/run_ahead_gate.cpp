#include "engine/run_ahead_gate.h"

#include <algorithm>
#include <limits>

#include "instrumentation/base/check.h"

namespace runahead::engine {

RunAheadGate::RunAheadGate(InFlightBound bound, std::function<void()> before_wait)
    : before_wait_(std::move(before_wait)), bound_(bound) {}

LeftTally& RunAheadGate::add_tally() {
  const int index = tally_count_.load(std::memory_order_relaxed);
  RUNAHEAD_CHECK(index < kMostTallies);
  tally_count_.store(index + 1, std::memory_order_release);
  return tallies_[index];
}

std::int64_t RunAheadGate::left_ops(int round) const {
  std::int64_t left = 0;
  const int count = tally_count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) left += tallies_[i].ops[round].load(std::memory_order_seq_cst);
  return left;
}

std::int64_t RunAheadGate::left_bytes() const {
  std::int64_t left = 0;
  const int count = tally_count_.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) left += tallies_[i].bytes.load(std::memory_order_seq_cst);
  return left;
}

// First reads how many ops have left, then how many have entered, so that the difference is never negative.
std::int64_t RunAheadGate::in_flight(int round) const {
  const std::int64_t left = left_ops(round);
  return entered_ops_[round].load(std::memory_order_relaxed) - left;
}

std::int64_t RunAheadGate::ops() const { return in_flight(0) + in_flight(1); }

std::int64_t RunAheadGate::bytes() const {
  const std::int64_t left = left_bytes();
  return entered_bytes_.load(std::memory_order_relaxed) - left;
}

// ---- the enqueuing side ----------------------------------------------------------------------------------

void RunAheadGate::set_bound(InFlightBound bound) {
  bound_ = bound;
  look();
}

bool RunAheadGate::fits(InFlightBound bound, std::int64_t bytes) const {
  if (known_ops() == 0) return true;
  if (bound.ops > 0 && known_ops() >= bound.ops) return false;
  return bound.bytes <= 0 || known_bytes() + bytes <= bound.bytes;
}

bool RunAheadGate::admits(InFlightBound bound, std::int64_t bytes) {
  return fits(bound, bytes) || (look(), fits(bound, bytes));
}

void RunAheadGate::look() {
  const std::int64_t ops_now = ops(), bytes_now = bytes();
  const std::int64_t max_ops = std::max(max_ops_.load(std::memory_order_relaxed), ops_now);
  const std::int64_t max_bytes = std::max(max_bytes_.load(std::memory_order_relaxed), bytes_now);
  max_ops_.store(max_ops, std::memory_order_relaxed);
  max_bytes_.store(max_bytes, std::memory_order_relaxed);
  const auto tighter = [](std::int64_t bound, std::int64_t most) {
    return bound > 0 ? std::min(bound, most) : most;
  };
  look_at_ops_ = tighter(bound_.ops, max_ops + max_ops / 64);
  look_at_bytes_ = tighter(bound_.bytes, max_bytes);
  room_ops_ = look_at_ops_ - ops_now;
  room_bytes_ = look_at_bytes_ - bytes_now;
}

void RunAheadGate::enter_more(std::int64_t bytes) {
  if (bytes == 0) return;
  entered_bytes_.store(entered_bytes_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  if ((room_bytes_ -= bytes) < 0) look();
}

void RunAheadGate::reset_maxima() {
  max_ops_.store(0, std::memory_order_relaxed);
  max_bytes_.store(0, std::memory_order_relaxed);
  look();
}

// ---- completing threads ----------------------------------------------------------------------------------

// Checks without the lock whether a waiting frontend could continue. A waiter first registers and then makes
// the same check, so no wake-up is lost.
bool RunAheadGate::someone_may_go() const {
  for (const int round : {0, 1}) {
    if (drains_[round].load(std::memory_order_seq_cst) && in_flight(round) == 0) return true;
  }
  const std::int64_t at_ops = go_at_ops_.load(std::memory_order_seq_cst);
  if (at_ops < 0) return false;
  return ops() <= at_ops && bytes() <= go_at_bytes_.load(std::memory_order_seq_cst);
}

bool RunAheadGate::release(const Held& held) const {
  if (held.drained_round >= 0) return in_flight(held.drained_round) == 0;
  const std::int64_t ops_now = ops();
  if (ops_now == 0) return true;
  const int more = held.bytes < 0 ? 0 : 1;
  if (held.bound.ops > 0 && ops_now + more > held.bound.ops) return false;
  return held.bound.bytes <= 0 || bytes() + std::max<std::int64_t>(held.bytes, 0) <= held.bound.bytes;
}

bool RunAheadGate::release_held(OpId op) {
  std::vector<Waiter*> free;
  {
    const MutexLock lock(mutex_);
    std::erase_if(held_, [&](const Held& held) {
      if (!release(held)) return false;
      free.push_back(held.waiter);
      return true;
    });
    note_held_locked();
  }
  for (Waiter* waiter : free) waiter->signal(op);
  return !free.empty();
}

// Computes the values that someone_may_go() reads: the largest numbers of ops and bytes in flight at which
// some waiter may continue. If nothing is in flight, every held frontend continues.
void RunAheadGate::note_held_locked() {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  std::int64_t at_ops = -1, at_bytes = -1;
  bool drains[2] = {false, false};
  for (const Held& held : held_) {
    if (held.drained_round >= 0) {
      drains[held.drained_round] = true;
      continue;
    }
    const int more = held.bytes < 0 ? 0 : 1;
    at_ops = std::max(at_ops, held.bound.ops > 0 ? std::max<std::int64_t>(held.bound.ops - more, 0) : kAny);
    at_bytes = std::max(
        at_bytes, held.bound.bytes > 0
                      ? std::max<std::int64_t>(held.bound.bytes - std::max<std::int64_t>(held.bytes, 0), 0)
                      : kAny);
  }
  for (const int round : {0, 1}) drains_[round].store(drains[round], std::memory_order_seq_cst);
  go_at_bytes_.store(at_bytes, std::memory_order_seq_cst);
  go_at_ops_.store(at_ops, std::memory_order_seq_cst);
  waiting_.store(static_cast<int>(held_.size()), std::memory_order_seq_cst);
}

// ---- frontends -------------------------------------------------------------------------------------------

std::optional<OpId> RunAheadGate::hold(const Held& held, WaitMode mode) {
  {
    const MutexLock lock(mutex_);
    held_.push_back(held);
    note_held_locked();
    // The frontend is registered before this check. Therefore every thread that completes an op after the
    // check sees the frontend, and no wake-up is lost.
    if (release(held)) {
      held_.pop_back();
      note_held_locked();
      return kNoOp;
    }
  }
  before_wait_();
  if (!held.waiter->wait(mode)) {
    const MutexLock lock(mutex_);
    const auto mine = [&](const Held& one) { return one.waiter == held.waiter; };
    if (std::erase_if(held_, mine) > 0) {
      note_held_locked();
      return std::nullopt;
    }
  }
  // A completing thread that has taken the Waiter out of held_ is about to signal it.
  if (!held.waiter->signalled()) held.waiter->wait({.spin = mode.spin});
  return held.waiter->released_by();
}

std::optional<OpId> RunAheadGate::wait_until(InFlightBound bound, std::int64_t bytes, WaitMode mode) {
  Waiter waiter;
  return hold({bound, bytes, -1, &waiter}, mode);
}

std::optional<OpId> RunAheadGate::wait_for_round(int round, WaitMode mode) {
  Waiter waiter;
  return hold({{}, 0, round, &waiter}, mode);
}

std::optional<OpId> RunAheadGate::wait_drained(EnqueueLock& enqueue_lock, WaitMode mode) {
  const MutexLock drain(drain_mutex_);
  const auto current_round = [&] {
    const std::lock_guard lock(enqueue_lock);
    return round_;
  };
  if (drain_left_ops_ && !wait_for_round(current_round() ^ 1, mode)) return std::nullopt;
  int round = 0;
  {
    const std::lock_guard lock(enqueue_lock);
    round = round_;
    // New ops enter the other round. It is empty, because the previous drain, or this one, waited until its
    // ops had left.
    round_ ^= 1;
  }
  const std::optional<OpId> by = wait_for_round(round, mode);
  drain_left_ops_ = !by;
  return by;
}

}  // namespace runahead::engine
