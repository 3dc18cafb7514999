// StepBook: the steps of each frontend. A step is open between begin() and end() on its frontend. A step is
// finished when it is no longer open and all its ops are done.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/sync/waiter.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/time.h"

namespace runahead::engine {

struct FrontendSteps;

struct StepState {
  std::int64_t index = 0;
  FrontendSteps* frontend = nullptr;
  static constexpr std::int64_t kOpen = std::int64_t{1} << 40;
  std::int64_t entered = 0;  // number of ops in the step; written by its frontend while the step is open
  // Zero when the step is finished. It starts at kOpen, and each op that is done subtracts 1. end() subtracts
  // kOpen and adds `entered`; from then on the value is the number of ops that are not done. The thread that
  // makes the value zero finishes the step. Written by completing threads and the step's frontend.
  std::atomic<std::int64_t> outstanding{kOpen};
  std::vector<Waiter*> waiters;  // guarded by StepBook's mutex
};

// The steps that a frontend thread has begun and that have not finished.
struct FrontendSteps {
  StepState* open = nullptr;                                           // used only by the frontend's thread
  std::multimap<std::int64_t, std::unique_ptr<StepState>> unfinished;  // guarded by StepBook's mutex
};

class StepBook {
 public:
  StepBook();
  StepBook(const StepBook&) = delete;
  StepBook& operator=(const StepBook&) = delete;

  // ---- the frontend's thread ----
  void begin(std::int64_t index);  // ends the open step first, if any
  void end();
  // Adds one op to the open step of the calling thread and returns the step. Null: no step is open.
  [[nodiscard]] StepState* join_open() {
    StepState* const step = mine().open;
    if (step != nullptr) ++step->entered;
    return step;
  }
  [[nodiscard]] std::int64_t open_index();  // -1: no step is open
  // Waits until step `index` of this thread has finished. Returns the op that finished the step. kNoOp: the
  // step had finished before the call. Nothing: mode.interrupt has ended the wait.
  std::optional<OpId> wait(std::int64_t index, WaitMode mode);

  // ---- completing threads ----
  void op_done(StepState& step, OpId op);

  [[nodiscard]] std::int64_t finished() const;
  // From the begin of the first step until a step finished last. 0: none has finished.
  [[nodiscard]] Duration time_of_steps() const;
  [[nodiscard]] std::int64_t in_flight() const;
  [[nodiscard]] std::int64_t max_in_flight() const;
  void reset_maxima();

 private:
  // The StepBook that the calling thread used last, and the thread's entry in it.
  struct LastUsed {
    std::uint64_t serial;  // serial_ of that book; 0: no book yet
    FrontendSteps* steps;
  };
  static inline constinit thread_local LastUsed t_last_used_{0, nullptr};
  FrontendSteps& mine() { return t_last_used_.serial == serial_ ? *t_last_used_.steps : find_mine(); }
  FrontendSteps& find_mine();
  void leave(StepState& step, std::int64_t by, OpId op);
  void count_locked() RUNAHEAD_REQUIRES(mutex_);

  const std::uint64_t serial_;  // identifies this book in t_last_used_
  mutable Mutex mutex_;         // also guards StepState::waiters and FrontendSteps::unfinished; never nests
  std::unordered_map<std::thread::id, std::unique_ptr<FrontendSteps>> frontends_ RUNAHEAD_GUARDED_BY(mutex_);
  std::int64_t finished_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::chrono::steady_clock::time_point first_begun_ RUNAHEAD_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point last_finished_ RUNAHEAD_GUARDED_BY(mutex_);
  std::int64_t in_flight_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::int64_t max_in_flight_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
};

}  // namespace runahead::engine
