#include <gtest/gtest.h>

#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

RunConfig training(BarrierPolicy barrier) {
  // The default parameters (the size "class"), but with fewer batches, and without the time that the loader
  // and the frontend spend.
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
  const RunReport report = report_of(training({.kind = BarrierKind::kItem}));
  EXPECT_LE(report.peak_bytes, report.params_bytes + 2 * report.step_bytes);
  EXPECT_GE(report.peak_bytes, report.params_bytes + 0.5 * report.step_bytes);
}

TEST(TrainingMemoryBounds, AStepAllocatesWhatItSays) {
  RunConfig config = training({});
  config.engine.kind = engine::EngineKind::kThreaded;
  config.settings["steps"] = "30";
  const RunReport report = report_of(config);
  // The outputs of unfinished ops never have more bytes than all allocations together.
  EXPECT_LE(report.max_run_ahead_bytes, 30 * report.step_bytes + report.params_bytes + 100);
  EXPECT_LE(report.peak_bytes, 30 * report.step_bytes + report.params_bytes + 64 * 1024);
}

TEST(TrainingMemoryBounds, NothingIsLeftAtTheEnd) {
  const RunReport report = report_of(training({}));
  EXPECT_LT(report.end_bytes, 1024);  // the two losses, which conclude() reads later
}

TEST(TrainingMemoryBounds, AWindowBoundsTheStepsInFlight) {
  const RunReport report = report_of(training({.kind = BarrierKind::kWindow, .k = 2}));
  EXPECT_LE(report.max_run_ahead_steps, 2);
  EXPECT_LE(report.peak_bytes, report.params_bytes + 3 * report.step_bytes);
}

TEST(TrainingMemoryBounds, AWindowOfTwoHoldsAtMostTwoStepsMoreThanAWaitInEach) {
  // docs/measured.md compares the steps per second of the barriers at this size. This test runs fewer steps.
  const auto peak = [](BarrierPolicy barrier, double& step_bytes) {
    const RunReport report = report_of({.workload = "training_memory",
                                        .devices = {"virtual:0"},
                                        .barrier = barrier,
                                        .settings = {{"steps", "20"},
                                                     {"batch", "256"},
                                                     {"features", "256"},
                                                     {"hidden1", "256"},
                                                     {"hidden2", "64"},
                                                     {"loader_us", "1000"}}});
    step_bytes = report.step_bytes;
    return report.peak_bytes;
  };
  double step_bytes = 0;
  const double synchronous = peak({.kind = BarrierKind::kWaitToRead}, step_bytes);
  const double window = peak({.kind = BarrierKind::kWindow, .k = 2}, step_bytes);
  EXPECT_LE(window, synchronous + 2 * step_bytes);
  EXPECT_GT(peak({}, step_bytes), synchronous + 4 * step_bytes) << "without a barrier it does run ahead";
}

TEST(TrainingMemoryBounds, AnOpsBarrierBoundsTheOpsInFlight) {
  const RunReport report = report_of(training({.kind = BarrierKind::kOps, .k = 10}));
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

RunConfig inference(BarrierPolicy barrier) {
  return {.workload = "inference_memory",
          .devices = {"virtual:0"},
          .barrier = barrier,
          .settings = {{"steps", "20"}}};
}

TEST(InferenceMemoryBounds, SaysTheBytesOfItsInputsAndOfAllOutputs) {
  const RunReport report = report_of(inference({}));
  EXPECT_EQ(report.result.at("inputs_bytes"), 20 * 4096 * 64 * 4);
  EXPECT_EQ(report.result.at("outputs_bytes"), 20 * (4096 * 64 * 4 * 3 + 4096 * 4));
  EXPECT_EQ(report.params_bytes, 4 * (64 * 64 + 64 + 64 + 1));
  EXPECT_EQ(report.result.at("predicted_peak_bytes"),
            report.params_bytes + report.result.at("outputs_bytes"));
}

TEST(InferenceMemoryBounds, WithoutABarrierMemoryComesNearThePredictionAndNotOverIt) {
  const RunReport report = report_of(inference({}));
  EXPECT_LE(report.peak_bytes, report.result.at("predicted_peak_bytes"));
  EXPECT_GE(report.peak_bytes, 0.7 * report.result.at("predicted_peak_bytes"));
}

TEST(InferenceMemoryBounds, UnderEachBarrierMemoryStaysWithinThePrediction) {
  for (const BarrierPolicy barrier :
       {BarrierPolicy{BarrierKind::kWaitToRead}, BarrierPolicy{BarrierKind::kItem},
        BarrierPolicy{BarrierKind::kWindow, 3}, BarrierPolicy{BarrierKind::kOps, 5},
        BarrierPolicy{BarrierKind::kBytes, 5'000'000}}) {
    SCOPED_TRACE(to_string(barrier));
    const RunReport report = report_of(inference(barrier));
    const double predicted = report.result.at("predicted_peak_bytes");
    EXPECT_LE(predicted, report.params_bytes + 8e6 + report.step_bytes);  // all batches together have 63 MB
    // The peak may exceed the prediction by the memory of one step, because a worker may still hold the
    // outputs of the op that ran last.
    EXPECT_LE(report.peak_bytes, predicted + report.step_bytes);
  }
}

TEST(InferenceMemoryBounds, AllocationAtExecutionHoldsNoMoreThanTheQueuedInputs) {
  RunConfig config = inference({});
  config.engine.allocation = engine::AllocationTime::kAtExecution;
  const RunReport report = report_of(config);
  EXPECT_LE(report.peak_bytes,
            report.params_bytes + report.result.at("inputs_bytes") + 2 * report.step_bytes);
  config.engine.order = engine::ReadyOrder::kOldest;
  const RunReport oldest = report_of(config);
  EXPECT_LE(oldest.peak_bytes, oldest.params_bytes + 3 * oldest.step_bytes);
}

// A product takes about 50 ms on the virtual GPU. The frontend needs a millisecond to enqueue all batches.
// Therefore all batches are enqueued before the first product ends, even on a busy machine. If ops run in the
// order in which they become ready, all inputs are made first, then all products. With more features than
// hidden units the inputs are the largest part of the memory.
RunConfig slow_inference(engine::AllocationTime allocation, engine::ReadyOrder order, const char* device) {
  RunConfig config = inference({});
  config.devices = {device};
  config.engine.allocation = allocation;
  config.engine.order = order;
  config.engine.cpu_workers = 1;
  config.settings = {{"steps", "12"}, {"batch", "128"}, {"features", "2048"}, {"hidden", "1024"}};
  return config;
}
constexpr double kSlowInput_bytes = 128 * 2048 * 4, kSlowHidden_bytes = 128 * 1024 * 4;

double peak_of(const RunReport& report, const std::string& device, const std::string& category) {
  const std::map<std::string, double>& categories = report.peak_by_category.at(device);
  const auto found = categories.find(category);
  return found != categories.end() ? found->second : 0;
}

TEST(InferenceMemoryBounds, FirstReadyFirstWithMemoryAtExecutionGrowsByTheQueuedInputs) {
  const RunReport report =
      report_of(slow_inference(engine::AllocationTime::kAtExecution, engine::ReadyOrder::kFifo, "virtual:0"));
  const double queued = 12 * kSlowInput_bytes;
  EXPECT_EQ(report.result.at("inputs_bytes"), queued);
  EXPECT_LE(peak_of(report, "virtual:0", "inputs"), queued);
  EXPECT_GE(peak_of(report, "virtual:0", "inputs"), queued - 2 * kSlowInput_bytes);
  EXPECT_EQ(peak_of(report, "virtual:0", "parameters"), report.params_bytes);
  const double growth = report.peak_bytes - report.params_bytes;
  EXPECT_GE(growth, queued - 2 * report.step_bytes);
  EXPECT_LE(growth, queued + 2 * report.step_bytes);
}

TEST(InferenceMemoryBounds, MemoryAtEnqueueGrowsByTheOutputsOfUnfinishedOpsAsPredicted) {
  const RunReport report =
      report_of(slow_inference(engine::AllocationTime::kAtEnqueue, engine::ReadyOrder::kFifo, "virtual:0"));
  const double predicted = report.result.at("predicted_peak_bytes");
  EXPECT_EQ(predicted,
            report.params_bytes + 12 * (kSlowInput_bytes + 2 * kSlowHidden_bytes + 128 * sizeof(float)));
  EXPECT_LE(report.peak_bytes, predicted);
  EXPECT_GE(report.peak_bytes, predicted - kSlowInput_bytes);
  EXPECT_LE(peak_of(report, "virtual:0", "inputs"), 12 * kSlowInput_bytes);
  EXPECT_GE(peak_of(report, "virtual:0", "inputs"), 11 * kSlowInput_bytes);
}

TEST(InferenceMemoryBounds, TheOldestFirstWithOneWorkerDoesNotGrow) {
  for (const char* device : {"cpu", "virtual:0"}) {
    SCOPED_TRACE(device);
    const RunReport report =
        report_of(slow_inference(engine::AllocationTime::kAtExecution, engine::ReadyOrder::kOldest, device));
    EXPECT_GE(report.peak_bytes, report.params_bytes + kSlowInput_bytes);
    EXPECT_LE(report.peak_bytes, report.params_bytes + report.step_bytes);
  }
}

TEST(InferenceMemoryBounds, EveryEngineAndDevicePredictsTheSame) {
  const auto mean = [](engine::EngineKind kind, const char* device) {
    RunConfig config = inference({});
    config.engine.kind = kind;
    config.devices = {device};
    config.settings = {{"steps", "2"}, {"batch", "64"}, {"features", "32"}, {"hidden", "16"}};
    return report_of(config).result.at("mean_prediction");
  };
  const double oracle = mean(engine::EngineKind::kNaive, "cpu");
  EXPECT_NE(oracle, 0);
  EXPECT_EQ(mean(engine::EngineKind::kThreaded, "cpu"), oracle);
  EXPECT_EQ(mean(engine::EngineKind::kNaive, "virtual:0"), oracle);
  EXPECT_EQ(mean(engine::EngineKind::kThreaded, "virtual:0"), oracle);
}

}  // namespace
}  // namespace runahead::samples
