// Tests the times of the virtual GPU. On a clock that the test advances, these times are exact.
#include "engine/device/virtual_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>

#include "instrumentation/record/hooks/hooks.h"
#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kDeviceStart = 1'000'000;
const VirtualModel kDeviceModel{.launch = 10us,
                                .flops_per_s = 1e9,
                                .memory_bytes_per_s = 1e9,
                                .copy_latency = 20us,
                                .pinned_bytes_per_s = 1e9,
                                .pageable_bytes_per_s = 0.5e9,
                                .capacity_bytes = 1 << 20};

// The end times that the device reported for work items. The tests with this struct use no engine.
struct Ends {
  struct End {
    std::uint64_t start, end;
    std::uint8_t flags;
    bool operator==(const End&) const = default;
  };
  Work work(
      OpId op, std::uint64_t ready_ticks, Cost cost, std::function<void()> run = [] {}) {
    Work work;
    work.op = op;
    work.ready_ticks = ready_ticks;
    work.cost = cost;
    work.run = std::move(run);
    work.done = [this, op](std::uint64_t start, std::uint64_t end, std::uint8_t flags) {
      const std::lock_guard lock(mutex);
      by_op[op] = {start, end, flags};
      changed.notify_all();
    };
    return work;
  }
  End of(OpId op) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return by_op.contains(op); });
    return by_op[op];
  }
  bool has(OpId op) {
    const std::lock_guard lock(mutex);
    return by_op.contains(op);
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::map<OpId, End> by_op;
};

struct Virtual : ::testing::Test {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kDeviceStart);
  Ends ends;
  std::unique_ptr<Device> device = make_virtual_device("virtual:0", kDeviceModel, clock);
};

TEST(VirtualModelTime, IsLatencyAndTheLongerOfComputeAndMemory) {
  EXPECT_EQ(modelled_duration(kDeviceModel, StreamKind::kCompute, {}), 10us);
  EXPECT_EQ(modelled_duration(kDeviceModel, StreamKind::kCompute, {.flops = 5000}), 15us);
  EXPECT_EQ(modelled_duration(kDeviceModel, StreamKind::kCompute, {.flops = 5000, .memory_bytes = 7000}),
            17us);
  EXPECT_EQ(modelled_duration(kDeviceModel, StreamKind::kCopyToHost, {.copy_bytes = 1000}), 21us);
  EXPECT_EQ(
      modelled_duration(kDeviceModel, StreamKind::kCopyToDevice, {.copy_bytes = 1000, .pageable = true}),
      22us);
  EXPECT_EQ(modelled_duration(VirtualModel{}, StreamKind::kCompute, {.flops = 1e7}), 1010us);
  EXPECT_EQ(describe(VirtualModel{}).rfind("virtual GPU: 10.0 µs launch, 10.0 GFLOP/s", 0), 0u)
      << describe(VirtualModel{});
}

TEST_F(Virtual, AWorkEndsNoEarlierThanModelledAndExactlyThen) {
  device->submit(StreamKind::kCompute, ends.work(OpId{1}, kDeviceStart, {.flops = 5000}));
  EXPECT_EQ(clock->wait_for_sleepers(1), kDeviceStart + 15'000);
  clock->advance(14'999ns);
  EXPECT_FALSE(ends.has(OpId{1}));
  clock->advance(1ns);
  EXPECT_EQ(ends.of(OpId{1}), (Ends::End{kDeviceStart, kDeviceStart + 15'000, 0}));
  EXPECT_EQ(device->late_ops(), 0u);
}

TEST_F(Virtual, WorksOnAStreamFollowEachOtherOrStartWhenReady) {
  device->submit(StreamKind::kCompute, ends.work(OpId{1}, kDeviceStart, {.flops = 5000}));
  device->submit(StreamKind::kCompute, ends.work(OpId{2}, kDeviceStart + 1000, {}));
  device->submit(StreamKind::kCompute, ends.work(OpId{3}, kDeviceStart + 40'000, {}));
  for (int i = 0; i < 3; ++i) {
    clock->advance_to_next();
    ends.of(OpId{static_cast<std::uint64_t>(i + 1)});
  }
  EXPECT_EQ(ends.of(OpId{1}), (Ends::End{kDeviceStart, kDeviceStart + 15'000, 0}));
  // the previous work item delays this one
  EXPECT_EQ(ends.of(OpId{2}), (Ends::End{kDeviceStart + 15'000, kDeviceStart + 25'000, 0}));
  EXPECT_EQ(ends.of(OpId{3}),
            (Ends::End{kDeviceStart + 40'000, kDeviceStart + 50'000, 0}));  // op 3 is ready at 40'000
}

TEST_F(Virtual, ComputeAndBothCopiesRunAtOnce) {
  device->submit(StreamKind::kCompute, ends.work(OpId{1}, kDeviceStart, {.flops = 20'000}));
  device->submit(StreamKind::kCopyToDevice, ends.work(OpId{2}, kDeviceStart, {.copy_bytes = 10'000}));
  device->submit(StreamKind::kCopyToHost, ends.work(OpId{3}, kDeviceStart, {.copy_bytes = 10'000}));
  EXPECT_EQ(clock->wait_for_sleepers(1), kDeviceStart + 30'000);
  clock->advance(30us);
  for (std::uint64_t op = 1; op <= 3; ++op)
    EXPECT_EQ(ends.of(OpId{op}), (Ends::End{kDeviceStart, kDeviceStart + 30'000, 0}));
}

TEST_F(Virtual, AWorkIsLateWhenItsValuesComeMoreThanAMillisecondAfterItsEnd) {
  const auto takes = [&](Duration time) { return [this, time] { clock->advance(time); }; };
  // The values of this work item come exactly a millisecond after its modelled end. Therefore it is not late.
  device->submit(StreamKind::kCompute, ends.work(OpId{1}, kDeviceStart, {}, takes(1010us)));
  EXPECT_EQ(ends.of(OpId{1}), (Ends::End{kDeviceStart, kDeviceStart + 10'000, 0}));
  EXPECT_EQ(device->late_ops(), 0u);
  device->submit(StreamKind::kCompute, ends.work(OpId{2}, kDeviceStart + 1'010'000, {}, takes(1010us + 1ns)));
  EXPECT_EQ(ends.of(OpId{2}),
            (Ends::End{kDeviceStart + 1'010'000, kDeviceStart + 2'020'001, trace::kSliceLate}));
  EXPECT_EQ(device->late_ops(), 1u);
  // Op 3 starts at the late end of op 2.
  device->submit(StreamKind::kCompute, ends.work(OpId{3}, kDeviceStart, {}));
  clock->advance_to_next();
  EXPECT_EQ(ends.of(OpId{3}), (Ends::End{kDeviceStart + 2'020'001, kDeviceStart + 2'030'001, 0}));
}

TEST_F(Virtual, InAHurryAWorkEndsWhenItsValuesAreThereAndSaysThat) {
  bool computed = false;
  device->submit(StreamKind::kCompute,
                 ends.work(OpId{1}, kDeviceStart, {.flops = 5000}, [&computed] { computed = true; }));
  EXPECT_EQ(clock->wait_for_sleepers(1), kDeviceStart + 15'000);
  clock->advance(1us);
  device->hurry();  // the clock does not advance
  EXPECT_EQ(ends.of(OpId{1}), (Ends::End{kDeviceStart, kDeviceStart + 1000, 0}));
  EXPECT_TRUE(computed);
}

TEST(TimingOnlyDevice, KeepsTimeAndRunsNothing) {
  VirtualModel model = kDeviceModel;
  model.holds_values = false;
  const auto clock = std::make_shared<ManualClock>(kDeviceStart);
  Ends ends;
  const auto device = make_virtual_device("virtual:0", model, clock);
  EXPECT_FALSE(device->holds_values());
  EXPECT_EQ(device->pool().allocate(1000).value().data(), nullptr);
  device->submit(StreamKind::kCompute, ends.work(OpId{1}, kDeviceStart, {}, [] { ADD_FAILURE(); }));
  clock->advance_to_next();
  EXPECT_EQ(ends.of(OpId{1}), (Ends::End{kDeviceStart, kDeviceStart + 10'000, 0}));
}

// ---- with an engine ---------------------------------------------------------------------------------------

// An engine whose device uses a manual clock.
struct OnVirtual : ::testing::Test {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kDeviceStart);
  TestEngine e{EngineOptions{}};
  void SetUp() override {
    e.device = e.engine->add_device(make_virtual_device("virtual:0", kDeviceModel, clock));
  }
};

TEST_F(OnVirtual, AWaitIsReleasedNoEarlierThanTheModelledEnd) {
  const Var x = e.var("x");
  bool computed = false;
  const OpHandle op = e.op("op", {}, {x}, [&](OpContext&) { computed = true; }, {.cost = {.flops = 1000}});
  EXPECT_EQ(clock->wait_for_sleepers(1), kDeviceStart + 11'000);
  EXPECT_TRUE(computed);  // the values are computed early
  EXPECT_EQ(e.engine->version(x), 0u);
  clock->advance(11us);
  EXPECT_TRUE(e.engine->wait_op(op, kWait).ok());
  EXPECT_EQ(e.engine->version(x), 1u);
}

TEST_F(OnVirtual, AStopEndsWhatRunsWithoutItsModelledTimeAndRefusesWhatComes) {
  const Var x = e.var("x"), y = e.var("y");
  e.op("runs", {}, {x}, [](OpContext&) {}, {.cost = {.flops = 1e9}});  // a modelled second
  EXPECT_EQ(clock->wait_for_sleepers(1), kDeviceStart + 1'000'010'000);
  e.op("waits", {x}, {y}, [](OpContext&) { ADD_FAILURE(); }, {.cost = {.flops = 1e9}});
  const std::int64_t enqueued = e.engine->stats().ops_enqueued;
  e.engine->stop();
  EXPECT_FALSE(e.wait_all().ok());  // the second op was cancelled; the clock does not advance
  EXPECT_TRUE(e.engine->check(x).ok());
  const Result<OpHandle> refused = e.try_op("late", {}, {y}, [](OpContext&) { ADD_FAILURE(); });
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("has been stopped"), std::string::npos) << refused.error().message;
  EXPECT_EQ(e.engine->stats().ops_enqueued, enqueued);
  EXPECT_EQ(e.engine->stats().in_flight_ops, 0);
}

TEST_F(OnVirtual, CountsTheOpsOfEachDevice) {
  Device* const cpu = e.open("cpu");
  const Var x = e.var("x");
  for (int i = 0; i < 3; ++i) {
    OpSpec spec;
    spec.site = &kWait;
    spec.device = cpu;
    spec.stream = i == 0 ? StreamKind::kCopyToHost : StreamKind::kCompute;
    EXPECT_TRUE(e.engine->enqueue(spec, [](OpContext&) {}).ok());
  }
  e.op("there", {}, {x}, [](OpContext&) {});
  clock->advance_to_next();
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(e.engine->ops_finished_on(*cpu), 3);
  EXPECT_EQ(e.engine->ops_finished_on(*e.device), 1);
}

TEST_F(OnVirtual, AChainTakesTheSumOfItsTimesHoweverLateTheHostIs) {
  const Var x = e.var("x");
  for (int i = 0; i < 10; ++i) e.op("op", {}, {x}, [](OpContext&) {}, {.cost = {.flops = 1000}});
  for (int i = 1; i <= 10; ++i) {
    EXPECT_EQ(clock->wait_for_sleepers(1), kDeviceStart + static_cast<std::uint64_t>(i) * 11'000);
    clock->advance_to_next();
  }
  EXPECT_TRUE(e.wait_all().ok());
}

TEST_F(OnVirtual, ACopyOverlapsTheNextComputation) {
  const Var a = e.var("a"), b = e.var("b"), host = e.var("host");
  e.op("compute a", {}, {a}, [](OpContext&) {}, {.cost = {.flops = 90'000}});  // 0 .. 100 us
  e.op("compute b", {}, {b}, [](OpContext&) {}, {.cost = {.flops = 90'000}});  // 100 .. 200 us
  e.op("copy a", {a}, {host}, [](OpContext&) {},
       {.stream = StreamKind::kCopyToHost, .cost = {.copy_bytes = 80'000}});
  clock->advance_to_next();
  EXPECT_EQ(clock->wait_for_sleepers(1), kDeviceStart + 200'000);  // op b and the copy of a end at this time
  clock->advance_to_next();
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(clock->now_ticks(), kDeviceStart + 200'000);
}

TEST_F(OnVirtual, ReadyOpsOfAStreamRunByPriority) {
  std::vector<int> ran;
  Door enqueued;  // the first op runs until all ops are enqueued
  for (int i = 0; i < 4; ++i) {
    e.op("op", {}, {},
         [&, i](OpContext&) {
           if (i == 0) enqueued.wait();
           ran.push_back(i);
         },
         {.priority = i});
  }
  enqueued.open();
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(clock->wait_for_sleepers(1), kDeviceStart + static_cast<std::uint64_t>(i) * 10'000);
    clock->advance_to_next();
  }
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_THAT(ran, ::testing::ElementsAre(0, 3, 2, 1));  // op 0 was already on the device
}

TEST_F(OnVirtual, AFailureOnADeviceIsToldAndItsDependentsTakeNoTime) {
  const Var x = e.var("x"), y = e.var("y");
  e.op("fail", {}, {x}, [](OpContext&) { throw std::runtime_error("boom"); });
  for (int i = 0; i < 100; ++i) e.op("skipped", {x}, {y}, [](OpContext&) {});
  clock->advance_to_next();
  EXPECT_EQ(message_of(e.wait(y)), "op 'fail' #1 failed: boom");
  EXPECT_EQ(clock->now_ticks(), kDeviceStart + 10'000);
  EXPECT_EQ(e.engine->stats().ops_skipped, 100);
}

TEST_F(OnVirtual, LateOpsAreCountedByTheEngine) {
  e.op("slow", {}, {}, [&](OpContext&) { clock->advance(5ms); });
  EXPECT_TRUE(e.wait_all().ok());
  EXPECT_EQ(e.engine->stats().late_ops, 1);
}

TEST(RealClock, AnOpOnTheVirtualDeviceTakesItsModelledTimeAtLeast) {
  TestEngine e(EngineOptions{}, "virtual:0");
  const TickClock& clock = TickClock::get();
  const std::int64_t begin = clock.now_ns();
  const Var x = e.var("x");
  for (int i = 0; i < 10; ++i)
    e.op("op", {}, {x}, [](OpContext&) {}, {.cost = {.flops = 1e7}});  // 1.01 ms each
  EXPECT_TRUE(e.wait(x).ok());
  EXPECT_GE(clock.now_ns() - begin, 10'100'000);
}

}  // namespace
}  // namespace runahead::engine::test
