// The view state of the graph on the screen. The caller keeps the state between frames; update_graph and the
// panel's mouse input change it. No ImGui: a test calls these functions directly.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "gui/graph/graph_scene.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/op_graph.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

enum class GraphMode : std::uint8_t {
  // The ops in flight: at the newest time while the timeline follows the run, otherwise at the start of the
  // slice that was selected last.
  kInFlight,
  // The ops of one step: the step of the selected slice, or the latest step if nothing is selected.
  kStep,
};

struct GraphSource {
  const trace::Trace& trace;
  const TimelineState& timeline;
  GraphMode mode = GraphMode::kStep;
  bool live = false;  // the trace still grows
};

struct GraphView {
  // Result of the last update.
  analysis::OpGraph graph;
  LayeredLayout layout;
  std::optional<analysis::StepOnTrack> step;  // kStep: the step whose ops are shown
  bool latest = false;                        // true: the latest step is shown, not the selection's step
  bool stale = false;                         // newer data exists that is not shown yet
  std::uint64_t layouts = 0;                  // number of layouts computed

  // Result of the last frame.
  GraphScene scene;
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;  // the plot, in window px
  bool over = false;                                 // the mouse is over the plot

  // Set by the user.
  GraphCamera camera;
  bool fitted = true;  // true: each frame fits the camera to the layout; false: the user has moved the camera
  GraphFit fit = GraphFit::kReadable;
  // The slice that a click on a node has selected. Such a selection does not change the time that the graph
  // shows.
  std::optional<SliceRef> chosen_here;

  // The input of the last update.
  struct Key {
    std::uint64_t identity = 0, version = 0;
    GraphMode mode{};
    std::optional<Timestamp> at;
    std::optional<analysis::StepOnTrack> step;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key;
  std::chrono::steady_clock::time_point updated{};
  std::optional<Timestamp> at;  // kInFlight: the time shown
  std::optional<SliceRef> seen_selected;
};

// The maximum number of ops shown as nodes. The second constant is the period of updates while the trace
// grows. A new selection or mode is shown immediately.
inline constexpr std::size_t kMostGraphNodes = 300;
inline constexpr std::chrono::milliseconds kGraphPeriod{200};

void update_graph(const GraphSource& source, std::chrono::steady_clock::time_point now, GraphView& view);

// Fits the camera to the layout, unless the user has moved the camera. If the current scale is close to the
// best scale, the camera keeps the current scale, so that the picture does not jump.
void update_camera(const SceneSize& size, GraphView& view);

// Fits the complete graph into the plot. If the complete graph is already fitted, fits only as much of the
// graph as is readable.
void fit_graph(GraphView& view);

// Returns the op that is selected in the timeline; kNoOp: no op is selected.
[[nodiscard]] OpId selected_op(const trace::Trace& trace, const TimelineState& timeline);

// Returns the slice to select in the timeline for this op: the op's execution, or otherwise its enqueue.
[[nodiscard]] std::optional<SliceRef> slice_for_op(const trace::Trace& trace, OpId op);

}  // namespace runahead::gui
