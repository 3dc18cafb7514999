// The user's choices for tracks: which tracks are pinned, hidden, moved or folded. They are stored by track
// name, because another trace has other ids, but usually the same names. Pure, except SharedChoices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

// Each list keeps at most this many names of tracks that the trace on the screen does not have.
inline constexpr std::size_t kMostAbsentNames = 200;

struct TrackChoices {
  // These lists correspond to the lists of TimelineState, but have paths (track_paths()) instead of ids.
  std::vector<std::string> pinned, hidden, order, collapsed, expanded_queues, more_shown, fitted;
  friend bool operator==(const TrackChoices&, const TrackChoices&) = default;
};

// Returns the path of each track: the names of its groups and its own name, separated by "/". If several
// tracks have the same path, the second path ends in "#2", the third in "#3". O(tracks).
[[nodiscard]] std::vector<std::string> track_paths(const trace::Trace& trace);

// Sets the pinned, hidden, ordered and folded tracks in `state`: the tracks of the trace whose paths are in
// `choices`. Does not change other fields.
void take_choices(const TrackChoices& choices, const trace::Trace& trace, TimelineState& state);

// Returns the choices to store. For the tracks of this trace, the result has the choices of `state`. For all
// other names, the result has the choices of `before`. Names that belong to other traces keep their
// positions.
[[nodiscard]] TrackChoices choices_of(const trace::Trace& trace, const TimelineState& state,
                                      const TrackChoices& before);

// The choices that all timelines on the screen share. If a track is hidden in one timeline of a comparison,
// it is also hidden in the other timeline, and when the other recording is opened alone. Use on one thread.
class SharedChoices {
 public:
  // Stores the choices in `kept`, which must outlive this object.
  explicit SharedChoices(TrackChoices& kept) : kept_(kept) {}

  // What a timeline has taken with take(): the version of the choices, and the trace and its number of tracks
  // at that time. A default-constructed object means that nothing was taken yet.
  struct Taken {
    std::uint64_t trace = 0;
    std::size_t tracks = 0;
    std::uint64_t version = 0;
    friend bool operator==(const Taken&, const Taken&) = default;
  };
  // Copies the choices into `state`, if the choices, the trace or its number of tracks have changed since the
  // last call. (A live trace gets new tracks when threads begin.) `serial` identifies the trace.
  void take(const trace::Trace& trace, std::uint64_t serial, TimelineState& state, Taken& taken) const;
  // Calls apply_timeline(), then stores the choices if the command has changed them. REQUIRES: take() was
  // called for `state`.
  void apply(const TimelineCommand& command, const trace::Trace& trace, TimelineState& state);
  void forget();

 private:
  TrackChoices& kept_;
  std::uint64_t version_ = 1;
};

}  // namespace runahead::gui
