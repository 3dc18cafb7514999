// What a person has pinned, hidden, moved and folded, by name: ids differ from trace to trace, names mostly
// do not. Pure, but for SharedChoices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

// Of each list at most so many names are kept of tracks that the trace on the screen does not have.
inline constexpr std::size_t kMostAbsentNames = 200;

struct TrackChoices {
  // As TimelineState's, by track_paths().
  std::vector<std::string> pinned, hidden, order, collapsed, expanded_queues;
  friend bool operator==(const TrackChoices&, const TrackChoices&) = default;
};

// By track: the names of its groups and its own, with "/" between; of several with the same names, the second
// ends in "#2" and so on. O(tracks).
[[nodiscard]] std::vector<std::string> track_paths(const trace::Trace& trace);

// Pins, hides, orders and folds in `state` what `choices` names and the trace has; nothing else.
void take_choices(const TrackChoices& choices, const trace::Trace& trace, TimelineState& state);

// `before`, with what it says of this trace's tracks as `state` has it; names of other traces stay where they
// are among them.
[[nodiscard]] TrackChoices choices_of(const trace::Trace& trace, const TimelineState& state,
                                      const TrackChoices& before);

// The choices of all timelines on the screen. They are the same ones: who hides a track in one half of a
// comparison wants to compare without it, and who opens the other recording alone finds it as it was there.
// One thread.
class SharedChoices {
 public:
  explicit SharedChoices(TrackChoices& kept) : kept_(kept) {}  // where they are remembered; borrowed

  // Kept for each timeline: what it has taken of which trace. Default-constructed: nothing.
  struct Taken {
    std::uint64_t trace = 0;
    std::size_t tracks = 0;
    std::uint64_t version = 0;
    friend bool operator==(const Taken&, const Taken&) = default;
  };
  // Takes them into `state` where that has not them yet, of this trace as it is now: a live trace gets tracks
  // as its threads begin. `serial`: another number is another trace.
  void take(const trace::Trace& trace, std::uint64_t serial, TimelineState& state, Taken& taken) const;
  // apply_timeline(), of a state that has taken them; what the command changes of them is kept.
  void apply(const TimelineCommand& command, const trace::Trace& trace, TimelineState& state);
  void forget();

 private:
  TrackChoices& kept_;
  std::uint64_t version_ = 1;
};

}  // namespace runahead::gui
