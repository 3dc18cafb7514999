// What a person asks of the timeline, as values: interact() and the panels emit them, the owner of the state
// applies them at the frame's end.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct SelectSlice {  // with its direct flows alone, unless it is selected already
  SliceRef slice;
  friend bool operator==(const SelectSlice&, const SelectSlice&) = default;
};
// Selects it, and brings it into view: its time and its row, as soon as the timeline is drawn.
struct ShowSlice {
  SliceRef slice;
  friend bool operator==(const ShowSlice&, const ShowSlice&) = default;
};
struct Shown {  // what was to be shown or revealed has been
  friend bool operator==(const Shown&, const Shown&) = default;
};
struct HoverSlice {
  std::optional<SliceRef> slice;
  friend bool operator==(const HoverSlice&, const HoverSlice&) = default;
};
struct ClearSelection {
  friend bool operator==(const ClearSelection&, const ClearSelection&) = default;
};
// Shows `view` (clamped) at once, and stops following.
struct ZoomTo {
  TimeRange view;
  friend bool operator==(const ZoomTo&, const ZoomTo&) = default;
};
struct GlideTo {  // the same, on the way that TimelineState::motion allows
  TimeRange view;
  friend bool operator==(const GlideTo&, const GlideTo&) = default;
};
struct ScrollTo {
  double y_px = 0;
  friend bool operator==(const ScrollTo&, const ScrollTo&) = default;
};
struct SetRange {
  std::optional<TimeRange> range;
  friend bool operator==(const SetRange&, const SetRange&) = default;
};
struct ToggleFold {
  TrackId track = kNoTrack;
  friend bool operator==(const ToggleFold&, const ToggleFold&) = default;
};
struct HideTrack {  // a group or a track; it is not pinned any more
  TrackId track = kNoTrack;
  friend bool operator==(const HideTrack&, const HideTrack&) = default;
};
struct ShowTrack {  // and the groups that it is in
  TrackId track = kNoTrack;
  friend bool operator==(const ShowTrack&, const ShowTrack&) = default;
};
struct ShowOnly {  // hides every other group and track beside it and beside those that it is in
  TrackId track = kNoTrack;
  friend bool operator==(const ShowOnly&, const ShowOnly&) = default;
};
struct ShowAllTracks {
  friend bool operator==(const ShowAllTracks&, const ShowAllTracks&) = default;
};
struct PinTrack {  // below those that are pinned already; takes it out of its place, or puts it back there
  TrackId track = kNoTrack;
  bool pinned = true;
  friend bool operator==(const PinTrack&, const PinTrack&) = default;
};
// Puts a group or a track before another one of the same group (kNoTrack: last), a pinned one before another
// pinned one. Of any other two nothing changes.
struct PlaceTrack {
  TrackId track = kNoTrack, before = kNoTrack;
  friend bool operator==(const PlaceTrack&, const PlaceTrack&) = default;
};
struct ShowFlows {  // of the selection, so many steps of the chain; at least 1, the direct ones
  std::uint32_t steps = 1;
  friend bool operator==(const ShowFlows&, const ShowFlows&) = default;
};
struct SetColourBy {
  ColourBy by{};
  friend bool operator==(const SetColourBy&, const SetColourBy&) = default;
};
struct FoldAll {  // groups; unfolded, their tracks with several lanes too
  bool folded = true;
  friend bool operator==(const FoldAll&, const FoldAll&) = default;
};
struct ToggleQueue {
  TrackId track = kNoTrack;
  friend bool operator==(const ToggleQueue&, const ToggleQueue&) = default;
};
struct PinTime {  // of which it is told who holds memory; nullopt: of the peak
  std::optional<Timestamp> at;
  friend bool operator==(const PinTime&, const PinTime&) = default;
};
struct RevealTrack {  // scrolls to its row, as soon as the timeline is drawn
  TrackId track = kNoTrack;
  friend bool operator==(const RevealTrack&, const RevealTrack&) = default;
};
struct FollowLive {
  bool follow = true;
  friend bool operator==(const FollowLive&, const FollowLive&) = default;
};

using TimelineCommand =
    std::variant<SelectSlice, ShowSlice, Shown, HoverSlice, ClearSelection, ZoomTo, GlideTo, ScrollTo,
                 SetRange, ToggleFold, HideTrack, ShowTrack, ShowOnly, ShowAllTracks, PinTrack, PlaceTrack,
                 FoldAll, ShowFlows, SetColourBy, ToggleQueue, PinTime, RevealTrack, FollowLive>;
using TimelineCommands = std::vector<TimelineCommand>;

// Changes `state` as asked. Pure. A slice that the trace no longer holds is not selected.
void apply_timeline(const TimelineCommand& command, const trace::Trace& trace, TimelineState& state);

// Once a frame, before drawing: while following, moves the view to the newest time and keeps its duration;
// gives an empty view the newest second; forgets a selection whose rows were let go, and turns a selected
// open slice into its finished row once it has ended. Pure.
void advance_timeline(const trace::Trace& trace, TimelineState& state);

}  // namespace runahead::gui
