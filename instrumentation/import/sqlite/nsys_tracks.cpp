#include "instrumentation/import/sqlite/nsys_tracks.h"

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
constexpr std::int32_t kMemoryOrder = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kDeviceMemory = 2;  // a value of memKind

std::int32_t device_order(std::int64_t device) {
  return kFirstDeviceOrder + static_cast<std::int32_t>(std::clamp<std::int64_t>(device, 0, 1 << 20));
}

}  // namespace

std::size_t NsysTracks::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = 0;
  const auto mix = [&hash](auto word) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15ull;  // 2^64 / the golden ratio
    hash ^= hash >> 29;
  };
  std::apply([&mix](auto... word) { (mix(word), ...); }, key);
  return hash;
}

template <typename Describe>
TrackId NsysTracks::track(const Key& key, const Describe& describe) {
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

TrackId NsysTracks::process(std::int64_t pid) {
  return track({Of::kProcess, pid, 0, 0, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kGroup;
    info.pid = pid;
    info.name = names_.process(pid);
  });
}

TrackId NsysTracks::device(std::int64_t device) {
  return track({Of::kDevice, device, 0, 0, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kGroup;
    info.sort_order = device_order(device);
    info.name = names_.device(device);
  });
}

TrackId NsysTracks::thread(std::int64_t global_tid) {
  const std::int64_t pid = pid_of_global(global_tid), tid = tid_of_global(global_tid);
  return track({Of::kThread, pid, tid, 0, 0}, [&](TrackInfo& info) {
    info.parent = process(pid);
    info.pid = pid;
    info.tid = tid;
    info.name = names_.thread(pid, tid);
  });
}

TrackId NsysTracks::stream(const NsysStream& stream) {
  return track({Of::kStream, stream.device, stream.pid, stream.context, stream.stream}, [&](TrackInfo& info) {
    info.kind = TrackKind::kStream;
    info.parent = device(stream.device);
    info.pid = stream.pid;
    info.tid = stream.stream;
    // Synchronisations of a whole context have no stream.
    info.name = stream.stream < 0 ? "Device " + std::to_string(stream.device)
                                  : "stream " + std::to_string(stream.stream);
    info.device = "gpu " + std::to_string(stream.device);
    streams_.push_back({{}, stream});
  });
}

TrackId NsysTracks::ranges(std::int64_t pid) {
  return track({Of::kRanges, pid, 0, 0, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kAsync;
    info.parent = process(pid);
    info.pid = pid;
    info.sort_order = kRangesOrder;
    info.name = "NVTX ranges";
  });
}

TrackId NsysTracks::memory(std::int64_t pid, std::int64_t device, std::int64_t kind) {
  return track({Of::kMemory, pid, device, kind, 0}, [&](TrackInfo& info) {
    info.kind = TrackKind::kCounter;
    info.parent = process(pid);
    info.unit = Unit::kBytes;
    info.role = kind == kDeviceMemory ? CounterRole::kLiveBytes : CounterRole::kOther;
    info.sort_order = kMemoryOrder;
    const std::string of = "gpu " + std::to_string(device);
    const std::string what = kind == kDeviceMemory ? "" : " " + names_.memory_kind(kind);
    info.name = of + what + " allocated since the start";
  });
}

void NsysTracks::tell_streams_apart() {
  using Number = std::pair<TrackId, std::int64_t>;  // of a stream on a device
  std::map<Number, std::set<std::int64_t>> processes;
  std::map<std::pair<Number, std::int64_t>, std::uint64_t> contexts;  // how many each process has
  for (const NamedStream& named : streams_) {
    const Number number{named.info.parent, named.stream.stream};
    processes[number].insert(named.stream.pid);
    ++contexts[{number, named.stream.pid}];
  }
  Batch batch;
  for (NamedStream& named : streams_) {
    const Number number{named.info.parent, named.stream.stream};
    const bool of_processes = processes[number].size() > 1;
    const bool of_contexts = contexts[{number, named.stream.pid}] > 1;
    if (!of_processes && !of_contexts) continue;
    if (of_processes) named.info.name += " of " + names_.process(named.stream.pid);
    if (of_contexts) named.info.name += " in context " + std::to_string(named.stream.context);
    batch.tracks.push_back(named.info);
  }
  trace_.append(std::move(batch));
}

}  // namespace runahead::importers
