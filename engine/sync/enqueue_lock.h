// EnqueueLock: the mutex of the enqueuing side, cheap for a program with one frontend. Meets BasicLockable.
//
// Why: an ordinary mutex costs two read-modify-writes. Each read-modify-write waits until all earlier writes
// of the thread are visible to other cores. This lock is biased: it is cheap for one thread, the owner of the
// bias. The first thread that locks becomes the owner. The owner locks and unlocks with plain writes. Other
// threads (visitors) rarely lock. A visitor pays the cost for both threads (AsymmetricFence::heavy,
// microseconds).
//   owner    writes inside = true; passes the light fence; reads visited. If visited is false, it has the
//            lock. If visited is true, it writes inside = false and takes the mutex like any other thread
//   visitor  takes the mutex; writes visited = true; passes the heavy fence; waits while inside is true. Then
//            it has the lock
//
// Invariants.
// - If an owner and a visitor try to lock at the same time, the owner sees `visited` or the visitor sees
//   `inside` (AsymmetricFence). Therefore at most one of them has the lock.
// - A visitor holds mutex_ as long as it has the lock. Visitors exclude each other by mutex_.
// - A Bias is used once: `owner` never changes after the release store of bias_.
// - A Bias that was given up stays visited forever. Its owner may have read bias_ before the Bias was given
//   up. This owner then sees in enter() that the Bias is visited, and takes the mutex.
// Memory order.
// - bias_: written under mutex_ (release); read by all threads in lock() (acquire).
// - Bias::inside: the owner's store (release) in enter() and unlock() pairs with the load (acquire) in
//   shut_out().
// - Bias::visited: the visitor's store (release) in unlock_mutex() pairs with the owner's load (acquire) in
//   enter(). The store in shut_out() is relaxed, because the heavy fence orders it.
//
// If the same visitor locks many times in a row, and the owner does not lock in between, the visitor takes
// the bias over: it becomes the owner. Example: one thread prepares a run and becomes the owner; then another
// thread, the frontend of that run, takes the bias over. With several active frontends the bias is given up,
// and the lock is a plain mutex.
// Source: biased locking by asymmetric Dekker synchronisation; Dice, Huang, Yang 2001.
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
      bias->inside.store(false, std::memory_order_release);  // pairs with the acquire in shut_out()
    } else {
      unlock_mutex();
    }
  }

 private:
  struct alignas(64) Bias {            // until a visitor comes, only the owner writes this cache line
    const void* owner = nullptr;       // set before bias_ points here, constant afterwards
    std::atomic<bool> inside{false};   // written by the owner, read by visitors
    std::atomic<bool> visited{false};  // written by visitors under mutex_, read by the owner
    std::uint64_t entries = 0;         // written by the owner; read by visitors while they shut the owner out
  };
  // If the same visitor locks this many times in a row, and the owner does not lock in between, the visitor
  // takes the bias over.
  static constexpr int kTurnsToTakeOver = 16;
  // Maximum number of times that a thread becomes the owner. After that, no thread can take the bias over;
  // the bias can only be given up.
  static constexpr std::size_t kMostBiases = 4;
  // A visit (a visitor locks) is crowded if the owner has locked fewer than kEntriesPerVisit times since the
  // previous visit. After kMostCrowded crowded visits in a row, the bias is given up. Reason:
  // kEntriesPerVisit cheap locks of the owner save as much time as one visit costs.
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
  std::atomic<Bias*> bias_{nullptr};  // written under mutex_, read by any thread
  Bias* held_by_ = nullptr;   // null: the lock is held through mutex_; used only by the holder of the lock
  std::mutex mutex_;          // guards the members below; without a bias, this mutex is the lock itself
  Bias* visiting_ = nullptr;  // the bias whose owner is shut out until unlock()
  const void* last_visitor_ = nullptr;
  int turns_ = 0;    // visits of last_visitor_ in a row, with no entry of the owner in between
  int crowded_ = 0;  // visits in a row, each after fewer than kEntriesPerVisit entries of the owner
  std::uint64_t owner_entries_ = 0;  // Bias::entries at the last visit
  std::array<Bias, kMostBiases> biases_;
  std::size_t bias_count_ = 0;  // number of biases used so far; only the last bias can be in use
};

}  // namespace runahead::engine
