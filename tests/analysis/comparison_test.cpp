#include "instrumentation/analysis/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::CounterRole;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;
using trace::Unit;

const FigurePair* find(const Comparison& comparison, FigureKind kind, const std::string& device = {}) {
  const auto found = std::ranges::find_if(
      comparison.figures, [&](const FigurePair& pair) { return pair.kind == kind && pair.device == device; });
  return found != comparison.figures.end() ? &*found : nullptr;
}

Comparison compare(const Trace& a, TimeRange a_range, const Trace& b, TimeRange b_range) {
  return compare_sides(summarize_side(a, a_range), summarize_side(b, b_range));
}

TEST(Ratio, IsBByAOrSaysWhyNot) {
  EXPECT_EQ(ratio_of(4, 1), (Ratio{Ratio::State::kKnown, 0.25}));
  EXPECT_EQ(ratio_of(4, 0), (Ratio{Ratio::State::kKnown, 0}));
  EXPECT_EQ(ratio_of(0, 4).state, Ratio::State::kZeroInA);
  EXPECT_EQ(ratio_of(0, 0).state, Ratio::State::kZeroInBoth);
  EXPECT_EQ(ratio_of(std::nullopt, 4).state, Ratio::State::kNotInA);
  EXPECT_EQ(ratio_of(4, std::nullopt).state, Ratio::State::kNotInB);
}

TEST(Comparison, OfTwoRangesOfOneTraceHasTheFiguresOfEach) {
  const Trace trace = TraceBuilder{}
                          .group("Frontend")
                          .track("main", TrackKind::kFrontend)
                          .slice("enqueue", 0_ms, 50_ms, SliceKind::kEnqueue)
                          .slice("waitall", 120_ms, 40_ms, SliceKind::kWait)
                          .group("virtual:0")
                          .track("compute", TrackKind::kStream)
                          .device("virtual:0", true)
                          .slice("matmul", 0_ms, 50_ms, SliceKind::kExecute)
                          .slice("matmul", 110_ms, 75_ms, SliceKind::kExecute)
                          .track("copies", TrackKind::kStream)
                          .device("virtual:0", true)
                          .slice("copy", 100_ms, 20_ms, SliceKind::kCopyToDevice)
                          .bytes(1000)
                          .end_group()
                          .counter("steps", CounterRole::kStepsFinished)
                          .sample(10_ms, 1)
                          .sample(90_ms, 2)
                          .sample(150_ms, 3)
                          .counter("live", CounterRole::kLiveBytes, Unit::kBytes)
                          .sample(5_ms, 400)
                          .sample(99_ms, 100)
                          .watermark(200_ms)
                          .build();
  const Comparison both = compare(trace, range(0_ms, 100_ms), trace, range(100_ms, 200_ms));
  EXPECT_EQ(both.a_range, range(0_ms, 100_ms));
  const FigurePair* steps = find(both, FigureKind::kStepsPerS);
  ASSERT_NE(steps, nullptr);
  EXPECT_DOUBLE_EQ(*steps->a, 20);
  EXPECT_DOUBLE_EQ(*steps->b, 10);
  EXPECT_DOUBLE_EQ(steps->ratio.value, 0.5);
  EXPECT_EQ(steps->unit, Unit::kPerSecond);
  const FigurePair* blocked = find(both, FigureKind::kBlocked);
  ASSERT_NE(blocked, nullptr);
  EXPECT_EQ(blocked->ratio.state, Ratio::State::kZeroInA);
  EXPECT_DOUBLE_EQ(*blocked->b, 0.4);
  const FigurePair* busy = find(both, FigureKind::kDeviceBusy, "virtual:0");
  ASSERT_NE(busy, nullptr);
  EXPECT_TRUE(busy->simulated);
  EXPECT_DOUBLE_EQ(*busy->a, 0.5);
  EXPECT_DOUBLE_EQ(*busy->b, 0.85);
  const FigurePair* overlap = find(both, FigureKind::kOverlap);
  ASSERT_NE(overlap, nullptr);
  EXPECT_DOUBLE_EQ(*overlap->b, 0.1);
  EXPECT_DOUBLE_EQ(*find(both, FigureKind::kCopied)->b, 1000);
  EXPECT_DOUBLE_EQ(*find(both, FigureKind::kCopyRate)->b, 10'000);
  EXPECT_DOUBLE_EQ(find(both, FigureKind::kPeakMemory)->ratio.value, 0.25);
  EXPECT_EQ(find(both, FigureKind::kOpsPerS), nullptr) << "no op ended on either side";
  EXPECT_EQ(find(both, FigureKind::kMaxRunAheadOps), nullptr);
}

TEST(Comparison, ASideWithoutMemoryHasNoPeak) {
  const trace::Trace with = TraceBuilder{}
                                .counter("live", CounterRole::kLiveBytes, Unit::kBytes)
                                .device("gpu 0", false)
                                .sample(1_us, 400)
                                .watermark(10_us)
                                .build();
  const trace::Trace without = TraceBuilder{}.track("main").slice("a", 0_us, 10_us).build();
  const Comparison both = compare(with, range(0_us, 10_us), without, range(0_us, 10_us));
  const FigurePair* peak = find(both, FigureKind::kPeakMemory);
  ASSERT_NE(peak, nullptr);
  EXPECT_EQ(*peak->a, 400);
  EXPECT_EQ(peak->ratio.state, Ratio::State::kNotInB);
}

TEST(Comparison, ADeviceOfOneSideAloneHasNoRatio) {
  const auto on = [](const char* device) {
    return TraceBuilder{}
        .track("compute", TrackKind::kStream)
        .device(device)
        .slice("matmul", 0_us, 10_us, SliceKind::kExecute)
        .build();
  };
  const Comparison both = compare(on("virtual:0"), range(0_us, 10_us), on("cuda:0"), range(0_us, 20_us));
  EXPECT_EQ(find(both, FigureKind::kDeviceBusy, "virtual:0")->ratio.state, Ratio::State::kNotInB);
  EXPECT_EQ(find(both, FigureKind::kDeviceBusy, "cuda:0")->ratio.state, Ratio::State::kNotInA);
  EXPECT_FALSE(find(both, FigureKind::kDeviceBusy, "cuda:0")->a.has_value());
}

TEST(Comparison, MatchesNamesByKindAndKeepsThoseOfOneSideAlone) {
  const Trace a = TraceBuilder{}
                      .track("w0", TrackKind::kWorker)
                      .slice("matmul", 0_us, 10_us, SliceKind::kExecute)
                      .slice("matmul", 20_us, 30_us, SliceKind::kExecute)
                      .slice("only a", 60_us, 3_us, SliceKind::kExecute)
                      .track("main", TrackKind::kFrontend)
                      .slice("matmul", 0_us, 1_us, SliceKind::kEnqueue)
                      .build();
  const Trace b = TraceBuilder{}
                      .track("other thread", TrackKind::kWorker)
                      .slice("only b", 0_us, 7_us, SliceKind::kExecute)
                      .slice("matmul", 20_us, 20_us, SliceKind::kExecute)
                      .track("main", TrackKind::kFrontend)
                      .slice("matmul", 0_us, 1_us, SliceKind::kEnqueue)
                      .build();
  const Comparison both = compare(a, range(0_us, 1_s), b, range(0_us, 1_s));
  ASSERT_EQ(both.names.size(), 4u);
  // Sorted by the absolute value of the difference of the totals: -20, +7, -3, 0 us.
  EXPECT_EQ(both.names[0].name, "matmul");
  EXPECT_EQ(both.names[0].kind, SliceKind::kExecute);
  EXPECT_EQ(both.names[0].difference(), -20_us);
  EXPECT_DOUBLE_EQ(both.names[0].total_ratio().value, 0.5);
  EXPECT_DOUBLE_EQ(both.names[0].median_ratio().value, 2);
  EXPECT_EQ(both.names[1].name, "only b");
  EXPECT_TRUE(both.names[1].only_in_b());
  EXPECT_EQ(both.names[1].total_ratio().state, Ratio::State::kNotInA);
  EXPECT_EQ(both.names[2].name, "only a");
  EXPECT_TRUE(both.names[2].only_in_a());
  EXPECT_EQ(both.names[2].median_ratio().state, Ratio::State::kNotInB);
  EXPECT_EQ(both.names[3].kind, SliceKind::kEnqueue);
  EXPECT_FALSE(both.names[3].only_in_a() || both.names[3].only_in_b());
}

TEST(Comparison, OfATraceWithItselfHasNoDifference) {
  Random random;
  TraceBuilder builder;
  builder.track("w0", TrackKind::kWorker);
  for (int i = 0; i < 500; ++i) {
    builder.slice(i % 3 == 0 ? "x" : "y", Duration{i * 100}, Duration{random.integer(1, 90)},
                  SliceKind::kExecute);
  }
  const Trace trace = builder.build();
  const Comparison both = compare(trace, trace.extent(), trace, trace.extent());
  ASSERT_FALSE(both.names.empty());
  for (const NamePair& name : both.names) {
    EXPECT_EQ(name.difference(), 0_ns);
    EXPECT_DOUBLE_EQ(name.total_ratio().value, 1);
  }
  for (const FigurePair& figure : both.figures) {
    EXPECT_EQ(figure.a, figure.b) << figure_key(figure.kind);
    EXPECT_TRUE(!figure.ratio.known() || figure.ratio.value == 1);
  }
}

TEST(Comparison, TellsWhatEachSideLost) {
  TraceBuilder lossy;
  lossy.track("w0").slice("x", 0_us, 1_us).loss(trace::LossCause::kBufferFull, 12);
  const Trace a = lossy.build(), b = TraceBuilder{}.track("w0").slice("x", 0_us, 1_us).build();
  const Comparison both = compare(a, a.extent(), b, b.extent());
  EXPECT_EQ(both.a_losses.of(trace::LossCause::kBufferFull), 12u);
  EXPECT_TRUE(both.b_losses.none());
}

}  // namespace
}  // namespace runahead::analysis
