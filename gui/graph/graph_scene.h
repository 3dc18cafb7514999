// Turns a dependency graph into geometry. build_graph_scene is a pure function: from graph, layout and camera
// it makes boxes, lines and labels. Tests compare its output as text. Only paint_graph draws. Time runs
// downwards: an op is drawn below all ops that it depends on. All px are relative to the top left corner of
// the plot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/graph/layered_layout.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/op_graph.h"

namespace runahead::gui {

// The visible part of the layout. A point of the layout is drawn
//   across   at x * column_px + x_px
//   down     at (layer + 0.5) * layer_px + y_px
struct GraphCamera {
  float column_px = 0, layer_px = 0;
  float x_px = 0, y_px = 0;
  friend bool operator==(const GraphCamera&, const GraphCamera&) = default;
};

enum class GraphFit : std::uint8_t {
  kReadable,  // shows the whole graph, or only its start if the words would be too small
  kAll,
};
// Returns a camera that shows the graph. `before` is the previous camera. If the scale of `before` is close
// to the best scale, the new camera keeps the scale of `before`, so that the picture does not flicker while
// the graph changes.
[[nodiscard]] GraphCamera fit_camera(const LayeredLayout& layout, const SceneSize& size, GraphFit fit,
                                     const GraphCamera* before = nullptr);
// Zooms by `factor`, within limits. The point (x_px, y_px) of the plot stays in place.
[[nodiscard]] GraphCamera zoom_camera(const GraphCamera& camera, float factor, float x_px, float y_px,
                                      float scale);

struct GraphBox {
  std::uint32_t node = 0;  // index into OpGraph::nodes
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;
  analysis::OpState state{};
  bool failed = false, critical = false;
  bool selected = false;                  // the node's op is selected in the timeline
  bool beside = false;                    // the node under the mouse, or a neighbour of that node
  bool from_elsewhere = false;            // the op also depends on ops that are not in the graph
  std::string name, duration, device;     // shortened to fit; may be empty; the device has its own line
  std::optional<std::uint32_t> category;  // colour of the device, if there are several devices
};
struct GraphLine {
  std::vector<std::pair<float, float>> points_px;  // from one box's lower edge to another box's upper edge
  trace::DependencyKind kind{};
  bool critical = false, beside = false;
};
// A scroll bar along an edge of the plot. It shows which part of the layout is visible, as [begin, end) px of
// this edge.
struct GraphBar {
  float begin_px = 0, end_px = 0;
  float px_per_px = 1;  // px that the layout moves for one px of the bar
};
struct GraphBars {
  std::optional<GraphBar> across, down;  // nullopt: the whole layout is on the screen
};
[[nodiscard]] GraphBars graph_bars(const LayeredLayout& layout, const GraphCamera& camera,
                                   const SceneSize& size);

struct GraphScene {
  SceneSize size;
  GraphBars bars;
  std::vector<GraphBox> boxes;
  std::vector<GraphLine> lines;  // the most important lines are last, so they are drawn on top
};

struct GraphFocus {
  OpId selected = kNoOp;
  std::optional<std::uint32_t> hovered;  // index of a node
};

// Builds the visible part of the graph. Reuses the memory of `out`.
void build_graph_scene(const trace::Trace& trace, const analysis::OpGraph& graph, const LayeredLayout& layout,
                       const GraphCamera& camera, const SceneSize& size, const GraphFocus& focus,
                       GraphScene& out);
[[nodiscard]] std::optional<std::uint32_t> node_at(const GraphScene& scene, float x_px, float y_px);

// Returns a text with one line for each item, for tests and debugging.
[[nodiscard]] std::string graph_scene_text(const GraphScene& scene);

[[nodiscard]] const char* state_name(analysis::OpState state);

}  // namespace runahead::gui
