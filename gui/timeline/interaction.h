// Turns the mouse and key input of one frame into commands, given the scene on the screen. Pure: only
// timeline_panel.cpp reads ImGui.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

enum class TimelineKey : std::uint8_t {
  kZoomIn,
  kZoomOut,
  kPanLeft,
  kPanRight,  // keys W S A D, and the arrow keys left and right; they act while they are down
  kFitSelection,
  kShowAll,
  kMarkRange,  // F Home M
  kNextSlice,
  kPreviousSlice,
  kNextFlow,
  kPreviousFlow,  // . , ] [
  kClear,         // Escape
  kScrollUp,
  kScrollDown,  // the arrow keys up and down; they act while they are down
};
inline constexpr std::size_t kTimelineKeyCount = 14;

// The input of one frame. Coordinates are relative to the plot's top left corner, as in the scene. The ruler
// is above the plot (y < 0), the names are to the left (x < 0).
struct TimelineInput {
  float x_px = 0, y_px = 0;
  float parts_px = 0;  // height of the ruler's lowest line, which shows the parts of the run; 0: no parts
  bool over = false;   // the mouse is over the timeline, and nothing covers it
  bool pressed = false, down = false, released = false;  // left button: pressed now, is down, released now
  bool double_clicked = false;
  float wheel = 0, wheel_x = 0;  // wheel notches since the last frame; up and right are positive
  bool shift = false, ctrl = false;
  std::bitset<kTimelineKeyCount> keys_down, keys_pressed;
  double dt_s = 0;  // time since the previous frame
};

// The state of a press or drag, kept between frames.
struct TimelineGesture {
  enum class Kind : std::uint8_t { kNone, kPressed, kPanning, kRanging, kMoving, kSelectingArea };
  Kind kind = Kind::kNone;
  float start_x_px = 0, start_y_px = 0;
  TimeRange start_view{};
  double start_scroll_px = 0;
  Timestamp anchor{};     // trace time under the mouse when the press began
  bool on_ruler = false;  // true: the press began on the ruler or with Shift, so a drag measures a range
  // Set if the press began on the plot with Ctrl: a drag selects an area, which begins at this row.
  std::optional<RowKey> first_row;
  TrackId track = kNoTrack;  // the track whose name was pressed: a drag moves it among its siblings
  struct Landing {
    TrackId before = kNoTrack;  // the dragged track would be placed before this track; kNoTrack: at the end
    float y_px = 0;             // y of the line that shows this position
  };
  std::optional<Landing> landing;  // for kMoving; nullopt: a drop would not move the track
};

// Returns the slice under a point of the plot. If the point is on a folded run (slices that are too narrow to
// draw), returns the slice of the run that is nearest to the time at the point.
[[nodiscard]] std::optional<SliceRef> slice_at(const trace::Trace& trace, const Scene& scene, float x_px,
                                               float y_px);
// Returns the box under a point, with a tolerance of a few px; nullptr if there is no box. The result points
// into `scene`.
[[nodiscard]] const SceneBox* box_at(const Scene& scene, float x_px, float y_px);
// Returns the idle gap under a point, of those nearer than a few px the nearest. In a run of narrow gaps,
// this is the gap that is nearest to the time at the point. nullopt: no idle time is shown there.
[[nodiscard]] std::optional<IdleRef> idle_at(const Scene& scene, const TimelineState& state, float x_px,
                                             float y_px);
// Returns the row at y; nullopt in the empty space below the rows.
[[nodiscard]] std::optional<std::size_t> row_at(const Scene& scene, float y_px);

// Appends the commands for the frame's input to `out`. `scene` is the scene on the screen, built from
// `state`.
void interact(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
              const TimelineInput& input, TimelineGesture& gesture, TimelineCommands& out);

}  // namespace runahead::gui
