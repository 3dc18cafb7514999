// The order of groups and tracks, and which of them are visible. Both depend on what the user has hidden,
// pinned or moved. Pure. Ids that the trace does not have are ignored.
#pragma once

#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Lists all groups and tracks. Tracks with the same parent are listed together, in the order in which they
// are shown. Tracks without a parent come last.
[[nodiscard]] std::vector<const trace::TrackInfo*> tracks_in_order(const trace::Trace& trace,
                                                                   const TimelineState& state);

// True if the track is visible. The track itself may be set to hidden or pinned; if it is neither, the
// setting of the innermost group around it counts. A pinned track is visible, and so is a track without any
// setting.
[[nodiscard]] bool is_shown(const trace::Trace& trace, const TimelineState& state, TrackId track);
[[nodiscard]] bool is_pinned(const TimelineState& state, TrackId track);

// Returns how many tracks of `state.hidden` the trace has.
[[nodiscard]] std::size_t hidden_count(const trace::Trace& trace, const TimelineState& state);

// The vertical extent of a group or track, including everything in it.
struct TrackSpan {
  TrackId track = kNoTrack;
  float top_px = 0, bottom_px = 0;  // y in the content, before scrolling
};
// Returns the extents of `track` and its siblings, from top to bottom, but only of those that have rows.
// Siblings are the tracks and groups in the same group; the siblings of a pinned track are all pinned tracks.
// `rows`: all rows, from build_rows().
[[nodiscard]] std::vector<TrackSpan> shown_siblings(const trace::Trace& trace, const TimelineState& state,
                                                    const std::vector<SceneRow>& rows, TrackId track);

// Each function carries out the timeline command of the same name (timeline_commands.h).
void hide_track(TrackId track, TimelineState& state);
void show_track(const trace::Trace& trace, TrackId track, TimelineState& state);
void show_only(const trace::Trace& trace, TrackId track, TimelineState& state);
void pin_track(const trace::Trace& trace, TrackId track, bool pinned, TimelineState& state);
void place_track(const trace::Trace& trace, TrackId track, TrackId before, TimelineState& state);
void fold_all(const trace::Trace& trace, bool folded, TimelineState& state);

}  // namespace runahead::gui
