#include "gui/app/shortcuts.h"

#include <algorithm>
#include <cmath>

#include "gui/platform/keys.h"
#include "gui/timeline/facts.h"
#include "gui/timeline/time_scale.h"
#include "imgui.h"
#include "instrumentation/analysis/notes.h"

namespace runahead::gui {

namespace {

constexpr double kSameNotePx = 5;

void barrier_key(unsigned int character, const PanelModel& model, Commands& out) {
  const std::vector<engine::BarrierChoice> row = barrier_row(model.workload);
  const std::size_t index = character - '1';
  if (index < row.size()) out.push_back(SetBarrier{row[index].policy});
}

// Where the mouse is on the plot, else at the begin of the selection, else in the middle of the view. One
// that is there already, within a few pixels, is changed.
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

ColourBy next(ColourBy by) { return static_cast<ColourBy>((static_cast<int>(by) + 1) % kColourByCount); }

void letter(unsigned int character, AppCore& core, const PanelModel& model, LayoutState& layout,
            Commands& out) {
  switch (character) {
    case ' ':
      out.push_back(TogglePause{});
      return;
    case '?':
      out.push_back(TogglePanel{Panel::kHelp});
      return;
    case '/':
      if (!model.shows(Panel::kFind)) out.push_back(TogglePanel{Panel::kFind});
      layout.find.fresh = true;
      return;
    case 't':
    case 'T':
      core.set_searching(true);
      layout.search_fresh = true;
      return;
    case 'p':
    case 'P':
      out.push_back(SetPresentation{!model.presentation});
      return;
    case 'g':
    case 'G':
      out.push_back(TogglePanel{Panel::kGraph});
      return;
    case 'q':
    case 'Q':
      out.push_back(TogglePanel{Panel::kQuery});
      return;
    case 'b':
    case 'B':
      out.push_back(TogglePanel{Panel::kWaits});
      return;
    case 'k':
    case 'K':
      out.push_back(TogglePanel{Panel::kMemory});
      return;
    case 'c':
    case 'C':
      out.push_back(TogglePanel{Panel::kCompare});
      return;
    case 'n':
    case 'N':
      layout.note = new_note(model, layout);
      return;
    case 'f':
    case 'F':
      if (layout.graph.over) fit_graph(layout.graph);
      return;
    case '+':
      if (model.flow_chain != nullptr && model.flow_chain->more)
        out.push_back(TimelineCommand{ShowFlows{model.timeline.flow_steps + 1}});
      return;
    case '-':
      out.push_back(TimelineCommand{ShowFlows{1}});
      return;
    case 'o':
    case 'O':
      out.push_back(TimelineCommand{SetColourBy{next(model.timeline.colour_by)}});
      return;
    case 'l':
    case 'L':
      out.push_back(TogglePanel{Panel::kLegend});
      return;
    default:
      if (character >= '1' && character <= '9') barrier_key(character, model, out);
  }
}

void escape(AppCore& core, const PanelModel& model, Commands& out) {
  if (core.searching()) {
    close_search(core, out);
  } else if (model.shows(Panel::kHelp)) {
    out.push_back(TogglePanel{Panel::kHelp});
  } else if (!model.error.empty()) {
    out.push_back(DismissError{});
  } else if (model.shows(Panel::kFind)) {
    out.push_back(TogglePanel{Panel::kFind});
  }
}

}  // namespace

void close_search(AppCore& core, Commands& out) {
  core.set_searching(false);
  out.push_back(SetSearch{});
}

void read_shortcuts(AppCore& core, const PanelModel& model, LayoutState& layout, Commands& out) {
  if (shortcut_pressed(Key::kO)) out.push_back(AskForFile{FilePurpose::kOpen});
  if (shortcut_pressed(Key::kS)) out.push_back(AskForFile{FilePurpose::kSaveAs});
  if (shortcut_pressed(Key::kR)) out.push_back(StartRun{});
  if (shortcut_pressed(Key::kQ)) out.push_back(Quit{});
  if (key_pressed(Key::kF1)) out.push_back(TogglePanel{Panel::kHelp});
  if (key_pressed(Key::kF3)) out.push_back(TogglePanel{Panel::kDebug});
  if (key_pressed(Key::kEscape)) {
    layout.note ? layout.note.reset() : escape(core, model, out);
  }
  if (ImGui::GetIO().WantTextInput) return;
  if (key_pressed(Key::kEnd)) out.push_back(TimelineCommand{FollowLive{true}});
  if (const unsigned int character = typed_character()) letter(character, core, model, layout, out);
}

}  // namespace runahead::gui
