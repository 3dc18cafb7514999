// Tests the panel What if while a run goes on, without drawing: what it asks, and what becomes of its
// answers.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>

#include "gui/core/screen.h"
#include "gui/panels/whatif/whatif_panel.h"
#include "tests/support/between_checks.h"

namespace runahead::gui {
namespace {

class WhatIfLive : public ::testing::Test {
 protected:
  void SetUp() override {
    screen_.trace_replaced = [] {};
    samples::RunConfig config;
    config.workload = "training_memory";
    config.devices = {"virtual:0"};
    config.endless = true;
    config.barrier = *parse_barrier("waitall");
    config.engine.limit_ops = 1000;
    ASSERT_FALSE(screen_.session->start(config, false));
    panel_.show(true);
    panel_.view.source = {.grows = true, .barrier = config.barrier, .steady = true};
  }
  void TearDown() override { screen_.session->stop(); }

  // Polls as the window does.
  bool poll_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
      screen_.session->poll();
      panel_.poll({screen_.trace(), screen_.serial, screen_.timeline});
      if (condition()) return true;
      between_checks();
    }
    return false;
  }
  // The run may not have four steps when it is asked first, or its first steps may not repeat.
  bool poll_until_trusted() {
    return poll_until([&] { return panel_.answer() != nullptr && panel_.answer()->trusted(); });
  }

  Screen screen_{Settings{}, [] {}, {}};
  WhatIfPanel panel_{[] {}, {.least = std::chrono::milliseconds(10), .most_share = 0.5}};
};

TEST_F(WhatIfLive, TheLastSecondsArePredictedAgainAndAgain) {
  ASSERT_TRUE(poll_until_trusted());
  EXPECT_EQ(panel_.answer()->wanted.recent, parse_barrier("waitall").value());
  EXPECT_TRUE(panel_.answer()->replay().is_recent());
  const std::uint64_t first = panel_.answer()->number;
  EXPECT_TRUE(poll_until([&] { return panel_.answer()->number > first; }));
}

TEST_F(WhatIfLive, AChangeByHandIsPredictedFromTheNewestAnswer) {
  panel_.view.hand.barrier = BarrierKind::kNone;
  // The first answer may be one of too few steps, which is not trusted.
  ASSERT_TRUE(
      poll_until([&] { return panel_.by_hand() != nullptr && panel_.by_hand()->figures.steps_per_s > 0; }));
  EXPECT_EQ(panel_.by_hand()->problem, "");
  const std::uint64_t first = panel_.by_hand()->of_answer;
  EXPECT_TRUE(poll_until([&] { return panel_.by_hand() != nullptr && panel_.by_hand()->of_answer > first; }));
}

TEST_F(WhatIfLive, AnAnswerIsOfOneBarrier) {
  ASSERT_TRUE(poll_until_trusted());
  panel_.view.source.barrier = parse_barrier("none").value();
  panel_.view.source.steady = false;
  EXPECT_EQ(panel_.answer(), nullptr) << "the answer is about another barrier";
  EXPECT_FALSE(panel_.view.source.wanted()) << "the rate is not steady yet";
}

TEST_F(WhatIfLive, TheWholeRunIsPredictedOnceItHasEnded) {
  ASSERT_TRUE(poll_until_trusted());
  screen_.session->stop();
  panel_.view.source = {.grows = false};
  EXPECT_EQ(panel_.answer(), nullptr) << "the answer is about a part of the run";
  ASSERT_TRUE(poll_until([&] { return panel_.answer() != nullptr; }));
  EXPECT_FALSE(panel_.answer()->wanted.recent);
}

}  // namespace
}  // namespace runahead::gui
