#include "gui/timeline/track_choices.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace runahead::gui {
namespace {

using Names = std::vector<std::string>;
using IdOfPath = std::unordered_map<std::string_view, TrackId>;

IdOfPath by_path(const Names& paths) {
  IdOfPath ids;
  for (std::size_t i = 0; i < paths.size(); ++i)
    ids.emplace(paths[i], TrackId{static_cast<std::uint32_t>(i)});
  return ids;
}

std::vector<TrackId> ids_of(const Names& names, const IdOfPath& ids) {
  std::vector<TrackId> found;
  for (const std::string& name : names) {
    const auto it = ids.find(name);
    if (it != ids.end() && std::find(found.begin(), found.end(), it->second) == found.end())
      found.push_back(it->second);
  }
  return found;
}

// Returns the new value of a stored list of track names. `before`: the old value, which may have names of
// several traces. `ids`: the tracks of this trace that the new list must contain. Each position that had a
// name of this trace (a name in `here`) gets the next name of `ids`. Names of other traces keep their
// positions, but only the newest kMostAbsentNames of them are kept.
Names names_of(const std::vector<TrackId>& ids, const Names& paths, const IdOfPath& here,
               const Names& before) {
  Names present;
  for (const TrackId id : ids) {
    if (raw(id) < paths.size()) present.push_back(paths[raw(id)]);
  }
  const auto is_here = [&](const std::string& name) { return here.contains(name); };
  std::size_t absent = before.size() - static_cast<std::size_t>(std::ranges::count_if(before, is_here));
  Names names;
  auto next = present.begin();
  for (const std::string& name : before) {
    if (!is_here(name)) {
      if (absent-- <= kMostAbsentNames) names.push_back(name);
    } else if (next != present.end()) {
      names.push_back(*next++);
    }
  }
  names.insert(names.end(), next, present.end());
  return names;
}

auto chosen(const TimelineState& state) {
  return std::tuple(state.pinned, state.hidden, state.order, state.collapsed, state.expanded_queues,
                    state.more_shown, state.fitted);
}

}  // namespace

std::vector<std::string> track_paths(const trace::Trace& trace) {
  Names paths;
  paths.reserve(trace.tracks().size());
  std::map<std::string, int> seen;
  for (const trace::Track& track : trace.tracks()) {
    // In trace.tracks(), a group comes before its tracks, so the path of the group is already in `paths`.
    const TrackId parent = track.info.parent;
    std::string path = raw(parent) < paths.size() ? paths[raw(parent)] + "/" : std::string();
    path += track.info.name;
    const int count = ++seen[path];
    if (count > 1) path += "#" + std::to_string(count);
    paths.push_back(std::move(path));
  }
  return paths;
}

void take_choices(const TrackChoices& choices, const trace::Trace& trace, TimelineState& state) {
  const Names paths = track_paths(trace);
  const IdOfPath ids = by_path(paths);
  state.pinned = ids_of(choices.pinned, ids);
  state.hidden = ids_of(choices.hidden, ids);
  state.order = ids_of(choices.order, ids);
  state.collapsed = ids_of(choices.collapsed, ids);
  state.expanded_queues = ids_of(choices.expanded_queues, ids);
  state.more_shown = ids_of(choices.more_shown, ids);
  state.fitted = ids_of(choices.fitted, ids);
}

TrackChoices choices_of(const trace::Trace& trace, const TimelineState& state, const TrackChoices& before) {
  const Names paths = track_paths(trace);
  const IdOfPath here = by_path(paths);
  return {names_of(state.pinned, paths, here, before.pinned),
          names_of(state.hidden, paths, here, before.hidden),
          names_of(state.order, paths, here, before.order),
          names_of(state.collapsed, paths, here, before.collapsed),
          names_of(state.expanded_queues, paths, here, before.expanded_queues),
          names_of(state.more_shown, paths, here, before.more_shown),
          names_of(state.fitted, paths, here, before.fitted)};
}

void SharedChoices::take(const trace::Trace& trace, std::uint64_t serial, TimelineState& state,
                         Taken& taken) const {
  const Taken now{serial, trace.tracks().size(), version_};
  if (std::exchange(taken, now) != now) take_choices(kept_, trace, state);
}

void SharedChoices::apply(const TimelineCommand& command, const trace::Trace& trace, TimelineState& state) {
  const auto before = chosen(state);
  apply_timeline(command, trace, state);
  if (chosen(state) == before) return;
  kept_ = choices_of(trace, state, kept_);
  ++version_;
}

void SharedChoices::forget() {
  kept_ = {};
  ++version_;
}

}  // namespace runahead::gui
