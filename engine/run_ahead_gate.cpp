#include "engine/run_ahead_gate.h"

#include <algorithm>

namespace runahead::engine {

bool RunAheadGate::fits(InFlightBound bound, std::int64_t ops, std::int64_t bytes) const {
  const std::int64_t ops_now = ops_.load(std::memory_order_seq_cst);
  if (ops_now == 0) return true;
  if (bound.ops > 0 && ops_now + ops > bound.ops) return false;
  return bound.bytes <= 0 || bytes_.load(std::memory_order_seq_cst) + bytes <= bound.bytes;
}

void RunAheadGate::enter(std::int64_t bytes) {
  const std::int64_t ops_now = ops_.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (ops_now > max_ops_.load(std::memory_order_relaxed)) max_ops_.store(ops_now, std::memory_order_relaxed);
  if (bytes == 0) return;
  const std::int64_t bytes_now = bytes_.fetch_add(bytes, std::memory_order_seq_cst) + bytes;
  if (bytes_now > max_bytes_.load(std::memory_order_relaxed)) {
    max_bytes_.store(bytes_now, std::memory_order_relaxed);
  }
}

void RunAheadGate::leave(std::int64_t bytes, OpId op) {
  if (bytes != 0) bytes_.fetch_sub(bytes, std::memory_order_seq_cst);
  ops_.fetch_sub(1, std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) > 0) release_held(op);
}

void RunAheadGate::release_held(OpId op) {
  std::vector<Waiter*> free;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(held_, [&](const Held& held) {
      if (!fits(held.bound, held.ops, held.bytes)) return false;
      free.push_back(held.waiter);
      return true;
    });
    waiting_.fetch_sub(static_cast<int>(free.size()), std::memory_order_seq_cst);
  }
  for (Waiter* waiter : free) waiter->signal(op);
}

OpId RunAheadGate::wait_until(InFlightBound bound, std::int64_t ops, std::int64_t bytes, Duration spin) {
  Waiter waiter;
  {
    const std::lock_guard lock(mutex_);
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    if (fits(bound, ops, bytes)) {
      waiting_.fetch_sub(1, std::memory_order_seq_cst);
      return kNoOp;
    }
    held_.push_back({bound, ops, bytes, &waiter});
  }
  waiter.wait(spin);
  return waiter.released_by();
}

void RunAheadGate::reset_maxima() {
  max_ops_.store(ops(), std::memory_order_relaxed);
  max_bytes_.store(bytes(), std::memory_order_relaxed);
}

}  // namespace runahead::engine
