#include <algorithm>
#include <cmath>
#include <string>

#include "gui/graph/paint_graph.h"
#include "gui/model/model.h"
#include "gui/panels/graph/graph_panel.h"
#include "gui/timeline/paint/paint_scene.h"
#include "gui/timeline/paint/paint_tooltip.h"
#include "gui/timeline/selection_facts.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

constexpr float kZoomPerNotch = 1.15f, kPxPerNotch = 60;
// A drag that begins within this distance of the right or bottom edge moves the scroll bar at that edge.
constexpr float kBarPx = 12;
// If the plot is less high than this (at scale 1), the legend of op states is hidden.
constexpr float kRoomForLegendPx = 240;

std::string number(std::uint64_t count) { return std::to_string(count); }

void mode_button(GraphPanel& panel, const PanelUi& ui, GraphMode mode) {
  const bool flight = mode == GraphMode::kInFlight;
  const ButtonLook look{.label = text(flight ? Text::kGraphInFlight : Text::kGraphStep),
                        .strong = panel.mode == mode,
                        .accent = ui.theme.marker,
                        .hint = text(flight ? Text::kGraphInFlightHint : Text::kGraphStepHint)};
  if (tool_button(ui, flight ? "graph:in_flight" : "graph:step", look)) panel.mode = mode;
}

void header(GraphPanel& panel, const PanelUi& ui, Commands& out) {
  mode_button(panel, ui, GraphMode::kInFlight);
  ImGui::SameLine();
  mode_button(panel, ui, GraphMode::kStep);
  const ButtonLook fit{.label = text(Text::kGraphFit), .hint = text(Text::kGraphFitHint)};
  const ButtonLook close{.icon = Icon::kClose, .hint = text(Text::kGraphCloseHint)};
  const float right = tool_button_width(ui, fit) + tool_button_width(ui, close) + ui.px(8);
  ImGui::SameLine(std::max(ImGui::GetWindowContentRegionMax().x - right, ImGui::GetCursorPosX()));
  if (tool_button(ui, "graph:fit", fit)) fit_graph(panel.view);
  ImGui::SameLine();
  if (tool_button(ui, "graph:close", close)) out.push_back(TogglePanel{panel.id()});
}

// Returns "step 41: 26 ops, 31 dependencies; critical path 12 ops, 3.10 ms".
std::string summary(const GraphView& view, GraphMode mode) {
  const analysis::OpGraph& graph = view.graph;
  std::string words;
  if (mode == GraphMode::kInFlight) {
    words = std::string(text(Text::kGraphAt)) + " " + format_axis_time(graph.at, Duration{1000});
  } else {
    const std::int64_t step = graph.nodes.empty() ? -1 : graph.nodes.front().op.step;
    words = text(view.latest ? Text::kGraphLatestStep : Text::kKindStep);
    if (step >= 0) words += " " + std::to_string(step);
  }
  std::string ops = number(graph.op_count);
  if (graph.op_count > graph.nodes.size()) ops = filled(Text::kTimelineOf, {number(graph.nodes.size()), ops});
  words += ": " + ops + " " + text(Text::kOpsWord) + ", " + number(graph.edges.size()) + " " +
           text(Text::kGraphDependencies);
  if (graph.edges.empty()) return words;
  words += std::string("; ") + text(Text::kGraphCritical) + " " + number(graph.critical_ops) + " " +
           text(Text::kOpsWord);
  if (graph.critical_time > Duration{0}) words += ", " + format_duration(graph.critical_time);
  return words;
}

void summary_line(const PanelUi& ui, const GraphView& view, GraphMode mode) {
  ImGui::PushFont(ui.fonts.small);
  ellipsis_line(ui, summary(view, mode), ImGui::GetContentRegionAvail().x, true);
  mark_widget(ui, "graph:summary");
  if (view.graph.implied_edges > 0) {
    tooltip(ui,
            summary(view, mode) + "\n" + number(view.graph.implied_edges) + " " + text(Text::kGraphImplied));
  }
  ImGui::PopFont();
}

// Returns the text that is shown instead of a graph, or above a graph without edges; nullptr: no text.
const char* remark(const PanelModel& model, const GraphView& view, GraphMode mode) {
  if (view.graph.nodes.empty()) {
    return text(mode == GraphMode::kInFlight ? Text::kGraphNothingInFlight : Text::kGraphNoStep);
  }
  return model.trace.dependency_count() == 0 ? text(Text::kGraphNoDependencies) : nullptr;
}

void legend(const PanelUi& ui) {
  using analysis::OpState;
  ImGui::PushFont(ui.fonts.small);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float side = ImGui::GetFontSize();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  for (const OpState state : {OpState::kWaiting, OpState::kReady, OpState::kRunning, OpState::kFinished}) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (at.x + side * 1.5f + ImGui::CalcTextSize(state_name(state)).x > right) break;
    const Colour fill = state_fill(ui.theme, state);
    draw.AddRectFilled(at, ImVec2(at.x + side, at.y + side), rgba(fill), ui.px(3));
    paint_state_mark(state, ImVec2(at.x + side / 2, at.y + side / 2), side * 0.55f, label_on(fill), draw);
    ImGui::Dummy(ImVec2(side, side));
    ImGui::SameLine(0, ui.px(4));
    dim_line(ui, state_name(state));
    ImGui::SameLine(0, ui.px(10));
  }
  ImGui::NewLine();
  ImGui::PopFont();
}

// ---- the plot --------------------------------------------------------------------------------------------

void select(const PanelModel& model, OpId op, GraphView& view, Commands& out) {
  const std::optional<SliceRef> ref = slice_for_op(model.trace, op);
  if (!ref) return;
  view.chosen_here = ref;
  out.push_back(TimelineCommand{ShowSlice{*ref}});
}

void node_tooltip(const PanelModel& model, const analysis::OpGraphNode& node) {
  const std::optional<SliceRef> slice = slice_for_op(model.trace, node.op.id);
  Facts facts = slice ? slice_facts(model.trace, *slice) : op_facts(model.trace, node.op.id);
  facts.emplace_back(text(Text::kGraphState), state_name(node.state));
  if (node.elsewhere > 0) facts.emplace_back(text(Text::kGraphElsewhere), number(node.elsewhere));
  if (node.critical) facts.emplace_back(text(Text::kTimelineNote), text(Text::kGraphOnCritical));
  facts_tooltip(facts);
}

// A drag that began on a scroll bar at the edge moves the bar. Any other drag moves the graph.
void drag(const PanelUi& ui, GraphView& view) {
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 began = io.MouseClickedPos[ImGuiMouseButton_Left];
  const float edge = ui.px(kBarPx);
  const GraphBars& bars = view.scene.bars;
  if (bars.across && began.y >= view.y1_px - edge) {
    view.camera.x_px -= io.MouseDelta.x * bars.across->px_per_px;
  } else if (bars.down && began.x >= view.x1_px - edge) {
    view.camera.y_px -= io.MouseDelta.y * bars.down->px_per_px;
  } else {
    view.camera.x_px += io.MouseDelta.x;
    view.camera.y_px += io.MouseDelta.y;
  }
  view.fitted = false;
}

void drag_and_zoom(const PanelUi& ui, ImVec2 low, GraphView& view) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) drag(ui, view);
  if (!view.over || io.MouseWheel == 0) return;
  // The same keys as in the timeline: Shift + wheel moves sideways, Ctrl + wheel moves up or down.
  if (io.KeyShift || io.KeyCtrl) {
    (io.KeyShift ? view.camera.x_px : view.camera.y_px) += io.MouseWheel * ui.px(kPxPerNotch);
    view.fitted = false;
    return;
  }
  view.camera = zoom_camera(view.camera, std::pow(kZoomPerNotch, io.MouseWheel), io.MousePos.x - low.x,
                            io.MousePos.y - low.y, ui.scale);
  view.fitted = false;
}

void mark_nodes(const PanelUi& ui, const GraphView& view, ImVec2 low, ImVec2 high) {
  if (ui.widgets == nullptr) return;
  for (const GraphBox& box : view.scene.boxes) {
    if (box.x0_px < 0 || box.y0_px < 0 || low.x + box.x1_px > high.x || low.y + box.y1_px > high.y) continue;
    const std::uint64_t op = op_number(view.graph.nodes[box.node].op.id);
    ui.widgets->push_back({"graph:op:" + std::to_string(op), low.x + box.x0_px, low.y + box.y0_px,
                           low.x + box.x1_px, low.y + box.y1_px});
  }
}

void plot(const PanelModel& model, const PanelUi& ui, ImVec2 size, GraphView& view, Commands& out) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 high(low.x + size.x, low.y + size.y);
  ImGui::InvisibleButton("##graph_plot", size);
  view.over = ImGui::IsItemHovered();
  view.x0_px = low.x, view.y0_px = low.y, view.x1_px = high.x, view.y1_px = high.y;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool clicked = view.over && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
                       ImGui::GetIO().MouseDragMaxDistanceSqr[0] < ui.px(4) * ui.px(4);
  drag_and_zoom(ui, low, view);
  ImFont* const font = ui.fonts.small;
  const SceneSize scene_size{size.x, size.y, ui.scale, font_advance(*font, font->FontSize)};
  update_camera(scene_size, view);
  GraphFocus focus{.selected = selected_op(model.trace, model.timeline)};
  // The hit test needs the boxes of this frame, so the scene is built first. If the mouse is over a node, the
  // scene is built again, to highlight the edges of this node.
  build_graph_scene(model.trace, view.graph, view.layout, view.camera, scene_size, focus, view.scene);
  if (view.over) focus.hovered = node_at(view.scene, mouse.x - low.x, mouse.y - low.y);
  if (focus.hovered) {
    build_graph_scene(model.trace, view.graph, view.layout, view.camera, scene_size, focus, view.scene);
  }
  paint_graph({view.scene, ui.theme, low, high, font, font->FontSize}, *ImGui::GetWindowDrawList());
  mark_nodes(ui, view, low, high);
  if (!focus.hovered) return;
  const analysis::OpGraphNode& node = view.graph.nodes[*focus.hovered];
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) node_tooltip(model, node);
  if (clicked) select(model, node.op.id, view, out);
}

}  // namespace

void paint_panel(GraphPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  GraphView& view = panel.view;
  update_graph({model.trace, model.timeline, panel.mode, model.grows()}, std::chrono::steady_clock::now(),
               view);
  header(panel, ui, out);
  if (!view.graph.nodes.empty()) summary_line(ui, view, panel.mode);
  if (const char* const words = remark(model, view, panel.mode)) wrapped_text(ui, words, true);
  ImVec2 size = ImGui::GetContentRegionAvail();
  const float legend_px = ui.fonts.small->FontSize + ui.px(8);
  const bool legend_shown = size.y >= ui.px(kRoomForLegendPx);
  if (legend_shown) size.y -= legend_px;
  if (size.x < 1 || size.y < 1) return;
  plot(model, ui, size, view, out);
  if (legend_shown) legend(ui);
}

}  // namespace runahead::gui
