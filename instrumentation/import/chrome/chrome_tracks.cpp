#include "instrumentation/import/chrome/chrome_tracks.h"

#include <algorithm>
#include <set>
#include <utility>

namespace runahead::importers {
using namespace trace;
namespace {

std::int64_t kind_number(const EventKey& key) { return static_cast<std::int64_t>(key.kind); }
std::int64_t number(StringId id) { return static_cast<std::int64_t>(raw(id)); }

// Within a process, threads are shown first, then asynchronous tracks, then counters. Sort indices in the
// file cannot change this, because they are limited to smaller values.
constexpr std::int32_t kAsyncOrder = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::int32_t kCounterOrder = std::numeric_limits<std::int32_t>::max();

std::string_view trimmed(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::size_t ChromeTracks::WordsHash::operator()(const Words& words) const {
  std::uint64_t hash = 0;
  const auto mix = [&hash](std::int64_t word) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15ull;  // 2^64 / the golden ratio
    hash ^= hash >> 29;
  };
  std::apply([&mix](auto... word) { (mix(word), ...); }, words);
  return hash;
}

std::uint32_t ChromeTracks::process(const EventKey& pid) {
  const auto [entry, is_new] = process_index_.try_emplace(Words{kind_number(pid), pid.value, 0, 0, 0},
                                                          static_cast<std::uint32_t>(processes.size()));
  if (is_new) processes.push_back({pid});
  return entry->second;
}

std::uint32_t ChromeTracks::thread(const EventKey& pid, const EventKey& tid) {
  RecentThread& recent = recent_threads_[static_cast<std::uint64_t>(tid.value) % recent_threads_.size()];
  if (recent.index != kNoIndex && pid == recent.pid && tid == recent.tid) return recent.index;
  const std::uint32_t of = process(pid);
  const auto [entry, is_new] = thread_index_.try_emplace(Words{of, kind_number(tid), tid.value, 0, 0},
                                                         static_cast<std::uint32_t>(threads.size()));
  if (is_new) threads.push_back({of, tid});
  recent = {pid, tid, entry->second};
  return entry->second;
}

std::uint32_t ChromeTracks::special(std::uint32_t process, ThreadRole role) {
  const auto [entry, is_new] = thread_index_.try_emplace(
      Words{process, -1, static_cast<std::int64_t>(role), 0, 0}, static_cast<std::uint32_t>(threads.size()));
  if (is_new) threads.push_back({process, {}, role});
  return entry->second;
}

std::uint32_t ChromeTracks::process_events(const EventKey& pid) {
  return special(process(pid), ThreadRole::kProcessEvents);
}

std::uint32_t ChromeTracks::global_events() { return special(kNoIndex, ThreadRole::kGlobalEvents); }

std::uint32_t ChromeTracks::async(const ChromeEvent& event) {
  const std::uint32_t of = process(event.pid);
  const std::int64_t scope = event.has_local_id ? of : -1;
  const auto [entry, is_new] =
      async_index_.try_emplace(Words{scope, number(event.category), kind_number(event.id), event.id.value, 0},
                               static_cast<std::uint32_t>(asyncs.size()));
  if (is_new) asyncs.push_back({of, event.category, event.id});
  return entry->second;
}

std::uint32_t ChromeTracks::counter(const ChromeEvent& event, StringId key) {
  const std::uint32_t of = process(event.pid);
  // One word of the key contains both the process and the kind of the id, because both are small numbers.
  const std::int64_t place = std::int64_t{of} * 4 + kind_number(event.id);
  const auto [entry, is_new] =
      counter_index_.try_emplace(Words{place, number(event.name), event.id.value, number(key), 0},
                                 static_cast<std::uint32_t>(counters.size()));
  if (!is_new) return entry->second;
  ImportedCounter counter{of, std::string(names_.text(event.name))};
  if (event.id.kind != EventKey::Kind::kNone) counter.name += " [" + key_text(event.id) + "]";
  const std::string_view part = names_.text(key);
  if (part != "value" && key != event.name)
    counter.name += (counter.name.empty() ? "" : " ") + std::string(part);
  counters.push_back(std::move(counter));
  return entry->second;
}

std::uint32_t ChromeTracks::add_counter(ImportedCounter counter) {
  counters.push_back(std::move(counter));
  return static_cast<std::uint32_t>(counters.size() - 1);
}

std::string ChromeTracks::key_text(const EventKey& key) const {
  switch (key.kind) {
    case EventKey::Kind::kNone:
      return "none";
    case EventKey::Kind::kText:
      return std::string(trimmed(names_.text(StringId{static_cast<std::uint32_t>(key.value)})));
    case EventKey::Kind::kLarge:
      return std::to_string(static_cast<std::uint64_t>(key.value));
    case EventKey::Kind::kNumber:
      break;
  }
  return std::to_string(key.value);
}

TrackInfo ChromeTracks::info_of(const ImportedProcess& process) const {
  TrackInfo info;
  info.id = process.track;
  info.kind = TrackKind::kGroup;
  info.sort_order = process.sort_index;
  if (process.pid.kind == EventKey::Kind::kNumber) info.pid = process.pid.value;
  info.name = trimmed(names_.text(process.name));
  if (info.name.empty()) {
    const bool number = process.pid.kind != EventKey::Kind::kText;
    info.name = (!number ? "" : process.is_device ? "gpu " : "process ") + key_text(process.pid);
  }
  const std::string_view labels = names_.text(process.labels);
  if (!labels.empty() && labels != info.name) info.name += " (" + std::string(labels) + ")";
  return info;
}

TrackInfo ChromeTracks::info_of(const ImportedThread& thread) const {
  TrackInfo info;
  info.id = thread.track;
  info.sort_order = thread.sort_index;
  if (thread.role == ThreadRole::kGlobalEvents) {
    info.kind = TrackKind::kMarkers;
    info.name = "events";
    return info;
  }
  const ImportedProcess& process = processes[thread.process];
  info.parent = process.track;
  if (process.pid.kind == EventKey::Kind::kNumber) info.pid = process.pid.value;
  if (thread.role == ThreadRole::kProcessEvents) {
    info.name = "events of the process";
    info.sort_order = std::numeric_limits<std::int32_t>::min();
    return info;
  }
  if (thread.tid.kind == EventKey::Kind::kNumber) info.tid = thread.tid.value;
  info.name = trimmed(names_.text(thread.name));
  const bool of_device = thread.role == ThreadRole::kStream && thread.place.device.empty();
  if (info.name.empty()) {
    const bool number = thread.tid.kind != EventKey::Kind::kText;
    info.name = (!number ? "" : of_device ? "stream " : "thread ") + key_text(thread.tid);
  }
  if (thread.role == ThreadRole::kStream) {
    info.kind = TrackKind::kStream;
    info.device = of_device ? "gpu " + key_text(process.pid) : thread.place.device;
  } else if (thread.role == ThreadRole::kWorker) {
    info.kind = TrackKind::kWorker;
    info.device = thread.place.device;
  }
  return info;
}

void ChromeTracks::find_places() {
  std::set<std::string_view> with_streams;  // devices whose streams are in the file as separate processes
  for (const ImportedProcess& process : processes) {
    const std::string_view device = timeline_stream_of(trimmed(names_.text(process.name)));
    if (!device.empty()) with_streams.insert(device);
  }
  for (ImportedThread& thread : threads) {
    if (thread.role != ThreadRole::kThread) continue;
    const std::string_view process = trimmed(names_.text(processes[thread.process].name));
    const bool streams_apart = with_streams.contains(timeline_summary_of(process));
    thread.place = meaning_of_place(thread.ops, process, trimmed(names_.text(thread.name)), streams_apart);
    if (thread.place.does == PlaceMeaning::Does::kExecutes)
      thread.role = thread.place.stream ? ThreadRole::kStream : ThreadRole::kWorker;
  }
}

std::vector<TrackInfo> ChromeTracks::make_tracks() {
  for (ImportedThread& thread : threads) {
    thread.used = thread.used || !thread.slices.empty() || !thread.edges.empty();
    if (!thread.used || thread.process == kNoIndex) continue;
    ImportedProcess& process = processes[thread.process];
    const bool of_device = thread.role == ThreadRole::kStream && thread.place.device.empty();
    process.is_device = of_device && (process.is_device || !process.used);
    process.used = true;
  }
  for (const ImportedAsync& async : asyncs) processes[async.process].used = true;
  for (const ImportedCounter& counter : counters) processes[counter.process].used = true;
  std::vector<TrackInfo> out;
  for (ImportedProcess& process : processes) {
    if (!process.used) continue;
    process.track = next_track();
    out.push_back(info_of(process));
  }
  for (ImportedThread& thread : threads) {
    if (!thread.used) continue;
    thread.track = next_track();
    out.push_back(info_of(thread));
  }
  for (ImportedCounter& counter : counters) {
    counter.track = next_track();
    TrackInfo info;
    info.id = counter.track;
    info.parent = processes[counter.process].track;
    info.kind = TrackKind::kCounter;
    info.unit = counter.unit;
    info.role = counter.role;
    info.sort_order = kCounterOrder;
    info.name = counter.name;
    out.push_back(std::move(info));
  }
  return out;
}

TrackInfo ChromeTracks::make_async_track(std::uint32_t process, std::string name) {
  TrackInfo info;
  info.id = next_track();
  info.parent = processes[process].track;
  info.kind = TrackKind::kAsync;
  info.sort_order = kAsyncOrder;
  info.pid = processes[process].pid.kind == EventKey::Kind::kNumber ? processes[process].pid.value : 0;
  info.name = std::move(name);
  return info;
}

}  // namespace runahead::importers
