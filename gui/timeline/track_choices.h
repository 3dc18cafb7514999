// What a person has pinned, hidden and moved, by name: ids differ from trace to trace, names mostly do not.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/timeline/scene.h"

namespace runahead::gui {

// Of each list at most so many names are kept of tracks that the trace on the screen does not have.
inline constexpr std::size_t kMostAbsentNames = 200;

struct TrackChoices {
  std::vector<std::string> pinned, hidden, order;  // as TimelineState's, by track_paths()
  friend bool operator==(const TrackChoices&, const TrackChoices&) = default;
};

// By track: the names of its groups and its own, with "/" between; of several with the same names, the second
// ends in "#2" and so on. O(tracks).
[[nodiscard]] std::vector<std::string> track_paths(const trace::Trace& trace);

// Pins, hides and orders in `state` what `choices` names and the trace has; nothing else.
void take_choices(const TrackChoices& choices, const trace::Trace& trace, TimelineState& state);

// `before`, with what it says of this trace's tracks as `state` has it; names of other traces stay, at the
// end.
[[nodiscard]] TrackChoices choices_of(const trace::Trace& trace, const TimelineState& state,
                                      const TrackChoices& before);

}  // namespace runahead::gui
