#include "instrumentation/analysis/run_curves.h"

#include <gtest/gtest.h>

#include "instrumentation/analysis/segment.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::CounterRole;
using trace::SliceKind;
using trace::TrackKind;

// A run of `length`: a step every 100 ms, a wait in the second half of each step, and memory that grows by
// 1 byte in each step.
trace::Trace even_run(Duration length) {
  TraceBuilder builder;
  builder.track("main", TrackKind::kFrontend);
  for (Duration t = 0_ms; t + 100_ms <= length; t += 100_ms)
    builder.slice("wait", t + 50_ms, 50_ms, SliceKind::kWait);
  builder.counter("steps", CounterRole::kStepsFinished).sample(0_ms, 0);
  for (Duration t = 100_ms; t <= length; t += 100_ms) builder.sample(t, static_cast<double>(t / 100_ms));
  builder.counter("live", CounterRole::kLiveBytes, trace::Unit::kBytes);
  for (Duration t = 0_ms; t <= length; t += 100_ms) builder.sample(t, static_cast<double>(t / 100_ms));
  return builder.watermark(length).build();
}

TEST(RunCurves, HaveOnePointPerQuarterSecondUpToTheWatermark) {
  RunCurves curves;
  curves.update(even_run(2100_ms));
  ASSERT_EQ(curves.points().size(), 8u) << "the last 100 ms are not a complete quarter second";
  const CurvePoint& last = curves.points().back();
  EXPECT_EQ(last.begin, at(1750_ms));
  ASSERT_TRUE(last.steps_per_s.has_value());
  EXPECT_NEAR(*last.steps_per_s, 10, 1e-6);
  EXPECT_NEAR(last.blocked_ratio, 0.4, 0.21) << "2 or 3 waits of 50 ms";
  EXPECT_EQ(last.live_bytes, 19) << "the sample at 1.9 s; the one at 2 s belongs to the next point";
}

TEST(RunCurves, ARateIsNotKnownBeforeTheRunningStepHasEnded) {
  TraceBuilder builder;
  builder.counter("steps", CounterRole::kStepsFinished).sample(0_ms, 0).sample(600_ms, 1);
  RunCurves curves;
  curves.update(TraceBuilder(builder).watermark(1_s).build());
  ASSERT_EQ(curves.points().size(), 4u);
  EXPECT_NEAR(curves.points()[1].steps_per_s.value_or(0), 1 / 0.6, 1e-6);
  EXPECT_EQ(curves.points()[2].steps_per_s, std::nullopt) << "from 0.5 to 0.75 s; the second step runs";
  builder.sample(1100_ms, 2).watermark(1200_ms);
  curves.update(builder.build());
  EXPECT_TRUE(curves.points()[2].steps_per_s.has_value());
  EXPECT_NEAR(curves.points()[3].steps_per_s.value_or(0), 2, 1e-6) << "the step took half a second";
}

TEST(RunCurves, KeepTheLastThirtySeconds) {
  RunCurves curves;
  curves.update(even_run(40_s));
  ASSERT_EQ(curves.points().size(), static_cast<std::size_t>(RunCurves::kMostPoints));
  EXPECT_EQ(curves.points().front().begin, at(10_s));
  EXPECT_EQ(curves.points().back().begin, at(39750_ms));
}

TEST(RunCurves, OfAGrowingTraceEqualThoseOfTheWholeTrace) {
  Random random;
  RunCurves growing;
  for (Duration length = 100_ms; length <= 36_s; length += Duration{random.integer(1, 3'000'000'000)})
    growing.update(even_run(length));
  const trace::Trace whole = even_run(37_s);
  growing.update(whole);
  RunCurves at_once;
  at_once.update(whole);
  ASSERT_EQ(growing.points().size(), at_once.points().size());
  for (std::size_t i = 0; i < at_once.points().size(); ++i) {
    const CurvePoint &a = growing.points()[i], &b = at_once.points()[i];
    EXPECT_EQ(a.begin, b.begin);
    EXPECT_EQ(a.steps_per_s.has_value(), b.steps_per_s.has_value());
    EXPECT_NEAR(a.steps_per_s.value_or(0), b.steps_per_s.value_or(0), 1e-6);
    EXPECT_DOUBLE_EQ(a.blocked_ratio, b.blocked_ratio);
    EXPECT_EQ(a.live_bytes, b.live_bytes);
  }
}

TEST(RunCurves, OfAnEmptyTraceAreEmpty) {
  RunCurves curves;
  curves.update(trace::Trace{});
  EXPECT_TRUE(curves.points().empty());
}

}  // namespace
}  // namespace runahead::analysis
