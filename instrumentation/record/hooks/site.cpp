#include "instrumentation/record/hooks/site.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "instrumentation/base/mutex.h"

namespace runahead::record {
namespace {

// Never destroyed: an event may refer to an entry until the last thread of the process has ended.
struct Tables {
  Mutex mutex;  // never locked together with another mutex
  // A map, because the key and the value in a node of a map never move.
  // Key: name, kind, file, line.
  std::map<std::tuple<std::string, trace::SliceKind, std::string, std::uint32_t>, Site> sites
      RUNAHEAD_GUARDED_BY(mutex);
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
  return intern_site(name, kind, {}, 0);
}

const Site& intern_site(std::string_view name, trace::SliceKind kind, std::string_view file,
                        std::uint32_t line) {
  Tables& t = tables();
  const MutexLock lock(t.mutex);
  const auto [it, added] =
      t.sites.try_emplace({std::string(name), kind, std::string(file), file.empty() ? 0 : line});
  if (added) {
    const auto& [kept_name, kept_kind, kept_file, kept_line] = it->first;
    it->second = {kept_name.c_str(), kept_kind, kept_file.c_str(), kept_line, !file.empty()};
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
