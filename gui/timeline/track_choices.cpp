#include "gui/timeline/track_choices.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

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

Names names_of(const std::vector<TrackId>& ids, const Names& paths, const IdOfPath& here,
               const Names& before) {
  Names names;
  for (const TrackId id : ids) {
    if (raw(id) < paths.size()) names.push_back(paths[raw(id)]);
  }
  std::size_t absent = 0;
  for (const std::string& name : before) {
    if (!here.contains(name) && absent++ < kMostAbsentNames) names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> track_paths(const trace::Trace& trace) {
  Names paths;
  paths.reserve(trace.tracks().size());
  std::map<std::string, int> seen;
  for (const trace::Track& track : trace.tracks()) {
    // A group is defined before what is in it.
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
}

TrackChoices choices_of(const trace::Trace& trace, const TimelineState& state, const TrackChoices& before) {
  const Names paths = track_paths(trace);
  const IdOfPath here = by_path(paths);
  return {names_of(state.pinned, paths, here, before.pinned),
          names_of(state.hidden, paths, here, before.hidden),
          names_of(state.order, paths, here, before.order)};
}

}  // namespace runahead::gui
