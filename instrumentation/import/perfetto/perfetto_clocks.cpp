#include "instrumentation/import/perfetto/perfetto_clocks.h"

#include <algorithm>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::importers::perfetto {
using namespace trace;
using namespace exporters::perfetto;
namespace {

// Limit for the times of a file: 73 years before and after zero. This is far inside the range of 64 bits, so
// the difference of two times never overflows.
constexpr std::int64_t kMostNs = recordings::kMaxTimeNs;

// Converted times are limited to this range. It is as long as a recording can be (kMaxTimeNs). It starts half
// a year before time 0 of the trace's clock, because an event may have begun before the clock started.
constexpr std::int64_t kEarliestNs = -(std::int64_t{1} << 54), kLatestNs = kMostNs + kEarliestNs;

std::int64_t clamped(std::int64_t ns) { return std::clamp(ns, -kMostNs, kMostNs); }

std::int64_t scaled(std::uint64_t time, std::uint64_t unit_ns) {
  std::uint64_t ns = 0;
  if (__builtin_mul_overflow(time, unit_ns, &ns) || ns > static_cast<std::uint64_t>(kMostNs)) return kMostNs;
  return static_cast<std::int64_t>(ns);
}

std::int64_t offset_at(const std::vector<std::pair<std::int64_t, std::int64_t>>& offsets, std::int64_t ns) {
  const auto after = std::upper_bound(offsets.begin(), offsets.end(), ns,
                                      [](std::int64_t t, const auto& entry) { return t < entry.first; });
  return after == offsets.begin() ? after->second : std::prev(after)->second;
}

}  // namespace

ClockIndex ClockTable::index_of(std::uint64_t sequence, std::uint32_t id) {
  const bool of_sequence = id >= clocks::kFirstOfSequence && id <= clocks::kLastOfSequence;
  const auto [found, is_new] =
      indices_.try_emplace({of_sequence ? sequence : 0, id}, static_cast<ClockIndex>(clocks_.size()));
  if (is_new) clocks_.emplace_back();
  return found->second;
}

void ClockTable::add_snapshot(std::uint64_t sequence, const std::vector<Reading>& readings) {
  std::vector<ClockTime> snapshot;
  for (const Reading& reading : readings) {
    const ClockIndex index = index_of(sequence, reading.id);
    Clock& told = clock(index);
    told.incremental = reading.incremental;
    told.unit_ns = std::max<std::uint64_t>(reading.unit_ns, 1);
    told.now_ns = scaled(reading.time, told.unit_ns);
    snapshot.push_back({index, told.now_ns});
  }
  if (snapshot.size() > 1) snapshots_.push_back(std::move(snapshot));
}

ClockTime ClockTable::read(std::uint64_t sequence, std::optional<std::uint32_t> id, std::uint64_t time) {
  const ClockIndex index = index_of(sequence, id.value_or(primary_.value_or(clocks::kBoottime)));
  Clock& told = clock(index);
  if (!first_used_) first_used_ = index;
  const std::int64_t ns = scaled(time, told.unit_ns);
  if (!told.incremental) return {index, ns};
  told.now_ns = clamped(told.now_ns + ns);
  return {index, told.now_ns};
}

ClockTime ClockTable::read_us(std::uint32_t id, std::uint64_t us) {
  const ClockIndex index = index_of(0, id);
  if (!first_used_) first_used_ = index;
  return {index, scaled(us, 1000)};
}

// Finds the offset of each clock to the clock `trace`. If a snapshot contains a clock whose offset is known,
// the offsets of the other clocks in the snapshot follow from it. Repeats until no further clock gets an
// offset.
void ClockTable::tie_to_trace(ClockIndex trace) {
  clock(trace).offsets = {{-kMostNs, 0}};
  for (bool more = true; more;) {
    more = false;
    std::map<ClockIndex, std::vector<std::pair<std::int64_t, std::int64_t>>> tied;
    for (const std::vector<ClockTime>& snapshot : snapshots_) {
      const auto known = std::find_if(snapshot.begin(), snapshot.end(),
                                      [&](ClockTime told) { return !clock(told.clock).offsets.empty(); });
      if (known == snapshot.end()) continue;
      const std::int64_t trace_ns = known->ns + offset_at(clock(known->clock).offsets, known->ns);
      for (const ClockTime& told : snapshot) {
        if (clock(told.clock).offsets.empty()) tied[told.clock].emplace_back(told.ns, trace_ns - told.ns);
      }
    }
    for (auto& [index, offsets] : tied) {
      std::stable_sort(offsets.begin(), offsets.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      clock(index).offsets = std::move(offsets);
      more = true;
    }
  }
}

void ClockTable::finish() {
  if (snapshots_.empty() && first_used_) {
    // Without snapshots, the first clock that the file uses is the trace's clock, whatever its id is.
    clock(*first_used_).offsets = {{-kMostNs, 0}};
    return;
  }
  tie_to_trace(index_of(0, primary_.value_or(clocks::kBoottime)));
}

std::optional<std::int64_t> ClockTable::convert(ClockTime time) const {
  const Clock& told = clocks_[static_cast<std::size_t>(time.clock)];
  if (told.offsets.empty()) return std::nullopt;
  return std::clamp(time.ns + clamped(offset_at(told.offsets, time.ns)), kEarliestNs, kLatestNs);
}

}  // namespace runahead::importers::perfetto
