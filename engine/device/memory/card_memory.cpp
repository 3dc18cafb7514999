#include "engine/device/memory/card_memory.h"

#include <algorithm>
#include <utility>

#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

constexpr double kEveryNs = 100e6;

const record::TrackDesc& track_of(const std::string& device, bool simulated) {
  return record::intern_track({.kind = trace::TrackKind::kCounter,
                               .group = "Memory",
                               .name = "held by others, " + device,
                               .device = device,
                               .simulated = simulated,
                               .unit = trace::Unit::kBytes,
                               .sort_order = 100});
}

}  // namespace

CardMemory::CardMemory(const std::string& device_name, bool simulated, const MemoryPool& pool,
                       std::function<std::optional<Usage>()> read)
    : pool_(pool), read_(std::move(read)), track_(track_of(device_name, simulated)) {}

void CardMemory::work_ended() {
  if (!record::recording()) return;
  const std::uint64_t now = record::now_ticks();
  if (now < due_ticks_) return;
  due_ticks_ = now + static_cast<std::uint64_t>(kEveryNs * TickClock::get().ticks_per_ns());
  sample(now);
}

// Takes a sample: the memory in use on the card, minus the memory of our own pool. If our pool grew or shrank
// while the card's value was read, the two numbers belong to different times. Then no sample is taken.
void CardMemory::sample(std::uint64_t now_ticks) const {
  const std::size_t before = pool_.stats().reserved_bytes;
  const std::optional<Usage> usage = read_();
  if (!usage || pool_.stats().reserved_bytes != before || usage->free_bytes > usage->total_bytes) return;
  const std::size_t used = usage->total_bytes - usage->free_bytes;
  record::counter(track_, now_ticks, static_cast<double>(used - std::min(used, before)));
}

}  // namespace runahead::engine
