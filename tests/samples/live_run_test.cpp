// Tests a live run that is paused, stepped, toggled, stopped and destroyed.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

RunConfig endless_training(const char* device = "cpu") {
  RunConfig config{.workload = "training_memory",
                   .devices = {device},
                   .settings = tiny_settings("training_memory"),
                   .endless = true};
  return config;
}
// Each product takes 50 ms of modelled time, and nothing holds the frontend back.
RunConfig endless_slow_products() {
  return {.workload = "overlap", .settings = {{"extent", "500"}, {"inner", "1000"}}, .endless = true};
}
double seconds_to_end(Runner& runner) {
  const auto begin = std::chrono::steady_clock::now();
  (void)runner.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(LiveRun, StartedPausedItTakesTheStepsThatAreAskedForAndNoMore) {
  const auto runner = start_run(endless_training(), true);
  ASSERT_NE(runner, nullptr);
  EXPECT_EQ(runner->state(), RunState::kPaused);
  EXPECT_EQ(runner->engine_stats().steps_finished, 0);
  for (int step = 1; step <= 3; ++step) {
    runner->step_once();
    EXPECT_TRUE(eventually([&] { return runner->engine_stats().steps_finished == step; }));
    EXPECT_EQ(runner->state(), RunState::kPaused);
  }
  EXPECT_EQ(runner->engine_stats().in_flight_ops, 0);  // no other step has begun
  runner->resume();
  EXPECT_EQ(runner->state(), RunState::kRunning);
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().steps_finished > 20; }));
}

// A run touches its memory before its first step. Otherwise the first seconds would be slower, because their
// steps would touch memory for the first time.
TEST(LiveRun, TrainingHasTheMemoryThatItsLimitAllowsBeforeTheFirstStep) {
  RunConfig config = endless_training("virtual:0");
  config.engine.limit_ops = 2000;
  config.barrier = {.kind = BarrierKind::kWaitToRead};
  const auto runner = start_run(config, true);
  ASSERT_NE(runner, nullptr);
  engine::Device& device = *runner->devices().front();
  runner->step_once();
  ASSERT_TRUE(eventually([&] { return runner->engine_stats().steps_finished == 1; }));
  const std::size_t at_first_bytes = device.pool().stats().reserved_bytes;
  runner->set_barrier({});
  runner->resume();
  ASSERT_TRUE(eventually([&] { return runner->engine_stats().held_by_limit > 0; }));
  // The arrays of an op may be freed late. Then a few more blocks are in use at the same time, and the pool
  // may reserve new memory for them.
  EXPECT_LE(static_cast<double>(device.pool().stats().reserved_bytes),
            1.05 * static_cast<double>(at_first_bytes));
}

TEST(LiveRun, APauseLetsWhatIsEnqueuedFinishAndBeginsNothing) {
  const auto runner = start_run(endless_training());
  ASSERT_NE(runner, nullptr);
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().steps_finished > 5; }));
  runner->pause();
  EXPECT_EQ(runner->state(), RunState::kPaused);
  EXPECT_TRUE(eventually([&] {
    const engine::EngineStats stats = runner->engine_stats();
    return stats.in_flight_ops == 0 && stats.in_flight_steps == 0;
  }));
  const std::int64_t finished = runner->engine_stats().steps_finished;
  runner->step_once();
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().steps_finished > finished; }));
  EXPECT_LE(runner->engine_stats().steps_finished,
            finished + 2);  // one more step may have begun before the pause
}

TEST(LiveRun, AToggledBarrierTakesEffectWhileItRuns) {
  // The frontend is much faster than the simulated device, so without a barrier it runs ahead.
  RunConfig config = endless_slow_products();
  config.settings["inner"] = "50";
  const auto runner = start_run(config);
  ASSERT_NE(runner, nullptr);
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().in_flight_steps > 10; }));
  runner->set_barrier({.kind = BarrierKind::kWaitAll});
  EXPECT_EQ(runner->barrier().kind, BarrierKind::kWaitAll);
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().in_flight_steps <= 1; }));
  const std::int64_t finished = runner->engine_stats().steps_finished;
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().steps_finished > finished + 3; }));
  EXPECT_LE(runner->engine_stats().in_flight_steps, 1);
  runner->set_barrier({});
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().in_flight_steps > 10; }));
}

TEST(LiveRun, AToggledWindowBoundsTheStepsInFlight) {
  RunConfig config = endless_slow_products();
  config.settings["inner"] = "50";
  const auto runner = start_run(config);
  ASSERT_NE(runner, nullptr);
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().in_flight_steps > 10; }));
  runner->set_barrier({.kind = BarrierKind::kWindow, .k = 3});
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().in_flight_steps <= 3; }));
  const std::int64_t finished = runner->engine_stats().steps_finished;
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().steps_finished > finished + 5; }));
  EXPECT_LE(runner->engine_stats().in_flight_steps, 3);
}

TEST(LiveRun, AStopDoesNotWaitForTheQueue) {
  const auto runner = start_run(endless_slow_products());
  ASSERT_NE(runner, nullptr);
  // Waits until more than 100 steps are in flight. A step takes 50 ms, so these steps are 5 s of work.
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().in_flight_steps > 100; }));
  runner->stop();
  EXPECT_LT(seconds_to_end(*runner), 2.0);
  EXPECT_EQ(runner->state(), RunState::kFinished);
  EXPECT_EQ(runner->failure(), "");
}

TEST(LiveRun, AfterAStopNothingMoreIsEnqueued) {
  for (const WorkloadSpec* spec : list_workloads()) {
    SCOPED_TRACE(spec->name);
    RunConfig config{.workload = spec->name, .devices = {"virtual:0"}, .settings = tiny_settings(spec->name)};
    config.endless = true;
    config.engine.limit_ops = 100;
    ::testing::internal::CaptureStderr();
    const auto runner = start_run(config);
    ASSERT_NE(runner, nullptr);
    EXPECT_TRUE(eventually([&] { return runner->engine_stats().ops_finished > 20; }));
    runner->stop();
    const std::int64_t enqueued = runner->engine_stats().ops_enqueued;
    (void)runner->wait();
    (void)::testing::internal::GetCapturedStderr();
    EXPECT_EQ(runner->engine_stats().ops_enqueued, enqueued);
    EXPECT_EQ(runner->engine_stats().in_flight_ops, 0);
    EXPECT_EQ(runner->state(), RunState::kFinished);
  }
}

TEST(LiveRun, AStopReleasesAFrontendThatWaits) {
  // The first step enqueues two seconds of work and waits for all of this work.
  RunConfig config{.workload = "barriers",
                   .devices = {"virtual:0"},
                   .barrier = {.kind = BarrierKind::kWaitAll},
                   .settings = {{"extent", "512"}, {"unrelated", "80"}},
                   .endless = true};
  const auto runner = start_run(config);
  ASSERT_NE(runner, nullptr);
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().in_flight_ops > 70; }));
  runner->stop();
  EXPECT_LT(seconds_to_end(*runner), 1.5);
  EXPECT_EQ(runner->failure(), "");
}

TEST(LiveRun, AStopReleasesAFrontendThatIsPaused) {
  const auto runner = start_run(endless_training(), true);
  ASSERT_NE(runner, nullptr);
  runner->stop();
  EXPECT_TRUE(runner->wait().ok());
}

TEST(LiveRun, AStopReleasesAFrontendHeldByTheLimit) {
  RunConfig config = endless_slow_products();
  config.engine.limit_ops = 4;
  const auto runner = start_run(config);
  ASSERT_NE(runner, nullptr);
  EXPECT_TRUE(eventually([&] { return runner->engine_stats().held_by_limit > 0; }));
  runner->stop();
  EXPECT_LT(seconds_to_end(*runner), 2.0);
}

TEST(LiveRun, MayBeDroppedInTheMiddle) {
  for (const char* device : {"cpu", "virtual:0"}) {
    const auto runner = start_run(endless_training(device));
    ASSERT_NE(runner, nullptr);
    EXPECT_TRUE(eventually([&] { return runner->engine_stats().ops_finished > 50; }));
  }
  { const auto never_run = start_run(endless_training(), true); }
}

TEST(LiveRun, ItsReportMayBeReadMeanwhile) {
  const auto runner = start_run(endless_training());
  ASSERT_NE(runner, nullptr);
  std::int64_t steps = 0;
  EXPECT_TRUE(eventually([&] {
    const RunReport report = runner->report();
    EXPECT_GE(report.steps, steps);
    steps = report.steps;
    return steps > 10 && report.wall_s > 0 && report.steps_per_s > 0 && report.step_bytes > 0;
  }));
  runner->stop();
}

TEST(LiveRun, AFailureIsOneLineAndTheState) {
  const auto runner = start_run({.workload = "dependency_graph", .devices = {"virtual:0,preset=h100"}});
  ASSERT_NE(runner, nullptr);
  const Result<RunReport> report = runner->wait();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(runner->state(), RunState::kFailed);
  EXPECT_EQ(runner->failure(), report.error().message);
  EXPECT_NE(runner->failure().find("holds no values"), std::string::npos) << runner->failure();
  EXPECT_EQ(runner->failure().find('\n'), std::string::npos);
}

TEST(LiveRun, ATimingOnlyDeviceTrainsWithoutLosses) {
  const RunReport report = report_of({.workload = "training_memory",
                                      .devices = {"virtual:0,preset=h100"},
                                      .settings = tiny_settings("training_memory")});
  EXPECT_EQ(report.steps, 4);
  EXPECT_EQ(report.result.count("final_loss"), 0u);
}

}  // namespace
}  // namespace runahead::samples
