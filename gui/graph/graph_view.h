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
  kInFlight,  // the ops in flight at the current time while the timeline follows, else at the start of the
              // last selection
  kStep,      // the step of the selection; without a selection the latest
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
  std::optional<analysis::StepOnTrack> step;  // kStep: which step
  bool latest = false;                        // true: the latest step is shown, not the selection's step
  bool stale = false;                         // newer data exists that is not shown yet
  std::uint64_t layouts = 0;                  // number of layouts computed

  // Result of the last frame.
  GraphScene scene;
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;  // the plot, in window px
  bool over = false;                                 // the mouse is over the plot

  // Set by the user.
  GraphCamera camera;
  bool fitted = true;  // the camera follows the layout
  GraphFit fit = GraphFit::kReadable;
  std::optional<SliceRef> chosen_here;  // selected by a click on a node; does not change the time shown

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

// The maximum number of ops shown as nodes. Below: the update period for a growing trace. A new selection or
// mode is shown immediately.
inline constexpr std::size_t kMostGraphNodes = 300;
inline constexpr std::chrono::milliseconds kGraphPeriod{200};

void update_graph(const GraphSource& source, std::chrono::steady_clock::time_point now, GraphView& view);

// Moves the camera if it follows the layout. If the current scale is close to the best scale, it is kept, so
// that the picture does not jump.
void update_camera(const SceneSize& size, GraphView& view);

// Fits the complete graph into the plot. A second call fits only as much as is readable.
void fit_graph(GraphView& view);

// Returns the op that is selected in the timeline; kNoOp: no op is selected.
[[nodiscard]] OpId selected_op(const trace::Trace& trace, const TimelineState& timeline);

// Returns the slice of the op that is to be selected in the timeline: its execution, or otherwise its
// enqueue.
[[nodiscard]] std::optional<SliceRef> slice_for_op(const trace::Trace& trace, OpId op);

}  // namespace runahead::gui
