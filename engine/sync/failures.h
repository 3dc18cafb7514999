// Failures: why an op failed, whether the failure was reported to a frontend, and which ops and Vars the
// failure poisons. A failure poisons the Vars that the failed op writes. The ops that depend on these Vars
// are poisoned too, and are skipped. In a normal run this code is not executed. It is executed for ops that
// failed, were skipped or were cancelled, and for waits that find a poisoned Var.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

// A Failure is shared by all ops that it poisoned. A Failure is reported once, to one frontend.
struct Failure {
  // number of the op that failed; failures are ordered by this number, not by the time of their discovery
  std::uint64_t origin = 0;
  std::string message;  // "op 'matmul' #12 failed: ..."
  // The number of the newest op when the failure was reported. Guarded by FailureBook's mutex. Ops with a
  // higher number were enqueued after the report. If such an op writes a Var, the Var is no longer poisoned.
  // If such an op reads a poisoned Var, the op gets a new failure, which is reported separately.
  std::uint64_t told_at = kUntold;
  static constexpr std::uint64_t kUntold = ~std::uint64_t{0};
};
using FailurePtr = std::shared_ptr<Failure>;

// The failure that an op gets from its failed predecessors. Guarded by FailureBook's mutex until the op is
// ready. Does not change after the op has ended.
struct Poison {
  FailurePtr failure;
  bool known = false;  // true: the failure was reported before the op was enqueued
};

// Thread-safe: any thread may call any function.
class FailureBook {
 public:
  FailureBook();

  // Adds a failure that has not been reported yet.
  [[nodiscard]] FailurePtr add(std::uint64_t origin, std::string message);
  // For use when memory is exhausted: returns a failure that was allocated in advance. All ops that fail
  // while no memory is left share this failure until it is reported.
  [[nodiscard]] FailurePtr add_without_memory(std::uint64_t origin) noexcept;

  // Begins a cancellation: all ops that one cancel() cancels share one failure. The failure's message names
  // the op for which cancelled() is called first.
  void begin_cancellation();
  [[nodiscard]] FailurePtr cancelled(std::uint64_t number, std::string_view op);

  // Passes the failure of a predecessor to the op `number`. The op reads a poisoned Var; with is_write, the
  // op writes the poisoned Var. If several predecessors failed, the op keeps the earliest unreported failure,
  // so that the result does not depend on the order of threads. Returns whether the op is poisoned.
  // poison_of() must return the Poison of the op. carry() calls poison_of() under the lock, and only if the
  // op is poisoned.
  template <typename PoisonOf>
  bool carry(const FailurePtr& failure, std::uint64_t number, bool is_write, PoisonOf poison_of) {
    const MutexLock lock(mutex_);
    const bool known = failure->told_at != Failure::kUntold && number > failure->told_at;
    // a write that comes after the report of the failure clears the poison of the Var
    if (known && is_write) return false;
    Poison& poison = poison_of();
    const bool better = !poison.failure ||
                        std::pair(known, failure->origin) < std::pair(poison.known, poison.failure->origin);
    if (better) poison = {failure, known};
    return true;
  }

  // Stores, for outcome(), that op `number` ended with this failure: its own failure or the failure of a
  // predecessor. If no memory is left, only kSpareOutcomes ops can be stored. The failures of other ops are
  // then reported only by wait_all and by waits on the Vars that these ops write.
  void note_outcome(std::uint64_t number, const FailurePtr& failure) noexcept;
  // Returns the failure of op `number`. Null: the op did not fail, or its failure has been reported.
  [[nodiscard]] FailurePtr outcome(std::uint64_t number);

  // Reports the failure: returns its error at the first call for this failure, and ok at later calls.
  // `last_number`: the number of the newest op.
  [[nodiscard]] Status tell(const FailurePtr& failure, std::uint64_t last_number);
  // Returns the earliest unreported failure and how many other failures are unreported. Marks all failures as
  // reported.
  [[nodiscard]] Status tell_all(std::uint64_t last_number);

 private:
  // untold_ holds at most this number of failures; further failures are only counted (uncounted_).
  static constexpr std::size_t kMostUntold = 1024;
  static constexpr std::size_t kSpareOutcomes = 64;
  struct Outcome {
    std::uint64_t number = 0;
    FailurePtr failure;  // null: the place is free
  };

  void forget_outcomes_locked() RUNAHEAD_REQUIRES(mutex_);
  [[nodiscard]] FailurePtr add_locked(std::uint64_t origin, std::string message) RUNAHEAD_REQUIRES(mutex_);

  Mutex mutex_;  // also guards Failure::told_at and Poison; no other mutex is locked while this one is held
  // the capacity is reserved at the start, so that add_without_memory() needs no memory
  std::vector<FailurePtr> untold_ RUNAHEAD_GUARDED_BY(mutex_);
  // Key: number of an op. Contains only failures that were not reported yet.
  std::unordered_map<std::uint64_t, FailurePtr> outcomes_ RUNAHEAD_GUARDED_BY(mutex_);
  std::array<Outcome, kSpareOutcomes> spare_outcomes_ RUNAHEAD_GUARDED_BY(mutex_);
  FailurePtr without_memory_ RUNAHEAD_GUARDED_BY(mutex_);  // returned by add_without_memory()
  FailurePtr cancellation_ RUNAHEAD_GUARDED_BY(mutex_);
  std::uint64_t uncounted_ RUNAHEAD_GUARDED_BY(mutex_) = 0;  // number of failures for which untold_ had no
                                                             // room
};

}  // namespace runahead::engine
