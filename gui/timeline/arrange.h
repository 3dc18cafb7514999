// In which order groups and tracks stand, and which of them are shown: what a person has hidden, pinned,
// moved. Pure. Ids that the trace does not have are passed over.
#pragma once

#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// All groups and tracks, those of one parent together (kNoTrack's last), each family in its order.
[[nodiscard]] std::vector<const trace::TrackInfo*> tracks_in_order(const trace::Trace& trace,
                                                                   const TimelineState& state);

// It is pinned, or neither it nor a group that it is in is hidden (the innermost of them that is one or the
// other decides).
[[nodiscard]] bool is_shown(const trace::Trace& trace, const TimelineState& state, TrackId track);
[[nodiscard]] bool is_pinned(const TimelineState& state, TrackId track);

// How many of `state.hidden` the trace has.
[[nodiscard]] std::size_t hidden_count(const trace::Trace& trace, const TimelineState& state);

// A group or a track with all that is in it, as it lies among its siblings: same group, or pinned as it is.
struct TrackSpan {
  TrackId track = kNoTrack;
  float top_px = 0, bottom_px = 0;  // of the content
};
// Those that have rows, from the top. `rows`: all of them, of build_rows().
[[nodiscard]] std::vector<TrackSpan> shown_siblings(const trace::Trace& trace, const TimelineState& state,
                                                    const std::vector<SceneRow>& rows, TrackId track);

// What the commands of the same names do.
void hide_track(TrackId track, TimelineState& state);
void show_track(const trace::Trace& trace, TrackId track, TimelineState& state);
void show_only(const trace::Trace& trace, TrackId track, TimelineState& state);
void pin_track(const trace::Trace& trace, TrackId track, bool pinned, TimelineState& state);
void place_track(const trace::Trace& trace, TrackId track, TrackId before, TimelineState& state);
void fold_all(const trace::Trace& trace, bool folded, TimelineState& state);

}  // namespace runahead::gui
