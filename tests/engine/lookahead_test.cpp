// Tests lookahead: the device computes values before their modelled time. Nothing outside the device sees
// these values early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "engine/device/virtual_device.h"
#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kLookaheadStart = 1'000'000;
// An op takes 10 us plus one nanosecond per FLOP, a copy takes 20 us plus one nanosecond per byte.
const VirtualModel kModel{.launch = 10us,
                          .flops_per_s = 1e9,
                          .memory_bytes_per_s = 1e9,
                          .copy_latency = 20us,
                          .pinned_bytes_per_s = 1e9,
                          .pageable_bytes_per_s = 0.5e9,
                          .capacity_bytes = 1 << 20};
constexpr Cost lasting(Duration time) { return {.flops = static_cast<double>((time - 10us).count())}; }

// The names of ops in the order in which the ops ran, and the times on the device's clock at which they ran.
class Ran {
 public:
  explicit Ran(const ManualClock& clock) : clock_(clock) {}
  void note(std::string name) {
    const std::lock_guard lock(mutex_);
    names_.push_back(std::move(name));
    times_.push_back(clock_.now_ticks());
    changed_.notify_all();
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return names_.size() >= count; });
    return names_;
  }
  std::vector<std::uint64_t> times() {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  const ManualClock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> times_;
};

struct LookaheadWith : ::testing::Test {
  explicit LookaheadWith(EngineOptions options) : e(options) {
    e.device = e.engine->add_device(make_virtual_device("virtual:0", kModel, clock));
  }
  // Enqueues an op. When the op runs, it records its name.
  OpHandle op(const std::string& name, std::vector<Var> reads, std::vector<Var> writes,
              OpOptions options = {}) {
    return e.op(
        name, std::move(reads), std::move(writes), [this, name](OpContext&) { ran.note(name); }, options);
  }
  void advance_to(Duration since_start) {
    clock->advance(Duration(static_cast<std::int64_t>(kLookaheadStart - clock->now_ticks())) + since_start);
  }
  [[nodiscard]] Duration now() const {
    return Duration(static_cast<std::int64_t>(clock->now_ticks() - kLookaheadStart));
  }

  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kLookaheadStart);
  Ran ran{*clock};
  TestEngine e;
};
struct Lookahead : LookaheadWith {
  Lookahead() : LookaheadWith(EngineOptions{}) {}
};
struct LookaheadAtExecution : LookaheadWith {
  static constexpr std::size_t kThird = (1 << 20) / 3;  // of the memory of kModel
  LookaheadAtExecution() : LookaheadWith(EngineOptions{.allocation = AllocationTime::kAtExecution}) {}
  // Enqueues an op that needs memory until it has ended.
  OpHandle holding(const std::string& name, const Var& x, std::size_t bytes, StreamKind stream = {}) {
    return e.op(name, {}, {x},
                [this, name, bytes, block = std::make_unique<Block>()](OpContext& context) {
                  const Status allocated = context.allocate(e.device->pool(), bytes, {}, *block);
                  ran.note(name);
                  if (!allocated.ok()) throw std::runtime_error(allocated.error().message);
                },
                {.stream = stream});
  }
  [[nodiscard]] MemoryStats memory() const { return e.device->pool().stats(); }
};

TEST_F(Lookahead, AChainIsComputedAheadAndEndsOpByOpAtItsModelledTimes) {
  const Var x = e.var("x");
  std::vector<OpHandle> ops;
  e.engine->begin_step(0);
  for (int i = 0; i < 10; ++i) ops.push_back(op("op", {}, {x}, {.output_bytes = 1}));
  e.engine->end_step();
  ran.wait_for(10);
  EXPECT_EQ(now(), 0us);  // all values are computed, but nothing outside the device sees them
  for (int i = 0; i < 10; ++i) {
    const EngineStats stats = e.engine->stats();
    EXPECT_EQ(stats.ops_finished, i);
    EXPECT_EQ(stats.in_flight_ops, 10 - i);
    EXPECT_EQ(stats.in_flight_bytes, 10 - i);
    EXPECT_EQ(stats.steps_finished, 0);
    EXPECT_EQ(e.engine->version(x), static_cast<std::uint64_t>(i));
    EXPECT_EQ(clock->wait_for_sleepers(1), clock->now_ticks() + 10'000);
    clock->advance(10us);
    EXPECT_TRUE(e.engine->wait_op(ops[static_cast<std::size_t>(i)], kWait).ok());
    // wait_op() may return when the op is done but not yet counted as finished.
    EXPECT_TRUE((i < 9 ? e.engine->wait_in_flight(9 - i, 0, kWait) : e.wait_all()).ok());
  }
  EXPECT_EQ(e.engine->stats().steps_finished, 1);
  EXPECT_EQ(e.engine->stats().late_ops, 0);
}

TEST_F(Lookahead, ReachesNoFurtherThanItsBound) {
  const Var x = e.var("x");
  for (int i = 0; i < 8; ++i) op("op", {}, {x}, {.cost = lasting(3ms)});
  for (int i = 1; i <= 8; ++i) {
    EXPECT_EQ(ran.wait_for(static_cast<std::size_t>(std::min(i + 2, 8))).size(),
              static_cast<std::size_t>(std::min(i + 2, 8)));
    advance_to(i * 3ms);
  }
  EXPECT_TRUE(e.wait_all().ok());
  const std::vector<std::uint64_t> times = ran.times();
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t start = kLookaheadStart + i * 3'000'000;
    EXPECT_LE(start, times[i] + 8'000'000) << i;
    EXPECT_LT(times[i], start + 1) << i;
  }
}

TEST_F(Lookahead, AnOpThatFollowsALongOneIsComputedAheadOfItsEndToo) {
  const Var x = e.var("x");
  op("long", {}, {x}, {.cost = lasting(30ms)});
  op("short", {}, {x});
  while (clock->wait_for_sleepers(1) != kLookaheadStart + 22'000'000) std::this_thread::yield();
  clock->advance_to_next();
  ran.wait_for(2);
  EXPECT_GE(ran.times()[1], kLookaheadStart + 21'000'000);
  EXPECT_LE(ran.times()[1], kLookaheadStart + 29'000'000);
  advance_to(30ms + 10us);
  EXPECT_TRUE(e.wait_all().ok());
}

TEST_F(Lookahead, AnOpOnAnotherDeviceStartsNoEarlierThanTheModelledEndOfWhatItFollows) {
  Device* const device = e.device;
  const Var x = e.var("x"), y = e.var("y"), z = e.var("z");
  op("make", {}, {x});
  e.device = e.engine->device("cpu").value();
  op("read on cpu", {x}, {y});
  e.device = device;
  op("read", {x}, {z});
  const OpHandle over = op("overwrite", {}, {x});  // this op follows both reads, also the read on the cpu
  EXPECT_THAT(ran.wait_for(2), ElementsAre("make", "read"));
  e.device = e.engine->device("cpu").value();
  op("unrelated on cpu", {}, {});
  EXPECT_THAT(ran.wait_for(3), ElementsAre("make", "read", "unrelated on cpu"));
  advance_to(10us);
  ran.wait_for(5);
  EXPECT_EQ(ran.times()[3], kLookaheadStart + 10'000);  // "read on cpu"
  advance_to(30us);
  EXPECT_TRUE(e.engine->wait_op(over, kWait).ok());
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(ran.wait_for(5), ElementsAre("make", "read", "unrelated on cpu", "read on cpu", "overwrite"));
}

TEST_F(Lookahead, AFailureIsToldOnceAtItsModelledTimeAndItsDependentsAreSkippedThen) {
  const Var a = e.var("a"), b = e.var("b"), c = e.var("c");
  op("good", {}, {a});
  const OpHandle failing = e.op("fail", {a}, {b}, [&](OpContext&) {
    ran.note("fail");
    throw std::runtime_error("boom");
  });
  op("reads it", {b}, {c});
  const OpHandle overwrite = op("overwrites what it read", {}, {a});
  EXPECT_THAT(ran.wait_for(3), ElementsAre("good", "fail", "overwrites what it read"));
  op("enqueued when it has failed", {c}, {});
  EXPECT_EQ(e.engine->stats().ops_finished, 0);
  EXPECT_EQ(e.engine->stats().ops_skipped, 0);
  EXPECT_TRUE(e.engine->check(b).ok());
  advance_to(10us);
  EXPECT_TRUE(e.engine->wait_in_flight(4, 0, kWait).ok());
  EXPECT_EQ(e.engine->stats().ops_finished, 1);
  EXPECT_EQ(e.engine->stats().ops_skipped, 0);
  EXPECT_TRUE(e.engine->check(c).ok());
  advance_to(20us);
  EXPECT_EQ(message_of(e.wait(c)), "op 'fail' #" + std::to_string(op_number(failing.id)) + " failed: boom");
  EXPECT_EQ(now(), 20us);
  advance_to(30us);
  EXPECT_TRUE(e.engine->wait_op(overwrite, kWait).ok());
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(e.engine->stats().ops_failed, 1);
  EXPECT_EQ(e.engine->stats().ops_skipped, 2);
  EXPECT_EQ(ran.wait_for(3).size(), 3u);
}

TEST_F(Lookahead, HostWorkThatIsLongerThanItsOpIsInTimeIfTheOpWasTakenAhead) {
  const Var x = e.var("x");
  Door enqueued;
  e.op("first", {}, {x}, [&](OpContext&) { enqueued.wait(); }, {.cost = lasting(6ms)});
  // This op takes 10 us in the model, but 5 ms on the host.
  e.op("slow", {}, {x}, [&](OpContext&) { clock->advance(5ms); });
  const OpHandle last = op("last", {}, {x});
  enqueued.open();
  ran.wait_for(1);
  EXPECT_EQ(now(), 5ms);
  advance_to(6020us);
  EXPECT_TRUE(e.engine->wait_op(last, kWait).ok());
  EXPECT_EQ(e.engine->stats().late_ops, 0);
}

TEST_F(Lookahead, WhatFollowsALateOpStartsAtItsLateEnd) {
  const Var x = e.var("x");
  e.op("late", {}, {x}, [&](OpContext&) { clock->advance(2ms); });
  const OpHandle next = op("next", {}, {x});
  ran.wait_for(1);
  EXPECT_EQ(clock->wait_for_sleepers(1), kLookaheadStart + 2'010'000);
  advance_to(2010us);
  EXPECT_TRUE(e.engine->wait_op(next, kWait).ok());
  EXPECT_EQ(e.engine->stats().late_ops, 1);
}

TEST_F(Lookahead, AStreamWaitsForAnOpOfAnotherThatMayLetGoWhatComesFirst) {
  const Var x = e.var("x");
  Door door;
  const OpOptions copy{.stream = StreamKind::kCopyToHost, .cost = {.copy_bytes = 80'000}};  // takes 100 us
  e.op("compute", {}, {x}, [&](OpContext&) { door.wait(); }, {.cost = lasting(50us)});      // ends at 50 us
  op("copy 1", {}, {}, copy);
  ran.wait_for(1);
  // The stream does not take "copy 2" yet. "compute" ends before "copy 1". Its end may make another op ready,
  // which must run before "copy 2".
  op("copy 2", {}, {}, copy);
  OpOptions first = copy;
  first.priority = 1;
  op("copy x", {x}, {}, first);
  door.open();
  EXPECT_THAT(ran.wait_for(3), ElementsAre("copy 1", "copy x", "copy 2"));
  EXPECT_EQ(now(), 0us);
  for (const Duration end : {50us, 100us, 200us}) advance_to(end);
  advance_to(300us);
  EXPECT_TRUE(e.wait_all().ok());
}

TEST_F(Lookahead, CancelSkipsWhatWasNotTakenWhenWhatItFollowsHasEnded) {
  const Var x = e.var("x");
  for (int i = 0; i < 10; ++i) op("op", {}, {x}, {.cost = lasting(3ms)});
  // These three ops start at 0, 3 and 6 ms. The next op starts beyond the lookahead bound.
  ran.wait_for(3);
  EXPECT_EQ(e.engine->cancel(), 7);
  op("afterwards", {}, {});
  EXPECT_EQ(e.engine->stats().ops_skipped, 0);
  advance_to(3ms);
  advance_to(6ms);
  advance_to(8999us);
  EXPECT_TRUE(e.engine->wait_in_flight(9, 0, kWait).ok());
  EXPECT_EQ(e.engine->stats().ops_skipped, 0);
  advance_to(9ms);
  EXPECT_THAT(message_of(e.wait(x)), HasSubstr("op 'op' #4 was cancelled before it started"));
  EXPECT_EQ(e.engine->stats().ops_skipped, 7);
  advance_to(9010us);  // "afterwards" started at 9 ms and ends now
  EXPECT_TRUE(e.wait_all().ok());
}

TEST_F(Lookahead, MemoryIsGivenBackAtTheModelledEnd) {
  const Var x = e.var("x");
  for (int i = 0; i < 4; ++i) {
    auto block = std::make_shared<Block>(e.device->pool().allocate(1024).value());
    e.op("op", {}, {x}, [this, block](OpContext&) { ran.note("op"); });
  }
  ran.wait_for(4);
  EXPECT_EQ(e.device->pool().stats().live_bytes, 4096u);
  advance_to(10us);
  EXPECT_TRUE(e.engine->wait_in_flight(3, 0, kWait).ok());
  EXPECT_EQ(e.device->pool().stats().live_bytes, 3072u);
  advance_to(40us);
  EXPECT_TRUE(e.wait_all().ok());
}

TEST_F(LookaheadAtExecution, TheMemoryOfAnOpCountsFromItsModelledStart) {
  const Var x = e.var("x");
  for (int i = 0; i < 10; ++i) holding("op", x, 1024);
  ran.wait_for(10);  // all values are computed, each in its own memory
  EXPECT_EQ(now(), 0us);
  EXPECT_GE(memory().reserved_bytes, 10 * 1024u);
  for (std::size_t i = 1; i <= 10; ++i) {
    EXPECT_EQ(clock->wait_for_sleepers(1), kLookaheadStart + i * 10'000);
    EXPECT_EQ(memory().live_bytes, 1024u);  // of the op that runs now in the model
    clock->advance_to_next();
  }
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(memory().live_bytes, 0u);
  EXPECT_EQ(memory().peak_bytes, 1024u);
}

TEST_F(LookaheadAtExecution, NothingIsTakenAheadBeyondHalfOfTheMemory) {
  const Var x = e.var("x");
  for (int i = 0; i < 6; ++i) holding("op", x, kThird);
  for (std::size_t i = 1; i <= 6; ++i) {
    ran.wait_for(i);
    EXPECT_EQ(clock->wait_for_sleepers(1), kLookaheadStart + i * 10'000);
    EXPECT_EQ(ran.wait_for(i).size(), i) << "the next op waits for the memory of this one";
    clock->advance_to_next();
  }
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(memory().peak_bytes, kThird);
  EXPECT_EQ(e.engine->stats().late_ops, 0);
}

TEST_F(LookaheadAtExecution, MemoryThatIsAllocatedAheadIsFreeForAnOpThatBeginsEarlier) {
  const Var x = e.var("x"), y = e.var("y");
  op("first", {}, {x}, {.cost = lasting(5ms)});
  const OpHandle ahead = holding("ahead", x, 450'000);
  ran.wait_for(2);
  const OpHandle beside = holding("beside it", y, 700'000, StreamKind::kCopyToDevice);
  ran.wait_for(3);
  EXPECT_EQ(memory().live_bytes, 700'000u);
  clock->advance(20us);
  EXPECT_TRUE(e.engine->wait_op(beside, kWait).ok());
  clock->advance(6ms);
  EXPECT_TRUE(e.engine->wait_op(ahead, kWait).ok());
  EXPECT_EQ(memory().peak_bytes, 700'000u);
}

TEST_F(LookaheadAtExecution, ABulkKeepsWhatItReadsUntilItRunsInTheModel) {
  const Var x = e.var("x");
  op("first", {}, {x}, {.cost = lasting(5ms)});
  e.engine->set_bulk(2);
  const auto kept = std::make_shared<int>();
  for (int i = 0; i < 2; ++i) {
    e.op("member", {}, {x}, [this, kept](OpContext&) { ran.note("member"); });
  }
  e.engine->set_bulk(0);
  ran.wait_for(1);
  advance_to(5ms - 1us);
  EXPECT_EQ(kept.use_count(), 3) << "the members have not run";
  advance_to(6ms);
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(LookaheadAtExecution, AnOpThatFailsKeepsItsMemoryUntilItsModelledEnd) {
  const Var x = e.var("x");
  op("first", {}, {x}, {.cost = lasting(1ms)});
  e.op("fails", {}, {x}, [this, block = std::make_unique<Block>()](OpContext& context) {
    EXPECT_TRUE(context.allocate(e.device->pool(), 1000, {}, *block).ok());
    ran.note("fails");
    throw std::runtime_error("no");
  });
  ran.wait_for(2);
  EXPECT_EQ(memory().live_bytes, 0u);
  advance_to(2ms);
  EXPECT_FALSE(e.wait_all().ok());
  EXPECT_EQ(memory().peak_bytes, 1000u);
  EXPECT_EQ(memory().live_bytes, 0u);
}

TEST_F(LookaheadAtExecution, AnOpThatWaitsForMemoryGoesOnIfTheRunIsGivenUp) {
  const Var x = e.var("x");
  op("first", {}, {x}, {.cost = lasting(5ms)});
  for (int i = 0; i < 3; ++i) holding("op", x, kThird);
  ran.wait_for(2);
  e.device->hurry();
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(memory().peak_bytes, kThird);
}

TEST_F(LookaheadAtExecution, AnOpFailsOnlyIfThereIsNoMemoryAtItsModelledStart) {
  const Var x = e.var("x"), y = e.var("y");
  holding("fits", x, 700'000);
  const OpHandle after = holding("fits after it", x, 700'000);
  ran.wait_for(1);
  EXPECT_EQ(clock->wait_for_sleepers(1), kLookaheadStart + 10'000);
  const OpHandle beside = holding("beside it", y, 700'000, StreamKind::kCopyToDevice);
  EXPECT_THAT(ran.wait_for(2), ElementsAre("fits", "beside it"));
  clock->advance(20us);
  const Status failed = e.engine->wait_op(beside, kWait);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("out of memory"));
  EXPECT_TRUE(e.engine->wait_op(after, kWait).ok());
}

}  // namespace
}  // namespace runahead::engine::test
