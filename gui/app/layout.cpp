#include "gui/app/layout.h"

#include <algorithm>
#include <cmath>

#include "gui/app/frame.h"
#include "gui/app/shortcuts.h"
#include "gui/app/timeline_area.h"
#include "gui/panels/toolbar/paint_barrier.h"
#include "gui/panels/compare/compare.h"
#include "gui/panels/debug/debug.h"
#include "gui/panels/details/details.h"
#include "gui/panels/dialogs/paint_file_dialog.h"
#include "gui/panels/find/find.h"
#include "gui/panels/graph/graph.h"
#include "gui/panels/help/help.h"
#include "gui/panels/legend/legend.h"
#include "gui/panels/lesson/lesson.h"
#include "gui/panels/memory/memory.h"
#include "gui/panels/status/status.h"
#include "gui/panels/strip/strip.h"
#include "gui/panels/toolbar/paint_toolbar.h"
#include "gui/panels/waits/waits.h"

namespace runahead::gui {

namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
constexpr float kHandlePx = 12;
// Below this height the status line gives its place to the timeline.
constexpr float kRoomForStatusPx = 400;
// Below these widths (at scale 1) a side panel would leave the timeline too little.
constexpr float kRoomForLessonPx = 760, kRoomForDetailsPx = 1000;
// The graph takes the room of the lesson first, then that of the details.
constexpr float kRoomForGraphAndLessonPx = 1500, kRoomForGraphAndDetailsPx = 1150;
constexpr float kQueryShare = 0.48f, kLeastQueryPx = 190, kQueryEdgePx = 8;
// Below this height the strip gives its place to a comparison, which says the same and more.
constexpr float kRoomForStripAndComparisonPx = 900;
// A presentation's lesson.
constexpr float kLeastLessonPx = 72, kMostLessonPx = 130;
constexpr float kGraphShare = 0.42f, kLeastGraphPx = 260, kLeastTimelinePx = 240;

// A slim edge between panel and timeline that folds the panel, and shows which way.
void fold_handle(const Frame& frame, const char* id, Panel panel, bool points_left) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(frame.ui.px(kHandlePx), ImGui::GetContentRegionAvail().y);
  if (ImGui::InvisibleButton(id, size)) frame.out.push_back(TogglePanel{panel});
  mark_widget(frame.ui, id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Theme& theme = frame.ui.theme;
  draw.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                     rgba(hovered ? theme.group_header : theme.window));
  const float r = frame.ui.px(4), x = at.x + size.x / 2, y = at.y + size.y / 2;
  const float way = points_left ? -1.0f : 1.0f;
  draw.AddTriangleFilled(ImVec2(x - way * r / 2, y - r), ImVec2(x - way * r / 2, y + r),
                         ImVec2(x + way * r / 2, y), rgba(hovered ? theme.text : theme.text_dim));
}

// The edge between timeline and graph can be dragged.
void graph_edge(const Frame& frame, float height_px, float both_px) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(frame.ui.px(kHandlePx), height_px);
  ImGui::InvisibleButton("##graph_edge", size);
  mark_widget(frame.ui, "graph:edge");
  const bool held = ImGui::IsItemActive();
  if (held) frame.layout.graph_share -= ImGui::GetIO().MouseDelta.x / std::max(both_px, 1.0f);
  const bool hot = held || ImGui::IsItemHovered();
  if (hot) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                                            rgba(hot ? frame.ui.theme.group_header : frame.ui.theme.window));
}

// Timeline and, where it is shown, the graph to its right.
void draw_views(const Frame& frame, ImVec2 size) {
  LayoutState& layout = frame.layout;
  const bool graph = frame.model.shows(Panel::kGraph);
  layout.view.fit_elsewhere = layout.graph.over;
  if (!graph) return draw_timelines(frame, size);
  const float both = size.x - frame.ui.px(kHandlePx);
  const float least = frame.ui.px(kLeastGraphPx);
  if (layout.graph_share <= 0) layout.graph_share = kGraphShare;
  layout.graph_share = std::clamp(layout.graph_share, least / both,
                                  std::max(least / both, (both - frame.ui.px(kLeastTimelinePx)) / both));
  const float width = std::floor(both * layout.graph_share);
  draw_timelines(frame, ImVec2(both - width, size.y));
  ImGui::SameLine();
  graph_edge(frame, size.y, both);
  ImGui::SameLine();
  const Card card(frame.ui, "##graph", ImVec2(width, size.y), kStill);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(frame.ui.px(8), frame.ui.px(6)));
  graph_panel(frame.model, frame.ui, layout.graph, frame.out);
  ImGui::PopStyleVar();
}

void draw_middle(const Frame& frame, float height_px) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float logical = width / frame.ui.scale;
  const bool sides = !frame.model.presentation;
  const bool graph = frame.model.shows(Panel::kGraph);
  const bool lesson_fits = sides && logical >= (graph ? kRoomForGraphAndLessonPx : kRoomForLessonPx),
             details_fit = sides && logical >= (graph ? kRoomForGraphAndDetailsPx : kRoomForDetailsPx);
  const bool lesson = lesson_fits && frame.model.shows(Panel::kLesson);
  const bool details = details_fit && frame.model.shows(Panel::kDetails);
  // The sides take more where there is more, up to a line's comfortable length.
  const float left = lesson ? std::clamp(width * 0.18f, frame.ui.px(230), frame.ui.px(330)) : 0;
  const float right = details ? std::clamp(width * 0.19f, frame.ui.px(250), frame.ui.px(360)) : 0;
  const float handle = frame.ui.px(kHandlePx);
  const float handles = (lesson_fits ? handle : 0) + (details_fit ? handle : 0);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (!ImGui::BeginChild("##middle", ImVec2(0, height_px), false, kStill)) {
    ImGui::EndChild();
    ImGui::PopStyleVar();
    return;
  }
  const auto content_spacing = [&] {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(frame.ui.px(8), frame.ui.px(6)));
  };
  if (lesson) {
    const Card card(frame.ui, "##lesson", ImVec2(left, height_px));
    content_spacing();
    lesson_panel(frame.model, frame.ui, frame.out);
    ImGui::PopStyleVar();
  }
  if (lesson) ImGui::SameLine();
  if (lesson_fits) {
    fold_handle(frame, "fold:lesson", Panel::kLesson, lesson);
    ImGui::SameLine();
  }
  draw_views(frame, ImVec2(width - left - right - handles, height_px));
  if (details_fit) {
    ImGui::SameLine();
    fold_handle(frame, "fold:details", Panel::kDetails, !details);
  }
  if (details) {
    ImGui::SameLine();
    const Card card(frame.ui, "##details", ImVec2(right, height_px));
    content_spacing();
    details_panel(frame.model, frame.ui, frame.out);
    ImGui::PopStyleVar();
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

// The edge above the questions can be dragged.
void query_edge(const Frame& frame, float both_px) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, frame.ui.px(kQueryEdgePx));
  ImGui::InvisibleButton("##query_edge", size);
  mark_widget(frame.ui, "query:edge");
  const bool held = ImGui::IsItemActive();
  if (held) frame.layout.query.share -= ImGui::GetIO().MouseDelta.y / std::max(both_px, 1.0f);
  const bool hot = held || ImGui::IsItemHovered();
  if (hot) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                                            rgba(hot ? frame.ui.theme.group_header : frame.ui.theme.window));
}

// What a person explores with, and below it, where one is shown, what finds, asks or compares.
void draw_views_and_query(const Frame& frame, float height_px) {
  const bool any = std::ranges::any_of(kDrawerPanels, [&](Panel panel) { return frame.model.shows(panel); });
  if (!any || frame.model.presentation) return draw_middle(frame, height_px);
  float& share = frame.layout.query.share;
  const float both = height_px - frame.ui.px(kQueryEdgePx);
  const float least = frame.ui.px(kLeastQueryPx) / std::max(both, 1.0f);
  if (share <= 0) share = kQueryShare;
  share = std::clamp(share, std::min(least, 0.7f), 0.7f);
  const float below = std::floor(both * share);
  draw_middle(frame, both - below);
  query_edge(frame, both);
  const Card card(frame.ui, "##query", ImVec2(0, below), kStill);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(frame.ui.px(8), frame.ui.px(6)));
  if (frame.model.shows(Panel::kWaits)) {
    waits_panel(frame.model, frame.ui, frame.layout.waits, frame.out);
  } else if (frame.model.shows(Panel::kMemory)) {
    memory_panel(frame.model, frame.ui, frame.layout.memory, frame.out);
  } else if (frame.model.shows(Panel::kFind)) {
    find_panel(frame.model, frame.ui, frame.layout.find, frame.out);
  } else if (frame.model.shows(Panel::kCompare)) {
    compare_panel(frame.model, frame.ui, frame.layout.compare, frame.out);
  } else {
    query_panel(frame.model, frame.ui, frame.layout.query, frame.out);
  }
  ImGui::PopStyleVar();
}

void draw_bottom(const Frame& frame, float strip_px, float status_px) {
  if (strip_px > 0) {
    const Card card(frame.ui, "##strip", ImVec2(0, strip_px), kStill);
    strip_panel(frame.model, frame.ui, frame.out);
  }
  if (status_px > 0) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(frame.ui.px(12), frame.ui.px(4)));
    ImGui::BeginChild("##status", ImVec2(0, status_px), false,
                      kStill | ImGuiWindowFlags_AlwaysUseWindowPadding);
    status_panel(frame.model, frame.ui, frame.out);
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }
}

void draw_legend(const Frame& frame, float height_px) {
  const PanelUi& ui = frame.ui;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(5)));
  ImGui::BeginChild("##legend", ImVec2(0, height_px), false,
                    kStill | ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  legend_band(frame.model, ui, frame.out);
  ImGui::EndChild();
}

// In a presentation, what the class is asked; the timeline keeps half of the window.
void draw_lesson_band(const Frame& frame, float below_px) {
  const bool lesson = frame.model.lesson.lesson != nullptr && frame.model.workload != nullptr;
  if (!frame.model.presentation || !lesson || !frame.model.shows(Panel::kLesson)) return;
  const PanelUi& ui = frame.ui;
  const float room = ImGui::GetContentRegionAvail().y - below_px - ImGui::GetIO().DisplaySize.y / 2;
  const float height = std::floor(std::clamp(room, ui.px(kLeastLessonPx), ui.px(kMostLessonPx)));
  const Card card(ui, "##lesson_band", ImVec2(0, height), kStill);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(4)));
  lesson_band(frame.model, ui, frame.layout.lesson_band, frame.out);
  ImGui::PopStyleVar();
}

void draw_root(const Frame& frame) {
  const PanelUi& ui = frame.ui;
  const float bar = ImGui::GetFrameHeight() + ui.px(16);
  const float inner = ImGui::GetContentRegionAvail().x - ui.px(24);
  const float barrier = barrier_panel_height(frame.model, ui, inner) + ui.px(14);
  const bool comparing = frame.model.shows(Panel::kCompare) && !frame.model.presentation &&
                         ImGui::GetIO().DisplaySize.y < ui.px(kRoomForStripAndComparisonPx);
  const bool strip_shown = (frame.model.shows(Panel::kStrip) && !comparing) || frame.model.presentation;
  const bool low = ImGui::GetIO().DisplaySize.y < ui.px(kRoomForStatusPx);
  const bool status_shown = frame.model.shows(Panel::kStatus) && !frame.model.presentation && !low;
  const float strip = strip_shown ? strip_panel_height(ui) + ui.px(18) : 0;
  const float status = status_shown ? ui.fonts.small->FontSize + ui.px(9) : 0;
  {
    const Card card(ui, "##toolbar", ImVec2(0, bar), kStill);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(6)));
    toolbar_panel(frame.model, ui, frame.out);
    ImGui::PopStyleVar();
  }
  {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(7)));
    ImGui::BeginChild("##barrier", ImVec2(0, barrier), false,
                      kStill | ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    barrier_panel(frame.model, ui, frame.out);
    ImGui::EndChild();
  }
  const float legend =
      frame.model.shows(Panel::kLegend) ? legend_band_height(frame.model, ui, inner) + ui.px(10) : 0;
  draw_lesson_band(frame, strip + status + legend);
  draw_views_and_query(frame,
                       std::max(ImGui::GetContentRegionAvail().y - strip - status - legend, ui.px(60)));
  if (legend > 0) draw_legend(frame, legend);
  draw_bottom(frame, strip, status);
}

// A key means what is under the mouse now, which may have moved since the graph was last drawn.
bool over_graph(const PanelModel& model, const GraphView& graph) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return model.shows(Panel::kGraph) && graph.x0_px <= mouse.x && mouse.x < graph.x1_px &&
         graph.y0_px <= mouse.y && mouse.y < graph.y1_px;
}

}  // namespace

void draw_layout(AppCore& core, const PanelModel& model, const PanelUi& ui, LayoutState& layout,
                 Commands& out) {
  const Frame frame{core, model, ui, layout, out};
  layout.graph.over = over_graph(model, layout.graph);
  if (!core.dialog()) read_shortcuts(core, model, layout, out);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("##root", nullptr, kFixed | kStill);
  ImGui::PopStyleVar(3);
  const ImVec2 spacing = ImGui::GetStyle().ItemSpacing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(spacing.x, 0));
  draw_root(frame);
  ImGui::PopStyleVar();
  ImGui::End();
  if (model.shows(Panel::kDebug)) debug_panel(model, ui, out);
  if (model.shows(Panel::kHelp)) help_panel(model, ui, out);
  if (model.shows(Panel::kMetrics)) {
    bool open = true;
    ImGui::ShowMetricsWindow(&open);
    if (!open) out.push_back(TogglePanel{Panel::kMetrics});
  }
  if (core.dialog()) file_dialog_panel(model, ui, *core.dialog(), out);
}

}  // namespace runahead::gui
