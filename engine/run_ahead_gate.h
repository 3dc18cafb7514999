// RunAheadGate: counts what is in flight, and holds frontends back while it is too much.
//   enter()  under the engine's enqueue mutex    leave()  completing threads    wait_until()  frontends
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/waiter.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

// What may be in flight; <= 0: no bound.
struct InFlightBound {
  std::int64_t ops = 0;
  std::int64_t bytes = 0;
};

class RunAheadGate {
 public:
  // Whether `ops` more ops with `bytes` of outputs fit under `bound`. With nothing in flight they do, however
  // large they are: an op that is larger than the bound goes alone.
  [[nodiscard]] bool fits(InFlightBound bound, std::int64_t ops, std::int64_t bytes) const;

  void enter(std::int64_t bytes);
  void leave(std::int64_t bytes, OpId op);

  // Returns when fits(); the op whose end made it so, kNoOp if it was so at once.
  OpId wait_until(InFlightBound bound, std::int64_t ops, std::int64_t bytes, Duration spin);

  [[nodiscard]] std::int64_t ops() const { return ops_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t max_ops() const { return max_ops_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t max_bytes() const { return max_bytes_.load(std::memory_order_relaxed); }
  void reset_maxima();  // under the enqueue mutex

 private:
  struct Held {
    InFlightBound bound;
    std::int64_t ops, bytes;
    Waiter* waiter;
  };
  void release_held(OpId op);

  // Raised by enter(), lowered by leave(). Sequentially consistent with waiting_: either the completing
  // thread sees who waits, or who waits sees what has left.
  std::atomic<std::int64_t> ops_{0}, bytes_{0};
  std::atomic<int> waiting_{0};
  std::atomic<std::int64_t> max_ops_{0}, max_bytes_{0};  // written under the enqueue mutex, read by anyone
  std::mutex mutex_;                                     // guards held_; never nests
  std::vector<Held> held_;
};

}  // namespace runahead::engine
