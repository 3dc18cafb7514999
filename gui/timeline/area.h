// Areas: rows of the timeline together with a time range. The user selects an area with Ctrl and a drag.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Returns the key of a row, which stays the same while rows are scrolled, folded and moved.
[[nodiscard]] RowKey key_of(const SceneRow& row);
// Returns the index of the row with this key; nullopt: the row is hidden or folded now.
[[nodiscard]] std::optional<std::size_t> find_row(const std::vector<SceneRow>& rows, const RowKey& key);

// Returns the lanes that the header of a folded group stands for: all lanes of its visible tracks with
// slices, except pinned tracks and queues. Returns only the first `most` of them. The header draws at most
// kMostStrips lanes (scene_boxes.cpp).
[[nodiscard]] std::vector<analysis::AreaLane> lanes_of_group(const trace::Trace& trace,
                                                             const TimelineState& state, TrackId group,
                                                             std::size_t most = SIZE_MAX);

// Returns the area of the rows from index `a` to index `b`, both included, in either order. The area has
// exactly what these rows show: a lane, a counter, or all lanes of a folded group. `rows`: all rows, from
// build_rows(). REQUIRES: a and b < rows.size().
[[nodiscard]] SelectedArea area_of(const trace::Trace& trace, const TimelineState& state,
                                   const std::vector<SceneRow>& rows, std::size_t a, std::size_t b,
                                   TimeRange range);

// True if the area has this row.
[[nodiscard]] bool is_in_area(const SelectedArea& area, const SceneRow& row);

}  // namespace runahead::gui
