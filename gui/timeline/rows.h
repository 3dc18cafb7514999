// The rows of the timeline: groups, tracks, lanes by depth, counters, in the order and the heights in which
// they lie below each other.
#pragma once

#include <optional>
#include <vector>

#include "gui/timeline/scene.h"

namespace runahead::gui {

// Heights at scale 1. A lane holds a line of 13 px text; a counter's strip is tall enough to read a slope.
inline constexpr float kHeaderHeightPx = 24;
inline constexpr float kLaneHeightPx = 20;
inline constexpr float kCounterHeightPx = 40;
inline constexpr float kTrackGapPx = 4;        // below the last lane of a track
inline constexpr float kThinLaneHeightPx = 5;  // a queue with many lanes, without labels
inline constexpr std::uint32_t kMostThickQueueLanes = 12;
inline constexpr std::uint32_t kMostQueueLanes = 400;

// Every row that is not hidden or folded away, y from the top of the content (scrolling not applied).
// Returns the height of the content. O(tracks + rows). Pure.
float build_rows(const trace::Trace& trace, const TimelineState& state, float scale,
                 std::vector<SceneRow>& out);

// The row that shows (track, depth): itself, the track's first where it is folded, or the header of the
// innermost folded group around it; nullopt where it is hidden.
[[nodiscard]] std::optional<std::size_t> row_of(const trace::Trace& trace, const std::vector<SceneRow>& rows,
                                                TrackId track, std::uint32_t depth);

}  // namespace runahead::gui
