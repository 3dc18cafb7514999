// Tests the workloads that teach what a stopwatch measures: warmup and queue_vs_finish.
#include <gtest/gtest.h>

#include <cstdio>

#include "engine/array/direct.h"
#include "instrumentation/base/median.h"
#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

using engine::EngineKind;

RunConfig at(const std::string& workload, EngineKind kind, const char* device) {
  RunConfig config{.workload = workload, .devices = {device}, .settings = tiny_settings(workload)};
  config.engine.kind = kind;
  return config;
}

TEST(Median, IsTheMiddleOfOddAndTheMeanOfTheMiddleTwoOfEvenCounts) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 9, 2}), 3);
}

TEST(Warmup, ComputesWhatTheDirectCallsCompute) {
  for (const EngineKind kind : {EngineKind::kNaive, EngineKind::kThreaded}) {
    for (const char* device : {"cpu", "virtual:0"}) {
      const RunReport report = report_of(at("warmup", kind, device));
      EXPECT_EQ(report.result.at("largest_difference"), 0.0) << device;
      // The run has one warm-up step, three steps without a wait and three steps with a wait. Each step has
      // two ops. On a device other than the cpu there is also the copy that reads the values.
      const int read = std::string(device) == "cpu" ? 0 : 1;
      EXPECT_EQ(report.ops, 2 * (1 + 3 + 3) + read);
    }
  }
}

TEST(Warmup, TheWorkIsNoShorterForBeingEnqueued) {
  // Each product takes 3.4 ms of modelled time, so ten products take 34 ms in each run. A busy machine can
  // only make the run longer.
  const RunReport report = report_of(
      {.workload = "warmup", .devices = {"virtual:0"}, .settings = {{"extent", "256"}, {"steps", "10"}}});
  EXPECT_GE(report.result.at("async_finished_s"), 0.033);
  EXPECT_GE(report.result.at("with_wait_s"), 0.033);
  EXPECT_LE(report.result.at("async_s"), report.result.at("async_finished_s"));
  EXPECT_GT(report.result.at("direct_s"), 0);
}

TEST(Warmup, ABarrierInEachStepIsWhatTheStopwatchMeasures) {
  const RunReport report = report_of({.workload = "warmup",
                                      .devices = {"virtual:0"},
                                      .barrier = {.kind = BarrierKind::kWaitToRead},
                                      .settings = {{"extent", "256"}, {"steps", "4"}}});
  EXPECT_GE(report.result.at("async_s"), 4 * 0.0033);
}

TEST(QueueVsFinish, PrintsTheSumThatDoublePrecisionGives) {
  constexpr std::size_t kExtent = 24;
  std::vector<float> x(kExtent * kExtent);
  engine::direct_uniform(x, {1, 2});  // the input of the third step, which is the last
  double sum = 0;
  for (std::size_t i = 0; i < kExtent; ++i) {
    for (std::size_t j = 0; j < kExtent; ++j) {
      for (std::size_t k = 0; k < kExtent; ++k) {
        sum += static_cast<double>(x[i * kExtent + k]) * x[k * kExtent + j];
      }
    }
  }
  for (const EngineKind kind : {EngineKind::kNaive, EngineKind::kThreaded}) {
    for (const char* device : {"cpu", "virtual:0"}) {
      ::testing::internal::CaptureStderr();
      const RunReport report = report_of(at("queue_vs_finish", kind, device));
      const std::string printed = ::testing::internal::GetCapturedStderr();
      EXPECT_NEAR(report.result.at("y"), sum, 1e-5 * sum);
      EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 3);
      EXPECT_LE(report.result.at("queued_s"), report.result.at("finished_s"));
    }
  }
}

TEST(QueueVsFinish, FinishedIsNoSoonerThanTheDevice) {
  ::testing::internal::CaptureStderr();
  const RunReport report =
      report_of({.workload = "queue_vs_finish", .devices = {"virtual:0"}, .settings = {{"extent", "256"}}});
  (void)::testing::internal::GetCapturedStderr();
  EXPECT_GE(report.result.at("finished_s"), 0.0033);
}

TEST(QueueVsFinish, ADeviceWithoutValuesIsWaitedForInsteadOfPrinted) {
  const RunReport report = report_of({.workload = "queue_vs_finish",
                                      .devices = {"virtual:0,preset=h100"},
                                      .settings = tiny_settings("queue_vs_finish")});
  EXPECT_EQ(report.result.count("y"), 0u);
  EXPECT_GT(report.result.at("finished_s"), 0);
}

}  // namespace
}  // namespace runahead::samples
