// Tests waits that are interrupted before their op has ended.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "engine/sync/waiter.h"
#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

const record::Site kInterruptedStepWait{"window", trace::SliceKind::kWait};

// Interrupts at its nth question.
class InterruptAt final : public WaitInterrupt {
 public:
  explicit InterruptAt(int nth) : nth_(nth) {}
  bool interrupted() override { return ++asked_ == nth_; }
  [[nodiscard]] int asked() const { return asked_; }

 private:
  const int nth_;
  int asked_ = 0;
};

class InterruptAlways final : public WaitInterrupt {
 public:
  bool interrupted() override { return true; }
};

class InterruptedWaits : public ::testing::TestWithParam<bool> {
 protected:
  InterruptedWaits() : e({.cpu_workers = 1, .waiter_helps = GetParam()}) {
    // The worker runs the blocking op before the test goes on, so a frontend that helps does not run it.
    e.op("blocks", {}, {v}, [this](OpContext&) {
      runs = true;
      door.wait();
      ended = true;
    });
    while (!runs) std::this_thread::yield();
  }
  ~InterruptedWaits() override {
    if (!opened) open();
  }
  void open() {
    opened = true;
    door.open();
  }
  Door door;
  std::atomic<bool> runs{false}, ended{false};
  bool opened = false;
  TestEngine e;
  Var v = e.var();
};

TEST_P(InterruptedWaits, AWaitForAVarEndsWithAnErrorAndTheOpGoesOn) {
  InterruptAt first(1);
  {
    const InterruptibleWaits interruptible(&first);
    const Status status = e.wait(v);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "wait_to_read: the wait was interrupted; the ops go on");
  }
  EXPECT_EQ(first.asked(), 1);
  EXPECT_FALSE(ended);
  open();
  EXPECT_TRUE(e.wait(v).ok());
  EXPECT_TRUE(ended);
}

TEST_P(InterruptedWaits, AnAbandonedWaitCallsNoThen) {
  InterruptAt first(1);
  const InterruptibleWaits interruptible(&first);
  bool called = false;
  EXPECT_FALSE(e.engine->wait_to_read(v, kWait, [&] { called = true; }).ok());
  EXPECT_FALSE(called);
}

TEST_P(InterruptedWaits, AWaitForAllOpsCanBeRepeated) {
  for (const int nth : {2, 1, 1}) {  // no repetition may return before the op has ended
    InterruptAt interrupt(nth);
    const InterruptibleWaits interruptible(&interrupt);
    EXPECT_FALSE(e.wait_all().ok());
  }
  std::atomic<bool> later_ended{false};
  e.op("later", {v}, {}, [&](OpContext&) { later_ended = true; });
  open();
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_TRUE(ended);
  EXPECT_TRUE(later_ended);
  e.op("last", {}, {v}, [&](OpContext&) { later_ended = false; });
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_FALSE(later_ended);
}

TEST_P(InterruptedWaits, AWaitForAStepOrForTheBoundEndsToo) {
  e.engine->begin_step(3);
  e.op("of the step", {v}, {}, [](OpContext&) {});
  e.engine->end_step();
  {
    InterruptAt first(1);
    const InterruptibleWaits interruptible(&first);
    EXPECT_FALSE(e.engine->wait_step(3, kInterruptedStepWait).ok());
  }
  {
    InterruptAt first(1);
    const InterruptibleWaits interruptible(&first);
    EXPECT_FALSE(e.engine->wait_in_flight(1, 0, kInterruptedStepWait).ok());
  }
  EXPECT_EQ(e.engine->stats().steps_finished, 0);
  open();
  EXPECT_TRUE(e.engine->wait_step(3, kInterruptedStepWait).ok());
  EXPECT_TRUE(e.engine->wait_in_flight(1, 0, kInterruptedStepWait).ok());
}

TEST_P(InterruptedWaits, AnInterruptOfWaitAllMayWaitForAVarButNotForAll) {
  class Waits final : public WaitInterrupt {
   public:
    explicit Waits(TestEngine& engine) : engine_(engine) {}
    bool interrupted() override {
      const InterruptibleWaits none(nullptr);
      refused = !engine_.wait_all().ok();
      waited = engine_.wait(engine_.var()).ok();
      return true;
    }
    bool refused = false, waited = false;

   private:
    TestEngine& engine_;
  };
  Waits waits(e);
  const InterruptibleWaits interruptible(&waits);
  EXPECT_FALSE(e.wait_all().ok());
  EXPECT_TRUE(waits.refused);
  EXPECT_TRUE(waits.waited);
}

// Sends signals to the calling thread, which end its futex waits, until the end of the scope.
class Signals {
 public:
  Signals() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, &before_);
    thread_ = std::thread([this, to = pthread_self()] {
      while (!stop_) {
        pthread_kill(to, SIGUSR1);
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(60);
        while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
      }
    });
  }
  ~Signals() {
    stop_ = true;
    thread_.join();
    sigaction(SIGUSR1, &before_, nullptr);
  }

 private:
  struct sigaction before_ {};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST_P(InterruptedWaits, AnInterruptThatComesWithTheEndOfTheOpLosesNothing) {
  open();
  EXPECT_TRUE(e.wait_all().ok());
  InterruptAlways always;
  std::atomic<int> done{0};
  int interrupted = 0;
  {
    const Signals signals;
    const InterruptibleWaits interruptible(&always);
    for (int i = 0; i < 1000; ++i) {
      e.engine->begin_step(i);
      e.op("short", {}, {v}, [&, i](OpContext&) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(60 + i % 80);
        while (std::chrono::steady_clock::now() < until) {
        }
        ++done;
      });
      e.engine->end_step();
      const Status waited = i % 3 == 0   ? e.wait(v)
                            : i % 3 == 1 ? e.wait_all()
                                         : e.engine->wait_step(i, kInterruptedStepWait);
      interrupted += waited.ok() ? 0 : 1;
    }
  }
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(done, 1000);
  EXPECT_EQ(e.engine->stats().steps_finished, 1000);
  EXPECT_TRUE(GetParam() || interrupted > 0);  // a frontend that helps seldom sleeps
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutHelp, InterruptedWaits, ::testing::Bool());

// A Waiter that nobody waits for any more belongs to the signaller. asan finds a leak or a use after free.
TEST(Waiter, WhoSignalsAnAbandonedWaiterDeletesIt) {
  InterruptAt first(1);
  auto* const waiter = new Waiter;
  ASSERT_FALSE(waiter->wait({.interrupt = &first}));
  ASSERT_TRUE(waiter->abandon());
  waiter->signal(kNoOp);
}

TEST(Waiter, AWaitMayGoOnAfterAnInterrupt) {
  InterruptAt first(1);
  Waiter waiter;
  ASSERT_FALSE(waiter.wait({.interrupt = &first}));
  std::thread signaller([&] { waiter.signal(OpId{7}); });
  EXPECT_TRUE(waiter.wait({}));
  EXPECT_FALSE(waiter.abandon());
  EXPECT_EQ(waiter.released_by(), OpId{7});
  signaller.join();
}

}  // namespace
}  // namespace runahead::engine::test
