// Commands of the timeline, as values. interact() and the panels emit commands. The owner of the state
// applies the commands at the end of the frame.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct SelectSlice {  // selects the slice; a newly selected slice shows only its direct flows
  SliceRef slice;
  friend bool operator==(const SelectSlice&, const SelectSlice&) = default;
};
// Selects the slice. The next frame brings the time and the row of the slice into view.
struct ShowSlice {
  SliceRef slice;
  friend bool operator==(const ShowSlice&, const ShowSlice&) = default;
};
struct Shown {  // resets TimelineState::to_show and to_reveal: the frame has done what they request
  friend bool operator==(const Shown&, const Shown&) = default;
};
struct HoverSlice {
  std::optional<SliceRef> slice;
  friend bool operator==(const HoverSlice&, const HoverSlice&) = default;
};
struct SelectIdle {  // selects an idle gap of a device; the selected slice and area are then cleared
  IdleRef idle;
  friend bool operator==(const SelectIdle&, const SelectIdle&) = default;
};
struct ClearSelection {
  friend bool operator==(const ClearSelection&, const ClearSelection&) = default;
};
// Shows `view` (clamped) immediately, and stops following the trace.
struct ZoomTo {
  TimeRange view;
  friend bool operator==(const ZoomTo&, const ZoomTo&) = default;
};
struct GlideTo {  // like ZoomTo, but animated; the animation lasts TimelineState::motion
  TimeRange view;
  friend bool operator==(const GlideTo&, const GlideTo&) = default;
};
struct ScrollTo {
  double y_px = 0;
  friend bool operator==(const ScrollTo&, const ScrollTo&) = default;
};
struct SetRange {  // a measured range clears the selected area
  std::optional<TimeRange> range;
  friend bool operator==(const SetRange&, const SetRange&) = default;
};
struct SetArea {  // selects an area; the selected slice and the measured range are then cleared
  std::optional<SelectedArea> area;
  friend bool operator==(const SetArea&, const SetArea&) = default;
};
struct ToggleFold {
  TrackId track = kNoTrack;
  friend bool operator==(const ToggleFold&, const ToggleFold&) = default;
};
struct HideTrack {  // hides a group or a track; also unpins it
  TrackId track = kNoTrack;
  friend bool operator==(const HideTrack&, const HideTrack&) = default;
};
struct ShowTrack {  // shows a hidden track and the groups around it
  TrackId track = kNoTrack;
  friend bool operator==(const ShowTrack&, const ShowTrack&) = default;
};
struct ShowOnly {  // shows only this track: hides its siblings, and the siblings of all groups around it
  TrackId track = kNoTrack;
  friend bool operator==(const ShowOnly&, const ShowOnly&) = default;
};
struct ShowAllTracks {
  friend bool operator==(const ShowAllTracks&, const ShowAllTracks&) = default;
};
struct PinTrack {  // `pinned`: true: pins the track, below all other pinned tracks; false: unpins it
  TrackId track = kNoTrack;
  bool pinned = true;
  friend bool operator==(const PinTrack&, const PinTrack&) = default;
};
// Puts a group or track before another member of the same group (kNoTrack: at the end of the group). Also
// puts a pinned track before another pinned track. Ignored for any other pair.
struct PlaceTrack {
  TrackId track = kNoTrack, before = kNoTrack;
  friend bool operator==(const PlaceTrack&, const PlaceTrack&) = default;
};
struct ShowFlows {  // sets the length of the selection's flow chain; 1 (the minimum): direct flows
  std::uint32_t steps = 1;
  friend bool operator==(const ShowFlows&, const ShowFlows&) = default;
};
struct SetColourBy {
  ColourBy by{};
  friend bool operator==(const SetColourBy&, const SetColourBy&) = default;
};
struct FoldAll {  // folds or unfolds all groups; unfolding also unfolds tracks with several lanes
  bool folded = true;
  friend bool operator==(const FoldAll&, const FoldAll&) = default;
};
struct ToggleQueue {
  TrackId track = kNoTrack;
  friend bool operator==(const ToggleQueue&, const ToggleQueue&) = default;
};
struct ToggleMore {  // shows or hides the tracks that the row "more" of a group stands for
  TrackId group = kNoTrack;
  friend bool operator==(const ToggleMore&, const ToggleMore&) = default;
};
struct ToggleCounterFit {  // fits the counter's axis to the view, or to the complete trace
  TrackId track = kNoTrack;
  friend bool operator==(const ToggleCounterFit&, const ToggleCounterFit&) = default;
};
struct PinTime {  // sets the time of the memory panel's report; nullopt: the time of the peak
  std::optional<Timestamp> at;
  friend bool operator==(const PinTime&, const PinTime&) = default;
};
struct RevealTrack {  // the next frame scrolls to the track's row
  TrackId track = kNoTrack;
  friend bool operator==(const RevealTrack&, const RevealTrack&) = default;
};
struct FollowLive {
  bool follow = true;
  friend bool operator==(const FollowLive&, const FollowLive&) = default;
};

using TimelineCommand =
    std::variant<SelectSlice, ShowSlice, SelectIdle, Shown, HoverSlice, ClearSelection, ZoomTo, GlideTo,
                 ScrollTo, SetRange, SetArea, ToggleFold, HideTrack, ShowTrack, ShowOnly, ShowAllTracks,
                 PinTrack, PlaceTrack, FoldAll, ShowFlows, SetColourBy, ToggleQueue, ToggleCounterFit,
                 ToggleMore, PinTime, RevealTrack, FollowLive>;
using TimelineCommands = std::vector<TimelineCommand>;

// Changes `state` as requested. Pure. A command to select a slice is ignored if the trace no longer has the
// slice.
void apply_timeline(const TimelineCommand& command, const trace::Trace& trace, TimelineState& state);

// Call once a frame, before drawing. If the view follows the trace, moves the view to the newest time and
// does not change its length. An empty view gets the newest eight seconds, or the complete trace if it does
// not follow the trace. If the rows of the selection were evicted, the selection is removed. If a selected
// open slice has ended, it is replaced by its finished row. Pure.
void advance_timeline(const trace::Trace& trace, TimelineState& state);

}  // namespace runahead::gui
