#include "instrumentation/record/batch_builder.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "instrumentation/base/check.h"

namespace runahead::record {

namespace {

struct GroupOrder {
  const char* name;
  std::int32_t order;
};
// The order of the groups in the window, from top to bottom: first the groups that answer a question about a
// barrier (frontends, devices, memory, throughput), then the groups that explain the answer. The groups of
// devices start at order 20.
constexpr GroupOrder kGroupOrders[] = {{"Frontend", 10}, {"Memory", 60}, {"Throughput", 65},
                                       {"Workers", 70},  {"Queue", 80},  {"Threads", 90}};
constexpr std::int32_t kDeviceOrder = 20, kSimulatedDeviceOrder = 40, kMostOfAKind = 15, kOtherOrder = 100;

// Devices are sorted by the number in their name. Therefore the order does not depend on which device is used
// first.
std::int32_t device_order(const std::string& name, bool simulated) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  int number = 0;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return (simulated ? kSimulatedDeviceOrder : kDeviceOrder) + std::clamp(number, 0, kMostOfAKind - 1);
}

std::int32_t group_order(const std::string& name, bool is_device, bool simulated) {
  for (const GroupOrder& known : kGroupOrders) {
    if (name == known.name) return known.order;
  }
  return is_device ? device_order(name, simulated) : kOtherOrder;
}

void put(std::string& key, std::uint64_t word) {
  key.append(reinterpret_cast<const char*>(&word), sizeof word);
}

// Two argument sets have the same key only if the sets are equal.
std::string key_of(const trace::ArgSet& set) {
  std::string key;
  key.reserve(set.size() * 3 * sizeof(std::uint64_t));
  for (const trace::Arg& arg : set) {
    put(key, raw(arg.key));
    put(key, arg.value.index());
    if (const auto* whole = std::get_if<std::int64_t>(&arg.value)) {
      put(key, static_cast<std::uint64_t>(*whole));
    } else if (const auto* real = std::get_if<double>(&arg.value)) {
      put(key, std::bit_cast<std::uint64_t>(*real));
    } else {
      put(key, raw(std::get<StringId>(arg.value)));
    }
  }
  return key;
}

}  // namespace

BatchBuilder::BatchBuilder() {
  strings_.emplace_back();
  string_ids_.emplace(std::string(), kEmptyString);
  batch_.strings.emplace_back();
}

StringId BatchBuilder::string(std::string_view text) {
  const auto [it, added] = string_ids_.try_emplace(std::string(text), StringId(strings_.size()));
  if (added) {
    strings_.push_back(it->first);
    batch_.strings.push_back(it->first);
  }
  return it->second;
}

void BatchBuilder::look_up(const Site* site) {
  const auto [known, added] = site_texts_.try_emplace(site);
  if (added && site != nullptr) {
    known->second.name = string(site->name);
    if (site->has_place) {
      const StringId place = string(std::string(site->file) + ":" + std::to_string(site->line));
      known->second.args = args_of({{string("line"), place}});
    }
  }
  last_text_ = known->second;
  last_site_ = site;
}

StringId BatchBuilder::literal(const char* text) {
  const auto known = literals_.find(text);
  return known != literals_.end() ? known->second : literals_.emplace(text, string(text)).first->second;
}

ArgsId BatchBuilder::args_of(const trace::ArgSet& set) {
  std::string key = key_of(set);
  const auto known = args_ids_.find(key);
  if (known != args_ids_.end()) return known->second;
  if (args_ids_.size() + 1 < kMostArgSets) return define_args(std::move(key), set);
  const trace::ArgSet full{{string("arguments"), string("left out: there are too many different ones")}};
  key = key_of(full);
  const auto said = args_ids_.find(key);
  return said != args_ids_.end() ? said->second : define_args(std::move(key), full);
}

ArgsId BatchBuilder::define_args(std::string key, const trace::ArgSet& set) {
  args_.push_back(set);
  batch_.args.push_back(set);
  const ArgsId id{static_cast<std::uint32_t>(args_.size())};
  args_ids_.emplace(std::move(key), id);
  return id;
}

TrackId BatchBuilder::track_of(const TrackDesc& desc) {
  const auto known = desc_ids_.find(&desc);
  if (known != desc_ids_.end()) return known->second;
  trace::TrackInfo info;
  const bool of_device = !desc.device.empty() && desc.group == desc.device;
  if (!desc.group.empty()) {
    info.parent = group(desc.group, of_device ? desc.device : std::string(), of_device && desc.simulated);
  }
  info.kind = desc.kind;
  info.unit = desc.unit;
  info.role = desc.role;
  info.simulated = desc.simulated;
  info.sort_order = desc.sort_order;
  info.name = desc.name;
  info.device = desc.device;
  return desc_ids_.emplace(&desc, define(std::move(info))).first->second;
}

TrackId BatchBuilder::group(const std::string& name, const std::string& device, bool simulated) {
  const auto known = groups_.find(name);
  if (known != groups_.end()) return known->second;
  trace::TrackInfo info;
  info.kind = trace::TrackKind::kGroup;
  info.name = name;
  info.device = device;
  info.simulated = simulated;
  info.sort_order = group_order(name, !device.empty(), simulated);
  return groups_.emplace(name, define(std::move(info))).first->second;
}

TrackId BatchBuilder::define(trace::TrackInfo info) {
  info.id = TrackId(static_cast<std::uint32_t>(tracks_.size()));
  info.pid = ::getpid();
  tracks_.push_back(info);
  batch_.tracks.push_back(std::move(info));
  return tracks_.back().id;
}

void BatchBuilder::change(const trace::TrackInfo& info) {
  trace::TrackInfo& known = tracks_[raw(info.id)];
  known = info;
  known.pid = ::getpid();
  batch_.tracks.push_back(known);
}

void BatchBuilder::begin_rows(LaneWriter& lane) {
  auto& rows = batch_.lanes.emplace_back(trace::LaneRows{lane.track, lane.depth, {}}).rows;
  if (lane.serial + 1 == serial_) rows.reserve(lane_sizes_[lane.index]);
  lane.serial = serial_;
  lane.index = batch_.lanes.size() - 1;
}

void BatchBuilder::begin_rows(CounterWriter& counter) {
  auto& rows = batch_.counters.emplace_back(trace::CounterRows{counter.track, {}}).rows;
  if (counter.serial + 1 == serial_) rows.reserve(counter_sizes_[counter.index]);
  counter.serial = serial_;
  counter.index = batch_.counters.size() - 1;
}

void BatchBuilder::add_late(CounterWriter& counter, double value) {
  auto& rows = batch_.counters[counter.index].rows;
  rows.push_back({counter.last_at, value});
  rows.push_back({counter.last_at, counter.last_value});
  lose(trace::LossCause::kLateRow);
}

trace::Batch BatchBuilder::take(Timestamp watermark) {
  std::stable_sort(batch_.instants.begin(), batch_.instants.end(),
                   [](const trace::Instant& a, const trace::Instant& b) { return a.at < b.at; });
  batch_.watermark = watermark;
  strings_taken_ = strings_.size();
  tracks_taken_ = tracks_.size();
  args_taken_ = args_.size();
  ++serial_;
  trace::Batch taken = std::exchange(batch_, {});
  // Batches have similar sizes: reserve as much as the last batch needed.
  batch_.ops.reserve(taken.ops.size());
  batch_.flows.reserve(taken.flows.size());
  batch_.dependencies.reserve(taken.dependencies.size());
  batch_.allocations.reserve(taken.allocations.size());
  const auto note_sizes = [](const auto& all, std::vector<std::size_t>& sizes) {
    sizes.clear();
    for (const auto& one : all) sizes.push_back(one.rows.size());
  };
  note_sizes(taken.lanes, lane_sizes_);
  note_sizes(taken.counters, counter_sizes_);
  return taken;
}

trace::Batch BatchBuilder::definitions() const {
  trace::Batch batch;
  batch.strings.assign(strings_.begin(), strings_.begin() + static_cast<std::ptrdiff_t>(strings_taken_));
  batch.tracks.assign(tracks_.begin(), tracks_.begin() + static_cast<std::ptrdiff_t>(tracks_taken_));
  batch.args.assign(args_.begin(), args_.begin() + static_cast<std::ptrdiff_t>(args_taken_));
  return batch;
}

}  // namespace runahead::record
