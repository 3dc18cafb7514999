// Finds what is under the mouse.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "gui/timeline/interaction.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/scene/time_scale.h"

namespace runahead::gui {
namespace {

constexpr float kReachPx = 2;  // tolerance, so that the user can easily hit a slice of one pixel

bool holds(const SceneRow& row, const SceneBox& box, float y_px) {
  const float share = (y_px - row.y_px) / row.height_px;
  return box.top <= share && share < box.bottom;
}

float distance_px(const SceneBox& box, float x_px) {
  return std::max({0.0f, box.x0_px - x_px, x_px - box.x1_px});
}

Duration distance(const trace::Lane& lane, std::uint64_t row, Timestamp t) {
  return std::max({Duration{0}, lane.begin(row) - t, t - lane.end(row)});
}

// A folded run is a group of slices too narrow to draw. Returns the slice of the run that is nearest to `t`,
// the time under the mouse.
SliceRef nearest(const trace::Lane& lane, SliceRef ref, Timestamp t) {
  const std::uint64_t at = std::min(lane.first_row_ending_after(t), lane.end_row() - 1);
  ref.row = at;
  if (at > lane.first_row() && distance(lane, at - 1, t) < distance(lane, at, t)) ref.row = at - 1;
  return ref;
}

}  // namespace

std::optional<std::size_t> row_at(const Scene& scene, float y_px) {
  for (std::size_t i = 0; i < scene.rows.size(); ++i) {
    const SceneRow& row = scene.rows[i];
    if (!row.held && y_px < scene.held_px) return std::nullopt;  // the pinned rows cover this row
    if (row.y_px <= y_px && y_px < row.y_px + row.height_px) return i;
  }
  return std::nullopt;
}

const SceneBox* box_at(const Scene& scene, float x_px, float y_px) {
  const auto row = row_at(scene, y_px);
  if (!row || x_px < 0 || x_px >= scene.size.width_px) return nullptr;
  const SceneBox* best = nullptr;
  float best_px = kReachPx * scene.size.scale;
  for (const SceneBox& box : scene.boxes) {
    if (box.row != *row || !holds(scene.rows[*row], box, y_px)) continue;
    const float px = distance_px(box, x_px);
    if (px <= best_px) {  // of equally near boxes, the last one is drawn on top
      best = &box;
      best_px = px;
    }
  }
  return best;
}

std::optional<IdleRef> idle_at(const Scene& scene, const TimelineState& state, float x_px, float y_px) {
  if (state.causes == nullptr || x_px < 0 || x_px >= scene.size.width_px) return std::nullopt;
  const bool held = y_px < scene.held_px;  // the pinned rows cover others
  const auto rows = std::ranges::find_if(scene.idle_rows, [&](const SceneIdleRows& of) {
    return of.held == held && of.y0_px <= y_px && y_px < of.y1_px;
  });
  if (rows == scene.idle_rows.end()) return std::nullopt;
  const SceneIdle* best = nullptr;
  float best_px = kReachPx * scene.size.scale;
  for (const SceneIdle& idle : scene.idle) {
    if (idle.device != rows->device) continue;
    const float px = std::max({0.0f, idle.x0_px - x_px, x_px - idle.x1_px});
    if (px <= best_px) {
      best = &idle;
      best_px = px;
    }
  }
  if (best == nullptr || best->device >= state.causes->devices.size()) return std::nullopt;
  const std::vector<IdleMark>& gaps = state.causes->devices[best->device].gaps;
  if (best->run.first + best->run.count > gaps.size()) return std::nullopt;  // the scene is of older marks
  const Timestamp t = TimeScale{scene.view, scene.size.width_px}.time_from_x(x_px);
  const auto of_run = std::span(gaps).subspan(best->run.first, best->run.count);
  const auto nearest = std::ranges::min_element(of_run, {}, [&](const IdleMark& gap) {
    return std::max({Duration{}, gap.range.begin - t, t - gap.range.end});
  });
  return IdleRef{best->device, nearest->range.begin};
}

std::optional<SliceRef> slice_at(const trace::Trace& trace, const Scene& scene, float x_px, float y_px) {
  const SceneBox* box = box_at(scene, x_px, y_px);
  if (box == nullptr) return std::nullopt;
  if (box->count == 1) return box->slice;
  const trace::Lane* lane = find_lane(trace, box->slice.track, box->slice.depth);
  if (lane == nullptr || lane->empty()) return std::nullopt;
  return nearest(*lane, box->slice, TimeScale{scene.view, scene.size.width_px}.time_from_x(x_px));
}

}  // namespace runahead::gui
