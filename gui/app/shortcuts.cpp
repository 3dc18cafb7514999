#include <cctype>
#include <cmath>
#include <string_view>

#include "gui/app/layout_parts.h"
#include "gui/platform/keys.h"
#include "gui/timeline/scene/time_scale.h"
#include "gui/timeline/selection_facts.h"
#include "gui/widgets/ui.h"
#include "imgui.h"
#include "instrumentation/analysis/notes.h"

namespace runahead::gui {

namespace {

constexpr double kSameNotePx = 5;

void barrier_key(unsigned int character, const PanelModel& model, Commands& out) {
  if (model.files.trace_mode) return;  // trace mode: the file is not a run of this engine and has no barriers
  const std::vector<BarrierChoice> row = barrier_row(model.start.workload);
  const std::size_t index = character - '1';
  if (index < row.size()) out.push_back(SetBarrier{row[index].policy});
}

// Returns the note to edit. If the mouse is over the plot, the note's time is the time under the mouse.
// Otherwise it is the start of the selected slice, or without a selection the middle of the view. If a note
// exists within a few pixels of this time, that note is edited.
LayoutState::NoteField new_note(const PanelModel& model, const LayoutState& layout) {
  const TimeRange view = layout.view.scene.view;
  const PlotRect& plot = layout.plot;
  const TimeScale scale{view, std::max(1.0f, plot.x1_px - plot.x0_px)};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over =
      plot.x0_px <= mouse.x && mouse.x < plot.x1_px && plot.y0_px <= mouse.y && mouse.y < plot.y1_px;
  Timestamp at = scale.time_from_x(over ? mouse.x - plot.x0_px : scale.width_px / 2);
  if (!over && model.timeline.selected) {
    if (const auto slice = find_slice(model.trace, *model.timeline.selected)) at = slice->begin;
  }
  for (const analysis::Note& note : analysis::notes_of(model.trace)) {
    if (std::abs(scale.x_from_time(note.at) - scale.x_from_time(at)) <= kSameNotePx)
      return {note.at, note.words};
  }
  return {at, {}};
}

// True if `key` is a key name of one character and `character` is this character. A name such as "F3" belongs
// to a key that types no character; the result is then false.
bool is_typed(std::string_view key, unsigned int character) {
  if (key.size() != 1 || character > 0x7f) return false;
  return std::tolower(static_cast<unsigned char>(key.front())) == std::tolower(static_cast<int>(character));
}
bool is_pressed(std::string_view key) {
  return (key == "F1" && key_pressed(Key::kF1)) || (key == "F3" && key_pressed(Key::kF3));
}

void panel_key(PanelModule& panel, LayoutState& layout, Commands& out) {
  layout.opens_field = true;
  const bool opens_only = panel.info().key_only_opens;
  if (!opens_only || !panel.shown()) out.push_back(TogglePanel{panel.id()});
  if (opens_only) panel.take_keyboard();
}

ColourBy next(ColourBy by) { return static_cast<ColourBy>((static_cast<int>(by) + 1) % kColourByCount); }

void letter(unsigned int character, AppCore& core, const PanelModel& model, LayoutState& layout,
            Commands& out) {
  for (PanelModule* panel : model.panels) {
    if (panel->shown()) panel->typed(character);
    const PanelInfo& info = panel->info();
    if (is_typed(info.key, character) || is_typed(info.other_key, character))
      return panel_key(*panel, layout, out);
  }
  switch (character) {
    case ' ':
      out.push_back(TogglePause{});
      return;
    case 't':
    case 'T':
      core.set_searching(true);
      layout.search_fresh = true;
      layout.opens_field = true;
      return;
    case 'p':
    case 'P':
      out.push_back(SetPresentation{!model.look.presentation});
      return;
    case 'n':
    case 'N':
      layout.note = new_note(model, layout);
      layout.opens_field = true;
      return;
    case 'i':
    case 'I':
      core.panels().get<CausesPanel>().toggle_marks();
      return;
    case '+':
      if (model.scene != nullptr && model.scene->flow_chain.more)
        out.push_back(TimelineCommand{ShowFlows{model.timeline.flow_steps + 1}});
      return;
    case '-':
      out.push_back(TimelineCommand{ShowFlows{1}});
      return;
    case 'o':
    case 'O':
      out.push_back(TimelineCommand{SetColourBy{next(model.timeline.colour_by)}});
      return;
    default:
      if (character >= '1' && character <= '9') barrier_key(character, model, out);
  }
}

// Returns a shown panel that Escape closes; nullptr: there is none. With `floating`, looks only at the
// floating panels; without `floating`, only at the panels with a fixed place.
PanelModule* closed_by_escape(const PanelModel& model, bool floating) {
  for (PanelModule* panel : model.panels) {
    const PanelInfo& info = panel->info();
    if (panel->shown() && info.escape_closes && (info.place == PanelPlace::kFloating) == floating)
      return panel;
  }
  return nullptr;
}

void escape(AppCore& core, const PanelModel& model, Commands& out) {
  if (core.searching()) {
    close_search(core, out);
  } else if (const PanelModule* const over = closed_by_escape(model, true)) {
    out.push_back(TogglePanel{over->id()});
  } else if (!model.error.empty()) {
    out.push_back(DismissError{});
  } else if (const PanelModule* const panel = closed_by_escape(model, false)) {
    out.push_back(TogglePanel{panel->id()});
  }
}

}  // namespace

void close_search(AppCore& core, Commands& out) {
  core.set_searching(false);
  out.push_back(SetSearch{});
}

void read_shortcuts(AppCore& core, const PanelModel& model, LayoutState& layout, Commands& out) {
  layout.opens_field = layout.opens_field || shortcut_pressed(Key::kO) || shortcut_pressed(Key::kS);
  if (shortcut_pressed(Key::kO)) out.push_back(AskForFile{FilePurpose::kOpen});
  if (shortcut_pressed(Key::kS)) out.push_back(AskForFile{FilePurpose::kSaveAs});
  if (shortcut_pressed(Key::kR)) out.push_back(StartRun{});
  if (shortcut_pressed(Key::kQ)) out.push_back(Quit{});
  if (shortcut_pressed(Key::kF)) panel_key(*find_panel(model.panels, kFindPanel), layout, out);
  for (PanelModule* panel : model.panels) {
    if (is_pressed(panel->info().key) || is_pressed(panel->info().other_key)) panel_key(*panel, layout, out);
  }
  // If a popup is open, Escape closes only that popup (draw_layout()).
  if (key_pressed(Key::kEscape) && !popup_open()) {
    layout.note ? layout.note.reset() : escape(core, model, out);
  }
  if (ImGui::GetIO().WantTextInput) return;
  if (key_pressed(Key::kEnd)) out.push_back(TimelineCommand{FollowLive{true}});
  if (const unsigned int character = typed_character()) letter(character, core, model, layout, out);
}

}  // namespace runahead::gui
