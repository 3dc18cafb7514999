#include "gui/panels/strip/strip_figures.h"

#include <gtest/gtest.h>

namespace runahead::gui {
namespace {

analysis::SegmentFigures segment(double steps, double per_s, double blocked, double peak, double ahead) {
  analysis::SegmentFigures f;
  f.range = {Timestamp{}, Timestamp{} + std::chrono::seconds(4)};
  f.steps = steps;
  f.steps_per_s = per_s;
  f.blocked_ratio = blocked;
  f.peak_bytes = peak;
  f.max_run_ahead_steps = ahead;
  f.max_run_ahead_ops = ahead * 12;
  return f;
}

TEST(StripFigures, CompareBeforeAndAfterWithUnitsAndRatios) {
  const analysis::BeforeAfter f{{}, segment(1648, 412, 0, 341e6, 100), segment(384, 96, 0.71, 66e6, 1)};
  const std::vector<StripFigure> figures = strip_figures(f);
  ASSERT_EQ(figures.size(), 4u);
  EXPECT_EQ(figures[0].before, "412");
  EXPECT_EQ(figures[0].after, "96");
  EXPECT_EQ(figures[0].ratio, "x0.23");
  EXPECT_EQ(figures[1].after, "71 %");
  EXPECT_EQ(figures[1].ratio, "");
  EXPECT_EQ(figures[2].before, "341 MB");
  EXPECT_EQ(figures[2].after, "66.0 MB");
  EXPECT_EQ(figures[3].name, Text::kRunAheadSteps);
  EXPECT_EQ(figures[3].before + " " + figures[3].after, "100 1");
}

TEST(StripFigures, WhatBecameFarLessIsDivided) {
  const analysis::BeforeAfter f{{}, segment(100, 50, 0, 1.13e9, 3), segment(100, 50, 0, 5e6, 3)};
  EXPECT_EQ(strip_figures(f)[2].ratio, "\u00f7226");
}

TEST(StripFigures, ARunThatWasNotToggledYetHasNoBefore) {
  analysis::BeforeAfter f{{}, {}, segment(100, 50, 0, 1e6, 3)};
  EXPECT_FALSE(has_before(f));
  for (const StripFigure& figure : strip_figures(f)) {
    EXPECT_EQ(figure.before, "");
    EXPECT_EQ(figure.ratio, "");
    EXPECT_NE(figure.after, "");
  }
}

TEST(StripFigures, WithoutStepsInFlightRunAheadIsInOps) {
  analysis::BeforeAfter f{{}, segment(10, 1, 0, 1, 0), segment(10, 1, 0, 1, 0)};
  f.before.max_run_ahead_ops = 70;
  EXPECT_EQ(strip_figures(f)[3].name, Text::kRunAheadOps);
  EXPECT_EQ(strip_figures(f)[3].before, "70");
}

TEST(StripFigures, SettleOnlyWithTimeAndSteps) {
  EXPECT_FALSE(still_warming_up(segment(100, 50, 0, 0, 0)));
  EXPECT_TRUE(still_warming_up(segment(5, 50, 0, 0, 0)));
  analysis::SegmentFigures brief = segment(100, 50, 0, 0, 0);
  brief.range.end = brief.range.begin + std::chrono::milliseconds(300);
  EXPECT_TRUE(still_warming_up(brief));
}

}  // namespace
}  // namespace runahead::gui
