// Draws a Scene with an ImDrawList. The painter makes no decisions: the scene says what is shown, where, and
// with which words.
#pragma once

#include <cstddef>
#include <optional>

#include "gui/theme/theme.h"
#include "gui/timeline/overview.h"
#include "gui/timeline/scene/scene.h"
#include "imgui.h"

namespace runahead::gui {

// The positions of the parts on the screen. The ruler is above the plot; the names are to the left of the
// plot.
struct PaintArea {
  ImVec2 plot_min{}, plot_max{};
  // Height of the ruler above the line of parts. It has two lines: times, and below them the markers' labels.
  float ruler_px = 0;
  float parts_px =
      0;  // height of the line of parts, between the ruler and the plot; 0: the trace has no parts
  float names_px = 0;
};

// The state of the mouse in the column of names.
struct NameColumn {
  // The row under the mouse, as an index in Scene::rows; only this row shows dots.
  std::optional<std::size_t> row;
  bool on_dots = false;
  bool on_fit = false;              // true: the mouse is on the icon that scales a counter to the view
  TrackId moving = kNoTrack;        // the track being dragged to another place
  std::optional<float> landing_px;  // y of the line where the dragged track would go, from the plot's top
};
// The width of the area of the three dots, at the right end of a name. A click in this area opens the track's
// menu.
inline constexpr float kDotsPx = 24;

struct PaintInput {
  const Scene& scene;
  const TimelineState& state;
  const Theme& theme;
  PaintArea area;
  ImFont* font = nullptr;
  float font_px = 13;
  NameColumn names{};
};

void paint_scene(const PaintInput& input, ImDrawList& draw);

struct OverviewInput {
  const Overview& overview;
  const Theme& theme;
  float scale = 1;
  ImFont* font = nullptr;
  float font_px = 13;
};
// Draws the overview into the rectangle from `min` to `max`, with a frame around the time range of the view.
void paint_overview(const OverviewInput& input, ImVec2 min, ImVec2 max, ImDrawList& draw);

// Returns the widths of a font's letters, for build_scene().
[[nodiscard]] TextAdvance font_advance(const ImFont& font, float font_px);

// Parts of paint_scene.
void paint_names(const PaintInput& input, ImDrawList& draw);
void paint_ruler(const PaintInput& input, ImDrawList& draw);
// Draws the counters of held rows if `held` is true, otherwise the counters of the other rows.
void paint_counters(const PaintInput& input, bool held, ImDrawList& draw);

// Draw the idle time of devices as bands behind the slices, the labels of the bands, and the critical path.
// `held`: as for paint_counters().
void paint_idle(const PaintInput& input, bool held, ImDrawList& draw);
void paint_idle_labels(const PaintInput& input, bool held, ImDrawList& draw);
void paint_path(const PaintInput& input, bool held, ImDrawList& draw);
// Draws where the critical path goes from one row to another.
void paint_path_steps(const PaintInput& input, ImDrawList& draw);

[[nodiscard]] inline ImU32 ink(Colour colour) { return rgba(colour); }
[[nodiscard]] inline ImU32 ink(Colour colour, std::uint8_t alpha) { return rgba(with_alpha(colour, alpha)); }

}  // namespace runahead::gui
