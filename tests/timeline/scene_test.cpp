#include "gui/timeline/scene/scene.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gui/text/text.h"
#include "gui/timeline/timeline_commands.h"
#include "tests/timeline/golden.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

const SceneBox* find_box(const Scene& scene, TrackId track, std::uint32_t depth, std::string_view label) {
  for (const SceneBox& box : scene.boxes) {
    const SceneRow& row = scene.rows[box.row];
    if (row.track == track && row.depth == depth && box.label == label) return &box;
  }
  return nullptr;
}

TEST(Scene, OfAWholeRunIsAsReviewed) {
  const trace::Trace trace = sample_run();
  expect_golden("timeline_whole_run",
                scene_text(scene_of(trace, {.view = range(0_us, 1000_us)}, {1000, 400, 1}), trace));
}

TEST(Scene, OfAZoomIntoTheWaitIsAsReviewed) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(380_us, 620_us)};
  state.selected = SliceRef{kTracks.main, 1, 3};
  state.range = range(400_us, 500_us);
  expect_golden("timeline_selected_wait", scene_text(scene_of(trace, state, {480, 400, 1}), trace));
}

TEST(Scene, FoldedAndScrolledIsAsReviewed) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us), .scroll_y_px = 60};
  state.collapsed = {kTracks.device_group, kTracks.main};
  state.more_shown = {kTracks.queue_group};
  state.expanded_queues = {kTracks.op_lives};
  state.selected = SliceRef{kTracks.main, 1, 0};
  expect_golden("timeline_folded_scrolled", scene_text(scene_of(trace, state, {500, 144, 1}), trace));
}

TEST(Scene, OfDenseSlicesIsAsReviewed) {
  const trace::Trace trace = dense_run(1000);
  expect_golden("timeline_dense",
                scene_text(scene_of(trace, {.view = range(0_us, 2000_us)}, {100, 100, 1}), trace) +
                    scene_text(scene_of(trace, {.view = range(100_us, 110_us)}, {100, 100, 1}), trace));
}

TEST(Scene, IsTheSameEachTime) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 700_us)};
  state.selected = SliceRef{kTracks.compute, 0, 0};
  Scene reused = scene_of(trace, {.view = range(5_us, 10_us)});
  build_scene(trace, state, {500, 400, 1}, reused);
  EXPECT_EQ(scene_text(reused, trace), scene_text(scene_of(trace, state), trace));
}

TEST(Scene, OfAnEmptyTraceOrViewIsEmpty) {
  EXPECT_TRUE(scene_of(trace::Trace{}, {.view = range(0_us, 1000_us)}).rows.empty());
  EXPECT_TRUE(scene_of(sample_run(), {}).boxes.empty());
  EXPECT_TRUE(scene_of(sample_run(), {.view = range(0_us, 10_us)}, {0, 0, 1}).boxes.empty());
}

TEST(Scene, NamesAWideWaitByWhatWaitsAndForWhichOp) {
  const Scene scene = scene_of(sample_run(), {.view = range(0_us, 1000_us)}, {1000, 400, 1});
  EXPECT_NE(find_box(scene, kTracks.main, 1, "wait_to_read: op 2 copy"), nullptr);
}

TEST(Scene, ShowsBytesAndRateOfACopy) {
  const Scene scene = scene_of(sample_run(), {.view = range(0_us, 1000_us)}, {1000, 400, 1});
  EXPECT_NE(find_box(scene, kTracks.copy_out, 0, "64.0 kB 320 MB/s"), nullptr);
}

TEST(Scene, DrawsAnOpenSliceUpToTheWatermark) {
  const Scene scene = scene_of(sample_run(), {.view = range(0_us, 2000_us)}, {1000, 400, 1});
  const auto open =
      std::find_if(scene.boxes.begin(), scene.boxes.end(), [](const SceneBox& box) { return box.open; });
  ASSERT_NE(open, scene.boxes.end());
  EXPECT_FLOAT_EQ(open->x0_px, 350);
  EXPECT_FLOAT_EQ(open->x1_px, 500);
  EXPECT_EQ(open->label, "wait_to_read: op 3\u2026");
}

TEST(Scene, LightsUpTheSelectedOpOnEveryTrack) {
  TimelineState state{.view = range(0_us, 1000_us)};
  state.selected = SliceRef{kTracks.copy_out, 0, 0};
  const Scene scene = scene_of(sample_run(), state, {1000, 400, 1});
  std::vector<std::string> related;
  for (const SceneBox& box : scene.boxes) {
    if (box.selected) {
      EXPECT_EQ(scene.rows[box.row].track, kTracks.copy_out);
    }
    if (box.related) related.push_back(box.label);
  }
  EXPECT_EQ(related, (std::vector<std::string>{"copy", "wait_to_read: op 2 copy"}));
  ASSERT_EQ(scene.arrows.size(), 2u);  // from the enqueue to the copy, and from the copy to the released wait
  EXPECT_FLOAT_EQ(scene.arrows[0].x0_px, 120);
  EXPECT_FLOAT_EQ(scene.arrows[0].x1_px, 400);
}

TEST(Scene, DrawsNoArrowsWithoutASelection) {
  EXPECT_TRUE(scene_of(sample_run(), {.view = range(0_us, 1000_us)}).arrows.empty());
}

TEST(Scene, AnArrowLeadsFromTheAwaitedWorkToTheSelectedCall) {
  TraceBuilder builder;
  builder.track("main").slice("cudaDeviceSynchronize", 100_us, 300_us, trace::SliceKind::kWait);
  builder.track("stream 7", trace::TrackKind::kStream).slice("gemm", 50_us, 340_us);
  const trace::Trace trace = builder.build();
  const SliceRef call{builder.track_id("main"), 0, 0}, work{builder.track_id("stream 7"), 0, 0};
  TimelineState state{.view = range(0_us, 1000_us)};
  state.selected = call;
  state.awaited = TimelineState::Awaited{call, work, true};
  const Scene scene = scene_of(trace, state, {1000, 400, 1});
  ASSERT_EQ(scene.arrows.size(), 1u);
  EXPECT_FLOAT_EQ(scene.arrows[0].x0_px, 390);
  EXPECT_FLOAT_EQ(scene.arrows[0].x1_px, 400);
  EXPECT_GT(scene.arrows[0].y0_px, scene.arrows[0].y1_px) << "the stream is below the thread";
  EXPECT_EQ(scene.arrows[0].step, 2u) << "inferred: fainter";
  const SceneBox* const box = find_box(scene, work.track, 0, "gemm");
  ASSERT_NE(box, nullptr);
  EXPECT_TRUE(box->related);
  state.selected = work;
  EXPECT_TRUE(scene_of(trace, state, {1000, 400, 1}).arrows.empty()) << "another selection";
}

TEST(Scene, KeepsASelectedSliceInSightAmongFoldedOnes) {
  TimelineState state{.view = range(0_us, 20'000_us)};
  state.selected = SliceRef{TrackId{0}, 0, 5000};
  const Scene scene = scene_of(dense_run(10'000), state, {100, 100, 1});
  const auto selected =
      std::find_if(scene.boxes.begin(), scene.boxes.end(), [](const SceneBox& box) { return box.selected; });
  ASSERT_NE(selected, scene.boxes.end());
  EXPECT_EQ(selected->slice.row, 5000u);
  EXPECT_GE(selected->x1_px - selected->x0_px, 1.9f);
}

TEST(Scene, DrawsDenseSlicesOfOneLookAsOneBox) {
  const Scene scene = scene_of(dense_run(100'000), {.view = range(0_us, 200'000_us)}, {1920, 100, 1});
  ASSERT_LE(scene.boxes.size(), 4u) << scene_text(scene, dense_run(1)).substr(0, 1000);
  std::uint64_t slices = 0;
  for (const SceneBox& box : scene.boxes) slices += box.count;
  EXPECT_EQ(slices, 100'000u);
  EXPECT_NEAR(scene.boxes.front().busy, 0.5, 0.1);
}

TEST(Scene, BuildsVisibleRowsOnly) {
  TraceBuilder builder;
  for (int i = 0; i < 500; ++i) builder.track("t" + std::to_string(i)).slice("zone", 0_us, 10_us);
  const trace::Trace trace = builder.build();
  const Scene scene = scene_of(trace, {.view = range(0_us, 10_us), .scroll_y_px = 2400}, {500, 240, 1});
  EXPECT_EQ(scene.rows.size(), 10u);
  EXPECT_EQ(scene.rows.front().label, "t100");
  EXPECT_FLOAT_EQ(scene.rows.front().y_px, 0);
  EXPECT_EQ(scene.boxes.size(), 10u);
}

TEST(Scene, ScalesHeightsAndNotTimes) {
  const trace::Trace trace = sample_run();
  const Scene once = scene_of(trace, {.view = range(0_us, 1000_us)}, {1000, 2000, 1});
  const Scene twice = scene_of(trace, {.view = range(0_us, 1000_us)}, {1000, 2000, 2});
  EXPECT_FLOAT_EQ(twice.content_height_px, 2 * once.content_height_px);
  ASSERT_EQ(once.boxes.size(), twice.boxes.size());
  for (std::size_t i = 0; i < once.boxes.size(); ++i)
    EXPECT_FLOAT_EQ(once.boxes[i].x0_px, twice.boxes[i].x0_px);
}

TEST(Scene, KeepsALateOpsFlag) {
  const Scene scene = scene_of(sample_run(), {.view = range(0_us, 1000_us)}, {1000, 400, 1});
  const SceneBox* relu = find_box(scene, kTracks.compute, 0, "relu");
  ASSERT_NE(relu, nullptr);
  EXPECT_TRUE(relu->flags & trace::kSliceLate);
}

TEST(Scene, ShowsACountersExactExtremesAndNothingBeyondTheWatermark) {
  const Scene scene = scene_of(sample_run(), {.view = range(0_us, 2000_us)}, {1000, 400, 1});
  const auto& counter = scene.counters.front();
  EXPECT_EQ(counter.min_label, "min 0");
  EXPECT_EQ(counter.max_label, "max 3");
  EXPECT_EQ(counter.now_label, "0");
  EXPECT_DOUBLE_EQ(counter.axis_max, 3);
  ASSERT_FALSE(counter.columns.empty());
  EXPECT_LE(counter.columns.back().x_px, 500);
}

TEST(Scene, ACounterHasTheScaleOfTheWholeTraceUnlessItIsFittedToTheView) {
  const trace::Trace trace = TraceBuilder{}
                                 .counter("live", trace::CounterRole::kLiveBytes)
                                 .sample(0_us, 1000)
                                 .sample(100_us, 40)
                                 .sample(500_us, 10)
                                 .build();
  TimelineState state{.view = range(200_us, 400_us)};
  EXPECT_DOUBLE_EQ(scene_of(trace, state).counters.front().axis_max, 1000);
  EXPECT_EQ(scene_of(trace, state).counters.front().max_label, "max 40") << "of the view";
  apply_timeline(ToggleCounterFit{trace.tracks().front().info.id}, trace, state);
  EXPECT_DOUBLE_EQ(scene_of(trace, state).counters.front().axis_max, 40);
  EXPECT_TRUE(scene_of(trace, state).counters.front().fits_view);
}

TEST(Scene, ACounterMarksItsLevelBeforeTheChange) {
  const trace::Trace trace = TraceBuilder{}.counter("live").sample(0_us, 5).sample(9_us, 1).build();
  TimelineState state{.view = range(0_us, 10_us)};
  EXPECT_EQ(scene_of(trace, state).counters.front().level_before, std::nullopt);
  state.levels_before = {{trace.tracks().front().info.id, 5}};
  EXPECT_EQ(scene_of(trace, state).counters.front().level_before, 5);
}

TEST(Scene, ShowsWhatTheStripComparesAndWhatItLeavesOut) {
  const trace::Trace trace = sample_run();
  using Side = ComparedTime::Side;
  TimelineState state{.view = range(100_us, 1100_us)};
  state.parts = {{"steps", range(0_us, 1000_us)}};
  state.compared = {{range(0_us, 300_us), Side::kLeftOut, analysis::Phase::kWarmingUp},
                    {range(300_us, 500_us), Side::kBefore},
                    {range(500_us, 520_us), Side::kLeftOut, analysis::Phase::kDraining},
                    {range(520_us, 1000_us), Side::kAfter}};
  const Scene scene = scene_of(trace, state, {1000, 400, 1});
  ASSERT_EQ(scene.compared.size(), 4u);
  EXPECT_EQ(scene.compared[0].label, "warming up");
  EXPECT_GT(scene.compared[0].label_px, 20) << "the label of the part comes first";
  EXPECT_EQ(scene.compared[1].label, "");
  EXPECT_NEAR(scene.compared[1].x0_px, 200, 0.01);
  EXPECT_NEAR(scene.compared[1].x1_px, 400, 0.01);
  EXPECT_EQ(scene.compared[2].label, "") << "too narrow";
  EXPECT_EQ(scene.compared[3].side, Side::kAfter);
}

TEST(Scene, MarksThePeakOfACounterAndTheMomentThatIsToldOf) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.moment = at(250_us);
  state.peak = TimelineState::Peak{kTracks.live_bytes, at(500_us)};
  Scene scene = scene_of(trace, state, {1000, 400, 1});
  ASSERT_TRUE(scene.time_px && scene.peak);
  EXPECT_FLOAT_EQ(*scene.time_px, 250);
  EXPECT_FLOAT_EQ(scene.peak->x_px, 500);
  EXPECT_EQ(scene.rows[scene.peak->row].track, kTracks.live_bytes);
  state.view = range(600_us, 1000_us);
  scene = scene_of(trace, state, {1000, 400, 1});
  EXPECT_FALSE(scene.time_px || scene.peak) << "they are not visible";
}

TEST(Scene, SaysTheBarrierThatHoldsAtTheLeftEdge) {
  const Scene scene = scene_of(sample_run(), {.view = range(400_us, 600_us)}, {1000, 400, 1});
  ASSERT_EQ(scene.markers.size(), 1u);
  EXPECT_LT(scene.markers[0].x_px, 0);
  EXPECT_EQ(scene.markers[0].label, "none -> wait_to_read");
}

TEST(Scene, SparesMarkersLabelsThatWouldOverlap) {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers);
  for (const Duration when : {100_us, 105_us, 300_us}) builder.instant("none -> waitall", when);
  const trace::Trace trace = builder.watermark(1000_us).build();
  const Scene scene = scene_of(trace, {.view = range(0_us, 1000_us)}, {1000, 400, 1});
  ASSERT_EQ(scene.markers.size(), 3u);
  EXPECT_EQ(scene.markers[0].label, "");
  EXPECT_EQ(scene.markers[1].label, "none -> waitall");
  EXPECT_EQ(scene.markers[2].label, "none -> waitall");
}

// A frontend with a wait point every 100 ns until 200 us, and a change of the barrier at 60 us.
trace::Trace many_wait_points() {
  TraceBuilder builder;
  builder.track("main", trace::TrackKind::kFrontend).slice("step", 0_us, 1000_us, trace::SliceKind::kStep);
  for (int i = 0; i < 2000; ++i) builder.instant(trace::kWaitPoint, i * 100_ns);
  builder.instant("epoch 2", 900_us);
  builder.track("barrier", trace::TrackKind::kMarkers).instant("none -> waitall", 60_us);
  return builder.watermark(1000_us).build();
}

TEST(Scene, WaitPointsHideNoMarker) {
  const trace::Trace trace = many_wait_points();
  const Scene all = scene_of(trace, {.view = range(0_us, 1000_us)}, {1000, 400, 1});
  const Scene later = scene_of(trace, {.view = range(300_us, 1000_us)}, {1000, 400, 1});
  for (const Scene* scene : {&all, &later}) {
    ASSERT_EQ(scene->markers.size(), 1u);
    EXPECT_EQ(scene->markers[0].label, "none -> waitall");
  }
  EXPECT_LT(later.markers[0].x_px, 0) << "it holds at the left edge";
}

TEST(Scene, ShowsOneOfWaitPointsThatAreClose) {
  const trace::Trace trace = many_wait_points();
  const Scene scene = scene_of(trace, {.view = range(0_us, 1000_us)}, {1000, 400, 1});
  ASSERT_FALSE(scene.instants.empty());
  EXPECT_FALSE(scene.instants.back().wait_point);
  EXPECT_EQ(scene.instants.back().label, "epoch 2");
  EXPECT_GT(scene.instants.size(), 10u);
  EXPECT_LT(scene.instants.size(), 40u);
  for (std::size_t i = 0; i + 1 < scene.instants.size(); ++i) {
    EXPECT_TRUE(scene.instants[i].wait_point);
    EXPECT_EQ(scene.instants[i].label, text(Text::kTimelineWaitPoint));
  }
  // Zoomed in, each has its mark.
  EXPECT_EQ(scene_of(trace, {.view = range(0_us, 1_us)}, {1000, 400, 1}).instants.size(), 10u);
}

TEST(Scene, ShowsThePartsOfTheRunAsRegionsWithNamesWhereTheyFit) {
  TraceBuilder builder;
  builder.track("parts", trace::TrackKind::kMarkers)
      .instant("part: preparation", 0_us)
      .instant("part: op by op", 300_us)
      .instant("part: compiled", 330_us);
  const trace::Trace trace = builder.watermark(1000_us).build();
  TimelineState state{.view = range(100_us, 1100_us), .parts = analysis::parts_of_run(trace)};
  state.range = range(300_us, 330_us);
  const Scene scene = scene_of(trace, state, {1000, 400, 1});
  ASSERT_EQ(scene.parts.size(), 3u);
  EXPECT_EQ(scene.parts[0].label, "preparation");
  EXPECT_FALSE(scene.parts[0].measured || scene.parts[0].begins || scene.parts[0].chosen);
  EXPECT_EQ(scene.parts[1].label, "") << "too narrow";
  EXPECT_TRUE(scene.parts[1].measured && scene.parts[1].begins && scene.parts[1].chosen);
  EXPECT_EQ(scene.parts[2].label, "compiled");
  EXPECT_NEAR(scene.parts[2].x0_px, 230, 0.01);
  EXPECT_NEAR(scene.parts[2].x1_px, 900, 0.01);
  EXPECT_TRUE(scene.markers.empty()) << "the begin of a part is no line through all tracks";
  EXPECT_EQ(part_at(scene, 240), &scene.parts[2]);
  EXPECT_EQ(part_at(scene, 950), nullptr);
}

TEST(Scene, DrawsAtMostTwoPartsInAPixelColumn) {
  std::vector<analysis::PartOfRun> parts;
  for (int i = 0; i < 100'000; ++i) parts.push_back({std::to_string(i), range(10_us * i, 10_us * (i + 1))});
  parts.push_back({"long", range(1'000'000_us, 2'000'000_us), true});
  const trace::Trace trace = TraceBuilder{}.track("main").slice("a", 0_us, 2'000'000_us).build();
  TimelineState state{.view = range(0_us, 2'000'000_us), .parts = parts};
  const Scene whole = scene_of(trace, state, {1000, 400, 1});
  EXPECT_LE(whole.parts.size(), 2001u);
  EXPECT_GE(whole.parts.size(), 500u);
  EXPECT_EQ(whole.parts.back().index, 100'000u);
  EXPECT_EQ(whole.parts.back().label, "long");
  for (std::size_t i = 1; i < whole.parts.size(); ++i)
    EXPECT_LT(whole.parts[i].x0_px - whole.parts[i - 1].x1_px, 1) << "no gap of a pixel";
  state.view = range(500'005_us, 500'025_us);
  std::vector<std::size_t> indices;
  for (const ScenePart& part : scene_of(trace, state, {1000, 400, 1}).parts) indices.push_back(part.index);
  EXPECT_EQ(indices, (std::vector<std::size_t>{50'000, 50'001, 50'002})) << "closer, each part is drawn";
  // Parts without a duration, all at one time.
  state.parts.assign(100'000, {"none", range(500'010_us, 500'010_us)});
  EXPECT_TRUE(scene_of(trace, state, {1000, 400, 1}).parts.empty());
}

TEST(Scene, ThePartThatIsNotOverGrowsWithTheTrace) {
  const analysis::PartOfRun part{"steps", range(200_us, 400_us), true};
  const trace::Trace trace = TraceBuilder{}.track("main").slice("a", 0_us, 1_us).watermark(900_us).build();
  const Scene scene = scene_of(trace, {.view = range(0_us, 1000_us), .parts = {part}}, {1000, 400, 1});
  ASSERT_EQ(scene.parts.size(), 1u);
  EXPECT_NEAR(scene.parts[0].x1_px, 900, 0.01);
}

TEST(Scene, ShowsWhatTheTracksOfAFoldedGroupDo) {
  TimelineState state{.view = range(0_us, 1000_us)};
  state.collapsed = {kTracks.device_group};
  const Scene scene = scene_of(sample_run(), state, {1000, 400, 1});
  std::vector<std::pair<SliceRef, float>> strips;
  for (const SceneBox& box : scene.boxes) {
    if (scene.rows[box.row].track == kTracks.device_group) strips.emplace_back(box.slice, box.top);
  }
  EXPECT_EQ(strips, (std::vector<std::pair<SliceRef, float>>{{{kTracks.compute, 0, 0}, 0.0f},
                                                             {{kTracks.compute, 0, 1}, 0.0f},
                                                             {{kTracks.copy_out, 0, 0}, 0.5f}}));
}

TEST(Scene, GivesSlicesOfOneNameOneCategory) {
  TimelineState state{.view = range(0_us, 1000_us), .colour_by = ColourBy::kName};
  const Scene scene = scene_of(sample_run(), state, {1000, 400, 1});
  const SceneBox* enqueue = find_box(scene, kTracks.main, 1, "mat\u2026");
  const SceneBox* matmul = find_box(scene, kTracks.compute, 0, "matmul");
  const SceneBox* relu = find_box(scene, kTracks.compute, 0, "relu");
  ASSERT_TRUE(enqueue != nullptr && matmul != nullptr && relu != nullptr);
  EXPECT_EQ(enqueue->category, matmul->category);
  EXPECT_NE(relu->category, matmul->category);
}

TEST(Scene, ClampsFarEndsWithoutLosingTheHatchsPhase) {
  const trace::Trace trace = sample_run();
  const Scene scene = scene_of(trace, {.view = {at(300_us), at(300_us) + Duration{100}}}, {1000, 400, 1});
  for (const SceneBox& box : scene.boxes) {
    EXPECT_GT(box.x0_px, -40);
    EXPECT_LT(box.x1_px, 1040);
  }
}

}  // namespace
}  // namespace runahead::gui
