#include "instrumentation/analysis/statistics.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "instrumentation/analysis/nearest_rank.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::analysis {
namespace {

using trace::Lane;
using trace::Slice;
using trace::Trace;
using trace::Track;

// Returns the name of the track's top-level group, with a mark if this group is a simulated device.
std::string group_of(const Trace& trace, const Track& track) {
  const Track* root = &track;
  while (root->info.parent != kNoTrack) root = &trace.track(root->info.parent);
  std::string name = root->info.name;
  const bool simulated = track.info.simulated || root->info.simulated;
  if (simulated && name.find("simulated") == std::string::npos) name += " (simulated)";
  return name;
}

// Slices of one name and kind. All durations are stored, because the percentiles are exact.
struct Gathered {
  std::vector<std::int64_t> durations_ns;
  std::int64_t size_bytes = 0;
};

// A key that contains the name and the kind of slices in one number.
using NameAndKind = std::uint64_t;
using Group = std::unordered_map<NameAndKind, Gathered>;

void gather(const Lane& lane, TimeRange range, Group& out) {
  std::uint64_t row = lane.first_row_beginning_from(range.begin);
  const std::uint64_t last = lane.first_row_beginning_from(range.end, row);
  trace::LaneReader reader(lane);
  for (; row < last; ++row) {
    const Slice slice = reader.slice(row);
    Gathered& gathered = out[std::uint64_t{raw(slice.name)} << 8 | static_cast<std::uint64_t>(slice.kind)];
    gathered.durations_ns.push_back(ns_from(slice.duration()));
    gathered.size_bytes += slice.size_bytes;
  }
}

NameStatistics summarized(Gathered& gathered) {
  NameStatistics out;
  std::vector<std::int64_t>& durations = gathered.durations_ns;
  out.count = durations.size();
  std::int64_t total_ns = 0;
  for (const std::int64_t duration : durations) total_ns += duration;
  const auto [min, max] = std::minmax_element(durations.begin(), durations.end());
  out.total = Duration{total_ns};
  out.min = Duration{*min};
  out.max = Duration{*max};
  out.mean = Duration{total_ns / static_cast<std::int64_t>(out.count)};
  out.p50 = Duration{nearest_rank(durations, 50)};
  out.p99 = Duration{nearest_rank(durations, 99)};
  out.size_bytes = gathered.size_bytes;
  return out;
}

}  // namespace

std::vector<NameStatistics> statistics_by_name(const Trace& trace, TimeRange range, OpLives lives) {
  std::map<std::string, Group> groups;
  for (const Track& track : trace.tracks()) {
    const bool left_out = lives == OpLives::kLeftOut && track.info.kind == trace::TrackKind::kQueue;
    if (track.lanes.empty() || left_out) continue;
    Group& group = groups[group_of(trace, track)];
    for (const Lane& lane : track.lanes) gather(lane, range, group);
  }
  // In a merged trace, two StringIds may have the same text. Their slices count under one name.
  std::map<std::tuple<std::string, std::string_view, trace::SliceKind>, Gathered> by_name;
  for (auto& [group_name, group] : groups) {
    for (auto& [key, gathered] : group) {
      const auto kind = static_cast<trace::SliceKind>(key & 0xff);
      const std::string_view name = trace.string(StringId(static_cast<std::uint32_t>(key >> 8)));
      Gathered& all = by_name[{group_name, name, kind}];
      all.size_bytes += gathered.size_bytes;
      if (all.durations_ns.empty()) {
        all.durations_ns = std::move(gathered.durations_ns);
      } else {
        all.durations_ns.insert(all.durations_ns.end(), gathered.durations_ns.begin(),
                                gathered.durations_ns.end());
      }
    }
  }
  std::vector<NameStatistics> out;
  for (auto& [key, gathered] : by_name) {
    NameStatistics row = summarized(gathered);
    row.track_group = std::get<0>(key);
    row.name = std::get<1>(key);
    row.kind = std::get<2>(key);
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const NameStatistics& a, const NameStatistics& b) { return a.total > b.total; });
  return out;
}

}  // namespace runahead::analysis
