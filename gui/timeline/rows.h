// The rows of the timeline from top to bottom: groups, tracks, lanes by depth, counters, with their heights.
#pragma once

#include <optional>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Heights at scale 1. A lane has room for a line of 13 px text. A counter's strip is high enough for the user
// to see the slope of the curve.
inline constexpr float kHeaderHeightPx = 24;
inline constexpr float kLaneHeightPx = 20;
inline constexpr float kCounterHeightPx = 40;
inline constexpr float kTrackGapPx = 4;  // gap below the last lane of a track
// A thread without slices has only instants. Its row is as low as its name allows.
inline constexpr float kInstantsHeightPx = 11;
inline constexpr float kThinLaneHeightPx = 5;  // lanes of a queue with many lanes; they have no labels
inline constexpr float kPinnedGapPx = 5;       // gap below the pinned rows; contains the separator line
// The maximum share of the plot for held rows, which are pinned rows that do not scroll. If there are more
// pinned rows, the rest of them scroll like unpinned rows.
inline constexpr float kMostHeldShare = 0.6f;
inline constexpr std::uint32_t kMostThickQueueLanes = 12;
inline constexpr std::uint32_t kMostQueueLanes = 400;

// Lists every row that is not hidden or folded. y is measured from the top of the content, without scrolling.
// Pinned rows come first. If some tracks are hidden, there is room below the last row for a text that says
// so. Returns the height of the content. O(tracks + rows). Pure.
float build_rows(const trace::Trace& trace, const TimelineState& state, float scale,
                 std::vector<SceneRow>& out);

// Held rows are the pinned rows that do not scroll. They are at the top of the plot, and contain only
// complete groups and tracks. They use at most kMostHeldShare of the plot. Returns the height of the held
// rows, including the gap below them. `rows`: all rows, from build_rows().
[[nodiscard]] float held_height(const std::vector<SceneRow>& rows, float plot_height_px, float scale);

// True if the row is pinned and does not scroll.
[[nodiscard]] inline bool is_held(const SceneRow& row, float held_px) {
  return row.pinned && row.y_px < held_px;
}
[[nodiscard]] inline float screen_y(const SceneRow& row, float held_px, double scroll_y_px) {
  return is_held(row, held_px) ? row.y_px : static_cast<float>(row.y_px - scroll_y_px);
}

// Returns the row that shows (track, depth). If the track is folded, this is the track's first row. If a
// group around the track is folded, this is the header of the innermost folded group. If the track is one of
// those that the folded row "more" of its group hides, this is that row. nullopt: the track is hidden.
[[nodiscard]] std::optional<std::size_t> row_of(const trace::Trace& trace, const std::vector<SceneRow>& rows,
                                                TrackId track, std::uint32_t depth);

}  // namespace runahead::gui
