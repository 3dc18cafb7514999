#include "gui/app/layout.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gui/app/layout_parts.h"
#include "gui/panels/dialogs/paint_dialogs.h"
#include "gui/panels/paint_panels.h"
#include "gui/panels/toolbar/paint_toolbar.h"
#include "gui/platform/keys.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
constexpr float kHandlePx = 12;
// If the window's height is less than this, the status line is hidden, so that the timeline has more space.
constexpr float kRoomForStatusPx = 400;
// If the window is narrower than this (at scale 1), the side panel is hidden, because it would leave too
// little room for the timeline.
constexpr float kRoomForLeftPx = 760, kRoomForRightPx = 1000;
// The same limits while another panel is next to the timeline (PanelPlace::kBeside). If the window becomes
// narrower, first the left panel is hidden, then the right panel.
constexpr float kRoomBesideForLeftPx = 1500, kRoomBesideForRightPx = 1150;
constexpr float kBelowShare = 0.48f, kLeastBelowPx = 190, kBelowEdgePx = 8;
// If the window's height is less than this, a comparison hides the strip (PanelPlace::kStrip). The comparison
// shows the strip's figures too, so no information is lost.
constexpr float kRoomForStripAndComparisonPx = 900;
// The smallest and the largest height of the lesson band in a presentation.
constexpr float kLeastLessonPx = 72, kMostLessonPx = 130;
constexpr float kBesideShare = 0.42f, kLeastBesidePx = 260, kLeastTimelinePx = 240;

// Returns the panel shown at this place; nullptr: no panel is shown.
PanelModule* shown_at(const Frame& frame, PanelPlace place) {
  for (PanelModule* panel : frame.model.panels) {
    if (panel->shown() && panel->info().place == place) return panel;
  }
  return nullptr;
}

// Returns the panel shown at this place. If no panel is shown, returns the first panel that belongs to the
// place.
PanelModule& owner_of(const Frame& frame, PanelPlace place) {
  if (PanelModule* const shown = shown_at(frame, place)) return *shown;
  return **std::ranges::find_if(frame.model.panels,
                                [&](PanelModule* panel) { return panel->info().place == place; });
}

void paint(const Frame& frame, const PanelModule& panel) {
  paint_module(frame.core.panels(), panel, frame.model, frame.ui, frame.out);
}

// Returns the prefix followed by the panel's id. Examples: "##graph" is the ImGui window of the panel
// "graph"; "fold:graph" is the widget that folds the panel.
std::string named(const char* prefix, const PanelModule& panel) { return prefix + std::string(panel.id()); }

// Draws the narrow edge between panel and timeline. A click on the edge hides or shows the panel. The arrow
// on the edge shows in which direction the panel will move.
void fold_handle(const Frame& frame, const PanelModule& panel, bool points_left) {
  const std::string id = named("fold:", panel);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(frame.ui.px(kHandlePx), ImGui::GetContentRegionAvail().y);
  if (ImGui::InvisibleButton(id.c_str(), size)) frame.out.push_back(TogglePanel{panel.id()});
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

// Draws the edge between the timeline and the panel next to it. The edge can be dragged.
void beside_edge(const Frame& frame, PanelModule& panel, float height_px, float both_px) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(frame.ui.px(kHandlePx), height_px);
  ImGui::InvisibleButton((named("##", panel) + "_edge").c_str(), size);
  mark_widget(frame.ui, std::string(panel.id()) + ":edge");
  const bool held = ImGui::IsItemActive();
  if (held) panel.share -= ImGui::GetIO().MouseDelta.x / std::max(both_px, 1.0f);
  const bool hot = held || ImGui::IsItemHovered();
  if (hot) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                                            rgba(hot ? frame.ui.theme.group_header : frame.ui.theme.window));
}

// Draws the timeline, and the panel next to it if one is shown.
void draw_views(const Frame& frame, ImVec2 size) {
  LayoutState& layout = frame.layout;
  PanelModule* const beside = shown_at(frame, PanelPlace::kBeside);
  layout.view.fit_elsewhere = std::ranges::any_of(frame.model.panels, &PanelModule::takes_fit_key);
  if (beside == nullptr) return draw_timelines(frame, size);
  const float both = size.x - frame.ui.px(kHandlePx);
  const float least = frame.ui.px(kLeastBesidePx);
  if (beside->share <= 0) beside->share = kBesideShare;
  beside->share = std::clamp(beside->share, least / both,
                             std::max(least / both, (both - frame.ui.px(kLeastTimelinePx)) / both));
  const float width = std::floor(both * beside->share);
  draw_timelines(frame, ImVec2(both - width, size.y));
  ImGui::SameLine();
  beside_edge(frame, *beside, size.y, both);
  ImGui::SameLine();
  const Card card(frame.ui, named("##", *beside).c_str(), ImVec2(width, size.y), kStill);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(frame.ui.px(8), frame.ui.px(6)));
  paint(frame, *beside);
  ImGui::PopStyleVar();
}

// Draws a panel at the left or right side of the timeline.
void draw_side(const Frame& frame, const PanelModule& panel, ImVec2 size) {
  const Card card(frame.ui, named("##", panel).c_str(), size);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(frame.ui.px(8), frame.ui.px(6)));
  paint(frame, panel);
  ImGui::PopStyleVar();
}

void draw_middle(const Frame& frame, float height_px) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float logical = width / frame.ui.scale;
  const bool sides = !frame.model.look.presentation;
  // in trace mode, the left panel has no lesson and no parameters to show
  const bool left_says_something = !frame.model.files.trace_mode;
  const bool beside = shown_at(frame, PanelPlace::kBeside) != nullptr;
  const bool left_fits =
                 sides && left_says_something && logical >= (beside ? kRoomBesideForLeftPx : kRoomForLeftPx),
             right_fits = sides && logical >= (beside ? kRoomBesideForRightPx : kRoomForRightPx);
  const PanelModule& on_left = owner_of(frame, PanelPlace::kLeft);
  const PanelModule& on_right = owner_of(frame, PanelPlace::kRight);
  const bool left_shown = left_fits && on_left.shown(), right_shown = right_fits && on_right.shown();
  // Side panels grow with the window until their lines have a comfortable length.
  const float left = left_shown ? std::clamp(width * 0.18f, frame.ui.px(230), frame.ui.px(330)) : 0;
  const float right = right_shown ? std::clamp(width * 0.19f, frame.ui.px(250), frame.ui.px(360)) : 0;
  const float handle = frame.ui.px(kHandlePx);
  const float handles = (left_fits ? handle : 0) + (right_fits ? handle : 0);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (!ImGui::BeginChild("##middle", ImVec2(0, height_px), false, kStill)) {
    ImGui::EndChild();
    ImGui::PopStyleVar();
    return;
  }
  if (left_shown) {
    draw_side(frame, on_left, ImVec2(left, height_px));
    ImGui::SameLine();
  }
  if (left_fits) {
    fold_handle(frame, on_left, left_shown);
    ImGui::SameLine();
  }
  draw_views(frame, ImVec2(width - left - right - handles, height_px));
  if (right_fits) {
    ImGui::SameLine();
    fold_handle(frame, on_right, !right_shown);
  }
  if (right_shown) {
    ImGui::SameLine();
    draw_side(frame, on_right, ImVec2(right, height_px));
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

// Draws the edge above the lower panel. The edge can be dragged.
void below_edge(const Frame& frame, float both_px) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, frame.ui.px(kBelowEdgePx));
  ImGui::InvisibleButton("##query_edge", size);
  mark_widget(frame.ui, "query:edge");
  const bool held = ImGui::IsItemActive();
  if (held) frame.layout.below_share -= ImGui::GetIO().MouseDelta.y / std::max(both_px, 1.0f);
  const bool hot = held || ImGui::IsItemHovered();
  if (hot) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                                            rgba(hot ? frame.ui.theme.group_header : frame.ui.theme.window));
}

// Draws the timeline and the panel next to it. If a panel of PanelPlace::kBelow is shown, this panel is drawn
// below them.
void draw_views_and_below(const Frame& frame, float height_px) {
  const PanelModule* const panel = shown_at(frame, PanelPlace::kBelow);
  if (panel == nullptr || frame.model.look.presentation) return draw_middle(frame, height_px);
  float& share = frame.layout.below_share;
  const float both = height_px - frame.ui.px(kBelowEdgePx);
  const float least = frame.ui.px(kLeastBelowPx) / std::max(both, 1.0f);
  if (share <= 0) share = kBelowShare;
  share = std::clamp(share, std::min(least, 0.7f), 0.7f);
  const float below = std::floor(both * share);
  draw_middle(frame, both - below);
  below_edge(frame, both);
  const Card card(frame.ui, "##query", ImVec2(0, below), kStill);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(frame.ui.px(8), frame.ui.px(6)));
  paint(frame, *panel);
  ImGui::PopStyleVar();
}

void draw_bottom(const Frame& frame, float strip_px, float status_px) {
  if (strip_px > 0) {
    const Card card(frame.ui, "##strip", ImVec2(0, strip_px), kStill);
    paint(frame, owner_of(frame, PanelPlace::kStrip));
  }
  if (status_px > 0) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(frame.ui.px(12), frame.ui.px(4)));
    ImGui::BeginChild("##status", ImVec2(0, status_px), false,
                      kStill | ImGuiWindowFlags_AlwaysUseWindowPadding);
    paint(frame, owner_of(frame, PanelPlace::kBottom));
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }
}

void draw_band(const Frame& frame, const PanelModule& panel, float height_px) {
  const PanelUi& ui = frame.ui;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(5)));
  ImGui::BeginChild(named("##", panel).c_str(), ImVec2(0, height_px), false,
                    kStill | ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  paint(frame, panel);
  ImGui::EndChild();
}

// Draws the lesson's question in a presentation. The timeline keeps half of the window.
void draw_lesson_band(const Frame& frame, float below_px) {
  frame.core.panels().get<LessonPanel>().band.resized = false;  // paint_band() sets it again
  const bool lesson = frame.model.lesson.lesson != nullptr && frame.model.start.workload != nullptr;
  if (!frame.model.look.presentation || !lesson || frame.model.files.trace_mode) return;
  if (!frame.model.shows(kLessonPanel)) return;
  const PanelUi& ui = frame.ui;
  const float room = ImGui::GetContentRegionAvail().y - below_px - ImGui::GetIO().DisplaySize.y / 2;
  LessonPanel& panel = frame.core.panels().get<LessonPanel>();
  // The band is as high as its content in the last frame, within these limits.
  const float padding = 2 * ImGui::GetStyle().WindowPadding.y + ui.px(4);
  const float most = std::clamp(room, ui.px(kLeastLessonPx), ui.px(kMostLessonPx));
  const float height = std::floor(std::clamp(panel.band.content_px + padding, ui.px(kLeastLessonPx), most));
  const Card card(ui, "##lesson_band", ImVec2(0, height), kStill);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(4)));
  paint_band(panel, frame.model, ui, frame.out);
  ImGui::PopStyleVar();
}

// Draws the button that leaves the presentation, in the upper right corner of the timeline.
void draw_leave_button(const Frame& frame) {
  if (!frame.model.look.presentation) return;
  constexpr ImGuiWindowFlags kFlags = kFixed | ImGuiWindowFlags_AlwaysAutoResize |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBackground;
  const PlotRect& area = frame.layout.timeline;
  ImGui::SetNextWindowPos(ImVec2(area.x1_px, area.y0_px), ImGuiCond_Always, ImVec2(1, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool drawn =
      ImGui::Begin("##leave_presentation", nullptr, kFlags & ~ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar();
  if (drawn && tool_button(frame.ui, "leave_presentation",
                           {.icon = Icon::kClose, .hint = text(Text::kLeavePresentation)}))
    frame.out.push_back(SetPresentation{false});
  ImGui::End();
}

void draw_root(const Frame& frame) {
  const PanelUi& ui = frame.ui;
  const float bar = ImGui::GetFrameHeight() + ui.px(16);
  const float inner = ImGui::GetContentRegionAvail().x - ui.px(24);
  const bool barriers = !frame.model.files.trace_mode;
  const float barrier = barriers ? barrier_panel_height(frame.model, ui, inner) + ui.px(14) : 0;
  const float controls = controls_panel_height(frame.model, ui, inner);
  const auto height_of = [&](const PanelModule& panel) {
    return module_height(frame.core.panels(), panel, frame.model, ui, inner);
  };
  const bool comparing = frame.model.shows(kComparePanel) && !frame.model.look.presentation &&
                         ImGui::GetIO().DisplaySize.y < ui.px(kRoomForStripAndComparisonPx);
  const PanelModule& strip_panel = owner_of(frame, PanelPlace::kStrip);
  const PanelModule& bottom_panel = owner_of(frame, PanelPlace::kBottom);
  const bool strip_shown = (strip_panel.shown() && !comparing) || frame.model.look.presentation;
  const bool low = ImGui::GetIO().DisplaySize.y < ui.px(kRoomForStatusPx);
  const bool status_shown = bottom_panel.shown() && !frame.model.look.presentation && !low;
  const float strip = strip_shown ? height_of(strip_panel) : 0;
  const float status = status_shown ? height_of(bottom_panel) : 0;
  if (!frame.model.look.presentation) {
    const Card card(ui, "##toolbar", ImVec2(0, bar), kStill);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(6)));
    toolbar_panel(frame.model, ui, frame.out);
    ImGui::PopStyleVar();
  }
  if (barriers) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(7)));
    ImGui::BeginChild("##barrier", ImVec2(0, barrier), false,
                      kStill | ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    barrier_panel(frame.model, ui, frame.out);
    ImGui::EndChild();
  }
  if (controls > 0) {
    const Card card(ui, "##controls", ImVec2(0, controls + ui.px(14)), kStill);
    controls_panel(frame.model, ui, frame.out);
  }
  const PanelModule* const band_panel = shown_at(frame, PanelPlace::kBand);
  const float band = band_panel != nullptr ? height_of(*band_panel) : 0;
  draw_lesson_band(frame, strip + status + band);
  draw_views_and_below(frame, std::max(ImGui::GetContentRegionAvail().y - strip - status - band, ui.px(60)));
  if (band > 0) draw_band(frame, *band_panel, band);
  draw_bottom(frame, strip, status);
}

}  // namespace

void draw_layout(AppCore& core, const PanelModel& model, const PanelUi& ui, LayoutState& layout,
                 Commands& out) {
  const Frame frame{core, model, ui, layout, out};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (PanelModule* panel : model.panels) panel->mouse_at(mouse.x, mouse.y);
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
  draw_leave_button(frame);
  for (const PanelModule* panel : model.panels) {
    if (panel->shown() && panel->info().place == PanelPlace::kFloating) paint(frame, *panel);
  }
  if (core.dialog()) {
    file_dialog_panel(model, ui, *core.dialog(), out);
  } else if (key_pressed(Key::kEscape)) {
    // Popups are closed only here, after the timeline was drawn. The timeline ignores keys while a popup is
    // open, so it has ignored this Escape.
    close_popups();
  }
}

}  // namespace runahead::gui
