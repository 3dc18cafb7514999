#include "engine/sync/enqueue_lock.h"

#include <thread>
#include <utility>

#include "engine/sync/waiter.h"

namespace runahead::engine {

// What a visitor does after it has taken the mutex: it shuts the owner out and waits until the owner has
// left. The owner holds the lock for a few hundred nanoseconds, unless the kernel preempts the owner in this
// time.
void EnqueueLock::shut_out(Bias& bias) const {
  bias.visited.store(true, std::memory_order_relaxed);
  fence_.heavy();
  for (int looks = 0; bias.inside.load(std::memory_order_acquire); ++looks) {
    if (looks < 1000) {
      spin_pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void EnqueueLock::lock_by_mutex() {
  mutex_.lock();
  Bias* const bias = bias_.load(std::memory_order_relaxed);
  if (bias != nullptr && bias->owner != this_thread()) {
    shut_out(*bias);
    visiting_ = bias;
  }
  consider_bias();
  held_by_ = nullptr;
}

// Decides who owns the bias from now on: the calling thread, no thread, or the same thread as before.
// REQUIRES: the calling thread holds the lock through mutex_.
void EnqueueLock::consider_bias() {
  if (!fence_.is_uneven()) return;
  Bias* const bias = visiting_;
  if (bias == nullptr) {
    if (bias_count_ == 0) give_bias_to_caller();
    return;
  }
  const std::uint64_t entries = bias->entries - std::exchange(owner_entries_, bias->entries);
  const void* const before = std::exchange(last_visitor_, this_thread());
  turns_ = entries == 0 && before == last_visitor_ ? turns_ + 1 : 1;
  crowded_ = entries < kEntriesPerVisit ? crowded_ + 1 : 0;
  if (turns_ >= kTurnsToTakeOver && bias_count_ < kMostBiases) {
    visiting_ = nullptr;  // the old bias keeps visited == true, so the old owner cannot use this bias
    give_bias_to_caller();
  } else if (crowded_ >= kMostCrowded) {
    visiting_ = nullptr;
    bias_.store(nullptr, std::memory_order_release);
  }
}

void EnqueueLock::give_bias_to_caller() {
  Bias& bias = biases_[bias_count_++];
  bias.owner = this_thread();
  bias_.store(&bias, std::memory_order_release);
  turns_ = crowded_ = 0;
  owner_entries_ = 0;
}

void EnqueueLock::unlock_mutex() {
  if (Bias* const bias = std::exchange(visiting_, nullptr))
    bias->visited.store(false, std::memory_order_release);
  mutex_.unlock();
}

}  // namespace runahead::engine
