// Tests what the engine records: the four times of every op (enqueued, ready, started, ended), each wait with
// the op that ended it, and counters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "engine/device/virtual_device.h"
#include "tests/engine/engine_fixture.h"
#include "tests/record/capture.h"

namespace runahead::engine::test {
namespace {

using namespace runahead::testing;
using ::testing::HasSubstr;
using trace::SliceKind;

struct Recorded : ::testing::Test {
  Capture capture;
  void SetUp() override { record::name_thread(trace::TrackKind::kFrontend, "main"); }

  const trace::OpRow row(const OpHandle& op) {
    const auto found = capture.trace.op(op.id);
    EXPECT_TRUE(found.has_value());
    return found.value_or(trace::OpRow{});
  }
  // The last slice of a track with that kind and name.
  trace::Slice last_slice(std::string_view track, SliceKind kind, std::string_view name) {
    const trace::Track* const found = capture.track(track);
    EXPECT_NE(found, nullptr) << track;
    if (found == nullptr) return {};
    for (const trace::Lane& lane : found->lanes) {
      for (std::uint64_t i = lane.end_row(); i-- > lane.first_row();) {
        const trace::Slice slice = lane.slice(i);
        if (slice.kind == kind && capture.trace.string(slice.name) == name) return slice;
      }
    }
    ADD_FAILURE() << "no such slice on " << track;
    return {};
  }
};

// Opens the door once the recording shows a frontend in a wait.
class OpensAtAWait {
 public:
  OpensAtAWait(Capture& capture, Door& door)
      : thread_([&] {
          const auto waits = [](const trace::OpenSlice& open) { return open.slice.kind == SliceKind::kWait; };
          while (std::ranges::none_of(capture.drain().open_slices(), waits)) std::this_thread::yield();
          door.open();
        }) {}
  ~OpensAtAWait() { thread_.join(); }

 private:
  std::thread thread_;
};

void expect_in_order(const trace::OpRow& row) {
  EXPECT_NE(row.enqueued, trace::kNever);
  EXPECT_LE(row.enqueued, row.ready);
  EXPECT_LE(row.ready, row.started);
  EXPECT_LE(row.started, row.ended);
}

TEST_F(Recorded, EveryOpHasItsFourMomentsItsStepAndItsTracks) {
  std::vector<OpHandle> ops;
  {
    TestEngine e({.cpu_workers = 2});
    const Var x = e.var("x");
    for (int step = 0; step < 20; ++step) {
      e.engine->begin_step(step);
      ops.push_back(e.op("make", {}, {x}, [](OpContext&) {}, {.output_bytes = 100}));
      ops.push_back(e.op("use", {x}, {}, [](OpContext&) {}));
      e.engine->end_step();
    }
    EXPECT_TRUE(e.wait_all().ok());
  }
  capture.settle();
  ASSERT_EQ(capture.trace.op_count(), 40u);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const trace::OpRow op = row(ops[i]);
    expect_in_order(op);
    EXPECT_EQ(op.step, static_cast<std::int64_t>(i / 2));
    EXPECT_EQ(op.output_bytes, i % 2 == 0 ? 100 : 0);
    EXPECT_EQ(capture.trace.string(op.name), i % 2 == 0 ? "make" : "use");
    EXPECT_EQ(op.enqueue_track, *capture.track_id("main"));
    EXPECT_EQ(op.flags, 0);
    if (i % 2 == 1) {
      // An op is not ready before the op that computes its input has ended.
      EXPECT_GE(op.ready, row(ops[i - 1]).ended);
    }
  }
  EXPECT_TRUE(capture.trace.losses().none());
  EXPECT_THAT(capture.samples("steps finished"), HasSubstr(": 20"));
}

TEST_F(Recorded, AWaitIsDrawnWithWhatItWaitsForAndWhatLetItGo) {
  TestEngine e({.cpu_workers = 1});
  const Var x = e.var("x");
  Door door;
  const OpHandle op = e.op("slow", {}, {x}, [&](OpContext&) { door.wait(); });
  {
    const OpensAtAWait opener(capture, door);
    EXPECT_TRUE(e.wait(x).ok());
  }
  capture.settle();
  const trace::Slice wait = last_slice("main", SliceKind::kWait, "wait_to_read");
  EXPECT_EQ(wait.op, op.id);
  EXPECT_GE(wait.end, row(op).ended);
  EXPECT_THAT(capture.flows(), HasSubstr("execute->wait cpu 0"));
}

TEST_F(Recorded, WhatABlockerDoesWithTheValueIsAPartOfItsWait) {
  TestEngine e({.cpu_workers = 1});
  const Var x = e.var("x");
  static constexpr record::Site kWait{"asnumpy", SliceKind::kWait, __FILE__, __LINE__};
  static constexpr record::Site kCopy{"copy to host", SliceKind::kCopyToHost, __FILE__, __LINE__};
  const OpHandle op = e.op("make", {}, {x}, [](OpContext&) {});
  bool done_before = false;
  const Status waited = e.engine->wait_to_read(x, kWait, [&] {
    const record::Zone zone(kCopy, kNoOp, 400);
    done_before = e.engine->version(x) == 1;
  });
  EXPECT_TRUE(waited.ok());
  EXPECT_TRUE(done_before);
  capture.settle();
  const trace::Slice wait = last_slice("main", SliceKind::kWait, "asnumpy");
  const trace::Slice copy = last_slice("main", SliceKind::kCopyToHost, "copy to host");
  EXPECT_EQ(wait.op, op.id);
  EXPECT_LE(wait.begin, copy.begin);
  EXPECT_LE(copy.end, wait.end);
  EXPECT_GE(copy.begin, row(op).ended);
}

TEST_F(Recorded, WhatABlockerWouldDoWithAValueThatFailedIsNotDone) {
  TestEngine e({.cpu_workers = 1});
  const Var x = e.var("x");
  static constexpr record::Site kWait{"asnumpy", SliceKind::kWait, __FILE__, __LINE__};
  e.op("fails", {}, {x}, [](OpContext&) { throw std::runtime_error("no"); });
  bool called = false;
  EXPECT_FALSE(e.engine->wait_to_read(x, kWait, [&] { called = true; }).ok());
  EXPECT_FALSE(called);
}

TEST_F(Recorded, AWaitThatIsLeftByAnExceptionHasItsEnd) {
  TestEngine e({.cpu_workers = 1});
  const Var x = e.var("x");
  static constexpr record::Site kWait{"asnumpy", SliceKind::kWait, __FILE__, __LINE__};
  e.op("make", {}, {x}, [](OpContext&) {});
  EXPECT_THROW((void)e.engine->wait_to_read(x, kWait, [] { throw std::bad_alloc(); }), std::bad_alloc);
  capture.settle();
  EXPECT_EQ(capture.open_slices("main"), "");
  EXPECT_EQ(last_slice("main", SliceKind::kWait, "asnumpy").flags, 0);
}

TEST_F(Recorded, TheSafetyLimitsWaitIsMarkedAndABoundsIsNot) {
  TestEngine e({.cpu_workers = 1, .limit_ops = 16});
  Door door;
  {
    e.op("slow", {}, {}, [&](OpContext&) { door.wait(); });
    const OpensAtAWait opener(capture, door);
    for (int i = 0; i < 20; ++i) e.op("op", {}, {}, [](OpContext&) {});
  }
  EXPECT_TRUE(e.wait_all().ok());
  ASSERT_GE(e.engine->stats().held_by_limit, 1);
  capture.settle();
  const trace::Slice held = last_slice("main", SliceKind::kWait, "held by the limit");
  EXPECT_EQ(held.flags, trace::kSliceHeldByLimit);
}

TEST_F(Recorded, ABoundsWaitIsNamedAfterIt) {
  TestEngine e({.cpu_workers = 1});
  e.engine->set_run_ahead_bound(4, 0);
  Door door;
  {
    e.op("slow", {}, {}, [&](OpContext&) { door.wait(); });
    const OpensAtAWait opener(capture, door);
    for (int i = 0; i < 20; ++i) e.op("op", {}, {}, [](OpContext&) {});
  }
  EXPECT_TRUE(e.wait_all().ok());
  capture.settle();
  const trace::Slice held = last_slice("main", SliceKind::kWait, "held by ops:4");
  EXPECT_EQ(held.flags, 0);
}

TEST_F(Recorded, FailedAndSkippedOpsAreMarked) {
  TestEngine e({.cpu_workers = 1});
  const Var x = e.var("x"), y = e.var("y");
  const OpHandle failed = e.op("fail", {}, {x}, [](OpContext&) { throw std::runtime_error("boom"); });
  const OpHandle skipped = e.op("skip", {x}, {y}, [](OpContext&) {});
  EXPECT_FALSE(e.wait_all().ok());
  capture.settle();
  EXPECT_EQ(row(failed).flags, trace::kSliceFailed);
  EXPECT_EQ(row(skipped).flags, trace::kSliceFailed | trace::kSliceSkipped);
}

TEST_F(Recorded, StreamsOfAVirtualDeviceShowTheModelledTimes) {
  TestEngine e(EngineOptions{}, "virtual:0");
  OpHandle made, copied;
  // On a busy machine, ops may be late. In that case the loop runs both ops again.
  for (std::int64_t late = -1; late != e.engine->stats().late_ops;) {
    late = e.engine->stats().late_ops;
    const Var x = e.var("x"), y = e.var("y");
    made = e.op("make", {}, {x}, [](OpContext&) {}, {.cost = {.flops = 2e7}});  // takes 2.01 ms
    copied = e.op("copy", {x}, {y}, [](OpContext&) {},
                  {.stream = StreamKind::kCopyToHost, .cost = {.copy_bytes = 1e6}});  // takes 1.01 ms
    EXPECT_TRUE(e.wait(y).ok());
  }
  capture.settle();
  const trace::OpRow first = row(made), second = row(copied);
  expect_in_order(first);
  expect_in_order(second);
  EXPECT_NEAR(static_cast<double>((first.ended - first.started).count()), 2.01e6, 20);
  EXPECT_NEAR(static_cast<double>((second.ended - second.started).count()), 1.01e6, 20);
  EXPECT_EQ(second.ready, first.ended);
  EXPECT_EQ(second.started, first.ended);  // these times are exact even if the host was late
  EXPECT_EQ(first.execute_track, *capture.track_id("compute"));
  EXPECT_EQ(second.execute_track, *capture.track_id("copy to host"));
  EXPECT_TRUE(capture.track("compute")->info.simulated);
  EXPECT_GE(last_slice("main", SliceKind::kWait, "wait_to_read").end, second.ended);
}

TEST_F(Recorded, TheNaiveEngineExecutesOnTheFrontend) {
  TestEngine e({.kind = EngineKind::kNaive});
  const OpHandle op = e.op("op", {}, {}, [](OpContext&) {});
  capture.settle();
  expect_in_order(row(op));
  EXPECT_EQ(row(op).execute_track, *capture.track_id("main"));
}

TEST_F(Recorded, MemoryIsCountedByDevice) {
  TestEngine e(EngineOptions{}, "virtual:0");
  { const Block block = e.device->pool().allocate(1000).value(); }
  e.device->pool().trim();
  capture.settle();
  EXPECT_THAT(capture.samples("live virtual:0"), HasSubstr(": 1000"));
  EXPECT_TRUE(capture.samples("live virtual:0").ends_with(": 0"));
  EXPECT_TRUE(capture.samples("reserved virtual:0").ends_with(": 0"));
  EXPECT_TRUE(capture.track("live virtual:0")->info.simulated);
}

}  // namespace
}  // namespace runahead::engine::test
