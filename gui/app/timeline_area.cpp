#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/app/layout_parts.h"
#include "gui/panels/dialogs/paint_dialogs.h"
#include "gui/timeline/scene/time_scale.h"
#include "gui/widgets/ui.h"
#include "imgui_stdlib.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

constexpr ImGuiWindowFlags kFloating = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                       ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                       ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav |
                                       ImGuiWindowFlags_NoBackground;
// In a comparison: the height of the bar above each timeline, and the minimum height of each timeline.
constexpr float kSideBarPx = 24, kLeastSidePx = 110;
constexpr float kRoomForOverviewsPx = 460;
// The button of the panels whose buttons do not fit.
constexpr std::string_view kMoreLabel = "\u2026";

void empty_timeline(const Frame& frame) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto centred = [&](const char* words, float y) {
    ImGui::SetCursorPos(ImVec2(std::max(0.0f, (room.x - ImGui::CalcTextSize(words).x) / 2), y));
    ellipsis_line(frame.ui, words, room.x, true);
  };
  const bool waiting = frame.model.grows();
  ImGui::PushFont(frame.ui.fonts.large);
  centred(text(waiting ? Text::kWaitingForData : Text::kEmptyTimeline), room.y * 0.42f);
  ImGui::PopFont();
  if (!waiting) centred(text(Text::kEmptyTimelineHint), room.y * 0.42f + frame.ui.px(34));
}

void live_button(const Frame& frame, ImVec2 corner) {
  if (frame.core.timeline().follow || !frame.model.grows()) return;
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, ImVec2(1, 1));
  if (ImGui::Begin("##live", nullptr, kFloating)) {
    ImGui::PushFont(frame.ui.fonts.bold);
    const ButtonLook look{.icon = Icon::kPlay,
                          .label = text(Text::kLive),
                          .strong = true,
                          .accent = frame.ui.theme.good,
                          .hint = text(Text::kLiveHint)};
    if (tool_button(frame.ui, "live", look)) frame.out.push_back(TimelineCommand{FollowLive{true}});
    ImGui::PopFont();
  }
  ImGui::End();
}

ButtonLook look_of(const Frame& frame, const PanelModule& view) {
  const PanelButton& button = *view.info().button;
  return {.label = text(button.label),
          .strong = view.shown(),
          .accent = frame.ui.theme.range,
          .hint = text(button.hint)};
}

// Places buttons of different widths in rows.
struct ButtonRows {
  float gap = 0, room = 0;  // between two buttons; width of a row
  int rows = 0;             // at most
  int row = 0;
  float used = 0;

  // False: the button does not fit any more.
  [[nodiscard]] bool add(float width) {
    const bool same_row = used > 0 && used + gap + width <= room;
    if (!same_row && used > 0 && ++row >= rows) return false;
    used = same_row ? used + gap + width : width;
    return true;
  }
};

// The number of views whose buttons fit. If not all do, there is room left for the button of the others.
std::size_t count_that_fit(const Frame& frame, const std::vector<const PanelModule*>& views,
                           ButtonRows rows) {
  const auto width = [&](const ButtonLook& look) { return tool_button_width(frame.ui, look); };
  ButtonRows all = rows;
  if (std::ranges::all_of(views,
                          [&](const PanelModule* view) { return all.add(width(look_of(frame, *view))); }))
    return views.size();
  std::size_t fit = 0;
  for (; fit < views.size(); ++fit) {
    if (!rows.add(width(look_of(frame, *views[fit])))) break;
    ButtonRows with_rest = rows;
    if (!with_rest.add(width({.label = kMoreLabel}))) break;
  }
  return fit;
}

// A button with a menu of the views that have no button.
void more_views(const Frame& frame, std::span<const PanelModule* const> views) {
  const bool any_shown = std::ranges::any_of(views, [](const PanelModule* view) { return view->shown(); });
  const ButtonLook look{.label = kMoreLabel,
                        .strong = any_shown,
                        .accent = frame.ui.theme.range,
                        .hint = text(Text::kMoreViews)};
  if (tool_button(frame.ui, "more_views", look)) ImGui::OpenPopup("##more_views");
  if (!ImGui::BeginPopup("##more_views")) return;
  for (const PanelModule* view : views) {
    const PanelButton& button = *view->info().button;
    if (ImGui::MenuItem(text(button.label), std::string(view->info().key).c_str(), view->shown()))
      frame.out.push_back(TogglePanel{view->id()});
    mark_widget(frame.ui, std::string(button.widget));
  }
  ImGui::EndPopup();
}

// Draws the buttons that open and close the panels with other views of the trace. The buttons are in the
// corner left of the overview. The button of an open panel stays and looks pressed, so that no button moves
// under the mouse.
void view_buttons(const Frame& frame, ImVec2 corner) {
  const PanelModel& model = frame.model;
  std::vector<const PanelModule*> views;
  for (const PanelModule* panel : model.panels) {
    if (panel->info().button && panel->offered()) views.push_back(panel);
  }
  std::ranges::stable_sort(views, {}, [](const PanelModule* panel) { return panel->info().button->order; });
  if (model.trace.tracks().empty()) return;
  ImGui::SetNextWindowPos(corner);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  // Narrow buttons, so that most of them fit to the left of the overview.
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(frame.ui.px(5), ImGui::GetStyle().FramePadding.y));
  if (ImGui::Begin("##open_views", nullptr, kFloating)) {
    // The rows of buttons are as wide as the column of track names, and use at most the height above it. If
    // the overview is hidden, there is room for only one row.
    const float gap = frame.ui.px(6), row_gap = frame.ui.px(4);
    const float height = frame.layout.plot.y0_px - corner.y, row = ImGui::GetFrameHeight() + row_gap;
    ButtonRows rows{.gap = gap,
                    .room = frame.layout.plot.x0_px - corner.x,
                    .rows = std::max(1, static_cast<int>((height + row_gap) / row))};
    const std::size_t fit = count_that_fit(frame, views, rows);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(gap, row_gap));
    const auto place = [&](const ButtonLook& look) {
      const int before = rows.row;
      const bool first = rows.used == 0;
      static_cast<void>(rows.add(tool_button_width(frame.ui, look)));
      if (!first && rows.row == before) ImGui::SameLine(0, gap);
    };
    for (std::size_t i = 0; i < fit; ++i) {
      const ButtonLook look = look_of(frame, *views[i]);
      place(look);
      if (tool_button(frame.ui, std::string(views[i]->info().button->widget).c_str(), look))
        frame.out.push_back(TogglePanel{views[i]->id()});
    }
    if (fit < views.size()) {
      place({.label = kMoreLabel});
      more_views(frame, std::span(views).subspan(fit));
    }
    ImGui::PopStyleVar();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void search_field(const Frame& frame, ImVec2 corner) {
  if (!frame.core.searching()) return;
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, ImVec2(1, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imvec(frame.ui.theme.popup));
  if (ImGui::Begin("##search", nullptr, kFloating & ~ImGuiWindowFlags_NoBackground)) {
    std::string words = frame.core.timeline().search;
    ImGui::SetNextItemWidth(frame.ui.px(240));
    if (frame.layout.search_fresh) ImGui::SetKeyboardFocusHere();
    frame.layout.search_fresh = false;
    if (ImGui::InputTextWithHint("##words", text(Text::kSearchHint), &words))
      frame.out.push_back(SetSearch{words});
    mark_widget(frame.ui, "search");
    ImGui::SameLine();
    if (tool_button(frame.ui, "close_search", {.icon = Icon::kClose})) close_search(frame.core, frame.out);
  }
  ImGui::End();
  ImGui::PopStyleColor();
}

// Draws the field for a note below the ruler, at the note's time. Enter saves the note. Escape or a click
// elsewhere discards the change.
void note_field(const Frame& frame) {
  auto& note = frame.layout.note;
  if (!note) return;
  const PlotRect& plot = frame.layout.plot;
  const TimeScale scale{frame.layout.view.scene.view, std::max(1.0f, plot.x1_px - plot.x0_px)};
  const float width = frame.ui.px(260);
  const float x = plot.x0_px + static_cast<float>(scale.x_from_time(note->at));
  ImGui::SetNextWindowPos(
      ImVec2(std::clamp(x, plot.x0_px, std::max(plot.x0_px, plot.x1_px - width)), plot.y0_px));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imvec(frame.ui.theme.popup));
  bool kept = false, left = false;
  if (ImGui::Begin("##note", nullptr, kFloating & ~ImGuiWindowFlags_NoBackground)) {
    ImGui::SetNextItemWidth(width);
    const bool fresh = std::exchange(note->fresh, false);
    if (fresh) ImGui::SetKeyboardFocusHere();
    const std::string hint = filled(Text::kNoteHint, {format_axis_time(note->at, Duration{1000})});
    kept =
        ImGui::InputTextWithHint("##words", hint.c_str(), &note->words, ImGuiInputTextFlags_EnterReturnsTrue);
    mark_widget(frame.ui, "note");
    left = !fresh && ImGui::IsItemDeactivated();
  }
  ImGui::End();
  ImGui::PopStyleColor();
  if (kept) frame.out.push_back(SetNote{note->at, note->words});
  if (kept || left) note.reset();
}

void draw_timeline(const Frame& frame, ImVec2 size) {
  ImGui::BeginChild("##timeline", size, false, kStill);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 high(low.x + ImGui::GetContentRegionAvail().x, low.y + ImGui::GetContentRegionAvail().y);
  frame.layout.timeline = {low.x, low.y, high.x, high.y};
  if (frame.model.trace.tracks().empty()) {
    empty_timeline(frame);
    frame.layout.cost = {};
  } else {
    TimelineCommands asked;
    frame.layout.cost = timeline_panel(frame.model.trace, frame.core.timeline(), frame.ui.theme,
                                       frame.ui.scale, frame.layout.view, asked);
    track_menu(frame.ui, frame.model.trace, frame.core.timeline(), frame.layout.view.menu_asked,
               frame.layout.track_menu, asked);
    slice_menu(frame.ui, frame.model, frame.layout.view.slice_menu_asked, frame.layout.slice_menu,
               frame.core.panels().get<FindPanel>(), frame.out);
    const ImVec2 corner(low.x + frame.ui.px(6), high.y - frame.ui.px(6));
    hidden_tracks(frame.ui, "##hidden", frame.model.trace, frame.core.timeline(), corner, asked);
    for (const TimelineCommand& command : asked) frame.out.push_back(command);
    const SceneSize& plot = frame.layout.view.scene.size;
    frame.layout.plot = {high.x - plot.width_px, high.y - plot.height_px, high.x, high.y};
  }
  ImGui::EndChild();
  const float edge = frame.ui.px(10);
  live_button(frame, ImVec2(high.x - edge, high.y - edge));
  view_buttons(frame, ImVec2(low.x + frame.ui.px(6), low.y + frame.ui.px(4)));
  note_field(frame);
  search_field(frame, ImVec2(high.x - edge, low.y + frame.ui.px(44)));
  error_panel(frame.model, frame.ui, ImVec2((low.x + high.x) / 2, low.y + frame.ui.px(8)), frame.out);
  job_panel(frame.model, frame.ui, ImVec2((low.x + high.x) / 2, low.y + frame.ui.px(90)), frame.out);
  page_panel(frame.model, frame.ui, ImVec2((low.x + high.x) / 2, low.y + frame.ui.px(90)), frame.out);
}

// ---- two timelines ----------------------------------------------------------------------------------------

// Draws the label above a timeline of a comparison: the side (A or B), its trace, and the compared part of
// the trace.
void side_label(const Frame& frame, CompareSide side, ImVec2 at, float width_px) {
  const CompareFacts& compare = frame.model.compare;
  const bool a = side == CompareSide::kA;
  const bool other = compare.answer->asked.mode == CompareMode::kRecording;
  const TimeRange range = a ? compare.answer->comparison.a_range : compare.answer->comparison.b_range;
  const Duration step = std::max(range.duration() / 100, Duration{1});
  std::string words = (a || !other ? compare.a_name : compare.b_name) + "   " +
                      format_axis_time(range.begin, step) + " .. " + format_axis_time(range.end, step);
  if (const auto change = compare.answer->change) {
    words += std::string("   ") + text(a ? Text::kBefore : Text::kAfter) + " " +
             compare.answer->changes[*change].change.label;
  }
  const float pad = std::floor((frame.ui.px(kSideBarPx) - ImGui::GetTextLineHeight()) / 2);
  ImGui::SetCursorScreenPos(ImVec2(at.x + frame.ui.px(8), at.y + pad));
  side_tag(frame.ui, side);
  ImGui::SameLine(0, frame.ui.px(8));
  ellipsis_line(frame.ui, words, width_px - frame.ui.px(60));
}

void side_bar(const Frame& frame, CompareSide side, float width_px, float both_px) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(width_px, frame.ui.px(kSideBarPx));
  ImGui::InvisibleButton(side == CompareSide::kA ? "##side_a" : "##side_b", size);
  mark_widget(frame.ui, side == CompareSide::kA ? "compare:bar_a" : "compare:bar_b");
  const bool divides = side == CompareSide::kB;
  const bool held = divides && ImGui::IsItemActive();
  if (held) frame.layout.upper_share += ImGui::GetIO().MouseDelta.y / std::max(both_px, 1.0f);
  const bool hot = held || (divides && ImGui::IsItemHovered());
  if (hot) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  const Theme& theme = frame.ui.theme;
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y),
                                            rgba(hot ? theme.group_header : theme.panel));
  side_label(frame, side, at, width_px);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + size.y));
}

void lower_timeline(const Frame& frame, ImVec2 size) {
  LayoutState& layout = frame.layout;
  ImGui::BeginChild("##lower_timeline", size, false, kStill);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 high(low.x + ImGui::GetContentRegionAvail().x, low.y + ImGui::GetContentRegionAvail().y);
  TimelineCommands asked;
  const FrameCost cost = timeline_panel(*frame.model.compare.b_trace, *frame.model.compare.b_timeline,
                                        frame.ui.theme, frame.ui.scale, layout.lower, asked);
  // The widgets of the lower timeline are not listed in the report, because the widgets of the upper timeline
  // have the same names.
  const PanelUi unnamed{frame.ui.theme, frame.ui.fonts, frame.ui.scale};
  track_menu(unnamed, *frame.model.compare.b_trace, *frame.model.compare.b_timeline, layout.lower.menu_asked,
             layout.lower_track_menu, asked);
  const ImVec2 corner(low.x + frame.ui.px(6), high.y - frame.ui.px(6));
  hidden_tracks(unnamed, "##hidden_below", *frame.model.compare.b_trace, *frame.model.compare.b_timeline,
                corner, asked);
  for (const TimelineCommand& command : asked) frame.out.push_back(OnLowerTimeline{command});
  const SceneSize& plot = layout.lower.scene.size;
  layout.lower_plot = {high.x - plot.width_px, high.y - plot.height_px, high.x, high.y};
  layout.cost.build += cost.build;
  layout.cost.paint += cost.paint;
  layout.cost.interact += cost.interact;
  ImGui::EndChild();
}

// Key presses go to the timeline under the mouse. The columns of names of both timelines have the same width.
void share_view(LayoutState& layout, bool overviews) {
  layout.view.overview_shown = layout.lower.overview_shown = overviews;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const PlotRect& below = layout.lower_plot;
  const bool over_lower =
      below.y1_px > below.y0_px && mouse.y >= below.y0_px && mouse.y < below.y1_px && mouse.x < below.x1_px;
  layout.view.keys_elsewhere = over_lower;
  layout.lower.keys_elsewhere = !over_lower;
  if (layout.lower.splitter_drag) {
    layout.view.name_column_px = layout.lower.name_column_px;
  } else {
    layout.lower.name_column_px = layout.view.name_column_px;
  }
}

}  // namespace

// Draws the timeline. In a comparison, draws the timeline of the other side below it.
void draw_timelines(const Frame& frame, ImVec2 size) {
  LayoutState& layout = frame.layout;
  const CompareFacts& compare = frame.model.compare;
  if (compare.b_trace == nullptr || frame.model.look.presentation) {
    layout.view.keys_elsewhere = false;
    layout.view.overview_shown = true;
    layout.lower_plot = {};
    layout.lower.scene.counters_refine = false;
    return draw_timeline(frame, size);
  }
  share_view(layout, size.y >= frame.ui.px(kRoomForOverviewsPx));
  ImGui::BeginChild("##timelines", size, false, kStill);
  const float both = size.y - 2 * frame.ui.px(kSideBarPx);
  float& share = layout.upper_share;
  if (share <= 0) share = 0.5f;
  const float least = std::min(frame.ui.px(kLeastSidePx) / std::max(both, 1.0f), 0.5f);
  share = std::clamp(share, least, 1 - least);
  const float upper = std::floor(both * share);
  side_bar(frame, CompareSide::kA, size.x, both);
  draw_timeline(frame, ImVec2(size.x, upper));
  side_bar(frame, CompareSide::kB, size.x, both);
  lower_timeline(frame, ImVec2(size.x, both - upper));
  ImGui::EndChild();
}

}  // namespace runahead::gui
