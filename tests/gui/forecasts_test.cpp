// Tests when the window asks for forecasts, and which one it keeps when the barrier changes.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "gui/core/forecasts_part.h"
#include "tests/support/between_checks.h"

namespace runahead::gui {
namespace {

class ForecastsTest : public ::testing::Test {
 protected:
  // Forecasts without a simulation: 100 steps/s for `none`, 40 for each other barrier.
  static ForecastAnswer made_up(const ForecastQuestion& question) {
    ForecastAnswer answer{.now = question.now};
    for (const BarrierPolicy& policy : question.policies) {
      const double rate = policy.kind == BarrierKind::kNone ? 100 : 40;
      answer.barriers.push_back({.policy = policy, .steps_per_s = rate, .low = rate, .high = rate});
    }
    return answer;
  }

  void SetUp() override {
    screen_.trace_replaced = [] {};
    samples::RunConfig config;
    config.workload = "training_memory";
    config.devices = {"cpu"};
    config.endless = true;
    config.engine.limit_ops = 1000;
    ASSERT_FALSE(screen_.session->start(config, false));
    strip_.after.phase = analysis::Phase::kSettled;
  }
  void TearDown() override { screen_.session->stop(); }

  bool poll_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
      screen_.session->poll();
      forecasts_.poll(&strip_, offered_);
      if (condition()) return true;
      between_checks();
    }
    return false;
  }
  void choose(const char* barrier) { screen_.session->runner()->set_barrier(*parse_barrier(barrier)); }

  Screen screen_{Settings{}, [] {}, {}};
  Forecasts forecasts_{screen_, made_up};
  StripTracker::State strip_;
  const std::vector<BarrierPolicy> offered_{*parse_barrier("none"), *parse_barrier("waitall")};
};

TEST_F(ForecastsTest, TheForecastOfTheChosenBarrierIsKept) {
  ASSERT_TRUE(poll_until([&] { return forecasts_.facts().barriers.size() == 2; }));
  EXPECT_FALSE(forecasts_.facts().pressed);
  const BarrierPolicy before = screen_.session->runner()->barrier();
  const char* const other = before.kind == BarrierKind::kNone ? "waitall" : "none";
  choose(other);
  strip_.after.phase = analysis::Phase::kDraining;
  ASSERT_TRUE(poll_until([&] { return forecasts_.facts().pressed.has_value(); }));
  const ForecastFacts facts = forecasts_.facts();
  EXPECT_EQ(to_string(facts.pressed->forecast.policy), other);
  EXPECT_EQ(facts.pressed->before, before);
  EXPECT_TRUE(facts.barriers.empty()) << "the run is not steady yet";
}

TEST_F(ForecastsTest, NothingIsAskedBeforeTheStripHasSeenTheChange) {
  strip_.figures.change.label = "none -> window:2";
  choose("waitall");
  forecasts_.poll(&strip_, offered_);
  EXPECT_FALSE(forecasts_.busy());
  strip_.figures.change.label = "window:2 -> waitall";
  EXPECT_TRUE(poll_until([&] { return !forecasts_.facts().barriers.empty(); }));
}

TEST_F(ForecastsTest, AnEndedRunHasNoForecasts) {
  ASSERT_TRUE(poll_until([&] { return !forecasts_.facts().barriers.empty(); }));
  screen_.session->stop();
  EXPECT_TRUE(poll_until([&] { return forecasts_.facts().barriers.empty(); }));
}

TEST(AnswerForecast, SaysWhyThereIsNone) {
  const ForecastAnswer answer = answer_forecast({trace::Trace{}, {*parse_barrier("none")}, {}});
  EXPECT_TRUE(answer.barriers.empty());
  EXPECT_FALSE(answer.why_none.empty());
}

}  // namespace
}  // namespace runahead::gui
