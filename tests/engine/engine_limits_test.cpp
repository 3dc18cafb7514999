// Tests steps, limits, cancellation, and the destruction of an engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

using ::testing::HasSubstr;

const record::Site kStepWait{"window", trace::SliceKind::kWait};

// Opens `door` as soon as `when` returns true. In the tests, `when` becomes true once a limit blocks a
// frontend.
class OpensLater {
 public:
  OpensLater(Door& door, std::function<bool()> when)
      : thread_([&door, when = std::move(when)] {
          while (!when()) std::this_thread::yield();
          door.open();
        }) {}
  ~OpensLater() { thread_.join(); }

 private:
  std::thread thread_;
};

TEST(Steps, AStepIsFinishedWhenItIsEndedAndItsOpsAreDone) {
  TestEngine e({.cpu_workers = 1});
  Door door;
  e.engine->begin_step(7);
  e.op("blocks", {}, {}, [&](OpContext&) { door.wait(); });
  EXPECT_EQ(e.engine->stats().in_flight_steps, 1);
  e.engine->end_step();
  EXPECT_EQ(e.engine->stats().steps_finished, 0);
  door.open();
  EXPECT_TRUE(e.engine->wait_step(7, kStepWait).ok());
  EXPECT_EQ(e.engine->stats().steps_finished, 1);
  EXPECT_EQ(e.engine->stats().in_flight_steps, 0);
}

TEST(Steps, AStepWithoutOpsFinishesAtItsEndAndAnUnknownOneIsNoWait) {
  TestEngine e({});
  e.engine->begin_step(0);
  EXPECT_FALSE(e.engine->wait_step(0, kStepWait).ok());  // step 0 is still open: the wait would never end
  e.engine->end_step();
  EXPECT_EQ(e.engine->stats().steps_finished, 1);
  EXPECT_TRUE(e.engine->wait_step(0, kStepWait).ok());
  EXPECT_TRUE(e.engine->wait_step(99, kStepWait).ok());
  EXPECT_TRUE(e.engine->wait_step(-2, kStepWait).ok());
}

TEST(Steps, OpsOutsideStepsBelongToNoneAndStepsOfTwoFrontendsAreApart) {
  TestEngine e({.cpu_workers = 2});
  Door door;
  e.op("outside", {}, {}, [&](OpContext&) { door.wait(); });
  std::thread other([&] {
    e.engine->begin_step(0);
    e.op("inside", {}, {}, [](OpContext&) {});
    e.engine->end_step();
    EXPECT_TRUE(e.engine->wait_step(0, kStepWait).ok());
  });
  other.join();
  EXPECT_EQ(e.engine->stats().steps_finished, 1);
  // This thread never began a step 0, so this call does not wait.
  EXPECT_TRUE(e.engine->wait_step(0, kStepWait).ok());
  door.open();
  EXPECT_TRUE(e.wait_all().ok());
}

TEST(Steps, MaximaCountStepsOpsAndBytesSinceTheyWereReset) {
  TestEngine e({.cpu_workers = 1});
  for (int round = 0; round < 2; ++round) {
    Door door;
    const Var x = e.var("x");
    for (int step = 0; step < 5 - round; ++step) {
      e.engine->begin_step(step);
      e.op("op", {}, {x}, [&](OpContext&) { door.wait(); }, {.output_bytes = 1000});
      e.engine->end_step();
    }
    door.open();
    EXPECT_TRUE(e.wait_all().ok());
    EXPECT_EQ(e.engine->stats().max_in_flight_steps, 5 - round);
    EXPECT_EQ(e.engine->stats().max_in_flight_ops, 5 - round);
    EXPECT_EQ(e.engine->stats().max_in_flight_bytes, (5 - round) * 1000);
    EXPECT_EQ(e.engine->stats().in_flight_bytes, 0);
    e.engine->reset_maxima();
    EXPECT_EQ(e.engine->stats().max_in_flight_ops, 0);
  }
}

TEST(Limits, TheSafetyLimitHoldsAFrontendAndIsCounted) {
  TestEngine e({.cpu_workers = 1, .limit_ops = 32});
  Door door;
  const Var x = e.var("x");
  {
    const OpensLater opener(door, [&] { return e.engine->stats().held_by_limit == 1; });
    for (int i = 0; i < 40; ++i) e.op("op", {}, {x}, [&](OpContext&) { door.wait(); });
  }
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_LE(e.engine->stats().max_in_flight_ops, 32);
  EXPECT_GE(e.engine->stats().held_by_limit, 1);
  EXPECT_GT(e.engine->stats().blocked_ns, 0);
}

TEST(Limits, TheLimitInBytesLetsOneOpThatIsLargerGoAlone) {
  TestEngine e({.cpu_workers = 1, .limit_bytes = 1000});
  std::atomic<int> ran{0};
  for (int i = 0; i < 10; ++i) e.op("huge", {}, {}, [&](OpContext&) { ++ran; }, {.output_bytes = 5000});
  for (int i = 0; i < 100; ++i) e.op("small", {}, {}, [&](OpContext&) { ++ran; }, {.output_bytes = 300});
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(ran, 110);
  EXPECT_EQ(e.engine->stats().max_in_flight_bytes, 5000);
}

TEST(Limits, ABoundInOpsIsKeptToTheOpAndIsNotTheSafetyLimit) {
  TestEngine e({.cpu_workers = 1});
  e.engine->set_run_ahead_bound(3, 0);
  Door door;
  std::atomic<int> enqueued{0};
  {
    const OpensLater opener(door, [&] { return e.engine->stats().in_flight_ops == 3 && enqueued == 3; });
    for (int i = 0; i < 20; ++i) {
      e.op("op", {}, {}, [&](OpContext&) { door.wait(); });
      ++enqueued;
    }
  }
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(e.engine->stats().max_in_flight_ops, 3);
  EXPECT_EQ(e.engine->stats().held_by_limit, 0);
  EXPECT_GT(e.engine->stats().blocked_ns, 0);
}

TEST(Limits, ABoundInBytesHoldsAndIsLifted) {
  TestEngine e({.cpu_workers = 1});
  e.engine->set_run_ahead_bound(0, 2500);
  for (int i = 0; i < 50; ++i) e.op("op", {}, {}, [](OpContext&) {}, {.output_bytes = 1000});
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_LE(e.engine->stats().max_in_flight_bytes, 2500);
  e.engine->set_run_ahead_bound(0, 0);
  Door door;
  for (int i = 0; i < 50; ++i) e.op("op", {}, {}, [&](OpContext&) { door.wait(); }, {.output_bytes = 1000});
  EXPECT_EQ(e.engine->stats().in_flight_bytes, 50'000);
  door.open();
  EXPECT_TRUE(e.wait_all().ok());
}

TEST(Limits, WaitInFlightReturnsWhenFewEnoughAreLeft) {
  TestEngine e({.cpu_workers = 1});
  std::atomic<int> done{0};
  for (int i = 0; i < 200; ++i) e.op("op", {}, {}, [&](OpContext&) { ++done; });
  EXPECT_TRUE(e.engine->wait_in_flight(5, 0, kStepWait).ok());
  EXPECT_GE(done, 194);
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_TRUE(e.engine->wait_in_flight(1, 1, kStepWait).ok());
}

TEST(Limits, TheBoundHoldsOverManyFrontends) {
  TestEngine e({.cpu_workers = 2, .limit_ops = 16});
  std::atomic<int> ran{0};
  std::vector<std::thread> frontends;
  for (int t = 0; t < 4; ++t) {
    frontends.emplace_back([&] {
      for (int i = 0; i < 200; ++i) e.op("op", {}, {}, [&](OpContext&) { ++ran; });
    });
  }
  for (std::thread& frontend : frontends) frontend.join();
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(ran, 800);
  EXPECT_LE(e.engine->stats().max_in_flight_ops, 16);
}

TEST(Limits, AFrontendsCostIsSpentPerOp) {
  TestEngine e({.kind = EngineKind::kNaive});
  e.engine->set_frontend_cost(std::chrono::microseconds(200));
  const TickClock& clock = TickClock::get();
  const std::int64_t begin = clock.now_ns();
  for (int i = 0; i < 10; ++i) e.op("op", {}, {}, [](OpContext&) {});
  EXPECT_GE(clock.now_ns() - begin, 1'999'000);
}

TEST(Cancel, WhatHasNotStartedIsSkippedAndSaysSo) {
  TestEngine e({.cpu_workers = 1});
  Door started, door;
  const Var x = e.var("x"), y = e.var("y");
  e.op("running", {}, {x}, [&](OpContext&) {
    started.open();
    door.wait();
  });
  started.wait();
  for (int i = 0; i < 10; ++i) e.op("queued", {x}, {y}, [](OpContext&) { ADD_FAILURE(); });
  EXPECT_EQ(e.engine->cancel(), 10);
  EXPECT_EQ(e.engine->cancel(), 0);
  door.open();
  EXPECT_TRUE(e.wait(x).ok());
  EXPECT_THAT(message_of(e.wait(y)), HasSubstr("was cancelled before it started"));
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(e.engine->stats().ops_skipped, 10);
  bool ran = false;
  e.op("after", {}, {y}, [&](OpContext&) { ran = true; });
  EXPECT_TRUE(e.wait(y).ok());
  EXPECT_TRUE(ran);
}

TEST(Cancel, FromAnotherThreadReleasesAWaitingFrontend) {
  TestEngine e({.cpu_workers = 1});
  Door started, door;
  const Var x = e.var("x");
  e.op("running", {}, {}, [&](OpContext&) {
    started.open();
    door.wait();
  });
  for (int i = 0; i < 1000; ++i) e.op("queued", {}, {x}, [](OpContext&) {});
  std::thread canceller([&] {
    started.wait();
    EXPECT_EQ(e.engine->cancel(), 1000);
    door.open();
  });
  EXPECT_FALSE(e.wait(x).ok());
  canceller.join();
  EXPECT_EQ(e.engine->stats().ops_skipped, 1000);
}

TEST(Destruction, WithWorkInFlightLosesNoCompletion) {
  for (const char* device : {"cpu", "virtual:0"}) {
    for (const int ops : {1, 10, 1000}) {
      const auto held = std::make_shared<int>(0);
      std::atomic<int> started{0}, ended{0};
      {
        TestEngine e({.cpu_workers = 2}, device);
        const Var x = e.var("x");
        e.engine->begin_step(0);  // this step is never ended
        for (int i = 0; i < ops; ++i) {
          e.op("op", {}, {i % 3 == 0 ? x : e.var()}, [&, held](OpContext&) { ++started, ++ended; });
        }
      }
      EXPECT_EQ(started, ended);
      EXPECT_EQ(held.use_count(), 1);  // the functions of all ops were destroyed
    }
  }
}

TEST(Destruction, HandlesAndVarsMayOutliveTheirEngine) {
  std::vector<OpHandle> handles;
  std::vector<Var> vars;
  {
    TestEngine e({.cpu_workers = 2});
    for (int i = 0; i < 1000; ++i) {
      vars.push_back(e.var());
      handles.push_back(e.op("op", {}, {vars.back()}, [](OpContext&) {}));
    }
  }
  handles.resize(500);
  std::thread other([gone = std::move(vars)]() mutable { gone.clear(); });
  handles.clear();
  other.join();
}

TEST(Destruction, OfAnEngineThatDidNothing) {
  const auto threaded = Engine::create({});
  const auto naive = Engine::create({.kind = EngineKind::kNaive});
  EXPECT_TRUE(threaded->device("cpu").ok());
  EXPECT_TRUE(naive->device("virtual:1").ok());
}

TEST(Destruction, TwoEnginesLiveTogetherAndTheirOpsHaveIdsOfTheirOwn) {
  TestEngine a({}), b({});
  const OpHandle of_a = a.op("op", {}, {}, [](OpContext&) {});
  const OpHandle of_b = b.op("op", {}, {}, [](OpContext&) {});
  EXPECT_NE(of_a.id, of_b.id);
  EXPECT_EQ(op_number(of_a.id), op_number(of_b.id));
  const Var x = a.var("x");
  Status inner = Ok{};
  // An op may wait on another engine, because such a wait cannot deadlock.
  a.op("of a", {}, {}, [&](OpContext&) { inner = b.wait_all(); });
  EXPECT_TRUE(a.wait_all().ok());
  EXPECT_TRUE(inner.ok());
}

}  // namespace
}  // namespace runahead::engine::test
