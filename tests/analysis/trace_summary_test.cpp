#include "instrumentation/analysis/trace_summary.h"

#include <gtest/gtest.h>

#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::CounterRole;
using trace::SliceKind;
using trace::TrackKind;
using trace::Unit;

TEST(TraceSummary, CountsStepsOnThreadsOnly) {
  TraceBuilder builder;
  builder.track("main").slice("step 1", 0_ms, 10_ms, SliceKind::kStep);
  builder.slice("step 2", 10_ms, 30_ms, SliceKind::kStep).slice("step 3", 40_ms, 20_ms, SliceKind::kStep);
  builder.track("steps again", TrackKind::kStream).slice("step 1", 0_ms, 90_ms, SliceKind::kStep);
  const std::optional<TraceSummary> summary = summarize_trace(builder.build());
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->steps, 3u);
  EXPECT_EQ(summary->median_step, 20_ms);
  EXPECT_EQ(summary->shortest_step, 10_ms);
  EXPECT_EQ(summary->longest_step, 30_ms);
  EXPECT_EQ(summary->length, 90_ms);
  EXPECT_TRUE(summary->devices.empty());
  EXPECT_FALSE(summary->blocked) << "no wait was recorded";
  EXPECT_FALSE(summary->peak) << "no counter of live bytes";
}

TEST(TraceSummary, GivesTheBusyTimeOfDevicesThatDidSomething) {
  TraceBuilder builder;
  builder.track("compute", TrackKind::kStream).device("gpu 0", false);
  builder.slice("matmul", 0_ms, 30_ms, SliceKind::kExecute);
  builder.track("copies", TrackKind::kStream).device("gpu 0", false);
  builder.slice("copy", 20_ms, 20_ms, SliceKind::kCopyToHost);
  builder.track("idle", TrackKind::kStream).device("gpu 1", false).slice("zone", 0_ms, 5_ms);
  const std::optional<TraceSummary> summary = summarize_trace(builder.build());
  ASSERT_TRUE(summary);
  ASSERT_EQ(summary->devices.size(), 1u);
  EXPECT_EQ(summary->devices[0].device, "gpu 0");
  EXPECT_EQ(summary->devices[0].busy, 40_ms) << "time with both counts once";
}

TEST(TraceSummary, NamesTheThreadThatWaitsLongestAndTheLargestCounter) {
  TraceBuilder builder;
  builder.track("main", TrackKind::kFrontend).slice("wait", 0_ms, 10_ms, SliceKind::kWait);
  builder.track("loader").slice("cudaDeviceSynchronize", 0_ms, 50_ms, SliceKind::kWait);
  builder.counter("host", CounterRole::kLiveBytes, Unit::kBytes).sample(1_ms, 100).sample(2_ms, 10);
  builder.counter("gpu 0", CounterRole::kLiveBytes, Unit::kBytes).sample(1_ms, 70).sample(3_ms, 900);
  builder.counter("other", CounterRole::kOther, Unit::kBytes).sample(1_ms, 5000);
  const std::optional<TraceSummary> summary = summarize_trace(builder.build());
  ASSERT_TRUE(summary);
  ASSERT_TRUE(summary->blocked);
  EXPECT_EQ(summary->blocked->thread, "loader");
  EXPECT_EQ(summary->blocked->blocked, 50_ms);
  ASSERT_TRUE(summary->peak);
  EXPECT_EQ(summary->peak->counter, "gpu 0");
  EXPECT_EQ(summary->peak->bytes, 900);
}

TEST(TraceSummary, IsCancelled) {
  TraceBuilder builder;
  builder.track("main").slice("zone", 0_ms, 10_ms);
  EXPECT_FALSE(summarize_trace(builder.build(), [](double) { return false; }));
}

TEST(TraceSummary, OfAnEmptyTraceIsEmpty) {
  const std::optional<TraceSummary> summary = summarize_trace(TraceBuilder().build());
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->length, Duration{});
}

}  // namespace
}  // namespace runahead::analysis
