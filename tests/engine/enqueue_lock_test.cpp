// Tests that EnqueueLock gives mutual exclusion in all its states: one owner; an owner with visitors (other
// threads that lock); a bias (the owner's cheap way to lock) that another thread takes over; a bias that is
// given up.
#include "engine/sync/enqueue_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace runahead::engine::test {
namespace {

// Two values that are equal while no thread has the lock. The threads write them without atomics. If two
// threads had the lock at the same time, the values would differ.
struct Guarded {
  EnqueueLock lock;
  std::uint64_t first = 0, second = 0;
  std::atomic<int> torn{0};

  void add(int times) {
    for (int i = 0; i < times; ++i) {
      const std::lock_guard guard(lock);
      if (first != second) torn.fetch_add(1);
      ++first;
      ++second;
    }
  }
};

TEST(EnqueueLock, OneThreadEntersAgainAndAgain) {
  Guarded guarded;
  guarded.add(10'000);
  EXPECT_EQ(guarded.first, 10'000u);
  EXPECT_EQ(guarded.torn, 0);
}

TEST(EnqueueLock, AVisitorNowAndThenFindsNothingTorn) {
  Guarded guarded;
  std::atomic<bool> done{false};
  std::uint64_t visits = 0;
  std::thread visitor([&] {
    while (!done.load()) {
      guarded.add(1);
      ++visits;
      std::this_thread::yield();
    }
  });
  guarded.add(500'000);
  done = true;
  visitor.join();
  EXPECT_EQ(guarded.first, 500'000u + visits);
  EXPECT_EQ(guarded.first, guarded.second);
  EXPECT_EQ(guarded.torn, 0);
}

TEST(EnqueueLock, ThreadsThatFollowEachOtherTakeItOver) {
  Guarded guarded;
  for (int turn = 0; turn < 12; ++turn) std::thread([&] { guarded.add(1000); }).join();
  EXPECT_EQ(guarded.first, 12'000u);
  EXPECT_EQ(guarded.torn, 0);
}

TEST(EnqueueLock, ManyThreadsAtOnce) {
  for (const int threads : {2, 4, 8}) {
    Guarded guarded;
    guarded.add(10);  // this thread becomes the first owner
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) all.emplace_back([&] { guarded.add(20'000); });
    guarded.add(20'000);
    for (std::thread& thread : all) thread.join();
    EXPECT_EQ(guarded.first, 10u + 20'000u * (static_cast<std::uint64_t>(threads) + 1));
    EXPECT_EQ(guarded.first, guarded.second);
    EXPECT_EQ(guarded.torn, 0);
  }
}

}  // namespace
}  // namespace runahead::engine::test
