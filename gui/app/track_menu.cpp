#include "gui/app/track_menu.h"

#include <algorithm>

#include "gui/timeline/arrange.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {

namespace {

std::string title_of(const trace::Trace& trace, TrackId track) {
  const trace::TrackInfo& info = trace.track(track).info;
  return info.kind == trace::TrackKind::kGroup ? translated(info.name) : track_label(trace, track);
}

bool item(const PanelUi& ui, const char* name, Text label, bool enabled = true) {
  const bool pressed = ImGui::MenuItem(text(label), nullptr, false, enabled);
  mark_widget(ui, name);
  return pressed;
}

// Draws the menu items that move a track up or down among its visible siblings.
void move_items(const PanelUi& ui, const trace::Trace& trace, const TimelineState& state, TrackId track,
                TimelineCommands& out) {
  std::vector<SceneRow> rows;
  build_rows(trace, state, ui.scale, rows);
  const std::vector<TrackSpan> spans = shown_siblings(trace, state, rows, track);
  const auto here = std::ranges::find(spans, track, &TrackSpan::track);
  const bool known = here != spans.end();
  if (item(ui, "track:up", Text::kTrackUp, known && here != spans.begin()))
    out.push_back(PlaceTrack{track, (here - 1)->track});
  if (item(ui, "track:down", Text::kTrackDown, known && here + 1 != spans.end()))
    out.push_back(PlaceTrack{track, here + 2 != spans.end() ? (here + 2)->track : kNoTrack});
}

void items(const PanelUi& ui, const trace::Trace& trace, const TimelineState& state, TrackId track,
           TimelineCommands& out) {
  small_dim_line(ui, title_of(trace, track));
  const bool pinned = is_pinned(state, track);
  if (item(ui, "track:pin", pinned ? Text::kTrackUnpin : Text::kTrackPin))
    out.push_back(PinTrack{track, !pinned});
  if (trace.track(track).info.kind == trace::TrackKind::kCounter) {
    const bool fitted = std::ranges::find(state.fitted, track) != state.fitted.end();
    if (item(ui, "track:fit", fitted ? Text::kTrackFitWhole : Text::kTrackFitView))
      out.push_back(ToggleCounterFit{track});
  }
  move_items(ui, trace, state, track, out);
  ImGui::Separator();
  if (item(ui, "track:hide", Text::kTrackHide)) out.push_back(HideTrack{track});
  if (item(ui, "track:only", Text::kTrackShowOnly)) out.push_back(ShowOnly{track});
  const bool any_hidden = hidden_count(trace, state) > 0;
  if (item(ui, "track:show_all", Text::kShowAllTracks, any_hidden)) out.push_back(ShowAllTracks{});
  ImGui::Separator();
  if (item(ui, "track:fold_all", Text::kTrackFoldAll)) out.push_back(FoldAll{true});
  if (item(ui, "track:unfold_all", Text::kTrackUnfoldAll)) out.push_back(FoldAll{false});
}

}  // namespace

void track_menu(const PanelUi& ui, const trace::Trace& trace, const TimelineState& state,
                std::optional<TrackId>& asked, TrackMenu& menu, TimelineCommands& out) {
  if (asked) {
    menu.track = *asked;
    asked.reset();
    ImGui::OpenPopup("##track_menu");
  }
  if (!ImGui::BeginPopup("##track_menu")) return;
  // The trace on the screen may have changed since the menu opened.
  if (raw(menu.track) < trace.tracks().size()) items(ui, trace, state, menu.track, out);
  ImGui::EndPopup();
}

void hidden_tracks(const PanelUi& ui, const char* id, const trace::Trace& trace, const TimelineState& state,
                   ImVec2 corner, TimelineCommands& out) {
  const std::size_t count = hidden_count(trace, state);
  if (count == 0) return;
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_NoBackground;
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, ImVec2(0, 1));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool drawn = ImGui::Begin(id, nullptr, kFlags);
  ImGui::PopStyleVar();
  if (drawn) {
    const std::string words = filled(Text::kTrackHidden, {std::to_string(count)});
    if (tool_button(ui, "hidden_tracks", {.label = words, .hint = text(Text::kTrackHiddenHint)}))
      ImGui::OpenPopup("##hidden_list");
    if (ImGui::BeginPopup("##hidden_list")) {
      if (item(ui, "hidden:all", Text::kShowAllTracks)) out.push_back(ShowAllTracks{});
      ImGui::Separator();
      for (const TrackId track : state.hidden) {
        if (raw(track) >= trace.tracks().size()) continue;
        const std::string label = title_of(trace, track) + "##" + std::to_string(raw(track));
        if (ImGui::MenuItem(label.c_str())) out.push_back(ShowTrack{track});
        mark_widget(ui, "hidden:" + title_of(trace, track));
      }
      ImGui::EndPopup();
    }
  }
  ImGui::End();
}

}  // namespace runahead::gui
