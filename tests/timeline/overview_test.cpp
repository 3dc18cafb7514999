#include "gui/timeline/overview.h"

#include <gtest/gtest.h>

#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

Overview overview_of(const trace::Trace& trace, TimeRange view, float width_px) {
  Overview overview;
  build_overview(trace, {.view = view}, width_px, 1, overview);
  return overview;
}

TEST(Overview, FramesTheViewInTheWholeRun) {
  const Overview overview = overview_of(sample_run(), range(250_us, 500_us), 1000);
  EXPECT_EQ(overview.extent, range(0_us, 1000_us));
  EXPECT_NEAR(overview.view_px.first, 250, 0.01);
  EXPECT_NEAR(overview.view_px.second, 500, 0.01);
}

TEST(Overview, AddsUpTheBusyShareOfWorkersAndStreams) {
  const Overview overview = overview_of(sample_run(), range(0_us, 1000_us), 1000);
  double busy_us = 0;
  for (const OverviewColumn& column : overview.columns)
    busy_us += static_cast<double>(column.busy) * overview.column_px;
  EXPECT_NEAR(busy_us, (350 + 200) / 2.0, 1);  // compute and copy to host, half each
}

TEST(Overview, ShowsWhereTheFrontendWasBlocked) {
  const Overview overview = overview_of(sample_run(), range(0_us, 1000_us), 1000);
  const auto blocked_at = [&](float us) {
    return overview.columns[static_cast<std::size_t>(us / overview.column_px)].blocked;
  };
  EXPECT_FLOAT_EQ(blocked_at(100), 0);
  EXPECT_FLOAT_EQ(blocked_at(400), 1);
  EXPECT_FLOAT_EQ(blocked_at(650), 0);
}

TEST(Overview, LiesInProportionForDenseSlicesToo) {
  const Overview overview = overview_of(dense_run(10'000), range(0_us, 10_us), 300);
  for (const OverviewColumn& column : overview.columns) EXPECT_NEAR(column.busy, 0.5, 0.02);
}

TEST(Overview, MarksBarrierChanges) {
  EXPECT_EQ(overview_of(sample_run(), range(0_us, 10_us), 1000).marker_x_px, (std::vector<float>{0, 240}));
}

TEST(Overview, MovesTheViewToWhereItIsDragged) {
  const Overview overview = overview_of(sample_run(), range(0_us, 100_us), 1000);
  EXPECT_EQ(view_from_overview(overview, range(0_us, 100_us), 500), range(450_us, 550_us));
}

TEST(Overview, MovesItsFrameAloneWhenOnlyTheViewHasMoved) {
  const trace::Trace trace = sample_run();
  Overview overview = overview_of(trace, range(0_us, 100_us), 1000);
  EXPECT_EQ(overview.trace_version, trace.version());
  frame_overview({.view = range(300_us, 400_us)}, overview);
  EXPECT_EQ(overview.view_px, overview_of(trace, range(300_us, 400_us), 1000).view_px);
}

TEST(Overview, OfNothingIsEmpty) {
  const Overview overview = overview_of(trace::Trace{}, range(0_us, 1_us), 1000);
  EXPECT_TRUE(overview.columns.empty());
  EXPECT_EQ(view_from_overview(overview, range(0_us, 1_us), 5), range(0_us, 1_us));
}

}  // namespace
}  // namespace runahead::gui
