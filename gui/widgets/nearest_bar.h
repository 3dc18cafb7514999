// Which bar of a histogram the mouse points at. Needs no window, so a unit test covers it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace runahead::gui {

// How far beside a bar, in pixels at scale 1, the mouse still points at it. With hundreds of bars, one bar is
// one pixel wide.
constexpr float kBarReach = 8;

// Returns the bar nearest to `at` among those that are filled and at most `reach` away. Returns the bar at
// `at`, filled or not, where none is near. All lengths are in pixels; bar `i` begins at `i * bar_px`. There
// must be a bar.
[[nodiscard]] inline std::size_t nearest_bar(float at, float bar_px, std::size_t bars, float reach,
                                             const std::function<bool(std::size_t)>& filled) {
  std::size_t best = std::min(static_cast<std::size_t>(std::max(at, 0.0f) / bar_px), bars - 1);
  if (filled(best)) return best;
  float best_px = reach;
  for (std::size_t i = 0; i < bars; ++i) {
    const float begin = static_cast<float>(i) * bar_px;
    const float away = std::max({begin - at, at - begin - bar_px, 0.0f});
    if (away > best_px || !filled(i)) continue;
    best = i;
    best_px = away;
  }
  return best;
}

}  // namespace runahead::gui
