// Lists the views that the timeline's benchmarks go through, on a screen of 1920 x 1080.
#pragma once

#include <cmath>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/scene/time_scale.h"

namespace runahead::gui {

inline constexpr int kFrames = 400;
inline constexpr SceneSize kScreen{1920, 1080, 1};

// Returns the view of frame number `frame`. The view shows a twentieth of the extent (the time range of the
// trace). From frame to frame, the view moves from the start of the extent to its end.
inline TimeRange panned(TimeRange extent, int frame) {
  const Duration length = extent.duration() / 20;
  const Timestamp begin = extent.begin + (extent.duration() - length) * frame / kFrames;
  return {begin, begin + length};
}

// Returns the view of frame number `frame`. From frame to frame, the view narrows from the whole extent to 10
// us.
inline TimeRange zoomed(TimeRange extent, int frame) {
  const double closest = 10'000.0 / static_cast<double>(ns_from(extent.duration()));
  const double factor = std::pow(closest, static_cast<double>(frame) / kFrames);
  return zoom_at({extent, kScreen.width_px}, kScreen.width_px * 0.4, factor);
}

}  // namespace runahead::gui
