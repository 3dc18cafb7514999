#include "instrumentation/analysis/waits/wait_reason.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "instrumentation/analysis/waits/wait_report.h"
#include "instrumentation/analysis/waits/wait_totals.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace runahead::testing;
using trace::FlowKind;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;
using Parts = std::initializer_list<std::pair<WaitPart, Duration>>;

constexpr OpId kA{1}, kB{2}, kC{3}, kD{4};

TraceBuilder wait_tracks() {
  TraceBuilder builder;
  builder.group("Frontend").track("main", TrackKind::kFrontend);
  builder.group("Workers").track("cpu 0", TrackKind::kWorker).track("cpu 1", TrackKind::kWorker);
  builder.group("virtual:0").track("copies", TrackKind::kStream);
  return builder;
}
// Adds an op that main enqueues, and its slice on `track`. ready: the time when all ops that it depends on
// had ended.
void run(TraceBuilder& b, OpId id, const char* track, Duration enqueued, Duration ready, Duration started,
         Duration ended, SliceKind kind = SliceKind::kExecute) {
  b.on(track).slice("work", started, ended - started, kind, id);
  b.op(id, "work", {enqueued, ready, started, ended}, {.enqueue_track = "main", .execute_track = track});
}
void wait(TraceBuilder& b, Duration begin, Duration end, OpId op = kNoOp, const char* site = "wait_to_read") {
  b.on("main").slice(site, begin, end - begin, SliceKind::kWait, op);
}
void release(TraceBuilder& b, const char* track, Duration ended, Duration wait_end, OpId op) {
  b.flow(FlowKind::kExecuteToWait, track, ended, "main", wait_end, op);
}

// The last wait on main. An open wait counts as later than every wait that has ended.
Wait last_wait(const Trace& trace) {
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kFrontend) continue;
    for (const trace::OpenSlice& open : trace.open_slices()) {
      if (open.track != track.info.id || open.slice.kind != SliceKind::kWait) continue;
      Wait found{open.slice, open.track, true};
      found.slice.end = trace.watermark();
      return found;
    }
    const trace::Lane& lane = track.lanes.front();
    for (std::uint64_t row = lane.end_row(); row-- > lane.first_row();) {
      if (lane.slice(row).kind == SliceKind::kWait) return {lane.slice(row), track.info.id, false};
    }
  }
  ADD_FAILURE() << "no wait";
  return {};
}
WaitReason reason_of(const Trace& trace, const WaitReasonOptions& options = {}) {
  return wait_reason(trace, last_wait(trace), options);
}
WaitReason reason_of(const TraceBuilder& b) { return reason_of(b.build()); }

void expect_parts(const WaitSplit& split, Parts parts) {
  WaitSplit expected;
  for (const auto& [part, time] : parts) expected.of(part) = time;
  for (std::size_t i = 0; i < kWaitPartCount; ++i) {
    EXPECT_EQ(split.parts[i].count(), expected.parts[i].count()) << "part " << i;
  }
}

TEST(WaitReason, AChainOfThreeIsWalkedBackToTheBeginOfTheWait) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 30_us);
  run(b, kB, "cpu 0", 3_us, 30_us, 30_us, 50_us);
  run(b, kC, "cpu 1", 4_us, 50_us, 52_us, 90_us);  // an op on another worker, which first had to wake up
  wait(b, 10_us, 95_us, kC);
  const WaitReason reason = reason_of(b);
  expect_parts(reason.split,
               {{WaitPart::kExecuting, 78_us}, {WaitPart::kDispatch, 2_us}, {WaitPart::kWakeUp, 5_us}});
  EXPECT_EQ(reason.chain, (std::vector{kC, kB, kA}));
  EXPECT_EQ(reason.op_count, 3u);
  EXPECT_TRUE(reason.whole);
  EXPECT_EQ(reason.longest, kC);
  EXPECT_EQ(reason.longest_time, 38_us);
  EXPECT_EQ(reason.split.ops_before(), 80_us);
}

TEST(WaitReason, ACopyOfTheChainIsCopying) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 30_us);
  run(b, kB, "copies", 3_us, 30_us, 30_us, 80_us, SliceKind::kCopyToHost);
  wait(b, 20_us, 81_us, kB, "asnumpy");
  expect_parts(reason_of(b).split,
               {{WaitPart::kExecuting, 10_us}, {WaitPart::kCopying, 50_us}, {WaitPart::kWakeUp, 1_us}});
}

// A copy that the waiting thread itself makes during its wait.
void own_copy(TraceBuilder& b, Duration begin, Duration end, OpId op = kNoOp) {
  b.on("main").slice("copy to host", begin, end - begin, SliceKind::kCopyToHost, op).depth(1);
}

TEST(WaitReason, ABlockersOwnCopyIsCopying) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 30_us);
  wait(b, 10_us, 76_us, kA, "asnumpy");
  own_copy(b, 33_us, 75_us);
  const WaitReason reason = reason_of(b);
  expect_parts(reason.split,
               {{WaitPart::kExecuting, 20_us}, {WaitPart::kCopying, 42_us}, {WaitPart::kWakeUp, 4_us}});
  EXPECT_EQ(reason.split.ops_before(), 62_us);
  EXPECT_EQ(reason.op_count, 1u);  // the copy is not an op
}

TEST(WaitReason, ACopyOfWhatWasThereAlreadyIsCopying) {
  TraceBuilder b = wait_tracks();
  wait(b, 10_us, 76_us, kNoOp, "asnumpy");
  own_copy(b, 11_us, 75_us);
  expect_parts(reason_of(b).split, {{WaitPart::kCopying, 64_us}, {WaitPart::kWakeUp, 2_us}});
}

TEST(WaitReason, ACopyStillBeingMadeIsCopyingAsFarAsItIsKnown) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 30_us);
  b.on("main").open_slice("asnumpy", 10_us, SliceKind::kWait, kA).depth(0);
  b.on("main").open_slice("copy to host", 33_us, SliceKind::kCopyToHost).depth(1);
  expect_parts(reason_of(b.watermark(70_us)).split,
               {{WaitPart::kExecuting, 20_us}, {WaitPart::kCopying, 37_us}, {WaitPart::kWakeUp, 3_us}});
}

TEST(WaitReason, ACopyBeforeTheWaitWasLetGoIsNoneOfItsOwn) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 60_us);
  wait(b, 10_us, 65_us, kA);
  own_copy(b, 20_us, 30_us, kB);  // an op that the waiting thread itself ran
  own_copy(b, 40_us, 50_us);
  expect_parts(reason_of(b).split, {{WaitPart::kExecuting, 50_us}, {WaitPart::kWakeUp, 5_us}});
}

TEST(WaitReason, TimeBehindAnUnrelatedOpIsQueueing) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 60_us);  // unrelated to b
  run(b, kB, "cpu 0", 5_us, 5_us, 63_us, 80_us);
  wait(b, 10_us, 82_us, kB);
  const WaitReason reason = reason_of(b);
  expect_parts(reason.split, {{WaitPart::kQueueing, 50_us},
                              {WaitPart::kDispatch, 3_us},
                              {WaitPart::kExecuting, 17_us},
                              {WaitPart::kWakeUp, 2_us}});
  EXPECT_EQ(reason.chain, std::vector{kB});
}

TEST(WaitReason, AWaitForAllStartsAtTheOpThatTheFlowNames) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 40_us);
  run(b, kB, "cpu 1", 2_us, 2_us, 3_us, 42_us);
  wait(b, 10_us, 50_us, kNoOp, "waitall");
  release(b, "cpu 0", 40_us, 50_us, kA);
  const WaitReason reason = reason_of(b);
  EXPECT_EQ(reason.chain, std::vector{kA});
  expect_parts(reason.split, {{WaitPart::kExecuting, 30_us}, {WaitPart::kWakeUp, 10_us}});
}

TEST(WaitReason, AWaitForAllWithoutAFlowStartsAtTheLastOpThatEndedInIt) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 40_us);
  run(b, kB, "cpu 1", 2_us, 2_us, 3_us, 42_us);
  run(b, kC, "cpu 0", 3_us, 3_us, 45_us, 60_us);  // this op ends after the wait
  wait(b, 10_us, 50_us, kNoOp, "waitall");
  const WaitReason reason = reason_of(b);
  EXPECT_EQ(reason.chain, std::vector{kB});
  expect_parts(reason.split, {{WaitPart::kExecuting, 32_us}, {WaitPart::kWakeUp, 8_us}});
}

TEST(WaitReason, AWaitHeldByTheLimitIsTheLimitsButKnowsItsOps) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 40_us);
  wait(b, 10_us, 45_us, kNoOp, "held by the limit");
  b.flags(trace::kSliceHeldByLimit);
  release(b, "cpu 0", 40_us, 45_us, kA);
  const WaitReason reason = reason_of(b);
  expect_parts(reason.split, {{WaitPart::kLimit, 35_us}});
  EXPECT_EQ(reason.chain, std::vector{kA});
}

TEST(WaitReason, AnOpenWaitIsSplitAsFarAsItIsKnown) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 30_us);
  b.on("cpu 0").open_slice("work", 30_us, SliceKind::kExecute, kB);
  b.op(kB, "work", {3_us, 30_us, 30_us, std::nullopt}, {.enqueue_track = "main", .execute_track = "cpu 0"});
  b.on("main").open_slice("wait_to_read", 10_us, SliceKind::kWait, kB);
  const WaitReason reason = reason_of(b.watermark(70_us));
  expect_parts(reason.split, {{WaitPart::kExecuting, 60_us}});
  EXPECT_EQ(reason.chain, (std::vector{kB, kA}));
}

TEST(WaitReason, AnOpenWaitForAnOpThatHasNotStartedIsNotKnownYet) {
  TraceBuilder b = wait_tracks();
  b.op(kA, "work", {5_us, std::nullopt, std::nullopt, std::nullopt}, {.enqueue_track = "main"});
  b.on("main").open_slice("wait_to_read", 10_us, SliceKind::kWait, kA);
  expect_parts(reason_of(b.watermark(70_us)).split, {{WaitPart::kOther, 60_us}});
}

TEST(WaitReason, AWaitWithNothingToWaitForIsItsOwnCost) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 8_us);
  wait(b, 10_us, 11_us, kNoOp, "waitall");
  EXPECT_EQ(reason_of(b).op_count, 0u);
  expect_parts(reason_of(b).split, {{WaitPart::kWakeUp, 1_us}});
  wait(b, 20_us, 21_us, kA);  // op A ended long before this wait
  expect_parts(reason_of(b).split, {{WaitPart::kWakeUp, 1_us}});
}

TEST(WaitReason, WhatWasLetGoIsNotKnown) {
  TraceBuilder b = wait_tracks();
  run(b, kB, "cpu 0", 3_us, 30_us, 30_us, 50_us);  // made ready by an op that is not in the trace
  wait(b, 10_us, 55_us, kB);
  b.loss(trace::LossCause::kEvicted, 1);
  expect_parts(reason_of(b).split,
               {{WaitPart::kOther, 20_us}, {WaitPart::kExecuting, 20_us}, {WaitPart::kWakeUp, 5_us}});
  wait(b, 60_us, 70_us, kA);  // op A is not in the trace at all
  expect_parts(reason_of(b).split, {{WaitPart::kOther, 10_us}});
  wait(b, 80_us, 90_us, kNoOp, "waitall");  // the op that released this wait is not in the trace
  expect_parts(reason_of(b).split, {{WaitPart::kOther, 10_us}});
}

TEST(WaitReason, TimeBeforeTheEnqueueIsTheFrontends) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 40_us, 40_us, 41_us, 50_us);  // another frontend enqueued this op during the wait
  wait(b, 10_us, 52_us, kNoOp, "waitall");
  release(b, "cpu 0", 50_us, 52_us, kA);
  expect_parts(reason_of(b).split, {{WaitPart::kEnqueue, 30_us},
                                    {WaitPart::kDispatch, 1_us},
                                    {WaitPart::kExecuting, 9_us},
                                    {WaitPart::kWakeUp, 2_us}});
}

TEST(WaitReason, OpsOfLengthZeroAtOneMomentDoNotLeadInACircle) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 20_us, 20_us);
  run(b, kB, "cpu 1", 1_us, 20_us, 20_us, 20_us);
  run(b, kC, "cpu 0", 1_us, 20_us, 20_us, 20_us);
  run(b, kD, "cpu 1", 1_us, 20_us, 20_us, 25_us);
  wait(b, 10_us, 26_us, kD);
  const WaitReason reason = reason_of(b);
  EXPECT_EQ(reason.split.total(), 16_us);
  EXPECT_TRUE(std::is_sorted(reason.chain.rbegin(), reason.chain.rend()));
  EXPECT_EQ(reason.chain.back(), kA);
}

Trace long_chain(std::uint64_t length) {
  TraceBuilder b = wait_tracks();
  for (std::uint64_t i = 1; i <= length; ++i) {
    const Duration start = 10_us * static_cast<std::int64_t>(i);
    run(b, OpId{i}, "cpu 0", 1_us, i == 1 ? 1_us : start, start, start + 10_us);
  }
  wait(b, 5_us, 10_us * static_cast<std::int64_t>(length + 1), OpId{length});
  return b.build();
}

TEST(WaitReason, ALongChainIsListedUpToABoundAndCountedWhole) {
  const WaitReason reason = reason_of(long_chain(3000), {.most_listed = 100});
  EXPECT_EQ(reason.chain.size(), 100u);
  EXPECT_EQ(reason.op_count, 3000u);
  EXPECT_TRUE(reason.whole);
  EXPECT_EQ(reason.split.of(WaitPart::kExecuting), 30'000_us);
}

TEST(WaitReason, AWalkThatIsCutShortSaysSo) {
  const WaitReason reason = reason_of(long_chain(3000), {.most_followed = 50});
  EXPECT_EQ(reason.op_count, 50u);
  EXPECT_FALSE(reason.whole);
  expect_parts(reason.split, {{WaitPart::kExecuting, 500_us}, {WaitPart::kOther, 29'505_us}});
}

TEST(WaitTotals, PutTheStopwatchOfEachSiteBesideTheTrueTime) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 40_us);
  run(b, kB, "copies", 2_us, 40_us, 40_us, 44_us, SliceKind::kCopyToHost);
  wait(b, 10_us, 45_us, kB, "print");
  wait(b, 50_us, 51_us, kB, "print");
  wait(b, 60_us, 62_us, kNoOp, "waitall");
  release(b, "copies", 44_us, 45_us, kB);
  const WaitTotals totals = wait_totals(b.build(), range(0_us, 100_us));
  EXPECT_EQ(totals.count, 3u);
  EXPECT_EQ(totals.split.total(), 38_us);
  ASSERT_EQ(totals.by_site.size(), 2u);
  EXPECT_EQ(totals.by_site[0].name, "print");
  EXPECT_EQ(totals.by_site[0].count, 2u);
  expect_parts(totals.by_site[0].split,
               {{WaitPart::kExecuting, 30_us}, {WaitPart::kCopying, 4_us}, {WaitPart::kWakeUp, 2_us}});
  EXPECT_EQ(totals.by_site[0].split.ops_before(), 34_us);
  EXPECT_EQ(totals.by_site[1].name, "waitall");
}

TEST(WaitReport, GroupsWaitsByTheirLineTheirOpAndTheirCauseTheWorstFirst) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 40_us);
  run(b, kC, "cpu 0", 1_us, 1_us, 41_us, 51_us);
  run(b, kB, "copies", 2_us, 55_us, 55_us, 75_us, SliceKind::kCopyToHost);
  wait(b, 10_us, 41_us, kA, "print");
  wait(b, 45_us, 52_us, kC, "print");
  wait(b, 60_us, 76_us, kB, "print");
  wait(b, 80_us, 82_us, kB, "print");
  release(b, "copies", 75_us, 76_us, kB);
  const std::vector<WaitGroup> report = wait_report(b.build(), range(0_us, 100_us));
  ASSERT_EQ(report.size(), 3u);
  EXPECT_EQ(report[0].wait, "print");
  EXPECT_EQ(report[0].op, "work");
  EXPECT_EQ(report[0].cause, WaitPart::kExecuting);
  EXPECT_EQ(report[0].count, 2u);
  EXPECT_EQ(report[0].split.total(), 38_us);
  EXPECT_EQ(report[0].longest, 31_us);
  EXPECT_EQ(report[0].worst.slice.begin, Timestamp{10_us});
  EXPECT_EQ(report[0].worst_for, "work");
  EXPECT_EQ(report[1].cause, WaitPart::kCopying);
  EXPECT_EQ(report[1].count, 1u);
  EXPECT_EQ(report[2].cause, WaitPart::kWakeUp);
  EXPECT_EQ(report[2].split.total(), 2_us);
}

TEST(WaitReport, AddsUpToTheTotals) {
  Random random;
  TraceBuilder b = wait_tracks();
  Duration at = 1_us;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    const Duration start = at + Duration{random.integer(0, 3000)},
                   end = start + Duration{random.integer(1, 9000)};
    const bool copies = random.chance(0.3);
    run(b, OpId{i}, copies ? "copies" : "cpu 0", at, at, start, end,
        copies ? SliceKind::kCopyToHost : SliceKind::kExecute);
    wait(b, at + Duration{1}, end + Duration{random.integer(1, 500)}, OpId{i},
         random.chance(0.5) ? "item" : "print");
    at = end + 1_us;
  }
  const Trace trace = b.build();
  WaitTotals sum;
  for (const WaitGroup& group : wait_report(trace, trace.extent())) {
    sum.count += group.count;
    sum.split.add(group.split);
  }
  const WaitTotals totals = wait_totals(trace, trace.extent());
  EXPECT_EQ(sum.count, totals.count);
  EXPECT_EQ(sum.split.parts, totals.split.parts);
}

TEST(WaitTotals, CountAWaitWithinAWaitOnce) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 40_us);
  wait(b, 10_us, 45_us, kA, "print");
  wait(b, 20_us, 42_us, kA, "wait_to_read");
  b.on("main").slice("step", 60_us, 30_us, SliceKind::kStep);
  // inside the step, so on a deeper lane, but not inside another wait
  wait(b, 70_us, 71_us, kA, "wait_to_read");
  const WaitTotals totals = wait_totals(b.build(), range(0_us, 100_us));
  EXPECT_EQ(totals.count, 2u);
  EXPECT_EQ(totals.split.total(), 36_us);
}

TEST(WaitTotals, OfNeighbouringRangesAddUpPartByPart) {
  TraceBuilder b = wait_tracks();
  run(b, kA, "cpu 0", 1_us, 1_us, 2_us, 30_us);
  run(b, kB, "cpu 0", 3_us, 3_us, 33_us, 50_us);
  run(b, kC, "copies", 4_us, 50_us, 52_us, 90_us, SliceKind::kCopyToHost);
  wait(b, 10_us, 97_us, kC);
  own_copy(b, 92_us, 96_us);
  b.on("main").open_slice("waitall", 100_us, SliceKind::kWait).depth(0);
  const Trace trace = b.watermark(120_us).build();
  const WaitTotals whole = wait_totals(trace, range(0_us, 200_us));
  EXPECT_EQ(whole.split.total(), 107_us);
  for (Duration cut = 1_us; cut < 130_us; cut += 1_us) {
    WaitSplit sum = wait_totals(trace, range(0_us, cut)).split;
    sum.add(wait_totals(trace, range(cut, 200_us)).split);
    EXPECT_EQ(sum.parts, whole.split.parts) << cut.count();
  }
}

// The times of the ops are random, and some of them are impossible. The parts of a wait must always sum to
// the duration of the wait.
TEST(WaitReason, ThePartsSumToTheWaitWhateverTheTraceHolds) {
  Random random;
  for (int round = 0; round < 300; ++round) {
    TraceBuilder b = wait_tracks();
    const char* const names[] = {"cpu 0", "cpu 1", "copies"};
    Duration free_at[3] = {};
    for (std::uint64_t id = 1; id <= 12; ++id) {
      const auto lane = static_cast<std::size_t>(random.integer(0, 2));
      const Duration start = free_at[lane] + Duration{random.integer(0, 9)};
      const Duration end = start + Duration{random.integer(0, 9)};
      free_at[lane] = end;
      run(b, OpId{id}, names[lane], Duration{random.integer(0, 60)}, Duration{random.integer(0, 60)}, start,
          end, lane == 2 ? SliceKind::kCopyToHost : SliceKind::kExecute);
    }
    const Duration begin{random.integer(0, 50)}, end = begin + Duration{random.integer(0, 50)};
    wait(b, begin, end, random.chance(0.5) ? OpId{static_cast<std::uint64_t>(random.integer(1, 13))} : kNoOp);
    // The wait is the outermost slice, even if a copy ends after it.
    b.depth(0);
    for (Duration at = begin; random.chance(0.5);) {
      const Duration from = at + Duration{random.integer(0, 20)};
      // at least 1 ns: two copies that begin at the same time would have no order
      at = from + Duration{random.integer(1, 20)};
      own_copy(b, from, at);
    }
    const WaitReason reason = reason_of(b);
    ASSERT_EQ(reason.split.total(), end - begin);
    for (const Duration part : reason.split.parts) ASSERT_GE(part, Duration{});
  }
}

TEST(WaitReason, OfASynchronisationInAnotherToolsTraceIsNotKnown) {
  TraceBuilder builder;
  builder.track("thread 7", TrackKind::kThread)
      .slice("cudaDeviceSynchronize", 100_us, 900_us, SliceKind::kWait);
  builder.track("stream 7", TrackKind::kStream).slice("gemm", 0_us, 950_us, SliceKind::kExecute, OpId{1});
  builder.op(OpId{1}, "gemm", {.enqueued = 0_us, .started = 0_us, .ended = 950_us});
  const trace::Trace trace = builder.build();
  const std::vector<WaitGroup> groups = wait_report(trace, trace.extent());
  ASSERT_EQ(groups.size(), 1u) << "it is listed";
  EXPECT_EQ(groups[0].wait, "cudaDeviceSynchronize");
  EXPECT_EQ(groups[0].op, "");
  EXPECT_EQ(groups[0].cause, WaitPart::kOther);
  EXPECT_EQ(groups[0].split.of(WaitPart::kOther), 900_us);
  EXPECT_EQ(groups[0].split.total(), 900_us);
}

}  // namespace
}  // namespace runahead::analysis
