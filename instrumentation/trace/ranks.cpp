#include "instrumentation/trace/ranks.h"

#include <algorithm>
#include <map>

#include "instrumentation/trace/metadata.h"

namespace runahead::trace {
namespace {

constexpr std::int64_t kMostErrorNs = std::int64_t{1} << 60;

}  // namespace

std::string Rank::short_name() const { return number ? "rank " + std::to_string(*number) : name; }

std::vector<Rank> ranks_of(const Trace& trace) {
  const Metadata& metadata = trace.metadata();
  const auto integer = [&](const std::string& key) { return number_of<std::int64_t>(metadata, key); };
  std::vector<Rank> ranks;
  std::map<std::optional<std::int64_t>, int> counts;  // of each number
  for (std::int64_t i = 0; i < integer("processes").value_or(0); ++i) {
    const std::string key = "process." + std::to_string(i) + ".";
    const std::optional<std::int64_t> group = integer(key + "track");
    if (!group || *group < 0 || static_cast<std::uint64_t>(*group) >= trace.tracks().size()) return {};
    ranks.push_back(
        {.group = TrackId{static_cast<std::uint32_t>(*group)},
         .name = text_of(metadata, key + "name"),
         .number = integer(key + "rank"),
         .world_size = integer(key + "world_size").value_or(0),
         .clock = text_of(metadata, key + "clock"),
         .offset_ns = integer(key + "clock_offset_ns").value_or(0),
         .drift_ppm = number_of<double>(metadata, key + "clock_drift_ppm").value_or(0),
         .error_ns = std::clamp<std::int64_t>(integer(key + "clock_error_ns").value_or(0), 0, kMostErrorNs)});
  }
  // Traces of single programs may all say that they are rank 0.
  for (const Rank& rank : ranks) ++counts[rank.number];
  for (Rank& rank : ranks) {
    if (counts[rank.number] > 1) rank.number.reset();
  }
  return ranks.size() > 1 ? ranks : std::vector<Rank>{};
}

TrackId root_of(const Trace& trace, TrackId track) {
  while (trace.track(track).info.parent != kNoTrack) track = trace.track(track).info.parent;
  return track;
}

}  // namespace runahead::trace
