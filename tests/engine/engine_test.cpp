// Tests the contract of Engine, for both kinds of engine (EngineKind) and both orders in which ready ops run
// (ReadyOrder).
#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "engine/device/device_registry.h"
#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Variant {
  const char* name;
  EngineOptions options;
  const char* device;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }
std::vector<Variant> variants() {
  std::vector<Variant> made{
      {"naive", {.kind = EngineKind::kNaive}, "cpu"},
      {"naive_virtual", {.kind = EngineKind::kNaive}, "virtual:0"},
      {"fifo1", {.cpu_workers = 1}, "cpu"},
      {"fifo4", {.cpu_workers = 4}, "cpu"},
      {"oldest2", {.cpu_workers = 2, .order = ReadyOrder::kOldest}, "cpu"},
      {"virtual", {}, "virtual:0"},
      {"naive_cuda", {.kind = EngineKind::kNaive}, "cuda:0"},
      {"cuda", {}, "cuda:0"},
  };
  if (check_device("opencl:0").ok()) made.push_back({"opencl", {}, "opencl:0"});
  return made;
}

class EveryEngine : public ::testing::TestWithParam<Variant> {
 protected:
  TestEngine e{GetParam().options, GetParam().device};
};
INSTANTIATE_TEST_SUITE_P(All, EveryEngine, ::testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name; });

TEST_P(EveryEngine, Invariant3OpsOnAVarTakeEffectInTheOrderTheyWereEnqueued) {
  const Var x = e.var("x");
  std::vector<int> seen;
  int value = 0;
  for (int i = 0; i < 100; ++i) {
    e.op("write", {}, {x}, [&, i](OpContext&) { value = i; });
    e.op("read", {x}, {}, [&, i](OpContext&) {
      if (value != i) seen.push_back(i);
    });
  }
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(seen, ElementsAre());
  EXPECT_EQ(e.engine->version(x), 100u);
}

TEST_P(EveryEngine, Invariant3CompletionIsReportedOnce) {
  const Var x = e.var("x");
  std::atomic<int> runs{0};
  for (int i = 0; i < 500; ++i) e.op("op", {}, {i % 2 == 0 ? x : e.var()}, [&](OpContext&) { ++runs; });
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(runs, 500);
  const EngineStats stats = e.engine->stats();
  EXPECT_EQ(stats.ops_enqueued, 500);
  EXPECT_EQ(stats.ops_finished, 500);
  EXPECT_EQ(stats.in_flight_ops, 0);
}

TEST_P(EveryEngine, AnOpSeesWhatItReadsAndItsFunctionIsGoneWhenTheWaitReturns) {
  const Var x = e.var("x");
  const auto held = std::make_shared<int>(41);
  int value = 0;
  e.op("add", {}, {x}, [&value, held](OpContext&) { value = *held + 1; });
  EXPECT_TRUE(e.wait(x).ok());
  EXPECT_EQ(value, 42);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(EveryEngine, SaysWhichOpWroteAVarLast) {
  const Var x = e.var("x"), y = e.var("y");
  EXPECT_EQ(e.engine->last_write(x), kNoOp);
  e.op("first", {}, {x}, [](OpContext&) {});
  const OpHandle second = e.op("second", {}, {x}, [](OpContext&) {});
  e.op("reads", {x}, {y}, [](OpContext&) {});
  EXPECT_EQ(e.engine->last_write(x), second.id);
  EXPECT_TRUE(e.wait(x).ok());
  EXPECT_EQ(e.engine->last_write(x), second.id) << "also when the op has ended";
  const OpHandle fails = e.op("fails", {}, {x}, [](OpContext&) { throw std::runtime_error("no"); });
  EXPECT_FALSE(e.wait(x).ok());
  EXPECT_EQ(e.engine->last_write(x), fails.id);
  EXPECT_EQ(e.engine->last_write(Var()), kNoOp);
  EXPECT_EQ(TestEngine({}).engine->last_write(x), kNoOp) << "another engine's";
  // Ops that follow may find that the last writer of a Var has ended, and forget its node.
  for (int i = 0; i < 100; ++i) e.op("reads", {y}, {}, [](OpContext&) {});
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(e.engine->last_write(x), fails.id);
}

TEST_P(EveryEngine, Invariant4AFailureIsToldOnceAtTheNextWaitWithTheOpsName) {
  const Var x = e.var("x");
  const OpHandle op = e.op("matmul", {}, {x}, [](OpContext&) { throw std::runtime_error("shapes differ"); });
  const Status first = e.wait(x);
  EXPECT_EQ(message_of(first), "op 'matmul' #" + std::to_string(op_number(op.id)) + " failed: shapes differ");
  EXPECT_TRUE(e.wait(x).ok());
  EXPECT_TRUE(e.wait_all().ok());
  // Var x still has its failure, because the last op that wrote x failed.
  EXPECT_FALSE(e.engine->check(x).ok());
  EXPECT_EQ(e.engine->stats().ops_failed, 1);
}

TEST_P(EveryEngine, Invariant4ExactlyTheDependentsOfAFailedOpAreSkipped) {
  const Var a = e.var("a"), b = e.var("b"), c = e.var("c"), other = e.var("other");
  std::vector<std::string> ran;
  std::mutex mutex;
  const auto note = [&](std::string name) {
    return [&, name](OpContext&) {
      const std::lock_guard lock(mutex);
      ran.push_back(name);
    };
  };
  e.op("fail", {}, {a}, [](OpContext&) { throw std::runtime_error("boom"); });
  e.op("reads it", {a}, {b}, note("reads it"));
  e.op("reads that", {b}, {c}, note("reads that"));
  e.op("changes it", {}, {a}, note("changes it"));
  e.op("unrelated", {other}, {}, note("unrelated"));
  e.op("overwrites what was read", {}, {other}, note("overwrites"));
  EXPECT_THAT(message_of(e.wait(c)), HasSubstr("op 'fail' #1 failed: boom"));
  EXPECT_TRUE(e.wait_all().ok());
  std::sort(ran.begin(), ran.end());
  EXPECT_THAT(ran, ElementsAre("overwrites", "unrelated"));
  EXPECT_EQ(e.engine->stats().ops_skipped, 3);
  EXPECT_EQ(e.engine->version(a), 2u);
  EXPECT_EQ(e.engine->version(c), 1u);
}

TEST_P(EveryEngine, AReaderThatFailsDoesNotPoisonWhatItReads) {
  const Var x = e.var("x"), y = e.var("y");
  bool wrote = false;
  e.op("write", {}, {x}, [](OpContext&) {});
  e.op("fail", {x}, {y}, [](OpContext&) { throw std::runtime_error("boom"); });
  e.op("write again", {}, {x}, [&](OpContext&) { wrote = true; });
  EXPECT_TRUE(e.wait(x).ok());
  EXPECT_TRUE(wrote);
  EXPECT_FALSE(e.wait(y).ok());
}

TEST_P(EveryEngine, AfterTheReportAWriteHealsTheVarAndAReadIsRefusedAnew) {
  const Var x = e.var("x"), y = e.var("y");
  e.op("fail", {}, {x}, [](OpContext&) { throw std::runtime_error("boom"); });
  EXPECT_FALSE(e.wait(x).ok());
  e.op("late read", {x}, {y},
       [](OpContext&) { ADD_FAILURE() << "ran with an input that was never computed"; });
  EXPECT_THAT(message_of(e.wait(y)), HasSubstr("op 'late read' #2 was skipped"));
  bool ran = false;
  e.op("write", {}, {x}, [](OpContext&) {});
  e.op("read", {x}, {y}, [&](OpContext&) { ran = true; });
  EXPECT_TRUE(e.wait(y).ok());
  EXPECT_TRUE(e.engine->check(x).ok());
  EXPECT_TRUE(ran);
}

TEST_P(EveryEngine, WaitAllTellsTheEarliestFailureAndHowManyMore) {
  for (int i = 0; i < 3; ++i)
    e.op("fail", {}, {e.var()}, [i](OpContext&) { throw std::runtime_error("no " + std::to_string(i)); });
  EXPECT_EQ(message_of(e.wait_all()), "op 'fail' #1 failed: no 0 (and 2 more failures)");
  EXPECT_TRUE(e.wait_all().ok());
}

TEST_P(EveryEngine, Invariant5AWaitOrAnEnqueueInsideAnOpIsRefused) {
  const Var x = e.var("x");
  std::string waited, enqueued;
  e.op("op", {}, {x}, [&](OpContext&) {
    waited = message_of(e.wait(x));
    const Result<OpHandle> inner = e.try_op("inner", {}, {x}, [](OpContext&) {});
    enqueued = inner.ok() ? "" : inner.error().message;
  });
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(waited, HasSubstr("wait_to_read inside op 'op' #1"));
  EXPECT_THAT(enqueued, HasSubstr("inside op 'op' #1"));
}

TEST_P(EveryEngine, Invariant5AVarListedTwiceOrEmptyIsRefusedByName) {
  const Var x = e.var("weights"), y = e.var();
  const auto error_of = [&](std::vector<Var> reads, std::vector<Var> writes) {
    const Result<OpHandle> op = e.try_op("add", std::move(reads), std::move(writes), [](OpContext&) {});
    return op.ok() ? std::string() : op.error().message;
  };
  EXPECT_THAT(error_of({x}, {y, x}), HasSubstr("op 'add': writes[1] ('weights') is listed twice"));
  EXPECT_THAT(error_of({y, x, y}, {}), HasSubstr("op 'add': reads[2] is listed twice"));
  EXPECT_THAT(error_of({}, {x, x}), HasSubstr("writes[1]"));
  EXPECT_THAT(error_of({Var()}, {}), HasSubstr("reads[0] is an empty Var"));
  const TestEngine another(EngineOptions{});
  EXPECT_THAT(error_of({another.engine->new_var("v")}, {}), HasSubstr("another engine's Var"));
  EXPECT_EQ(error_of({x}, {y}), "");
  EXPECT_TRUE(e.wait_all().ok());
}

TEST_P(EveryEngine, ADeviceOfAnotherEngineIsRefused) {
  const TestEngine another(EngineOptions{});
  OpSpec spec;
  spec.site = &kWait;
  spec.device = another.device;
  EXPECT_FALSE(e.engine->enqueue(spec, [](OpContext&) {}).ok());
}

TEST_P(EveryEngine, ManyFrontendsShareVars) {
  constexpr int kThreads = 4, kOpsEach = 300;
  const Var x = e.var("x");
  // Needs no lock: only ops that write Var x change it, and the engine runs these ops one at a time.
  int value = 0;
  std::vector<std::thread> frontends;
  for (int t = 0; t < kThreads; ++t) {
    frontends.emplace_back([&] {
      for (int i = 0; i < kOpsEach; ++i) {
        e.op("add", {}, {x}, [&](OpContext&) { ++value; });
        if (i % 50 == 0) {
          EXPECT_TRUE(e.wait(x).ok());
        }
      }
    });
  }
  for (std::thread& frontend : frontends) frontend.join();
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(value, kThreads * kOpsEach);
  EXPECT_EQ(e.engine->version(x), static_cast<std::uint64_t>(kThreads * kOpsEach));
}

TEST_P(EveryEngine, TheSameDeviceComesForTheSameName) {
  EXPECT_EQ(e.engine->device(GetParam().device).value(), e.device);
  EXPECT_FALSE(e.engine->device("gpu").ok());
}

// ---- only for a threaded engine ---------------------------------------------------------------------------

TEST(ThreadedEngine, ACopyOnTheHostDoesNotWaitBehindAProduct) {
  TestEngine e({.cpu_workers = 1});
  Door door;
  e.op("product", {}, {}, [&](OpContext&) { door.wait(); });
  const OpHandle copy = e.op("copy", {}, {}, [](OpContext&) {}, {.stream = StreamKind::kCopyToHost});
  EXPECT_TRUE(e.engine->wait_op(copy, kWait).ok());
  door.open();
  // The op that uses `door` must end before `door` is destroyed.
  EXPECT_TRUE(e.wait_all().ok());
}

TEST(ThreadedEngine, WithoutCopyWorkersTheWorkersCopy) {
  TestEngine e({.cpu_workers = 1, .cpu_copy_workers = 0});
  std::thread::id product, copy;
  e.op("product", {}, {}, [&](OpContext&) { product = std::this_thread::get_id(); });
  e.op("copy", {}, {}, [&](OpContext&) { copy = std::this_thread::get_id(); },
       {.stream = StreamKind::kCopyToDevice});
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(product, copy);
}

TEST(ThreadedEngine, AWaiterThatHelpsRunsWhatIsReadyItself) {
  TestEngine e({.cpu_workers = 1, .waiter_helps = true});
  const Var x = e.var("x");
  Door started, door;
  e.op("keeps the worker", {}, {}, [&](OpContext&) {
    started.open();
    door.wait();
  });
  started.wait();
  std::thread::id ran_on;
  e.op("first", {}, {x}, [](OpContext&) {});
  e.op("second", {}, {x}, [](OpContext&) {});
  e.op("last", {}, {x}, [&](OpContext&) { ran_on = std::this_thread::get_id(); });
  EXPECT_TRUE(e.wait(x).ok());  // the waiting thread must run ops itself: no worker is free
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  door.open();
  EXPECT_TRUE(e.wait_all().ok());
}

TEST(ThreadedEngine, AFailureSaysInWhichStepItsOpWasEnqueued) {
  TestEngine e({});
  const Var x = e.var("x");
  e.engine->begin_step(7);
  e.op("dense", {}, {x}, [](OpContext&) { throw std::runtime_error("shapes differ"); });
  e.engine->end_step();
  EXPECT_EQ(message_of(e.wait(x)), "op 'dense' #1 failed: shapes differ (enqueued in step 7)");
}

TEST(ThreadedEngine, Invariant5AWaitWaitsForItsOwnOpNotBehindUnrelatedWork) {
  TestEngine e({.cpu_workers = 2});
  Door door;
  const Var slow = e.var("slow"), quick = e.var("quick");
  e.op("slow", {}, {slow}, [&](OpContext&) { door.wait(); });
  const OpHandle op = e.op("quick", {}, {quick}, [](OpContext&) {});
  EXPECT_TRUE(e.wait(quick).ok());  // hangs if this call waits for all ops
  EXPECT_TRUE(e.engine->wait_op(op, kWait).ok());
  EXPECT_EQ(e.engine->version(slow), 0u);
  door.open();
  EXPECT_TRUE(e.wait_all().ok());
}

TEST(ThreadedEngine, Invariant4NoLockIsHeldWhileAnOpRuns) {
  TestEngine e({.cpu_workers = 1});
  Door door;
  const Var x = e.var("x"), y = e.var("y");
  e.op("blocks", {}, {x}, [&](OpContext&) { door.wait(); });
  for (int i = 0; i < 100; ++i) e.op("queued", {x}, {y}, [](OpContext&) {});  // no call blocks
  EXPECT_EQ(e.engine->version(y), 0u);
  EXPECT_TRUE(e.engine->check(y).ok());
  EXPECT_EQ(e.engine->stats().in_flight_ops, 101);
  e.engine->begin_step(0);
  e.engine->end_step();
  door.open();
  EXPECT_TRUE(e.wait_all().ok());
}

TEST(ThreadedEngine, ReadersOfOneWriteRunTogether) {
  TestEngine e({.cpu_workers = 2});
  const Var x = e.var("x");
  Door first, second;
  e.op("write", {}, {x}, [](OpContext&) {});
  e.op("read", {x}, {}, [&](OpContext&) {
    first.open();
    second.wait();
  });  // each of the two ops waits for the other to start
  e.op("read", {x}, {}, [&](OpContext&) {
    second.open();
    first.wait();
  });
  EXPECT_TRUE(e.wait_all().ok());
}

TEST(ThreadedEngine, AWriteWaitsForEveryEarlierRead) {
  TestEngine e({.cpu_workers = 4});
  const Var x = e.var("x");
  std::atomic<int> readers{0};
  int seen = -1;
  Door door;
  e.op("hold", {}, {x}, [&](OpContext&) { door.wait(); });
  for (int i = 0; i < 200; ++i) e.op("read", {x}, {}, [&](OpContext&) { ++readers; });
  e.op("write", {}, {x}, [&](OpContext&) { seen = readers; });
  door.open();
  EXPECT_TRUE(e.wait(x).ok());
  EXPECT_EQ(seen, 200);
}

// `enqueue` enqueues ops while the only worker is blocked. Returns the order in which the worker then runs
// these ops.
std::vector<int> order_of(
    ReadyOrder order,
    const std::function<void(TestEngine&, const std::function<OpFunction(int)>&)>& enqueue) {
  TestEngine e({.cpu_workers = 1, .order = order});
  Door door;
  std::vector<int> ran;
  e.op("hold", {}, {}, [&](OpContext&) { door.wait(); });
  enqueue(e, [&](int i) { return [&ran, i](OpContext&) { ran.push_back(i); }; });
  door.open();
  EXPECT_TRUE(e.wait_all().ok());
  return ran;
}

TEST(ThreadedEngine, HigherPriorityRunsFirstAmongTheReadyInAllOrders) {
  for (const ReadyOrder order : {ReadyOrder::kFifo, ReadyOrder::kOldest}) {
    const auto ran = order_of(order, [](TestEngine& e, const auto& note) {
      e.op("a", {}, {}, note(0), {.priority = 0});
      e.op("b", {}, {}, note(1), {.priority = -1});
      e.op("c", {}, {}, note(2), {.priority = 5});
      e.op("d", {}, {}, note(3), {.priority = 0});
      e.op("e", {}, {}, note(4), {.priority = 5});
    });
    EXPECT_THAT(ran, ElementsAre(2, 4, 0, 3, 1));
  }
}

TEST(ThreadedEngine, FifoRunsFirstReadyFirstAndOldestRunsFirstEnqueuedFirst) {
  const auto chains = [](TestEngine& e, const auto& note) {
    const Var a = e.var("a"), b = e.var("b");
    e.op("a0", {}, {a}, note(0));
    e.op("a1", {}, {a}, note(1));
    e.op("b0", {}, {b}, note(2));
    e.op("b1", {}, {b}, note(3));
  };
  EXPECT_THAT(order_of(ReadyOrder::kFifo, chains), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(order_of(ReadyOrder::kOldest, chains), ElementsAre(0, 1, 2, 3));
}

TEST(ThreadedEngine, WhatIsFedWhileOpsAreQueuedRunsBeforeWhatBecomesReadyLater) {
  for (const ReadyOrder order : {ReadyOrder::kFifo, ReadyOrder::kOldest}) {
    TestEngine e({.cpu_workers = 1, .order = order});
    const Var a = e.var("a");
    Door first, holds, second;
    std::vector<int> ran;
    const auto note = [&](int i) { return [&ran, i](OpContext&) { ran.push_back(i); }; };
    e.op("first", {}, {}, [&](OpContext&) { first.wait(); });
    // The worker takes the next three ops together and runs the first of them.
    e.op("hold", {}, {}, [&](OpContext&) {
      holds.open();
      second.wait();
    });
    e.op("write a", {}, {a}, note(0));
    e.op("queued", {}, {}, note(1));
    first.open();
    holds.wait();
    e.op("fed", {}, {}, note(2));
    e.op("read a", {a}, {}, note(3));
    second.open();
    EXPECT_TRUE(e.wait_all().ok());
    EXPECT_THAT(ran, ElementsAre(0, 1, 2, 3));
  }
}

TEST(ThreadedEngine, WaitAllEndsThoughAnotherFrontendNeverStopsEnqueuing) {
  TestEngine e({.cpu_workers = 1});
  std::atomic<bool> stop{false};
  const Var x = e.var("x");
  Door busy;
  std::thread other([&] {
    for (int i = 0; !stop; ++i) {
      e.op("endless", {}, {x}, [](OpContext&) {});
      if (i == 100) busy.open();
    }
  });
  busy.wait();
  EXPECT_TRUE(e.wait_all().ok());  // hangs if this call waits for an empty queue
  stop = true;
  other.join();
  EXPECT_TRUE(e.wait_all().ok());
}

}  // namespace
}  // namespace runahead::engine::test
