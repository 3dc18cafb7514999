#include "instrumentation/analysis/steady_rate.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using std::chrono::milliseconds;

// Makes steps one after the other, starting at `begin`. The caller gives the duration of each step.
class Steps {
 public:
  explicit Steps(Duration begin = 0_ms) : at_(begin) {
    builder_.counter("steps", trace::CounterRole::kStepsFinished).sample(begin, 0);
  }
  Steps& take(std::size_t count, Duration each) {
    for (std::size_t i = 0; i < count; ++i) {
      at_ += each;
      builder_.sample(at_, static_cast<double>(++done_));
    }
    return *this;
  }
  Steps& rest(Duration pause) {
    at_ += pause;
    return *this;
  }
  [[nodiscard]] trace::Trace trace() const { return builder_.build(); }
  [[nodiscard]] TimeRange all() const { return range(0_ms, at_); }

 private:
  TraceBuilder builder_;
  Duration at_;
  std::int64_t done_ = 0;
};

TEST(SteadyRate, OfEvenStepsIsTheirRateAndHasNoSpread) {
  const Steps steps = Steps().take(500, 10_ms);
  const SteadyRate rate = steady_rate(steps.trace(), steps.all());
  EXPECT_TRUE(rate.settled);
  EXPECT_NEAR(rate.steps_per_s, 100, 1e-6);
  EXPECT_NEAR(rate.spread, 0, 1e-6);
  EXPECT_EQ(rate.range, range(0_ms, 5000_ms));
}

TEST(SteadyRate, LeavesOutAWarmUp) {
  Steps steps;
  for (int i = 0; i < 40; ++i) steps.take(2, milliseconds(45 - i));  // the rate rises from 22 to 166 steps/s
  steps.take(600, 5_ms);
  const SteadyRate rate = steady_rate(steps.trace(), steps.all());
  EXPECT_TRUE(rate.settled);
  EXPECT_NEAR(rate.steps_per_s, 200, 2);
  EXPECT_GE(rate.range.begin, at(1500_ms)) << "the slow first steps are not part of the range";
}

TEST(SteadyRate, IsNotSettledWhileItRises) {
  Steps steps;
  for (int i = 0; i < 60; ++i) steps.take(2, milliseconds(70 - i));
  EXPECT_FALSE(steady_rate(steps.trace(), steps.all()).settled);
}

TEST(SteadyRate, IsNotSettledWhereHalfSecondsDiffer) {
  Steps steps;
  for (int i = 0; i < 10; ++i) steps.take(50, 10_ms).take(40, milliseconds(12)).rest(20_ms);
  EXPECT_FALSE(steady_rate(steps.trace(), steps.all()).settled);
}

TEST(SteadyRate, NeedsTwoSeconds) {
  const Steps brief = Steps().take(199, 10_ms);
  EXPECT_FALSE(steady_rate(brief.trace(), brief.all()).settled);
  const Steps enough = Steps().take(200, 10_ms);
  EXPECT_TRUE(steady_rate(enough.trace(), enough.all()).settled);
}

TEST(SteadyRate, OfStepsLongerThanHalfASecondNeedsEightOfThem) {
  const Steps few = Steps().take(7, 900_ms);
  EXPECT_FALSE(steady_rate(few.trace(), few.all()).settled);
  const Steps enough = Steps().take(12, 900_ms);
  const SteadyRate rate = steady_rate(enough.trace(), enough.all());
  EXPECT_TRUE(rate.settled);
  EXPECT_NEAR(rate.steps_per_s, 1 / 0.9, 1e-6);
}

TEST(SteadyRate, OfTwoSteadyPartsTheLongerOneCounts) {
  const Steps steps = Steps().take(300, 10_ms).take(1000, 5_ms);
  const SteadyRate rate = steady_rate(steps.trace(), steps.all());
  EXPECT_NEAR(rate.steps_per_s, 200, 1e-6);
  EXPECT_EQ(rate.range, range(3000_ms, 8000_ms));
}

TEST(SteadyRate, EndsWithTheLastStepAndNotWithTheRange) {
  const Steps steps = Steps().take(300, 10_ms);
  const SteadyRate rate = steady_rate(steps.trace(), range(0_ms, 60000_ms));
  EXPECT_TRUE(rate.settled);
  EXPECT_EQ(rate.range.end, at(3000_ms));
}

TEST(SteadyRate, ATraceWithoutStepsHasNone) {
  const trace::Trace trace = TraceBuilder{}.track("main").slice("a", 0_ms, 9000_ms).build();
  EXPECT_FALSE(steady_rate(trace, range(0_ms, 9000_ms)).settled);
  EXPECT_EQ(steps_finished_by(trace, at(5000_ms)), 0);
}

// Random steps. If the rate settles, the rate of each half second in the settled range is about the settled
// rate. The settled range is inside the range that was asked for.
TEST(SteadyRate, OnRandomStepsHoldsWhatItPromises) {
  Random random;
  for (int round = 0; round < 200; ++round) {
    Steps steps;
    const std::int64_t parts = random.integer(1, 5);
    for (std::int64_t part = 0; part < parts; ++part) {
      const Duration each = std::chrono::microseconds(random.integer(2'000, 40'000));
      const double noise = random.real(0, 0.12);
      for (std::int64_t i = random.integer(10, 400); i > 0; --i) {
        const double factor = 1 + noise * random.real(-1, 1);
        steps.take(1, Duration{static_cast<std::int64_t>(static_cast<double>(each.count()) * factor)});
      }
    }
    const trace::Trace trace = steps.trace();
    const SteadyRate rate = steady_rate(trace, steps.all());
    if (!rate.settled) continue;
    EXPECT_GE(rate.range.begin, steps.all().begin);
    EXPECT_LE(rate.range.end, steps.all().end);
    EXPECT_GE(rate.range.duration(),
              SteadyRate::kWindow * static_cast<std::int64_t>(SteadyRate::kLeastWindows));
    for (Timestamp t = rate.range.begin; t < rate.range.end; t += SteadyRate::kWindow) {
      const double here =
          2 * (steps_finished_by(trace, t + SteadyRate::kWindow) - steps_finished_by(trace, t));
      EXPECT_NEAR(here, rate.steps_per_s,
                  SteadyRate::kAgreement * rate.steps_per_s / (1 - SteadyRate::kAgreement));
    }
  }
}

}  // namespace
}  // namespace runahead::analysis
