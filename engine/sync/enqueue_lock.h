// EnqueueLock: the mutex of the enqueuing side, cheap for a program with one frontend. Meets BasicLockable.
//
// An ordinary mutex costs two read-modify-writes, each of which waits until all that the thread has written
// before is visible to other cores. Here the thread that locks first owns a bias: it enters and leaves by
// plain writes, and the other threads, who come seldom, pay for both (AsymmetricFence::heavy, microseconds).
//   owner    inside = 1; light fence; visited? no: it is in. yes: inside = 0, and by the mutex like anyone
//   visitor  takes the mutex; visited = true; heavy fence; waits while inside; is in
// Either the owner sees `visited`, or the visitor sees `inside`. A thread that came many times in a row,
// while the owner did not, takes the bias over (a run's frontend after the one that prepared it); where
// frontends really are several, the bias is given up and this is a mutex. A record whose bias was given up
// stays visited for ever, so an owner that has been away since it looked finds out. (The idea: biased locking
// by asymmetric Dekker synchronisation; Dice, Huang, Yang 2001.)
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "engine/sync/asymmetric_fence.h"

namespace runahead::engine {

class EnqueueLock {
 public:
  EnqueueLock() = default;
  EnqueueLock(const EnqueueLock&) = delete;
  EnqueueLock& operator=(const EnqueueLock&) = delete;

  void lock() {
    Bias* const bias = bias_.load(std::memory_order_acquire);
    if (bias != nullptr && bias->owner == this_thread() && enter(*bias)) return;
    lock_by_mutex();
  }
  void unlock() {
    if (Bias* const bias = held_by_) {
      bias->inside.store(false, std::memory_order_release);  // pairs with the acquire in lock_by_mutex()
    } else {
      unlock_mutex();
    }
  }

 private:
  struct alignas(64) Bias {            // nobody else writes what the owner looks at for every op
    const void* owner = nullptr;       // set before the bias is used, and then constant
    std::atomic<bool> inside{false};   // owner writes, visitors read
    std::atomic<bool> visited{false};  // visitors write under mutex_, the owner reads
    std::uint64_t entries = 0;         // the owner's; visitors read it while the owner is not inside
  };
  static constexpr int kTurnsToTakeOver = 16;
  static constexpr std::size_t kMostBiases = 4;  // those who swap more often than this are several
  // Visits in a row with fewer entries of the owner between them than a visit costs.
  static constexpr int kMostCrowded = 32;
  static constexpr std::uint64_t kEntriesPerVisit = 256;

  static const void* this_thread() {
    static thread_local const char token = 0;
    return &token;
  }
  [[nodiscard]] bool enter(Bias& bias) {
    bias.inside.store(true, std::memory_order_relaxed);
    fence_.light();
    if (bias.visited.load(std::memory_order_acquire)) {  // pairs with the release in unlock_mutex()
      bias.inside.store(false, std::memory_order_release);
      return false;
    }
    held_by_ = &bias;
    ++bias.entries;
    return true;
  }
  void lock_by_mutex();
  void unlock_mutex();
  void consider_bias();
  void give_bias_to_caller();
  void shut_out(Bias& bias) const;

  const AsymmetricFence fence_;
  std::atomic<Bias*> bias_{nullptr};  // changed under mutex_
  Bias* held_by_ = nullptr;           // null: by mutex_; the holder's
  std::mutex mutex_;                  // guards what follows, and stands for this lock where there is no bias
  Bias* visiting_ = nullptr;          // whose owner is shut out until unlock()
  const void* last_visitor_ = nullptr;
  int turns_ = 0;                    // of last_visitor_ in a row
  int crowded_ = 0;                  // see kMostCrowded
  std::uint64_t owner_entries_ = 0;  // at the last visit
  std::array<Bias, kMostBiases> biases_;
  std::size_t bias_count_ = 0;  // those that were used; the last of them is, or none is any more
};

}  // namespace runahead::engine
