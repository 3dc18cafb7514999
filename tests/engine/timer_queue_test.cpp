// Tests that TimerQueue makes each call at its time, in the order of the times.
#include "engine/device/timer_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "instrumentation/base/tick_clock.h"

namespace runahead::engine::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

// The numbers of the calls that the TimerQueue has made, in order.
struct Calls {
  auto note(int call) {
    return [this, call] {
      const std::lock_guard lock(mutex);
      all.push_back(call);
      changed.notify_all();
    };
  }
  std::vector<int> wait_for(std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return all.size() >= count; });
    return all;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> all;
};

TEST(TimerQueue, CallsInTheOrderOfTimesAndOfArrivalAmongEqualOnes) {
  ManualClock clock(1000);
  Calls calls;
  TimerQueue timer_queue(clock);
  timer_queue.at(1300, calls.note(3));
  timer_queue.at(1200, calls.note(1));
  timer_queue.at(1200, calls.note(2));
  // The timer thread may still sleep until 1300, because it may not yet have seen the earlier time 1200.
  while (clock.wait_for_sleepers(1) != 1200u) std::this_thread::yield();
  clock.advance(200ns);
  EXPECT_THAT(calls.wait_for(2), ElementsAre(1, 2));
  clock.advance_to_next();
  EXPECT_THAT(calls.wait_for(3), ElementsAre(1, 2, 3));
  timer_queue.at(5, calls.note(4));  // a time in the past
  EXPECT_THAT(calls.wait_for(4), ElementsAre(1, 2, 3, 4));
}

TEST(TimerQueue, InAHurryCallsComeAtOnceInTheirOrderAndThoseHeldStillWait) {
  ManualClock clock(1000);
  Calls calls;
  TimerQueue timer_queue(clock);
  timer_queue.timer(8500, calls.note(6));
  timer_queue.at(9000, calls.note(2));
  timer_queue.at(8000, calls.note(1));
  const TimerQueue::Slot held = timer_queue.hold(9500, calls.note(3));
  timer_queue.at(9600, calls.note(4));
  timer_queue.hurry();
  EXPECT_THAT(calls.wait_for(2), ElementsAre(1, 2));
  timer_queue.release(held);
  EXPECT_THAT(calls.wait_for(4), ElementsAre(1, 2, 3, 4));
  timer_queue.at(99'000, calls.note(5));  // calls that are added later also come immediately
  EXPECT_THAT(calls.wait_for(5), ElementsAre(1, 2, 3, 4, 5));
  // only the call that was added with timer() still waits for its time
  EXPECT_EQ(clock.wait_for_sleepers(1), 8500u);
  clock.advance_to_next();
  EXPECT_THAT(calls.wait_for(6), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(TimerQueue, AnEarlierCallCutsTheSleepShort) {
  ManualClock clock(1000);
  Calls calls;
  TimerQueue timer_queue(clock);
  timer_queue.at(9000, calls.note(2));
  EXPECT_EQ(clock.wait_for_sleepers(1), 9000u);
  timer_queue.at(1100, calls.note(1));
  while (clock.wait_for_sleepers(1) != 1100) std::this_thread::yield();
  clock.advance(100ns);
  EXPECT_THAT(calls.wait_for(1), ElementsAre(1));
  clock.advance_to_next();
  EXPECT_THAT(calls.wait_for(2), ElementsAre(1, 2));
}

TEST(TimerQueue, OneThatIsHeldKeepsThoseAfterItWaiting) {
  ManualClock clock(1000);
  Calls calls;
  TimerQueue timer_queue(clock);
  const TimerQueue::Slot held = timer_queue.hold(1100, calls.note(1));
  timer_queue.at(1200, calls.note(2));
  timer_queue.at(1050, calls.note(0));
  clock.advance(500ns);
  EXPECT_THAT(calls.wait_for(1), ElementsAre(0));
  // The call at 1060 is not delayed, because its time is before the time of the held call.
  timer_queue.at(1060, calls.note(10));
  EXPECT_THAT(calls.wait_for(2), ElementsAre(0, 10));
  timer_queue.release(held);
  EXPECT_THAT(calls.wait_for(4), ElementsAre(0, 10, 1, 2));
}

TEST(TimerQueue, OnTheRealClockNothingIsCalledBeforeItsTime) {
  const auto clock = make_real_clock();
  Calls calls;
  std::vector<std::uint64_t> early;
  const std::uint64_t now = clock->now_ticks();
  TimerQueue timer_queue(*clock);
  for (int i = 20; i-- > 0;) {  // each call is earlier than all previous calls
    const std::uint64_t at = now + clock->ticks_from(i * 150us);
    timer_queue.at(at, [&, at, note = calls.note(i)] {
      if (clock->now_ticks() < at) early.push_back(at);
      note();
    });
  }
  EXPECT_EQ(calls.wait_for(20).size(), 20u);
  EXPECT_THAT(early, ElementsAre());
}

}  // namespace
}  // namespace runahead::engine::test
