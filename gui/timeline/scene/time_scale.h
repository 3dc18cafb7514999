// Converts time to pixels and pixels to time, as doubles. At a zoom of nanoseconds, the ends of a slice are
// so far outside the screen that a float is not exact enough.
#pragma once

#include <cstddef>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "instrumentation/base/time.h"

namespace runahead::gui {

inline constexpr Duration kShortestView{100};  // ns; length of the view at the highest zoom
inline constexpr Duration kLongestView = std::chrono::hours{24 * 7};

struct TimeScale {
  TimeRange view{};  // not empty
  double width_px = 1;

  [[nodiscard]] double x_from_time(Timestamp t) const;
  [[nodiscard]] double x_from_duration(Duration d) const;
  // Returns the time rounded to the nanosecond and clamped to int64.
  [[nodiscard]] Timestamp time_from_x(double x_px) const;
  [[nodiscard]] Duration duration_from_x(double width) const;
};

// Returns the view with its length multiplied by `factor` (0.5 zooms in by 2). The time at `x_px` stays at
// `x_px`. The length is clamped to [kShortestView, kLongestView].
[[nodiscard]] TimeRange zoom_at(const TimeScale& scale, double x_px, double factor);
// Returns the view moved by `dx_px`; a positive value shows later times.
[[nodiscard]] TimeRange pan_by(const TimeScale& scale, double dx_px);
// Returns `range` with a margin at both ends, each `margin_ratio` of its length. The length of the result is
// clamped as in zoom_at(). The centre of the result is the centre of `range`.
[[nodiscard]] TimeRange fit(TimeRange range, double margin_ratio = 0.05);
// Clamps the length of the view to [kShortestView, kLongestView] without moving its centre. Then moves the
// view so that it is not entirely outside `extent`. Returns the result.
[[nodiscard]] TimeRange clamp_view(TimeRange view, TimeRange extent);

// Returns the distance between two labelled ticks: 1, 2 or 5 times a power of ten, up to 10 s; above that 30
// s, or a round number of minutes, hours or days. The distance is at least `min_px`.
[[nodiscard]] Duration tick_step(const TimeScale& scale, double min_px);
// Builds the ticks of the view: a labelled tick every tick_step, and four unlabelled ticks between two
// labelled ticks.
void build_ticks(const TimeScale& scale, float interface_scale, std::vector<SceneTick>& out);

// Returns the indices of the parts of the run to draw in the view: at most two for each pixel column, and one
// more. A part is omitted if it lies inside the pixel column in which an earlier part begins. `parts`: in
// time order. O(width * log parts).
[[nodiscard]] std::vector<std::size_t> parts_to_draw(const std::vector<analysis::PartOfRun>& parts,
                                                     const TimeScale& scale);

}  // namespace runahead::gui
