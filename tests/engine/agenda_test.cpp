// Calls at their times, in the order of their times.
#include "engine/device/agenda.h"

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
using testing::ElementsAre;

// What was called, in order.
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

TEST(Agenda, CallsInTheOrderOfTimesAndOfArrivalAmongEqualOnes) {
  ManualClock clock(1000);
  Calls calls;
  Agenda agenda(clock);
  agenda.at(1300, calls.note(3));
  agenda.at(1200, calls.note(1));
  agenda.at(1200, calls.note(2));
  while (clock.wait_for_sleepers(1) != 1200u) std::this_thread::yield();  // it may still sleep until 1300
  clock.advance(200ns);
  EXPECT_THAT(calls.wait_for(2), ElementsAre(1, 2));
  clock.advance_to_next();
  EXPECT_THAT(calls.wait_for(3), ElementsAre(1, 2, 3));
  agenda.at(5, calls.note(4));  // long past
  EXPECT_THAT(calls.wait_for(4), ElementsAre(1, 2, 3, 4));
}

TEST(Agenda, InAHurryCallsComeAtOnceInTheirOrderAndThoseHeldStillWait) {
  ManualClock clock(1000);
  Calls calls;
  Agenda agenda(clock);
  agenda.timer(8500, calls.note(6));
  agenda.at(9000, calls.note(2));
  agenda.at(8000, calls.note(1));
  const Agenda::Slot held = agenda.hold(9500, calls.note(3));
  agenda.at(9600, calls.note(4));
  agenda.hurry();
  EXPECT_THAT(calls.wait_for(2), ElementsAre(1, 2));
  agenda.let_go(held);
  EXPECT_THAT(calls.wait_for(4), ElementsAre(1, 2, 3, 4));
  agenda.at(99'000, calls.note(5));  // from now on too
  EXPECT_THAT(calls.wait_for(5), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(clock.wait_for_sleepers(1), 8500u);  // a timer keeps its time
  clock.advance_to_next();
  EXPECT_THAT(calls.wait_for(6), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Agenda, AnEarlierCallCutsTheSleepShort) {
  ManualClock clock(1000);
  Calls calls;
  Agenda agenda(clock);
  agenda.at(9000, calls.note(2));
  EXPECT_EQ(clock.wait_for_sleepers(1), 9000u);
  agenda.at(1100, calls.note(1));
  while (clock.wait_for_sleepers(1) != 1100) std::this_thread::yield();
  clock.advance(100ns);
  EXPECT_THAT(calls.wait_for(1), ElementsAre(1));
  clock.advance_to_next();
  EXPECT_THAT(calls.wait_for(2), ElementsAre(1, 2));
}

TEST(Agenda, OneThatIsHeldKeepsThoseAfterItWaiting) {
  ManualClock clock(1000);
  Calls calls;
  Agenda agenda(clock);
  const Agenda::Slot held = agenda.hold(1100, calls.note(1));
  agenda.at(1200, calls.note(2));
  agenda.at(1050, calls.note(0));
  clock.advance(500ns);
  EXPECT_THAT(calls.wait_for(1), ElementsAre(0));
  agenda.at(1060, calls.note(10));  // before the one that is held: not kept
  EXPECT_THAT(calls.wait_for(2), ElementsAre(0, 10));
  agenda.let_go(held);
  EXPECT_THAT(calls.wait_for(4), ElementsAre(0, 10, 1, 2));
}

TEST(Agenda, OnTheRealClockNothingIsCalledBeforeItsTime) {
  const auto clock = make_real_clock();
  Calls calls;
  std::vector<std::uint64_t> early;
  const std::uint64_t now = clock->now_ticks();
  Agenda agenda(*clock);
  for (int i = 20; i-- > 0;) {  // each earlier than those before
    const std::uint64_t at = now + clock->ticks_from(i * 150us);
    agenda.at(at, [&, at, note = calls.note(i)] {
      if (clock->now_ticks() < at) early.push_back(at);
      note();
    });
  }
  EXPECT_EQ(calls.wait_for(20).size(), 20u);
  EXPECT_THAT(early, ElementsAre());
}

}  // namespace
}  // namespace runahead::engine::test
