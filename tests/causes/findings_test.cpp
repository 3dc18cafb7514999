#include "instrumentation/causes/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "instrumentation/causes/explanation.h"
#include "tests/causes/gpu_trace.h"

namespace runahead::causes {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

// The first finding of a rule; nullopt: none.
std::optional<Finding> finding_of(TraceBuilder& builder, std::string_view rule) {
  const Trace trace = builder.build();
  const Explanation all = explain(trace);
  const auto found = std::ranges::find(all.findings, rule, &Finding::rule);
  return found == all.findings.end() ? std::nullopt : std::optional(*found);
}

// ---- work that waits only for the order of its stream -----------------------------------------------------

constexpr std::string_view kIndependent = "independent_work_on_one_stream";

// Two ops that were enqueued at 0 and 1 us on one stream: the first runs from 10 to 60 us, the second from 60
// to 110 us.
TraceBuilder two_ops(std::string_view second = "second") {
  TraceBuilder builder;
  builder.track("main", TrackKind::kFrontend).track("compute", TrackKind::kStream).device("virtual:0");
  builder.on("compute").slice("first", 10_us, 50_us, SliceKind::kExecute, OpId{1});
  builder.slice(second, 60_us, 50_us, SliceKind::kExecute, OpId{2});
  builder.op(OpId{1}, "first", {0_us, 0_us, 10_us, 60_us},
             {.enqueue_track = "main", .execute_track = "compute"});
  builder.op(OpId{2}, second, {1_us, 1_us, 60_us, 110_us},
             {.enqueue_track = "main", .execute_track = "compute"});
  return builder;
}

TEST(IndependentWork, IsAnOpThatWaitedForOneOnWhichItDoesNotDepend) {
  TraceBuilder builder = two_ops();
  builder.op(OpId{3}, "before", {0_us, 0_us, 0_us, 1_us});
  builder.depends(OpId{1}, OpId{3});  // the trace has dependencies
  const auto found = finding_of(builder, kIndependent);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 1U);
  EXPECT_EQ(found->cost, 59_us);  // from its enqueue to the end of the first op
  EXPECT_EQ(found->range.begin, at(1_us));
  EXPECT_EQ(found->track, builder.track_id("compute"));
}

TEST(IndependentWork, IsNotAnOpThatDependsOnTheOneBeforeIt) {
  TraceBuilder builder = two_ops();
  builder.depends(OpId{2}, OpId{1});
  EXPECT_FALSE(finding_of(builder, kIndependent));
}

TEST(IndependentWork, IsNotAnOpThatDependsOnOneThatTheTraceDoesNotHave) {
  TraceBuilder builder = two_ops();
  builder.depends(OpId{2}, OpId{77});
  EXPECT_FALSE(finding_of(builder, kIndependent));
}

TEST(IndependentWork, IsUnknownIfTheTraceHasNoDependenciesOrHasBulks) {
  TraceBuilder without = two_ops();
  EXPECT_FALSE(finding_of(without, kIndependent));
  TraceBuilder bulks = two_ops("bulk of 8");
  bulks.op(OpId{3}, "before", {0_us, 0_us, 0_us, 1_us}).depends(OpId{1}, OpId{3});
  EXPECT_FALSE(finding_of(bulks, kIndependent));
}

// Two threads launch kernels of 20 us in turn; each is launched while the one before it runs.
TraceBuilder two_threads_in_turn(std::optional<std::int64_t> occupancy, std::string_view grid = {}) {
  TraceBuilder builder = two_streams();
  builder.track("worker").numbers(100, 101);
  for (int i = 0; i < 40; ++i) {
    const std::string_view thread = i % 2 == 0 ? "main" : "worker";
    const Duration call = i * 20_us, begin = 10_us + i * 20_us;
    builder.on(thread).slice("cudaLaunchKernel", call, 2_us, SliceKind::kEnqueue);
    builder.on("stream 7").slice("small", begin, 20_us, SliceKind::kExecute);
    if (occupancy) builder.arg("est. achieved occupancy %", *occupancy);
    if (!grid.empty()) builder.arg("grid", grid);
    builder.flow(trace::FlowKind::kLaunchToDevice, thread, call, "stream 7", begin);
  }
  return builder;
}

TEST(IndependentWork, IsSuspectedOfSmallKernelsOfThreadsThatTakeTurns) {
  TraceBuilder builder = two_threads_in_turn(12);
  const auto found = finding_of(builder, kIndependent);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 39U);
  EXPECT_EQ(found->cost, 39 * 10_us);
  TraceBuilder by_blocks = two_threads_in_turn(std::nullopt, "[2, 2, 1]");
  EXPECT_TRUE(finding_of(by_blocks, kIndependent));
}

TEST(IndependentWork, IsNotSuspectedIfKernelsAreLargeOrTheirSizeIsUnknown) {
  TraceBuilder large = two_threads_in_turn(60), unknown = two_threads_in_turn(std::nullopt),
               many_blocks = two_threads_in_turn(std::nullopt, "[256, 1, 1]"),
               large_with_few_blocks = two_threads_in_turn(60, "[2, 1, 1]");
  EXPECT_FALSE(finding_of(large, kIndependent));
  EXPECT_FALSE(finding_of(unknown, kIndependent));
  EXPECT_FALSE(finding_of(many_blocks, kIndependent));
  EXPECT_FALSE(finding_of(large_with_few_blocks, kIndependent));
}

// ---- run-ahead --------------------------------------------------------------------------------------------

// `count` kernels of 40 us; after each one, the host calls `wait` within the slice `place`.
TraceBuilder wait_after_each(int count, std::string_view wait, std::string_view place) {
  TraceBuilder builder = two_streams();
  for (int i = 0; i < count; ++i) {
    const Duration call = i * 100_us;
    launch(builder, "kernel", call, "stream 7", call + 10_us, 40_us);
    builder.on("main").slice(place, call + 6_us, 50_us).slice(wait, call + 8_us, 45_us, SliceKind::kWait);
  }
  return builder;
}

TEST(UnusedRunAhead, IsASynchronisationThatEmptiesTheQueueBeforeEachLaunch) {
  TraceBuilder builder = wait_after_each(30, "cudaDeviceSynchronize", "train.py(3): step");
  const auto found = finding_of(builder, "unused_run_ahead");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 29U);        // the last one is followed by nothing
  EXPECT_EQ(found->cost, 29 * 58_us);  // from the end of a kernel to the next call that waits
  EXPECT_NE(found->sentence.find("30 of 30 launches found an empty queue"), std::string::npos)
      << found->sentence;
  EXPECT_NE(found->sentence.find("train.py(3): step"), std::string::npos) << found->sentence;
}

TEST(UnusedRunAhead, IsNotASynchronisationThatReadsAValue) {
  TraceBuilder item = wait_after_each(30, "cudaStreamSynchronize", "aten::item");
  EXPECT_FALSE(finding_of(item, "unused_run_ahead"));
  TraceBuilder copies = two_streams();
  for (int i = 0; i < 30; ++i) {
    const Duration call = i * 100_us;
    launch(copies, "kernel", call, "stream 7", call + 10_us, 40_us);
    launch(copies, "Memcpy DtoH (Device -> Pinned)", call + 6_us, "stream 7", call + 50_us, 5_us,
           SliceKind::kCopyToHost);
    copies.on("main").slice("cudaStreamSynchronize", call + 12_us, 45_us, SliceKind::kWait);
  }
  EXPECT_FALSE(finding_of(copies, "unused_run_ahead"));
}

TEST(UnusedRunAhead, IsNoneIfTheHostIsAheadOfTheDevice) {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 5; ++step) {
    const Duration begin = step * 1'000_us;
    for (int i = 0; i < 10; ++i)
      launch(builder, "kernel", begin + i * 6_us, "stream 7", begin + 10_us + i * 90_us, 90_us);
    builder.on("main").slice("cudaDeviceSynchronize", begin + 70_us, 845_us, SliceKind::kWait);
  }
  EXPECT_FALSE(finding_of(builder, "unused_run_ahead"));
}

TEST(UnusedRunAhead, IsACallThatFindsEverythingEnded) {
  TraceBuilder builder = two_streams();
  for (int i = 0; i < 10; ++i) {
    const Duration begin = i * 100_us;
    launch(builder, "kernel", begin, "stream 7", begin + 6_us, 4_us);
    builder.on("main").slice("cudaDeviceSynchronize", begin + 20_us, 30_us, SliceKind::kWait);
    for (int more = 0; more < 4; ++more)
      launch(builder, "more", begin + 50_us + more * 5_us, "stream 7", begin + 60_us + more * 10_us, 10_us);
  }
  const auto found = finding_of(builder, "unused_run_ahead");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 10U);
  EXPECT_EQ(found->cost, 10 * 40_us);  // the device was idle from the call to the next kernel
  EXPECT_NE(found->sentence.find("10 times everything had ended"), std::string::npos) << found->sentence;
}

// ---- the rules of nsys ------------------------------------------------------------------------------------

TEST(NsysRules, OnlyCallsThatWaitForStreamsOrDevicesAreSynchronisingCalls) {
  TraceBuilder builder = two_streams();
  launch(builder, "kernel", 0_us, "stream 7", 10_us, 100_us);
  builder.on("main").slice("cudaEventSynchronize", 10_us, 10_us, SliceKind::kWait);
  builder.slice("cudaStreamSynchronize", 20_us, 10_us, SliceKind::kWait);
  builder.slice("cudaDeviceSynchronize", 30_us, 85_us, SliceKind::kWait);
  const auto found = finding_of(builder, "nsys_cuda_api_sync");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 2U);
  EXPECT_EQ(found->cost, 95_us);
}

TEST(NsysRules, TheTimeOfASynchronousCopyIsThatOfTheCopyAndTheAdviceNamesACallOfTheRuntime) {
  const auto advice = [](const char* name) {
    TraceBuilder builder = two_streams();
    builder.on("main").slice(name, 0_us, 30_us, SliceKind::kEnqueue);
    builder.on("stream 7").slice("Memcpy DtoH", 10_us, 5_us, SliceKind::kCopyToHost);
    builder.flow(trace::FlowKind::kLaunchToDevice, "main", 0_us, "stream 7", 10_us);
    const auto found = finding_of(builder, "nsys_cuda_memcpy_sync");
    EXPECT_TRUE(found) << name;
    EXPECT_EQ(found ? found->sentence : "",
              "A synchronous copy was called 1 time; the copies took 5.00 \u00b5s.");
    return found ? found->help : std::string();
  };
  EXPECT_EQ(advice("cudaMemcpy"), "Use cudaMemcpyAsync with pinned memory.");
  EXPECT_EQ(advice("hipMemcpy"), "Use hipMemcpyAsync with pinned memory.");
  EXPECT_EQ(advice("musaMemcpy"), "Use the asynchronous copy with pinned memory.");
}

TEST(NsysRules, ASynchronousMemsetIsOneOfPinnedOrManagedMemory) {
  TraceBuilder builder = two_streams();
  Duration now{};
  for (const char* call : {"cudaMemset", "cudaMemsetAsync"}) {
    for (const char* memset : {"Memset (Device)", "Memset (Pinned)", "Memset (Managed)"}) {
      builder.on("main").slice(call, now, 5_us, SliceKind::kEnqueue);
      builder.on("stream 7").slice(memset, now + 6_us, 3_us, SliceKind::kExecute);
      builder.flow(trace::FlowKind::kLaunchToDevice, "main", now, "stream 7", now + 6_us);
      now += 10_us;
    }
  }
  const auto found = finding_of(builder, "nsys_cuda_memset_sync");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 2U);
  EXPECT_EQ(found->cost, 6_us);
}

TEST(NsysRules, AGapIsBetweenTheFirstAndTheLastWorkOfAProcess) {
  TraceBuilder builder;
  builder.track("one").numbers(100, 100);
  builder.track("two").numbers(200, 200);
  builder.track("stream of one", TrackKind::kStream).device("gpu 0", false).numbers(100, 7);
  builder.track("stream of two", TrackKind::kStream).device("gpu 0", false).numbers(200, 7);
  builder.on("one").slice("cudaDeviceSynchronize", 0_ms, 1_ms, SliceKind::kWait);
  builder.on("stream of one").slice("a", 600_ms, 100_ms, SliceKind::kExecute);
  builder.slice("a", 1'300_ms, 10_ms, SliceKind::kExecute);
  builder.on("stream of two").slice("b", 700_ms, 600_ms, SliceKind::kExecute);
  builder.on("two").slice("cudaDeviceSynchronize", 2'000_ms, 1_ms, SliceKind::kWait);
  const auto found = finding_of(builder, "nsys_gpu_gaps");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 1U);
  EXPECT_EQ(found->cost, 600_ms);
  EXPECT_EQ(found->range.begin, at(700_ms));
}

TEST(NsysRules, PartsOfLowUtilisationThatFollowEachOtherAreOneRow) {
  TraceBuilder builder = two_streams();
  // 300 us in 30 parts of 10 us. The parts 3, 4 and 5 are empty, part 8 has 4 us of work.
  builder.on("stream 7").slice("a", 0_us, 30_us, SliceKind::kExecute);
  builder.slice("a", 60_us, 24_us, SliceKind::kExecute).slice("a", 90_us, 210_us, SliceKind::kExecute);
  const auto found = finding_of(builder, "nsys_gpu_time_util");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 2U);
  EXPECT_EQ(found->cost, 36_us);
  EXPECT_EQ(found->range.begin, at(30_us));
  EXPECT_EQ(found->range.end, at(60_us));
  // work at the same time adds up
  builder.on("stream 20").slice("b", 80_us, 4_us, SliceKind::kExecute);
  EXPECT_EQ(finding_of(builder, "nsys_gpu_time_util")->count, 1U);
}

}  // namespace
}  // namespace runahead::causes
