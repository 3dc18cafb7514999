#include "instrumentation/analysis/op_times.h"

#include <gtest/gtest.h>

#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace runahead::testing;
using namespace std::chrono_literals;
using trace::FlowKind;
using trace::SliceKind;
using trace::TrackKind;

TraceBuilder tracks() {
  TraceBuilder builder;
  builder.group("Frontend").track("main", TrackKind::kFrontend);
  builder.group("Workers").track("cpu 0", TrackKind::kWorker);
  return builder;
}
void run(TraceBuilder& b, std::uint64_t id, Duration enqueued, Duration started, Duration ended,
         std::int64_t step = -1) {
  b.op(OpId{id}, "add", {enqueued, enqueued, started, ended},
       {.step = step, .enqueue_track = "main", .execute_track = "cpu 0"});
}

TEST(OpTimes, OfOpsWithoutWaitsAreTheirSpacingAndExecution) {
  TraceBuilder b = tracks();
  for (std::uint64_t i = 0; i < 9; ++i) {
    const Duration at = i * 10us;
    run(b, i + 1, at, at + 3us, at + 5us);
  }
  // by their ids, other ops were enqueued between op 9 and op 20, so the time from op 9 to op 20 does not
  // count as an enqueue time
  run(b, 20, 900us, 901us, 903us);
  b.on("main").slice("waitall", 800us, 50us, SliceKind::kWait);
  const OpTimes times = op_times(b.build(), "add");
  EXPECT_EQ(times.ops, 10u);
  EXPECT_EQ(times.waited_for, 0u);
  EXPECT_EQ(times.enqueue_ns, 10'000);
  EXPECT_EQ(times.execute_ns, 2'000);
  EXPECT_EQ(times.round_trip_ns, 0);
}

TEST(OpTimes, OfOpsThatAreWaitedForAreTheRoundTripAndItsEnd) {
  TraceBuilder b = tracks();
  for (std::uint64_t i = 0; i < 9; ++i) {
    const Duration at = i * 30us;
    run(b, i + 1, at, at + 3us, at + 5us);
    b.flow(FlowKind::kExecuteToWait, "cpu 0", at + 5us, "main", at + 12us, OpId{i + 1});
  }
  const OpTimes times = op_times(b.build(), "add");
  EXPECT_EQ(times.waited_for, 9u);
  EXPECT_EQ(times.round_trip_ns, 30'000);
  EXPECT_EQ(times.report_ns, 7'000);
  EXPECT_EQ(times.enqueue_ns, 0);
  EXPECT_EQ(times.execute_ns, 2'000);
}

TEST(OpTimes, AnOpThatWasDoneWhenItsWaitBeganWasWaitedFor) {
  TraceBuilder b = tracks();
  // For i = 1 the frontend was preempted after the enqueue. Therefore the op was done before the frontend's
  // wait for this op began.
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Duration at = i < 2 ? i * 10us : 100us + i * 10us;
    run(b, i + 1, at, at + 3us, at + 5us);
    b.on("main").slice("wait_to_read", at + (i == 1 ? 90us : 2us), 4us, SliceKind::kWait, OpId{i + 1});
    if (i != 1) b.flow(FlowKind::kExecuteToWait, "cpu 0", at + 5us, "main", at + 6us, OpId{i + 1});
  }
  const OpTimes times = op_times(b.build(), "add");
  EXPECT_EQ(times.waited_for, 4u);
  EXPECT_DOUBLE_EQ(3 * times.round_trip_ns, 130'000);
  EXPECT_EQ(times.report_ns, 1'000);
  EXPECT_EQ(times.enqueue_ns, 0);
}

TEST(OpTimes, OfBothKindsTheExecutionIsThatOfOpsThatAreNotWaitedFor) {
  TraceBuilder b = tracks();
  run(b, 1, 0us, 1us, 9us);
  b.flow(FlowKind::kExecuteToWait, "cpu 0", 9us, "main", 10us, OpId{1});
  run(b, 2, 20us, 21us, 22us);
  run(b, 3, 21us, 22us, 25us);
  EXPECT_EQ(op_times(b.build(), "add").execute_ns, 2'000);
}

TEST(OpTimes, OfStepsAndOtherOpsThoseOfStepsCount) {
  TraceBuilder b = tracks();
  run(b, 1, 0us, 1us, 9us);  // an op outside of all steps, as in a warm-up
  run(b, 2, 5us, 9us, 17us);
  run(b, 3, 20us, 21us, 22us, 0);
  run(b, 4, 21us, 22us, 25us, 0);
  run(b, 5, 24us, 25us, 27us, 1);
  const OpTimes times = op_times(b.build(), "add");
  EXPECT_EQ(times.ops, 5u);
  EXPECT_EQ(times.execute_ns, 2'000);
  EXPECT_EQ(times.enqueue_ns, 2'000);
}

TEST(OpTimes, OfUnequalOpsComeTogetherToWhatTheyTook) {
  TraceBuilder b = tracks();
  run(b, 1, 0us, 1us, 2us);
  run(b, 2, 1us, 2us, 3us);
  run(b, 3, 2us, 3us, 14us);    // the op's worker was preempted
  run(b, 4, 20us, 21us, 22us);  // the frontend was preempted before it enqueued this op
  const OpTimes times = op_times(b.build(), "add");
  EXPECT_DOUBLE_EQ(3 * times.enqueue_ns, 20'000);
  EXPECT_DOUBLE_EQ(4 * times.execute_ns, 14'000);
}

TEST(OpTimes, WhatAFrontendIsHeldBackForIsNoPartOfItsEnqueues) {
  TraceBuilder b = tracks();
  run(b, 1, 0us, 1us, 2us);
  run(b, 2, 100us, 101us, 102us);
  run(b, 3, 104us, 105us, 106us);
  b.on("main").slice("held by the limit", 2us, 96us, SliceKind::kWait);
  // main begins this wait between the enqueues of ops 2 and 3
  b.slice("waitall", 103us, 10us, SliceKind::kWait);
  EXPECT_DOUBLE_EQ(op_times(b.build(), "add").enqueue_ns, (4'000 + 3'000) / 2.0);
}

TEST(OpTimes, OfANameThatIsNotThereAreNothing) { EXPECT_EQ(op_times(tracks().build(), "add").ops, 0u); }

}  // namespace
}  // namespace runahead::analysis
