// The rows of the timeline: groups, tracks, lanes by depth, counters, in the order and the heights in which
// they lie below each other.
#pragma once

#include <optional>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Heights at scale 1. A lane holds a line of 13 px text; a counter's strip is tall enough to read a slope.
inline constexpr float kHeaderHeightPx = 24;
inline constexpr float kLaneHeightPx = 20;
inline constexpr float kCounterHeightPx = 40;
inline constexpr float kTrackGapPx = 4;        // below the last lane of a track
inline constexpr float kThinLaneHeightPx = 5;  // a queue with many lanes, without labels
inline constexpr float kPinnedGapPx = 5;       // below the pinned ones; their separator lies in it
inline constexpr float kMostHeldShare = 0.6f;  // of the plot; pinned ones beyond it scroll with the others
inline constexpr std::uint32_t kMostThickQueueLanes = 12;
inline constexpr std::uint32_t kMostQueueLanes = 400;

// Every row that is not hidden or folded away, y from the top of the content (scrolling not applied).
// Pinned ones come first. Where something is hidden there is room below the last row for the words that say
// so. Returns the height of the content. O(tracks + rows). Pure.
float build_rows(const trace::Trace& trace, const TimelineState& state, float scale,
                 std::vector<SceneRow>& out);

// How much of a plot of this height pinned rows take at its top, gap and all: those that fit its share, whole
// groups and tracks only. `rows`: all of them, of build_rows().
[[nodiscard]] float held_height(const std::vector<SceneRow>& rows, float plot_height_px, float scale);

// Where a row of build_rows() lies on the screen.
[[nodiscard]] inline bool is_held(const SceneRow& row, float held_px) {
  return row.pinned && row.y_px < held_px;
}
[[nodiscard]] inline float screen_y(const SceneRow& row, float held_px, double scroll_y_px) {
  return is_held(row, held_px) ? row.y_px : static_cast<float>(row.y_px - scroll_y_px);
}

// The row that shows (track, depth): itself, the track's first where it is folded, or the header of the
// innermost folded group around it; nullopt where it is hidden.
[[nodiscard]] std::optional<std::size_t> row_of(const trace::Trace& trace, const std::vector<SceneRow>& rows,
                                                TrackId track, std::uint32_t depth);

}  // namespace runahead::gui
