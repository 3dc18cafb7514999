#include "gui/timeline/area.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gui/timeline/rows.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

std::size_t row_index(const std::vector<SceneRow>& rows, TrackId track, std::uint32_t depth = 0) {
  const auto it = std::ranges::find_if(
      rows, [&](const SceneRow& row) { return row.track == track && row.depth == depth; });
  EXPECT_NE(it, rows.end());
  return static_cast<std::size_t>(it - rows.begin());
}

SelectedArea area_between(const trace::Trace& trace, const TimelineState& state, TrackId a, TrackId b,
                          std::uint32_t depth_of_b = 0) {
  std::vector<SceneRow> rows;
  build_rows(trace, state, 1, rows);
  return area_of(trace, state, rows, row_index(rows, a), row_index(rows, b, depth_of_b),
                 range(100_us, 300_us));
}

TEST(Area, OfAFoldedGroupHasAllLanesOfItsTracksThatAreShown) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.collapsed = {kTracks.device_group};
  const SelectedArea all = area_between(trace, state, kTracks.device_group, kTracks.device_group);
  EXPECT_EQ(all.content.lanes,
            (std::vector<analysis::AreaLane>{{kTracks.compute, 0}, {kTracks.copy_out, 0}}));
  state.hidden = {kTracks.compute};
  const SelectedArea shown = area_between(trace, state, kTracks.device_group, kTracks.device_group);
  EXPECT_EQ(shown.content.lanes, (std::vector<analysis::AreaLane>{{kTracks.copy_out, 0}}));
}

TEST(Area, TheFirstLanesOfAGroupAreThoseThatItsHeaderDraws) {
  const trace::Trace trace = sample_run();
  const TimelineState state{.view = range(0_us, 1000_us)};
  const auto all = lanes_of_group(trace, state, kTracks.device_group);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(lanes_of_group(trace, state, kTracks.device_group, 1), std::vector{all.front()});
  EXPECT_EQ(lanes_of_group(trace, state, kTracks.device_group, 9), all);
}

TEST(Area, OfManyRowsHasEachLaneOnce) {
  const trace::Trace trace = sample_run();
  constexpr std::uint32_t kMany = 100'000;
  std::vector<SceneRow> rows(kMany + 1);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    rows[i].kind = RowKind::kLane;
    rows[i].track = kTracks.main;
    rows[i].depth = i;
  }
  rows.back() = rows.front();
  EXPECT_EQ(area_of(trace, {}, rows, 0, kMany, range(1_us, 2_us)).content.lanes.size(), kMany);
}

TEST(Area, OfAHeaderThatIsNotFoldedHasNothing) {
  const trace::Trace trace = sample_run();
  const TimelineState state{.view = range(0_us, 1000_us)};
  const SelectedArea area = area_between(trace, state, kTracks.device_group, kTracks.device_group);
  EXPECT_TRUE(area.content.lanes.empty());
  EXPECT_EQ(area.others.size(), 1u);
}

TEST(Area, OfAFoldedTrackHasTheLaneThatItShows) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.collapsed = {kTracks.main};
  EXPECT_EQ(area_between(trace, state, kTracks.main, kTracks.main).content.lanes,
            (std::vector<analysis::AreaLane>{{kTracks.main, 0}}));
}

TEST(Area, HasOneFrameAroundItsRowsThatMovesWithThem) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.area = area_between(trace, state, kTracks.main, kTracks.compute);
  const Scene scene = scene_of(trace, state, {1000, 600, 1});
  ASSERT_EQ(scene.area.size(), 1u);
  const SceneRow &first = scene.rows[row_index(scene.rows, kTracks.main)],
                 &last = scene.rows[row_index(scene.rows, kTracks.compute)];
  EXPECT_FLOAT_EQ(scene.area[0].x0_px, 100);
  EXPECT_FLOAT_EQ(scene.area[0].x1_px, 300);
  EXPECT_FLOAT_EQ(scene.area[0].y0_px, first.y_px);
  EXPECT_FLOAT_EQ(scene.area[0].y1_px, last.y_px + last.height_px);
  state.view = range(0_us, 500_us);
  state.scroll_y_px = 10;
  const Scene moved = scene_of(trace, state, {1000, 600, 1});
  ASSERT_EQ(moved.area.size(), 1u);
  EXPECT_FLOAT_EQ(moved.area[0].x0_px, 200);
  EXPECT_FLOAT_EQ(moved.area[0].x1_px, 600);
  EXPECT_FLOAT_EQ(moved.area[0].y0_px, scene.area[0].y0_px - 10);
  EXPECT_FLOAT_EQ(moved.area[0].y1_px, scene.area[0].y1_px - 10);
}

TEST(Area, KeepsItsRowsWhenOneOfThemMovesAway) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.area = area_between(trace, state, kTracks.main, kTracks.compute);
  const analysis::Area before = state.area->content;
  state.pinned = {kTracks.compute};
  const Scene scene = scene_of(trace, state, {1000, 600, 1});
  ASSERT_EQ(scene.area.size(), 2u);
  EXPECT_TRUE(scene.area[0].held);
  EXPECT_FALSE(scene.area[1].held);
  EXPECT_EQ(state.area->content, before);
}

TEST(Area, OutsideTheViewHasNoFrame) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.area = area_between(trace, state, kTracks.main, kTracks.compute);
  state.view = range(500_us, 900_us);
  EXPECT_TRUE(scene_of(trace, state, {1000, 600, 1}).area.empty());
}

}  // namespace
}  // namespace runahead::gui
