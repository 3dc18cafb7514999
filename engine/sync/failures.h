// Failures: what went wrong in an op, who has been told, and whom it still concerns. Off the usual path:
// taken only when an op failed, was skipped or cancelled, and by waits that find a poisoned var.
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

// One failure, shared by all that it poisoned. Told to a frontend once.
struct Failure {
  std::uint64_t origin = 0;  // number of the op that failed; orders failures, whatever thread met them first
  std::string message;       // "op 'matmul' #12 failed: ..."
  // The number of the last op enqueued before the failure was told; guarded by FailureBook's mutex. Ops with
  // a higher number know of it: what they write is healed, what they read is refused anew.
  std::uint64_t told_at = kUntold;
  static constexpr std::uint64_t kUntold = ~std::uint64_t{0};
};
using FailurePtr = std::shared_ptr<Failure>;

// The poison that an op collects from those it follows. Guarded by FailureBook's mutex until the op is ready,
// constant once it has ended.
struct Poison {
  FailurePtr failure;
  bool known = false;  // the failure was told before the op was enqueued
};

class FailureBook {
 public:
  FailureBook();

  // A new failure, not yet told.
  [[nodiscard]] FailurePtr add(std::uint64_t origin, std::string message);
  // Where there is no memory for that: one made ahead, shared by all ops that come to it until it is told.
  [[nodiscard]] FailurePtr add_without_memory(std::uint64_t origin) noexcept;

  // The failure of ops cancelled by one cancel(): shared by all of them, named after the first that asks.
  void begin_cancellation();
  [[nodiscard]] FailurePtr cancelled(std::uint64_t number, std::string_view op);

  // `failure` reaches the op `number` along a read, or along a write. The earliest untold failure wins, so
  // that the outcome does not depend on which thread came first. Returns whether the op is poisoned by it.
  // poison_of(): the op's Poison, called under the lock and only if it is needed.
  template <typename PoisonOf>
  bool carry(const FailurePtr& failure, std::uint64_t number, bool is_write, PoisonOf poison_of) {
    const MutexLock lock(mutex_);
    const bool known = failure->told_at != Failure::kUntold && number > failure->told_at;
    if (known && is_write) return false;  // a write after the failure was told heals the var
    Poison& poison = poison_of();
    const bool better = !poison.failure ||
                        std::pair(known, failure->origin) < std::pair(poison.known, poison.failure->origin);
    if (better) poison = {failure, known};
    return true;
  }

  // The op ended with this failure, its own or one that it was poisoned by: for who asks by its number.
  // Without memory there is room for kSpareOutcomes; the others are told by wait_all and by what they wrote.
  void note_outcome(std::uint64_t number, const FailurePtr& failure) noexcept;
  // Null: it did not fail, or its failure has been told.
  [[nodiscard]] FailurePtr outcome(std::uint64_t number);

  // The error, the first time it is asked for; ok later. `last_number`: of the newest op enqueued.
  [[nodiscard]] Status tell(const FailurePtr& failure, std::uint64_t last_number);
  // The earliest failure not told yet, and how many more there are; all are told by this.
  [[nodiscard]] Status tell_all(std::uint64_t last_number);

 private:
  // Failures waiting to be told; beyond this many, later ones are only counted.
  static constexpr std::size_t kMostUntold = 1024;
  static constexpr std::size_t kSpareOutcomes = 64;
  struct Outcome {
    std::uint64_t number = 0;
    FailurePtr failure;  // null: the place is free
  };

  void forget_outcomes_locked() RUNAHEAD_REQUIRES(mutex_);
  [[nodiscard]] FailurePtr add_locked(std::uint64_t origin, std::string message) RUNAHEAD_REQUIRES(mutex_);

  Mutex mutex_;  // also guards Failure::told_at and Poison; never nests
  std::vector<FailurePtr> untold_ RUNAHEAD_GUARDED_BY(mutex_);  // with room for all that it may hold
  std::unordered_map<std::uint64_t, FailurePtr> outcomes_
      RUNAHEAD_GUARDED_BY(mutex_);  // of failures not told yet
  std::array<Outcome, kSpareOutcomes> spare_outcomes_ RUNAHEAD_GUARDED_BY(mutex_);
  FailurePtr without_memory_ RUNAHEAD_GUARDED_BY(mutex_);  // add_without_memory()'s
  FailurePtr cancellation_ RUNAHEAD_GUARDED_BY(mutex_);
  std::uint64_t uncounted_ RUNAHEAD_GUARDED_BY(mutex_) = 0;  // not in untold_ for want of room
};

}  // namespace runahead::engine
