// A dependency graph as geometry: build_graph_scene is pure (graph, layout, camera -> boxes, lines, labels)
// and tested as text; paint_graph alone draws. Time runs down: an op stands below all that it follows. All px
// are the screen's own, from the top left corner of the plot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/graph/layered_layout.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/op_graph.h"

namespace runahead::gui {

// Which part of the layout is on the screen. A point of the grid lies at x * column_px + x_px, and so on.
struct GraphCamera {
  float column_px = 0, layer_px = 0;
  float x_px = 0, y_px = 0;
  friend bool operator==(const GraphCamera&, const GraphCamera&) = default;
};

enum class GraphFit : std::uint8_t {
  kReadable,  // all of it, unless words would become too small: then its beginning
  kAll,
};
// `before`: a camera whose scale is kept where it is near enough, so that a graph that changes does not
// breathe.
[[nodiscard]] GraphCamera fit_camera(const LayeredLayout& layout, const SceneSize& size, GraphFit fit,
                                     const GraphCamera* before = nullptr);
// Larger by `factor`, within limits; what is at the point stays there.
[[nodiscard]] GraphCamera zoom_camera(const GraphCamera& camera, float factor, float x_px, float y_px,
                                      float scale);

struct GraphBox {
  std::uint32_t node = 0;  // in OpGraph::nodes
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;
  analysis::OpState state{};
  bool failed = false, critical = false;
  bool selected = false;                  // its op is the timeline's
  bool beside = false;                    // tied to the one under the mouse, or that one
  bool from_elsewhere = false;            // it also followed ops that are not in the graph
  std::string name, duration, device;     // what fits; may be empty. The device on a line of its own
  std::optional<std::uint32_t> category;  // for Theme::category(): by device, where there are several
};
struct GraphLine {
  std::vector<std::pair<float, float>> points_px;  // from below a box to above another
  trace::DependencyKind kind{};
  bool critical = false, beside = false;
};
// How much of the layout the plot shows, as a bar along its edge: [begin, end) px of that edge.
struct GraphBar {
  float begin_px = 0, end_px = 0;
  float px_per_px = 1;  // what the layout moves by where the bar moves by one
};
struct GraphBars {
  std::optional<GraphBar> across, down;  // nullopt: all of it is on the screen
};
[[nodiscard]] GraphBars graph_bars(const LayeredLayout& layout, const GraphCamera& camera,
                                   const SceneSize& size);

struct GraphScene {
  SceneSize size;
  GraphBars bars;
  std::vector<GraphBox> boxes;
  std::vector<GraphLine> lines;  // those that matter most last
};

struct GraphFocus {
  OpId selected = kNoOp;
  std::optional<std::uint32_t> hovered;  // a node
};

// What is visible of it. `out` is reused.
void build_graph_scene(const trace::Trace& trace, const analysis::OpGraph& graph, const LayeredLayout& layout,
                       const GraphCamera& camera, const SceneSize& size, const GraphFocus& focus,
                       GraphScene& out);
[[nodiscard]] std::optional<std::uint32_t> node_at(const GraphScene& scene, float x_px, float y_px);

// One line a thing, for tests and for a person.
[[nodiscard]] std::string graph_scene_text(const GraphScene& scene);

[[nodiscard]] const char* state_name(analysis::OpState state);

}  // namespace runahead::gui
