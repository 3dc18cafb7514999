// What the graph on the screen shows and how: kept between frames by the caller, changed by update_graph and
// by what the panel reads of the mouse. Without ImGui: a test drives it by hand.
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
  kInFlight,  // now, while the timeline follows; else at the begin of what was selected last
  kStep,      // the step of the selection; without one the latest
};

struct GraphSource {
  const trace::Trace& trace;
  const TimelineState& timeline;
  GraphMode mode = GraphMode::kStep;
  bool live = false;  // the trace still grows
};

struct GraphView {
  // Of the last update.
  analysis::OpGraph graph;
  LayeredLayout layout;
  std::optional<analysis::StepOnTrack> step;  // kStep: which
  bool latest = false;                        // it is the latest, not the selection's
  bool stale = false;                         // there is more to show, but not yet
  std::uint64_t layouts = 0;                  // how many were made

  // Of the last frame.
  GraphScene scene;
  float x0_px = 0, y0_px = 0, x1_px = 0, y1_px = 0;  // the plot, in the window
  bool over = false;                                 // the mouse is over the plot

  // What the person has set.
  GraphCamera camera;
  bool fitted = true;  // the camera follows the layout
  GraphFit fit = GraphFit::kReadable;
  std::optional<SliceRef> chosen_here;  // selected by a click on a node: does not move the time

  // What the last update was for.
  struct Key {
    std::uint64_t identity = 0, version = 0;
    GraphMode mode{};
    std::optional<Timestamp> at;
    std::optional<analysis::StepOnTrack> step;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key;
  std::chrono::steady_clock::time_point updated{};
  std::optional<Timestamp> at;  // kInFlight: where time stands
  std::optional<SliceRef> seen_selected;
};

// At most so many ops are nodes, and so often is a growing trace looked at anew; another selection or mode is
// shown at once.
inline constexpr std::size_t kMostGraphNodes = 300;
inline constexpr std::chrono::milliseconds kGraphPeriod{200};

void update_graph(const GraphSource& source, std::chrono::steady_clock::time_point now, GraphView& view);

// Moves a camera that follows the layout; one that is near enough keeps its scale, so that nothing jumps.
void update_camera(const SceneSize& size, GraphView& view);

// All of it on the screen; asked again, as much as can be read.
void fit_graph(GraphView& view);

// The op of the timeline's selection; kNoOp if there is none.
[[nodiscard]] OpId selected_op(const trace::Trace& trace, const TimelineState& timeline);

// Where the op can be selected in the timeline: its execution, or else where it was enqueued.
[[nodiscard]] std::optional<SliceRef> slice_for_op(const trace::Trace& trace, OpId op);

}  // namespace runahead::gui
