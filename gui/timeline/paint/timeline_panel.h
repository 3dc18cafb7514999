// The timeline in the current ImGui window: overview, ruler, names, plot, tooltips. Builds the scene, paints
// it, reads the mouse and the keys, and emits commands; changes no state but what it keeps in TimelineView.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gui/theme/theme.h"
#include "gui/timeline/interaction.h"
#include "gui/timeline/overview.h"
#include "gui/timeline/scene/scene.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

// What a frame of the timeline cost, for the debug panel.
struct FrameCost {
  Duration build{};     // scene and overview
  Duration paint{};     // draw lists
  Duration interact{};  // input and tooltip
  std::size_t rows = 0, boxes = 0, counter_columns = 0;
};

// Kept between frames by the caller, one for each timeline on the screen; default-constructed is a fresh one.
struct TimelineView {
  Scene scene;  // of the last frame
  Overview overview;
  TimelineGesture gesture;
  bool overview_drag = false;
  bool splitter_drag = false;
  bool fit_elsewhere = false;         // set by the caller: another panel takes F in this frame
  bool keys_elsewhere = false;        // the same of all keys: they are another timeline's
  bool overview_shown = true;         // set by the caller: false leaves its room to the plot
  float name_column_px = 0;           // at scale 1; 0: the default width
  float names_px = 0;                 // how wide the names were drawn
  std::optional<TrackId> menu_asked;  // of the track with that name; for the caller, who draws and forgets it
};

// Draws into what is left of the current window's content region, which should not scroll by itself
// (ImGuiWindowFlags_NoScrollbar | NoScrollWithMouse). Keys act only while no text field has the keyboard.
// Per frame: append batches; advance_timeline(trace, state); timeline_panel(...); apply_timeline each of
// `out`.
//   scale   interface scale, 1.0 to 2.5; the current font must be loaded at >= 13 * scale px
[[nodiscard]] FrameCost timeline_panel(const trace::Trace& trace, const TimelineState& state,
                                       const Theme& theme, float scale, TimelineView& view,
                                       TimelineCommands& out);

}  // namespace runahead::gui
