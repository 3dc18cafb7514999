#include "instrumentation/cupti/memory_activity.h"

#include <algorithm>

#include "instrumentation/cupti/streams.h"

namespace runahead::cupti {
namespace {

const char* counter_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPinned:
      return "pinned host memory allocated";
    case MemoryKind::kManaged:
      return "managed memory allocated";
    case MemoryKind::kPageable:
      return "pageable host memory allocated";
    default:
      return "memory allocated";
  }
}

}  // namespace

const record::TrackDesc& Memory::counter(std::uint32_t device, const char* name) {
  const record::TrackDesc*& known = counters_[{device, name}];
  if (known == nullptr) {
    known = &record::intern_track({.kind = trace::TrackKind::kCounter,
                                   .group = device_name(device),
                                   .name = name,
                                   .device = device_name(device),
                                   .unit = trace::Unit::kBytes,
                                   .sort_order = 1 << 20});
  }
  return *known;
}

void Memory::take_until(std::int64_t complete_ns) {
  const auto earlier = [](const MemoryRecord& a, const MemoryRecord& b) { return a.at_ns < b.at_ns; };
  std::stable_sort(waiting_.begin(), waiting_.end(), earlier);
  const auto first_kept = std::find_if(waiting_.begin(), waiting_.end(), [&](const MemoryRecord& record) {
    return record.at_ns >= complete_ns;
  });
  std::for_each(waiting_.begin(), first_kept, [this](const MemoryRecord& record) { take(record); });
  waiting_.erase(waiting_.begin(), first_kept);
}

void Memory::take(const MemoryRecord& record) {
  if (record.pooled) {
    static constexpr const char* kReserved = "memory pool reserved";
    rows_.samples.push_back(
        {&counter(record.device, kReserved), record.at_ns, static_cast<double>(record.pool_reserved_bytes)});
  }
  const record::TrackDesc* changed = nullptr;
  if (record.allocated) {
    changed = &counter(record.device, counter_name(record.memory));
    live_[record.address] = {record.bytes, changed};
    bytes_[changed] += record.bytes;
  } else if (const auto found = live_.find(record.address); found != live_.end()) {
    changed = found->second.counter;
    bytes_[changed] -= found->second.bytes;
    live_.erase(found);
  }
  if (changed != nullptr)
    rows_.samples.push_back({changed, record.at_ns, static_cast<double>(bytes_[changed])});
}

}  // namespace runahead::cupti
