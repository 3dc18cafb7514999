#include <gtest/gtest.h>

#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

RunConfig training(engine::BarrierPolicy barrier) {
  // The class size without the frontend's own cost, and fewer batches.
  return {.workload = "training_memory",
          .devices = {"cpu"},
          .barrier = barrier,
          .settings = {{"steps", "30"}, {"loader_us", "0"}, {"frontend_us", "0"}}};
}

TEST(TrainingMemoryBounds, WithoutABarrierMemoryHoldsNearlyEveryBatch) {
  const RunReport report = report_of(training({}));
  EXPECT_GE(report.peak_bytes, 0.8 * 30 * report.step_bytes);
  EXPECT_GE(report.max_run_ahead_steps, 24);
}

TEST(TrainingMemoryBounds, WithABlockerMemoryHoldsAboutOneBatch) {
  const RunReport report = report_of(training({.kind = engine::BarrierKind::kItem}));
  EXPECT_LE(report.peak_bytes, report.params_bytes + 2 * report.step_bytes);
  EXPECT_GE(report.peak_bytes, report.params_bytes + 0.5 * report.step_bytes);
}

TEST(TrainingMemoryBounds, AStepAllocatesWhatItSays) {
  RunConfig config = training({});
  config.engine.kind = engine::EngineKind::kThreaded;
  config.settings["steps"] = "30";
  const RunReport report = report_of(config);
  // All outputs of unfinished ops: never more than was allocated in all.
  EXPECT_LE(report.max_run_ahead_bytes, 30 * report.step_bytes + report.params_bytes + 100);
  EXPECT_LE(report.peak_bytes, 30 * report.step_bytes + report.params_bytes + 64 * 1024);
}

TEST(TrainingMemoryBounds, NothingIsLeftAtTheEnd) {
  const RunReport report = report_of(training({}));
  EXPECT_LT(report.end_bytes, 1024);  // the two losses that are still to be read
}

TEST(TrainingMemoryBounds, AWindowBoundsTheStepsInFlight) {
  const RunReport report = report_of(training({.kind = engine::BarrierKind::kWindow, .k = 2}));
  EXPECT_LE(report.max_run_ahead_steps, 2);
  EXPECT_LE(report.peak_bytes, report.params_bytes + 3 * report.step_bytes);
}

TEST(TrainingMemoryBounds, AnOpsBarrierBoundsTheOpsInFlight) {
  const RunReport report = report_of(training({.kind = engine::BarrierKind::kOps, .k = 10}));
  EXPECT_LE(report.max_run_ahead_ops, 11);
  EXPECT_GE(report.max_run_ahead_ops, 2);
}

TEST(TrainingMemoryBounds, TheSafetyLimitHoldsAndIsCounted) {
  RunConfig config = training({});
  config.engine.limit_bytes = 8'000'000;
  const RunReport report = report_of(config);
  EXPECT_GT(report.held_by_limit, 0);
  EXPECT_LE(report.max_run_ahead_bytes, 8'000'000 + report.step_bytes);
}

}  // namespace
}  // namespace runahead::samples
