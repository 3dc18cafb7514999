#include "gui/graph/graph_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {
namespace {

using analysis::OpGraph;
using analysis::StepOnTrack;

std::optional<StepOnTrack> step_of_selection(const trace::Trace& trace, const TimelineState& timeline) {
  if (!timeline.selected) return std::nullopt;
  const auto slice = find_slice(trace, *timeline.selected);
  if (!slice) return std::nullopt;
  if (slice->kind == trace::SliceKind::kStep) return StepOnTrack{timeline.selected->track, *slice};
  if (const auto step = analysis::step_of_op(trace, slice->op)) return step;
  return analysis::step_at(trace, timeline.selected->track, slice->begin);
}

// True if `a` and `b` refer to the same slice, even if the slice has ended in the meantime.
bool same_slice(const std::optional<SliceRef>& a, const std::optional<SliceRef>& b) {
  if (a == b) return true;
  return a && b && a->open != b->open && a->track == b->track && a->depth == b->depth;
}

void follow_time(const GraphSource& source, GraphView& view) {
  const std::optional<SliceRef>& selected = source.timeline.selected;
  const bool new_selection = !same_slice(selected, view.seen_selected);
  view.seen_selected = selected;
  if (source.live && source.timeline.follow) {
    view.at = source.trace.watermark();
    return;
  }
  const bool moves = (new_selection && !same_slice(selected, view.chosen_here)) || !view.at;
  const auto slice = moves && selected ? find_slice(source.trace, *selected) : std::nullopt;
  if (slice) {
    view.at = slice->begin;
  } else if (!view.at) {
    const TimeRange& shown = source.timeline.view;
    view.at = shown.begin + (shown.end - shown.begin) / 2;
  }
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_of(const OpGraph& graph) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  edges.reserve(graph.edges.size());
  for (const analysis::OpGraphEdge& edge : graph.edges) edges.emplace_back(edge.from, edge.to);
  return edges;
}

// Returns for each edge how important it is that the edge is straight. An edge of the kind read after write
// has twice the weight of other edges, because the flow of data shows the shape of a program. On the critical
// path the weight is three times as large. The critical path may change with each update of a growing trace.
// If only the critical path changes, show() keeps the layout.
std::vector<float> weights_of(const OpGraph& graph) {
  std::vector<float> weights;
  for (const analysis::OpGraphEdge& edge : graph.edges) {
    const bool data = edge.kind == trace::DependencyKind::kReadAfterWrite;
    weights.push_back((data ? 2.0f : 1.0f) * (edge.critical ? 3.0f : 1.0f));
  }
  return weights;
}

void show(OpGraph graph, GraphView& view) {
  const auto before = edges_of(view.graph), edges = edges_of(graph);
  const bool same_shape =
      view.graph.nodes.size() == graph.nodes.size() && before == edges && view.layouts > 0;
  view.graph = std::move(graph);
  if (same_shape) return;
  view.layout = layered_layout(view.graph.nodes.size(), edges, weights_of(view.graph));
  ++view.layouts;
}

}  // namespace

void update_graph(const GraphSource& source, std::chrono::steady_clock::time_point now, GraphView& view) {
  const trace::Trace& trace = source.trace;
  if (view.key.identity != trace.identity()) {  // another trace: the old state is invalid
    view = GraphView{};
    view.key.identity = trace.identity();
  }
  follow_time(source, view);
  GraphView::Key key{trace.identity(), trace.version(), source.mode, {}, {}};
  if (source.mode == GraphMode::kStep) {
    key.step = step_of_selection(trace, source.timeline);
  } else if (!(source.live && source.timeline.follow)) {
    key.at = view.at;
  }
  if (view.key == key && view.updated != std::chrono::steady_clock::time_point{}) {
    view.stale = false;
    return;
  }
  const bool asked = view.key.mode != key.mode || view.key.at != key.at || view.key.step != key.step;
  view.stale = !asked && now - view.updated < kGraphPeriod;
  if (view.stale) return;
  if (view.key.mode != key.mode) {
    view.fitted = true;
    view.fit = GraphFit::kReadable;
  }
  view.key = key;
  view.updated = now;
  view.latest = source.mode == GraphMode::kStep && !key.step;
  view.step = view.latest ? analysis::latest_step(trace) : key.step;
  if (source.mode == GraphMode::kInFlight) {
    show(analysis::graph_in_flight(trace, *view.at, kMostGraphNodes), view);
  } else {
    show(view.step ? analysis::graph_of_step(trace, *view.step, kMostGraphNodes) : OpGraph{}, view);
  }
}

void update_camera(const SceneSize& size, GraphView& view) {
  if (!view.fitted) return;
  const bool same_size =
      view.scene.size.width_px == size.width_px && view.scene.size.height_px == size.height_px;
  view.camera = fit_camera(view.layout, size, view.fit, same_size ? &view.camera : nullptr);
}

void fit_graph(GraphView& view) {
  const bool all = view.fitted && view.fit == GraphFit::kAll;
  view.fit = all ? GraphFit::kReadable : GraphFit::kAll;
  view.fitted = true;
  view.camera = {};
}

OpId selected_op(const trace::Trace& trace, const TimelineState& timeline) {
  const auto slice = timeline.selected ? find_slice(trace, *timeline.selected) : std::nullopt;
  return slice ? slice->op : kNoOp;
}

std::optional<SliceRef> slice_for_op(const trace::Trace& trace, OpId op) {
  const auto row = trace.op(op);
  const std::vector<SliceRef> slices = slices_of_op(trace, op);
  for (const SliceRef& slice : slices) {
    if (row && slice.track == row->execute_track) return slice;
  }
  return slices.empty() ? std::nullopt : std::optional(slices.front());
}

}  // namespace runahead::gui
