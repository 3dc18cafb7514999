#include "instrumentation/trace/labels.h"

#include <algorithm>
#include <array>

namespace runahead::trace {
namespace {

constexpr std::array<std::string_view, kSliceKindCount> kSliceKinds{
    "zone",         "enqueue",        "execute",    "wait", "copy_to_device",
    "copy_to_host", "copy_on_device", "allocation", "step", "pause"};
constexpr std::array<std::string_view, kTrackKindCount> kTrackKinds{
    "group", "thread", "frontend", "worker", "stream", "queue", "async", "counter", "markers"};
constexpr std::array<std::string_view, kUnitCount> kUnits{
    "", "count", "bytes", "per_second", "bytes_per_second", "ns", "ratio"};
constexpr std::array<std::string_view, kCounterRoleCount> kRoles{
    "other",          "run_ahead_ops", "run_ahead_bytes",  "run_ahead_steps", "steps_finished", "live_bytes",
    "reserved_bytes", "process_rss",   "steps_per_second", "copy_bandwidth",  "category_bytes"};

constexpr std::array<std::string_view, 5> kFlowKinds{"enqueue_to_execute", "execute_to_wait", "op_to_op",
                                                     "launch_to_device", "flow"};
constexpr std::array<std::string_view, kDependencyKindCount> kDependencyKinds{
    "read_after_write", "write_after_read", "write_after_write"};
struct FlagKey {
  std::uint8_t flag;
  std::string_view name;
};
constexpr std::array<FlagKey, 6> kFlags{{{kSliceLate, "late"},
                                         {kSliceFailed, "failed"},
                                         {kSliceUnfinished, "unfinished"},
                                         {kSliceHeldByLimit, "held_by_limit"},
                                         {kSliceSkipped, "skipped"},
                                         {kSlicePartOfOp, "part_of_op"}}};

template <typename Enum, std::size_t kCount>
std::optional<Enum> find_key(const std::array<std::string_view, kCount>& keys, std::string_view key) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (keys[i] == key) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view slice_kind_key(SliceKind kind) { return kSliceKinds[raw(kind)]; }
std::string_view track_kind_key(TrackKind kind) { return kTrackKinds[raw(kind)]; }
std::string_view unit_key(Unit unit) { return kUnits[raw(unit)]; }
std::string_view counter_role_key(CounterRole role) { return kRoles[raw(role)]; }

std::optional<SliceKind> slice_kind_of(std::string_view key) { return find_key<SliceKind>(kSliceKinds, key); }
std::optional<TrackKind> track_kind_of(std::string_view key) { return find_key<TrackKind>(kTrackKinds, key); }
std::optional<Unit> unit_of(std::string_view key) { return find_key<Unit>(kUnits, key); }
std::optional<CounterRole> counter_role_of(std::string_view key) {
  return find_key<CounterRole>(kRoles, key);
}

std::string_view flow_kind_key(FlowKind kind) { return kFlowKinds[static_cast<std::size_t>(kind)]; }
std::string_view dependency_kind_key(DependencyKind kind) {
  return kDependencyKinds[static_cast<std::size_t>(kind)];
}
std::optional<FlowKind> flow_kind_of(std::string_view key) { return find_key<FlowKind>(kFlowKinds, key); }

std::string slice_flag_keys(std::uint8_t flags) {
  std::string out;
  for (const FlagKey& key : kFlags) {
    if ((flags & key.flag) == 0) continue;
    if (!out.empty()) out += '|';
    out += key.name;
  }
  return out;
}

std::optional<std::uint8_t> slice_flags_of(std::string_view keys) {
  std::uint8_t flags = 0;
  while (!keys.empty()) {
    const std::string_view word = keys.substr(0, keys.find('|'));
    const auto* found =
        std::find_if(kFlags.begin(), kFlags.end(), [&](const FlagKey& key) { return key.name == word; });
    if (found == kFlags.end()) return std::nullopt;
    flags |= found->flag;
    keys.remove_prefix(std::min(keys.size(), word.size() + 1));
  }
  return flags;
}

std::string track_name(const TrackInfo& track) {
  return track.simulated ? track.name + " (simulated)" : track.name;
}

std::string track_path(const Trace& trace, TrackId track) {
  const TrackInfo& info = trace.track(track).info;
  std::string path = track_name(info);
  for (TrackId above = info.parent; above != kNoTrack; above = trace.track(above).info.parent) {
    path.insert(0, trace.track(above).info.name + "/");
  }
  return path;
}

}  // namespace runahead::trace
