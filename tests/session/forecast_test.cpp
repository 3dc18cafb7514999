// Forecasts from the last steps of a run of the engine that goes on. They are compared with each other and
// with what the recording says, not with times: how fast the machine is does not matter.
#include "instrumentation/predict/forecast.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/session/session.h"
#include "tests/samples/run_support.h"
#include "tests/support/between_checks.h"

namespace runahead::gui {
namespace {

using predict::PolicyForecast;
using predict::Replay;

// A run that goes on until it is destroyed. Its device takes longer for a step than its frontend.
class EndlessRun {
 public:
  explicit EndlessRun(const std::string& barrier) {
    samples::RunConfig config{.workload = "overlap",
                              .devices = {"virtual:0"},
                              .settings = {{"extent", "500"}, {"inner", "20"}},
                              .endless = true};
    config.barrier = *parse_barrier(barrier);
    config.engine.limit_ops = 3000;
    const auto error = session_.start(config);
    EXPECT_FALSE(error) << error->error.message;
  }
  ~EndlessRun() {
    session_.stop();
    while (session_.live()) {
      if (!session_.poll()) between_checks();
    }
  }
  void set_barrier(const std::string& barrier) { session_.runner()->set_barrier(*parse_barrier(barrier)); }
  // Polls until the last steps of the run can be read, and `steps` of them have finished. A minute is enough
  // for every machine; `most` does not limit the part.
  [[nodiscard]] bool read(std::int64_t steps, const std::string& barrier) {
    return samples::eventually([&] {
      (void)session_.poll();
      trace_ = session_.trace().snapshot();
      Result<Replay> replay = Replay::of(trace_, {.most = std::chrono::seconds(60), .most_ops = 4000});
      if (!replay) return false;
      const predict::RunToReplay& run = replay->run();
      if (run.measured.steps < steps || to_string(run.program.settings.barrier) != barrier) return false;
      replay_.emplace(std::move(*replay));
      return true;
    });
  }
  [[nodiscard]] const Replay& replay() const { return *replay_; }
  [[nodiscard]] std::map<std::string, PolicyForecast> forecasts() const {
    std::vector<BarrierPolicy> policies;
    for (const char* text : {"none", "wait_to_read", "waitall", "window:4", "ops:16"})
      policies.push_back(*parse_barrier(text));
    std::map<std::string, PolicyForecast> out;
    for (const PolicyForecast& of : predict::forecast(replay(), policies)) out[to_string(of.policy)] = of;
    return out;
  }

 private:
  Session session_;
  trace::Trace trace_;
  std::optional<Replay> replay_;
};

void expect_order(const std::map<std::string, PolicyForecast>& forecasts) {
  const PolicyForecast &none = forecasts.at("none"), &waitall = forecasts.at("waitall"),
                       &window = forecasts.at("window:4"), &read = forecasts.at("wait_to_read");
  // Who waits less is not slower. The groups of steps that settled are not the same ones: 5 %.
  EXPECT_GE(none.steps_per_s, 0.95 * window.steps_per_s);
  EXPECT_GE(window.steps_per_s, 0.95 * waitall.steps_per_s);
  EXPECT_GE(none.peak_bytes, window.peak_bytes);
  EXPECT_GE(window.peak_bytes, waitall.peak_bytes);
  EXPECT_LE(waitall.max_steps, 2) << "it waits before the last op of a step";
  EXPECT_LE(read.max_steps, 2);
  EXPECT_LE(window.max_steps, 4);
  for (const auto& [name, of] : forecasts) {
    EXPECT_GT(of.steps_per_s, 0) << name;
    EXPECT_LE(of.low, of.steps_per_s) << name;
    EXPECT_GE(of.high, of.steps_per_s) << name;
  }
}

TEST(LiveForecast, IsReadWhileTheRunGoesOn) {
  EndlessRun run("waitall");
  ASSERT_TRUE(run.read(20, "waitall"));
  EXPECT_EQ(run.replay().run().measured.max_steps, 1);
  expect_order(run.forecasts());
}

TEST(LiveForecast, IsOfTheBarrierThatTheRunHasNow) {
  EndlessRun run("none");
  ASSERT_TRUE(run.read(20, "none"));
  expect_order(run.forecasts());
  run.set_barrier("window:4");
  ASSERT_TRUE(run.read(20, "window:4"));
  EXPECT_LE(run.replay().run().measured.max_steps, 4) << "the backlog of the other barrier is not part of it";
  expect_order(run.forecasts());
  run.set_barrier("wait_to_read");
  ASSERT_TRUE(run.read(20, "wait_to_read"));
  expect_order(run.forecasts());
}

TEST(LiveForecast, HasNothingToSayBeforeTheFirstSteps) {
  Session session;
  EXPECT_FALSE(Replay::of(session.trace().snapshot(), {.most = std::chrono::seconds(5)}).ok());
}

}  // namespace
}  // namespace runahead::gui
