#include "instrumentation/causes/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/causes/random_gpu_trace.h"
#include "tests/support/random.h"

namespace runahead::causes {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

TEST(Explanation, OfAnyTraceAddsUp) {
  Random random;
  for (int i = 0; i < 300; ++i) {
    const Trace trace = random_gpu_trace(random);
    const Explanation all = explain(trace, {.most_gaps = 5});
    Duration path{};
    for (const Duration time : all.path.times) path += time;
    EXPECT_EQ(path, all.range.duration());
    Duration named = all.path.more_time;
    for (const PathName& entry : all.path.names) named += entry.time;
    EXPECT_EQ(named, all.range.duration());
    for (const DeviceExplanation& device : all.devices) {
      EXPECT_EQ(device.report.busy + device.report.idle.total(), all.range.duration());
      for (const StreamExplanation& stream : device.streams)
        EXPECT_EQ(stream.busy + stream.idle.total(), all.range.duration());
      IdleParts of_steps;
      for (const IdleParts& step : device.report.steps) of_steps.add(step);
      for (std::size_t cause = 0; cause < kIdleCauseCount; ++cause)
        EXPECT_LE(of_steps.times[cause], device.report.idle.times[cause]);
      EXPECT_LE(device.communication.exposed + device.communication.hidden, device.communication.total);
    }
    SyncParts sum;
    for (const SyncGroup& group : all.synchronisations) sum.add(group.parts);
    EXPECT_EQ(sum.times, all.blocked.times);
    for (const Duration part : sum.times) EXPECT_GE(part, Duration{});
    EXPECT_LE(all.blocked_ratio, 1.0);
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(Explanation, OfAnEmptyTraceIsEmpty) {
  const Explanation all = explain(TraceBuilder{}.build());
  EXPECT_TRUE(all.range.empty());
  EXPECT_TRUE(all.findings.empty());
  EXPECT_EQ(all.attributed_ratio(), 1.0);
}

TEST(Explanation, SaysOfEachStepHowLongTheDeviceWasIdle) {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 4; ++step) {
    const Duration begin = step * 100_us;
    builder.on("main").slice("ProfilerStep#" + std::to_string(step), begin, 100_us, SliceKind::kStep);
    launch(builder, "a", begin, "stream 7", begin + 10_us, step == 2 ? 30_us : 90_us);
  }
  const Trace trace = builder.build();
  const Explanation all = explain(trace);
  ASSERT_EQ(all.devices.size(), 1U);
  const StepIdle& steps = all.devices[0].per_step;
  EXPECT_EQ(steps.count, 4U);
  EXPECT_EQ(steps.mean.total(), 25_us);
  EXPECT_EQ(steps.worst, 2U);
  EXPECT_EQ(steps.worst_range.begin, at(200_us));
  EXPECT_EQ(steps.worst_idle.total(), 70_us);
}

TEST(Explanation, ExplainsTheBusiestStreamsAndCountsTheOthers) {
  TraceBuilder builder;
  builder.track("main").numbers(100, 100);
  for (int i = 0; i < 50; ++i)
    builder.track("stream " + std::to_string(i), TrackKind::kStream)
        .device("gpu 0", false)
        .numbers(0, 100 + i);
  for (int i = 0; i < 40; ++i)
    launch(builder, "k", i * 10_us, "stream " + std::to_string(i), i * 10_us + 6_us, 10_us + i * 1_us);
  const Trace trace = builder.build();
  const Explanation all = explain(trace);
  ASSERT_EQ(all.devices.size(), 1U);
  const DeviceExplanation& device = all.devices[0];
  ASSERT_EQ(device.streams.size(), 32U);
  EXPECT_EQ(device.more_streams, 8U);
  EXPECT_EQ(device.streams[0].name, "stream 39");
  EXPECT_EQ(device.streams[0].busy, 49_us);
  EXPECT_EQ(device.streams[31].name, "stream 8");
}

std::vector<std::string> rules_of(const Explanation& all) {
  std::vector<std::string> rules;
  for (const Finding& finding : all.findings) rules.push_back(finding.rule);
  return rules;
}

TEST(Findings, CopiesOfPageableMemoryAndSynchronousCopiesAreThoseOfNsys) {
  TraceBuilder builder = two_streams();
  launch(builder, "Memcpy HtoD (Pageable -> Device)", 0_us, "stream 7", 10_us, 5_us,
         SliceKind::kCopyToDevice);
  launch(builder, "Memcpy HtoD (Pinned -> Device)", 20_us, "stream 7", 30_us, 5_us, SliceKind::kCopyToDevice);
  builder.on("main").slice("cudaMemcpy", 40_us, 20_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("Memcpy DtoH (Device -> Pageable)", 50_us, 5_us, SliceKind::kCopyToHost);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", 40_us, "stream 7", 50_us);
  const Trace trace = builder.build();
  const Explanation all = explain(trace);
  for (const Finding& finding : all.findings) {
    if (finding.rule.starts_with("nsys_cuda_memcpy")) {
      EXPECT_EQ(finding.count, 1U) << finding.rule;
    }
  }
  const std::vector<std::string> rules = rules_of(all);
  EXPECT_TRUE(std::ranges::count(rules, "nsys_cuda_memcpy_async") == 1);
  EXPECT_TRUE(std::ranges::count(rules, "nsys_cuda_memcpy_sync") == 1);
}

TEST(Findings, BlockingLaunchesAreNotAFullQueue) {
  TraceBuilder builder = two_streams();
  for (int i = 0; i < 3; ++i) {
    const Duration call = i * 300_us;
    builder.on("main").slice("cudaLaunchKernel", call, 200_us, SliceKind::kEnqueue);
    builder.on("stream 7").slice("kernel", call + 20_us, 170_us, SliceKind::kExecute);
    builder.flow(trace::FlowKind::kLaunchToDevice, "main", call, "stream 7", call + 20_us);
  }
  const Trace trace = builder.build();
  const Explanation all = explain(trace);
  const auto found = std::ranges::find(all.findings, "blocking_launches", &Finding::rule);
  ASSERT_NE(found, all.findings.end());
  EXPECT_EQ(found->count, 3U);
  EXPECT_EQ(found->cost, 220_us) << "twice from the end of a kernel to the next launch";
  EXPECT_EQ(std::ranges::count(rules_of(all), "launch_queue_full"), 0);
}

TEST(Findings, ShortLaunchesThatBlockAreFoundByTheirShare) {
  const auto blocks = [](int blocking) {
    TraceBuilder builder = two_streams();
    for (int i = 0; i < 10; ++i) {
      const Duration call = i * 30_us;
      builder.on("main").slice("cudaLaunchKernel", call, 20_us, SliceKind::kEnqueue);
      const Duration begin = call + (i < blocking ? 10_us : 22_us);
      builder.on("stream 7").slice("kernel", begin, 5_us, SliceKind::kExecute);
      builder.flow(trace::FlowKind::kLaunchToDevice, "main", call, "stream 7", begin);
    }
    const Trace trace = builder.build();
    return std::ranges::count(rules_of(explain(trace)), "blocking_launches") == 1;
  };
  EXPECT_TRUE(blocks(10));
  EXPECT_TRUE(blocks(6));
  EXPECT_FALSE(blocks(3));
}

TEST(Findings, AllocationsCountOnlyInTheSecondHalfOfTheSteps) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 5_us);
  for (int step = 0; step < 4; ++step)
    builder.on("main").slice("ProfilerStep#" + std::to_string(step), 100_us + step * 100_us, 90_us,
                             SliceKind::kStep);
  builder.slice("cudaMalloc", 110_us, 10_us, SliceKind::kAllocation);
  builder.slice("cudaMalloc", 410_us, 10_us, SliceKind::kAllocation);
  const Trace trace = builder.build();
  const Explanation all = explain(trace);
  const auto found = std::ranges::find(all.findings, "allocation_in_steady_state", &Finding::rule);
  ASSERT_NE(found, all.findings.end());
  EXPECT_EQ(found->count, 1U);
  EXPECT_EQ(found->cost, 10_us);
  EXPECT_EQ(found->range.begin, at(410_us));
}

}  // namespace
}  // namespace runahead::causes
