// Mouse and keys to commands. Pure: what a frame's input means, given what is on the screen. ImGui is read in
// timeline_panel.cpp and nowhere else.
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
  kPanRight,  // W S A D; held
  kFitSelection,
  kShowAll,
  kMarkRange,  // F Home M
  kNextSlice,
  kPreviousSlice,
  kNextFlow,
  kPreviousFlow,  // . , ] [
  kClear,         // Escape
};
inline constexpr std::size_t kTimelineKeyCount = 12;

// One frame's input. Coordinates as in the scene: (0, 0) is the plot's top left corner; the ruler lies above
// (y < 0) and the names to the left (x < 0).
struct TimelineInput {
  float x_px = 0, y_px = 0;
  bool over = false;  // the mouse is over the timeline, and nothing covers it
  bool pressed = false, down = false, released = false;  // left button: went down now, is down, went up now
  bool double_clicked = false;
  float wheel = 0, wheel_x = 0;  // notches, up and right positive
  bool shift = false, ctrl = false;
  std::bitset<kTimelineKeyCount> keys_down, keys_pressed;
  double dt_s = 0;  // since the frame before
};

// A press and what became of it, kept between frames.
struct TimelineGesture {
  enum class Kind : std::uint8_t { kNone, kPressed, kPanning, kRanging, kMoving } kind = Kind::kNone;
  float start_x_px = 0, start_y_px = 0;
  TimeRange start_view{};
  double start_scroll_px = 0;
  Timestamp anchor{};        // where a range began
  bool on_ruler = false;     // or with Shift: a drag makes a range
  TrackId track = kNoTrack;  // whose name was pressed: a drag moves it among its siblings
  struct Landing {
    TrackId before = kNoTrack;  // kNoTrack: last
    float y_px = 0;             // of the line that shows where
  };
  std::optional<Landing> landing;  // of kMoving; none where it stays in its place
};

// The slice under a point of the plot. In a folded run it is the slice nearest to the point's time.
[[nodiscard]] std::optional<SliceRef> slice_at(const trace::Trace& trace, const Scene& scene, float x_px,
                                               float y_px);
// The box under a point, within a hand's reach; nullptr if there is none. Points into `scene`.
[[nodiscard]] const SceneBox* box_at(const Scene& scene, float x_px, float y_px);
// The row at y; nullopt in the empty space below.
[[nodiscard]] std::optional<std::size_t> row_at(const Scene& scene, float y_px);

// `scene` is what the person sees, built from `state`.
void interact(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
              const TimelineInput& input, TimelineGesture& gesture, TimelineCommands& out);

}  // namespace runahead::gui
