#include "gui/answers/compare_words.h"

#include <gtest/gtest.h>

#include "gui/widgets/nearest_bar.h"
#include "tests/support/literals.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;  // NOLINT: for literals such as 1_ms
using analysis::duration_histogram;
using analysis::FigureKind;
using analysis::FigurePair;
using analysis::NamePair;
using analysis::Ratio;

std::vector<NamePair> names() {
  std::vector<NamePair> all;
  all.push_back({"matmul", trace::SliceKind::kExecute, duration_histogram({10_us, 30_us}),
                 duration_histogram({20_us}), 0, 0});
  all.push_back({"only a", trace::SliceKind::kExecute, duration_histogram({3_us}), {}, 0, 0});
  all.push_back({"only b matmul", trace::SliceKind::kExecute, {}, duration_histogram({7_us}), 0, 0});
  return all;
}

TEST(RatioWords, SayTheRatioOrWhyThereIsNone) {
  EXPECT_EQ(ratio_words({Ratio::State::kKnown, 0.25}), "x0.25");
  EXPECT_EQ(ratio_words({Ratio::State::kKnown, 0.01}), "\u00f7100");
  EXPECT_EQ(ratio_words({Ratio::State::kZeroInA}), "A is 0");
  EXPECT_EQ(ratio_words({Ratio::State::kZeroInBoth}), "both 0");
  EXPECT_EQ(ratio_words({Ratio::State::kNotInA}), "only in B");
  EXPECT_EQ(ratio_words({Ratio::State::kNotInB}), "only in A");
}

TEST(FigureWords, CarryTheUnit) {
  EXPECT_EQ(figure_words(trace::Unit::kRatio, 0.713), "71 %");
  EXPECT_EQ(figure_words(trace::Unit::kBytes, 341e6), "341 MB");
  EXPECT_EQ(figure_words(trace::Unit::kNanoseconds, 1.28e6), "1.28 ms");
  EXPECT_EQ(figure_words(trace::Unit::kBytes, std::nullopt), "-");
}

TEST(FigureName, OfASimulatedDeviceSaysSo) {
  FigurePair busy;
  busy.kind = FigureKind::kDeviceBusy;
  busy.device = "virtual:0";
  busy.simulated = true;
  EXPECT_EQ(figure_name(busy), "Busy: virtual:0 (simulated)");
}

TEST(NameCell, OfASideWithoutTheNameIsEmpty) {
  const NamePair only_a = names()[1];
  EXPECT_EQ(name_cell(only_a, ComparedColumn::kTotalA), "3.00 \u00b5s");
  EXPECT_EQ(name_cell(only_a, ComparedColumn::kTotalB), "");
  EXPECT_EQ(name_cell(only_a, ComparedColumn::kTotalRatio), "only in A");
  EXPECT_EQ(name_cell(only_a, ComparedColumn::kMedianRatio), "");
  EXPECT_EQ(name_cell(only_a, ComparedColumn::kDifference), "-3.00 \u00b5s");
  EXPECT_EQ(name_cell(names()[2], ComparedColumn::kDifference), "+7.00 \u00b5s");
}

// A has 10 steps in 2 s, and B has 4 steps in 1 s.
analysis::Comparison unequal_sides() {
  analysis::Comparison both;
  const auto add = [&](FigureKind kind, double a, double b) {
    FigurePair figure;
    figure.kind = kind;
    figure.a = a;
    figure.b = b;
    both.figures.push_back(figure);
  };
  add(FigureKind::kDuration, 2e9, 1e9);
  add(FigureKind::kStepsPerS, 5, 4);
  return both;
}

TEST(CompareScale, IsPerStepOrPerSecondOrAsRecorded) {
  analysis::Comparison both = unequal_sides();
  ComparePer per = ComparePer::kStep;
  CompareScale scale = scale_of(both, per);
  EXPECT_EQ(per, ComparePer::kStep);
  EXPECT_DOUBLE_EQ(scale.a, 0.1);
  EXPECT_DOUBLE_EQ(scale.b, 0.25);
  per = ComparePer::kSecond;
  scale = scale_of(both, per);
  EXPECT_DOUBLE_EQ(scale.a, 0.5);
  EXPECT_DOUBLE_EQ(scale.b, 1);
  per = ComparePer::kRecorded;
  EXPECT_EQ(scale_of(both, per).a, 1);
  both.figures.pop_back();
  per = ComparePer::kStep;
  EXPECT_DOUBLE_EQ(scale_of(both, per).a, 0.5);
  EXPECT_EQ(per, ComparePer::kSecond) << "without steps";
  per = ComparePer::kStep;
  EXPECT_EQ(scale_of(analysis::Comparison{}, per).a, 1);
  EXPECT_EQ(per, ComparePer::kRecorded) << "without a duration";
}

TEST(NameCell, IsScaledSoThatTheLongerSideDoesNotLookSlower) {
  // 20 us a step on both sides.
  NamePair pair{"matmul",
                trace::SliceKind::kExecute,
                duration_histogram(std::vector<Duration>(10, 20_us)),
                duration_histogram(std::vector<Duration>(4, 20_us)),
                0,
                0};
  ComparePer per = ComparePer::kStep;
  const CompareScale scale = scale_of(unequal_sides(), per);
  EXPECT_EQ(name_cell(pair, ComparedColumn::kTotalA, scale), "20.0 \u00b5s");
  EXPECT_EQ(name_cell(pair, ComparedColumn::kTotalB, scale), "20.0 \u00b5s");
  EXPECT_EQ(name_cell(pair, ComparedColumn::kDifference, scale), "0 ns");
  EXPECT_EQ(name_cell(pair, ComparedColumn::kTotalRatio, scale), "x1.00");
  EXPECT_EQ(name_cell(pair, ComparedColumn::kCountB, scale), "1");
  EXPECT_EQ(name_cell(pair, ComparedColumn::kTotalRatio), "x0.40") << "as recorded, B looks faster";
}

TEST(ListedNames, AreOrderedByTheColumnAndFiltered) {
  using Order = std::vector<std::size_t>;
  const std::vector<NamePair> all = names();
  EXPECT_EQ(listed_names(all, "", ComparedColumn::kDifference, true), (Order{0, 2, 1}));
  EXPECT_EQ(listed_names(all, "", ComparedColumn::kName, false), (Order{0, 1, 2}));
  EXPECT_EQ(listed_names(all, "", ComparedColumn::kTotalRatio, true).front(), 0u)
      << "names without a ratio are last";
  EXPECT_EQ(listed_names(all, "", ComparedColumn::kCountB, true).back(), 1u);
  EXPECT_EQ(listed_names(all, "MAT only", ComparedColumn::kName, false), (Order{2}));
  EXPECT_TRUE(listed_names(all, "nothing", ComparedColumn::kName, false).empty());
}

TEST(Overlaid, BinsOfBothSidesLieOnOneAxis) {
  const auto a = duration_histogram({8_ns, 8_ns, 20_ns}), b = duration_histogram({100_ns});
  const std::vector<OverlaidBin> bins = overlaid(a, b);
  ASSERT_FALSE(bins.empty());
  EXPECT_EQ(bins.front().least, 8_ns);
  EXPECT_EQ(bins.front().a, 2u);
  EXPECT_EQ(bins.back().b, 1u);
  std::uint64_t a_count = 0, b_count = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    a_count += bins[i].a;
    b_count += bins[i].b;
    if (i > 0) {
      EXPECT_EQ(bins[i].least, bins[i - 1].most + 1_ns);
    }
  }
  EXPECT_EQ(a_count, 3u);
  EXPECT_EQ(b_count, 1u);
  EXPECT_TRUE(overlaid({}, {}).empty());
  EXPECT_EQ(overlaid({}, b).size(), 1u);
}

// Two slices of 1 us and 1 s: hundreds of bars of one pixel, of which two are filled.
TEST(Overlaid, ABarOfOnePixelCanBeHit) {
  const auto filled = [](std::size_t bar) { return bar == 0 || bar == 299 || bar == 160; };
  const auto at = [&](float x) { return nearest_bar(x, 0.8f, 300, 8, filled); };
  EXPECT_EQ(at(0), 0u);
  EXPECT_EQ(at(5), 0u);
  EXPECT_EQ(at(235), 299u);
  EXPECT_EQ(at(240), 299u) << "the right edge";
  EXPECT_EQ(at(122), 160u) << "6 px before it";
  EXPECT_EQ(at(136), 160u) << "7 px after it";
  EXPECT_EQ(at(60), 75u) << "no bar is near: the empty bar at the mouse";
  EXPECT_EQ(nearest_bar(31, 20, 3, 8, [](std::size_t bar) { return bar == 1; }), 1u) << "within a wide bar";
}

}  // namespace
}  // namespace runahead::gui
