#include "gui/timeline/reveal.h"

#include <algorithm>
#include <chrono>

#include "gui/timeline/arrange.h"
#include "gui/timeline/glide.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/scene/time_scale.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {
namespace {

// Returns a view of the present length that shows `slice`: in the centre if the slice fits, otherwise with
// its start near the left edge. nullopt: the slice is already in view, or extends across the whole view.
std::optional<TimeRange> view_with(const trace::Slice& slice, const TimelineState& state) {
  const TimeRange seen = view_to_come(state);
  const bool in_view = slice.begin >= seen.begin && slice.end <= seen.end;
  const bool across = slice.begin <= seen.begin && slice.end >= seen.end;
  if (in_view || across) return std::nullopt;
  const Duration length = seen.duration();
  const Timestamp begin =
      slice.duration() < length ? slice.begin - (length - slice.duration()) / 2 : slice.begin - length / 10;
  return TimeRange{begin, begin + length};
}

}  // namespace

double most_scroll(const Scene& scene) {
  return std::max(0.0f, scene.content_height_px - scene.size.height_px);
}

void go_to_slice(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
                 const SliceRef& ref, TimelineCommands& out) {
  const auto slice = find_slice(trace, ref);
  if (!slice) return;
  out.push_back(SelectSlice{ref});
  if (const auto view = view_with(*slice, state)) out.push_back(GlideTo{clamp_view(*view, trace.extent())});
  if (is_shown(trace, state, ref.track)) return reveal_row(trace, scene, state, ref, out);
  out.push_back(ShowTrack{ref.track});  // the track was hidden
  TimelineState shown = state;
  show_track(trace, ref.track, shown);
  reveal_row(trace, scene, shown, ref, out);
}

std::optional<TimeRange> view_to_read(const trace::Slice& slice, const Scene& scene,
                                      const TimelineState& state) {
  constexpr double kNarrowestPx = 60;  // at scale 1
  const double ns = static_cast<double>(ns_from(slice.duration()));
  const double share = ns / static_cast<double>(ns_from(view_to_come(state).duration()));
  if (share <= 1 && share * scene.size.width_px >= kNarrowestPx * scene.size.scale) return std::nullopt;
  const Duration room = slice.duration() / 2 + std::chrono::microseconds(1);
  return TimeRange{slice.begin - room, slice.end + room};
}

void reveal_row(const trace::Trace& trace, const Scene& scene, const TimelineState& state,
                const SliceRef& ref, TimelineCommands& out) {
  std::vector<SceneRow> rows;
  const float content_px = build_rows(trace, state, scene.size.scale, rows);
  const auto index = row_of(trace, rows, ref.track, ref.depth);
  if (!index || is_held(rows[*index], scene.held_px)) return;
  const auto scroll_to = [&](double y_px) {
    const double most = std::max(0.0f, content_px - scene.size.height_px);
    out.push_back(ScrollTo{std::clamp(y_px, 0.0, most)});
  };
  const double top = rows[*index].y_px, bottom = top + rows[*index].height_px;
  const double free_px = scene.size.height_px - scene.held_px - (bottom - top);
  const double room_px = std::max(0.0, free_px / 4);
  if (top < state.scroll_y_px + scene.held_px) {
    scroll_to(top - scene.held_px - room_px);
  } else if (bottom > state.scroll_y_px + scene.size.height_px) {
    scroll_to(bottom - scene.size.height_px + room_px);
  }
}

}  // namespace runahead::gui
