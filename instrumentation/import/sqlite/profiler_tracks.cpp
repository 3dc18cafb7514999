#include "instrumentation/import/sqlite/profiler_tracks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace runahead::importers {
using namespace trace;
namespace {

// Processes come first, then devices. Within a process: threads, ranges, counters.
constexpr std::int32_t kFirstDeviceOrder = 1;
constexpr std::int32_t kRangesOrder = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::int32_t kCounterOrder = std::numeric_limits<std::int32_t>::max();

std::int32_t device_order(std::int64_t device) {
  return kFirstDeviceOrder + static_cast<std::int32_t>(std::clamp<std::int64_t>(device, 0, 1 << 20));
}

}  // namespace

std::string TrackNames::short_device(std::int64_t device) const { return "gpu " + std::to_string(device); }

std::string TrackNames::stream(const DeviceStream& stream) const {
  // Synchronisations of a whole context have no stream.
  return stream.stream < 0 ? "Device " + std::to_string(stream.device)
                           : "stream " + std::to_string(stream.stream);
}

std::size_t ProfilerTracks::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = 0;
  const auto mix = [&hash](auto word) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15ull;  // 2^64 / the golden ratio
    hash ^= hash >> 29;
  };
  std::apply([&mix](auto... word) { (mix(word), ...); }, key);
  return hash;
}

template <typename Describe>
TrackId ProfilerTracks::track(const Key& key, const Describe& describe) {
  if (const auto found = tracks_.find(key); found != tracks_.end()) return found->second;
  TrackInfo info;
  describe(info);  // may make the parent
  info.id = TrackId{next_++};
  tracks_.emplace(key, info.id);
  if (info.kind == TrackKind::kStream) streams_.back().info = info;
  Batch batch;
  batch.tracks.push_back(std::move(info));
  trace_.append(std::move(batch));
  return TrackId{next_ - 1};
}

TrackId ProfilerTracks::process(std::int64_t process) {
  return track({Of::kProcess, process, 0, 0, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kGroup;
    info.pid = names_.pid(process);
    info.name = names_.process(process);
  });
}

TrackId ProfilerTracks::device(std::int64_t device) {
  return track({Of::kDevice, device, 0, 0, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kGroup;
    info.sort_order = device_order(device);
    info.name = names_.device(device);
  });
}

TrackId ProfilerTracks::thread(std::int64_t process_key, std::int64_t tid) {
  return track({Of::kThread, process_key, tid, 0, 0}, [&](TrackInfo& info) {
    info.parent = process(process_key);
    info.pid = names_.pid(process_key);
    info.tid = tid;
    info.name = names_.thread(process_key, tid);
  });
}

TrackId ProfilerTracks::stream(const DeviceStream& stream) {
  const Key key{Of::kStream, stream.device, stream.process, stream.context, stream.stream};
  return track(key, [&](TrackInfo& info) {
    info.kind = TrackKind::kStream;
    info.parent = device(stream.device);
    info.pid = names_.pid(stream.process);
    info.tid = stream.stream;
    info.name = names_.stream(stream);
    info.device = names_.short_device(stream.device);
    streams_.push_back({{}, stream});
  });
}

TrackId ProfilerTracks::ranges(std::int64_t process_key) {
  return track({Of::kRanges, process_key, 0, 0, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kAsync;
    info.parent = process(process_key);
    info.pid = names_.pid(process_key);
    info.sort_order = kRangesOrder;
    info.name = "NVTX ranges";
  });
}

TrackId ProfilerTracks::memory(std::int64_t process_key, std::int64_t device, std::int64_t kind) {
  return track({Of::kMemory, process_key, device, kind, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kCounter;
    info.parent = process(process_key);
    info.unit = Unit::kBytes;
    info.role = kind == kDeviceMemory ? CounterRole::kLiveBytes : CounterRole::kOther;
    info.sort_order = kCounterOrder;
    const std::string what = kind == kDeviceMemory ? "" : " " + names_.memory_kind(kind);
    info.name = names_.short_device(device) + what + " allocated since the start";
  });
}

TrackId ProfilerTracks::counter(std::int64_t device_key, std::int64_t id, std::string_view name) {
  return track({Of::kCounter, device_key, id, 0, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kCounter;
    info.parent = device(device_key);
    info.sort_order = kCounterOrder;
    info.name = name;
  });
}

void ProfilerTracks::tell_streams_apart() {
  using Number = std::pair<TrackId, std::int64_t>;  // of a stream on a device
  std::map<Number, std::set<std::int64_t>> processes;
  std::map<std::pair<Number, std::int64_t>, std::uint64_t> contexts;  // how many each process has
  for (const NamedStream& named : streams_) {
    const Number number{named.info.parent, named.stream.stream};
    processes[number].insert(named.stream.process);
    ++contexts[{number, named.stream.process}];
  }
  Batch batch;
  for (NamedStream& named : streams_) {
    const Number number{named.info.parent, named.stream.stream};
    const bool of_processes = processes[number].size() > 1;
    const bool of_contexts = contexts[{number, named.stream.process}] > 1;
    if (!of_processes && !of_contexts) continue;
    if (of_processes) named.info.name += " of " + names_.process(named.stream.process);
    if (of_contexts) named.info.name += " in context " + std::to_string(named.stream.context);
    batch.tracks.push_back(named.info);
  }
  trace_.append(std::move(batch));
}

}  // namespace runahead::importers
