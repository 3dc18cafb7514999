// Tests the geometry of the graph: boxes and lines written as text, the camera, the node under the mouse.
#include "gui/graph/graph_scene.h"

#include <gtest/gtest.h>

#include "gui/graph/graph_view.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;
using trace::DependencyKind;
using trace::SliceKind;
using trace::TrackKind;

constexpr SceneSize kSize{400, 300, 1.0f};

// b and c follow a, on two devices. d needs b and c, and still runs. e waits for d, and f is skipped.
trace::Trace sample() {
  TraceBuilder b;
  b.track("main", TrackKind::kFrontend).slice("step", 0_us, 100_us, SliceKind::kStep);
  b.track("s0", TrackKind::kStream).device("virtual:0").track("s1", TrackKind::kStream).device("virtual:1");
  const auto add = [&](std::uint64_t id, const char* name, const char* track, std::optional<Duration> started,
                       std::optional<Duration> ended, std::uint8_t flags = 0) {
    const Duration enqueued = Duration{1000 * static_cast<std::int64_t>(id)};
    b.on("main").slice(name, enqueued, 500_ns, SliceKind::kEnqueue, OpId{id});
    b.op(OpId{id}, name, {enqueued, started, started, ended},
         {.step = 7, .enqueue_track = "main", .execute_track = track, .flags = flags});
  };
  add(1, "make", "s0", 10_us, 30_us);
  add(2, "scale", "s0", 30_us, 40_us);
  add(3, "an operator with a name too long", "s1", 30_us, 55_us);
  add(4, "sum", "s0", 60_us, {});
  add(5, "late", "", {}, {});
  add(6, "never", "", {}, 90_us, trace::kSliceFailed | trace::kSliceSkipped);
  b.depends(OpId{2}, OpId{1}).depends(OpId{3}, OpId{1}).depends(OpId{4}, OpId{2}).depends(OpId{4}, OpId{3});
  b.depends(OpId{5}, OpId{4}).depends(OpId{6}, OpId{4}, DependencyKind::kWriteAfterRead);
  return b.watermark(100_us).build();
}

struct Shown {
  trace::Trace trace = sample();
  analysis::OpGraph graph = analysis::graph_of_step(trace, *analysis::step_of_op(trace, OpId{1}), 100);
  LayeredLayout layout;
  GraphScene scene;

  Shown() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const auto& edge : graph.edges) edges.emplace_back(edge.from, edge.to);
    layout = layered_layout(graph.nodes.size(), edges);
  }
  std::string text(const GraphCamera& camera, const GraphFocus& focus = {}) {
    build_graph_scene(trace, graph, layout, camera, kSize, focus, scene);
    return graph_scene_text(scene);
  }
};

TEST(GraphScene, ShowsStatesNamesTimesDevicesAndTheCriticalChain) {
  Shown shown;
  const std::string text =
      shown.text(fit_camera(shown.layout, kSize, GraphFit::kReadable), {.selected = OpId{4}, .hovered = 5});
  EXPECT_EQ(text, R"(box 0 116,25..283,65 'make' '20.0 µs' 'virtual:0' finished category 0 critical
box 1 21,95..188,135 'scale' '10.0 µs' 'virtual:0' finished category 0
box 2 211,95..378,135 'an operator with a…' '' 'virtual:1' finished category 1 critical
box 3 116,165..283,205 'sum' '40.0 µs' 'virtual:0' running category 0 critical selected beside
box 4 21,235..188,275 'late' '' 'waiting' waiting critical
box 5 211,235..378,275 'never' '' 'skipped' skipped failed beside
line read after write 200,65 105,95
line read after write 105,135 200,165
line read after write 200,65 295,95 critical
line read after write 295,135 200,165 critical
line read after write 200,205 105,235 critical
line write after read 200,205 295,235 beside
)");
}

TEST(GraphScene, AReadableFitKeepsWordsReadableAndAFullOneShowsAll) {
  LayeredLayout deep;
  deep.width = 12;
  deep.layers = 100;
  deep.nodes = {{6, 0}};
  const GraphCamera readable = fit_camera(deep, kSize, GraphFit::kReadable);
  EXPECT_GE(readable.layer_px, 20);
  EXPECT_GE(readable.column_px, 50);
  EXPECT_GE(readable.y_px, 0);  // the view begins at the first layer
  const GraphCamera all = fit_camera(deep, kSize, GraphFit::kAll);
  EXPECT_LE(all.layer_px * deep.layers, kSize.height_px);
  EXPECT_LE(all.column_px * deep.width, kSize.width_px);
}

TEST(GraphScene, AFitThatIsNearTheOneBeforeKeepsItsScale) {
  LayeredLayout some, more, fewer;
  some.width = more.width = fewer.width = 4;
  some.layers = 10, more.layers = 11, fewer.layers = 9;
  const GraphCamera before = fit_camera(some, kSize, GraphFit::kReadable);
  EXPECT_EQ(fit_camera(fewer, kSize, GraphFit::kReadable, &before).layer_px, before.layer_px);
  // `more` has one layer more than `some`. The scale of `before` is too large for `more`, because the
  // complete graph must fit into the plot.
  EXPECT_LT(fit_camera(more, kSize, GraphFit::kReadable, &before).layer_px, before.layer_px);
}

TEST(GraphScene, ZoomKeepsWhatIsUnderTheMouse) {
  const GraphCamera camera{100, 40, 30, -20};
  const float column = (250 - camera.x_px) / camera.column_px, layer = (70 - camera.y_px) / camera.layer_px;
  for (const float factor : {0.5f, 1.3f, 100.0f}) {
    const GraphCamera zoomed = zoom_camera(camera, factor, 250, 70, 1);
    EXPECT_NEAR(column * zoomed.column_px + zoomed.x_px, 250, 0.01);
    EXPECT_NEAR(layer * zoomed.layer_px + zoomed.y_px, 70, 0.01);
  }
}

TEST(GraphScene, OnlyWhatIsSeenIsBuiltAndTheMouseFindsIt) {
  Shown shown;
  GraphCamera camera = fit_camera(shown.layout, kSize, GraphFit::kReadable);
  (void)shown.text(camera);
  ASSERT_FALSE(shown.scene.boxes.empty());
  const GraphBox& box = shown.scene.boxes[2];
  EXPECT_EQ(node_at(shown.scene, (box.x0_px + box.x1_px) / 2, (box.y0_px + box.y1_px) / 2), box.node);
  EXPECT_EQ(node_at(shown.scene, box.x0_px - 3, box.y0_px), std::nullopt);
  camera.y_px = 5000;
  EXPECT_EQ(shown.text(camera), "");
}

TEST(GraphScene, WhereThereIsNoRoomForWordsThereAreNone) {
  Shown shown;
  (void)shown.text({30, 8, 0, 0});
  ASSERT_EQ(shown.scene.boxes.size(), 6u);
  for (const GraphBox& box : shown.scene.boxes) EXPECT_TRUE(box.name.empty() && box.device.empty());
}

TEST(GraphBars, SayWhichPartOfTheLayoutIsOnTheScreen) {
  const LayeredLayout layout = [] {
    LayeredLayout made;
    made.nodes.resize(1);
    made.width = 10;
    made.layers = 4;
    return made;
  }();
  const SceneSize size{.width_px = 200, .height_px = 100};
  const GraphBars none = graph_bars(layout, {.column_px = 20, .layer_px = 25}, size);
  EXPECT_FALSE(none.across || none.down) << "the whole graph is visible";
  // The columns take 400 px. The first 100 px are to the left of the plot.
  const GraphBars wide = graph_bars(layout, {.column_px = 40, .layer_px = 25, .x_px = -100}, size);
  ASSERT_TRUE(wide.across);
  EXPECT_FALSE(wide.down);
  EXPECT_FLOAT_EQ(wide.across->begin_px, 50);
  EXPECT_FLOAT_EQ(wide.across->end_px, 150);
  EXPECT_FLOAT_EQ(wide.across->px_per_px, 2);
  // The graph is moved away from the edge. The bar must stay within the plot.
  const GraphBars away = graph_bars(layout, {.column_px = 20, .layer_px = 25, .x_px = 50, .y_px = -50}, size);
  EXPECT_FLOAT_EQ(away.across->begin_px, 0);
  EXPECT_LT(away.across->end_px, 200);
  EXPECT_FLOAT_EQ(away.down->end_px, 100);
}

}  // namespace
}  // namespace runahead::gui
