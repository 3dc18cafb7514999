#include "instrumentation/record/hooks/site.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "instrumentation/base/mutex.h"

namespace runahead::record {
namespace {

// Never destroyed: an event may refer to an entry until the last thread of the process has ended.
struct Tables {
  Mutex mutex;  // never locked together with another mutex
  // A map, because the key and the value in a node of a map never move.
  std::map<std::pair<std::string, trace::SliceKind>, Site> sites RUNAHEAD_GUARDED_BY(mutex);
  std::unordered_multimap<std::string, const TrackDesc*> tracks_by_name RUNAHEAD_GUARDED_BY(mutex);
  std::deque<TrackDesc> tracks RUNAHEAD_GUARDED_BY(mutex);  // push_back does not move the elements of a deque
  std::deque<MemoryKind> memory_kinds RUNAHEAD_GUARDED_BY(mutex);  // few, so a linear search is fast
};

Tables& tables() {
  static Tables& instance = *new Tables;
  return instance;
}

}  // namespace

const Site& intern_site(std::string_view name, trace::SliceKind kind) {
  Tables& t = tables();
  const MutexLock lock(t.mutex);
  const auto [it, added] = t.sites.try_emplace({std::string(name), kind});
  if (added) {
    it->second.name = it->first.first.c_str();
    it->second.kind = kind;
  }
  return it->second;
}

const TrackDesc& intern_track(const TrackDesc& desc) {
  Tables& t = tables();
  const MutexLock lock(t.mutex);
  const auto [first, last] = t.tracks_by_name.equal_range(desc.name);
  for (auto it = first; it != last; ++it) {
    if (*it->second == desc) return *it->second;
  }
  const TrackDesc& kept = t.tracks.emplace_back(desc);
  t.tracks_by_name.emplace(desc.name, &kept);
  return kept;
}

const MemoryKind& intern_memory(const MemoryKind& kind) {
  Tables& t = tables();
  const MutexLock lock(t.mutex);
  const auto known = std::ranges::find(t.memory_kinds, kind);
  return known != t.memory_kinds.end() ? *known : t.memory_kinds.emplace_back(kind);
}

}  // namespace runahead::record
