// The timeline in the current ImGui window: overview, ruler, names, plot, tooltips. The panel builds the
// scene, paints it, reads mouse and keys, and emits commands. The panel changes only the state in
// TimelineView.
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

// The cost of a frame of the timeline, for the debug panel.
struct FrameCost {
  Duration build{};     // scene and overview
  Duration paint{};     // draw lists
  Duration interact{};  // input and tooltip
  std::size_t rows = 0, boxes = 0, counter_columns = 0;
};

// The state of one timeline on the screen. The caller keeps it from frame to frame. For a new timeline, the
// caller creates a default-constructed TimelineView.
struct TimelineView {
  Scene scene;  // scene of the last frame
  Overview overview;
  TimelineGesture gesture;
  bool overview_drag = false;
  bool splitter_drag = false;
  bool fit_elsewhere = false;   // set by the caller; true: another panel uses the F key in this frame
  bool keys_elsewhere = false;  // set by the caller; true: another timeline uses all keys
  bool overview_shown = true;   // set by the caller; false: no overview, so the plot is higher
  float name_column_px = 0;     // width of the names at scale 1; 0: the default width
  float names_px = 0;           // the width of the names as drawn
  float parts_px = 0;           // the height of the line of parts as drawn
  std::optional<SliceRef> slice_menu_asked;  // like menu_asked, for a slice
  std::optional<TrackId>
      menu_asked;  // the track whose menu was requested; the caller draws the menu and resets this
};

// Draws into the rest of the content region of the current window. The window should not scroll by itself
// (ImGuiWindowFlags_NoScrollbar | NoScrollWithMouse). Keys work only while no text field has the keyboard
// focus. In each frame, make these calls in this order: append batches; advance_timeline(trace, state);
// timeline_panel(...); apply_timeline for each command in `out`.
//   scale   interface scale, 1.0 to 2.5; the current font must be loaded at >= 13 * scale px
[[nodiscard]] FrameCost timeline_panel(const trace::Trace& trace, const TimelineState& state,
                                       const Theme& theme, float scale, TimelineView& view,
                                       TimelineCommands& out);

}  // namespace runahead::gui
