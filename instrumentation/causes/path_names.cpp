#include "instrumentation/causes/path_names.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "instrumentation/causes/call_place.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::causes {
namespace {

using trace::Slice;
using trace::SliceKind;

class Names {
 public:
  Names(const Execution& execution, const Steps& steps) : execution_(execution), steps_(steps) {}

  void add(const PathSegment& segment) {
    if (segment.path_class == PathClass::kHost && segment.track != kNoTrack) {
      add_host_time(segment.track, segment.range, 0, kEmptyString);
    } else {
      add(segment.path_class, segment.name, segment.range.duration());
    }
  }

  // Longest time first.
  [[nodiscard]] std::vector<PathName> sorted() const {
    std::map<std::pair<PathClass, std::string>, PathName> merged;
    const auto put = [&](PathClass path_class, std::string name, const Sum& sum) {
      PathName& entry = merged[{path_class, name}];
      entry.path_class = path_class;
      entry.name = std::move(name);
      entry.time += sum.time;
      entry.count += sum.count;
    };
    for (std::size_t i = 0; i < kPathClassCount; ++i) {
      for (const auto& [name, sum] : sums_[i])
        put(static_cast<PathClass>(i), shown(static_cast<PathClass>(i), StringId{name}), sum);
    }
    for (const auto& [track, sum] : threads_) put(PathClass::kHost, thread_name(TrackId{track}), sum);
    std::vector<PathName> out;
    for (auto& [key, entry] : merged) out.push_back(std::move(entry));
    std::ranges::stable_sort(out, std::greater<>(), &PathName::time);
    return out;
  }

 private:
  struct Sum {
    Duration time{};
    std::uint64_t count = 0;
  };
  static void add(Sum& sum, Duration time) {
    sum.time += time;
    ++sum.count;
  }
  void add(PathClass path_class, StringId name, Duration time) {
    add(sums_[static_cast<std::size_t>(path_class)][raw(name)], time);
  }
  // Host time that belongs to `name`. kEmptyString: the thread shows nothing that names it, so the name is
  // that of what its parent did then, such as a range around backward().
  void add_named(TrackId thread, TimeRange range, StringId name) {
    if (range.empty()) return;
    if (name != kEmptyString) return add(PathClass::kHost, name, range.duration());
    const TrackId parent = at_parent_ ? kNoTrack : execution_.parent_of(thread);
    if (parent == kNoTrack) return add(threads_[raw(thread)], range.duration());
    at_parent_ = true;
    add_host_time(parent, range, 0, kEmptyString);
    at_parent_ = false;
  }

  void add_host_time(TrackId thread, TimeRange range, std::uint32_t depth, StringId inherited) {
    const trace::Track& track = execution_.trace().track(thread);
    constexpr std::uint32_t kDeepest = 200;  // deeper slices do not change the name
    if (depth >= std::min<std::size_t>(track.lanes.size(), kDeepest))
      return add_named(thread, range, inherited);
    const trace::Lane& lane = track.lanes[depth];
    trace::LaneReader reader(lane);
    Timestamp known = range.begin;
    for (std::uint64_t row = lane.first_row_ending_after(range.begin); row < lane.end_row(); ++row) {
      const Slice slice = reader.slice(row);
      if (slice.begin >= range.end) break;
      const TimeRange covered{std::max({slice.begin, known, range.begin}), std::min(slice.end, range.end)};
      if (covered.empty()) continue;
      add_named(thread, {known, covered.begin}, inherited);
      const What what = what_of(thread, slice);
      const StringId name = what == What::kNothing ? inherited : slice.name;
      if (what == What::kWhole) {
        add_named(thread, covered, name);
      } else {
        add_host_time(thread, covered, depth + 1, name);
      }
      known = covered.end;
    }
    add_named(thread, {known, range.end}, inherited);
  }

  // kWhole: everything within the slice has its name. kOutside: what is within may have a better name.
  // kNothing: the slice names nothing, as a step or a frame of a library.
  enum class What : std::uint8_t { kUnknown, kNothing, kOutside, kWhole };
  [[nodiscard]] What what_of(TrackId thread, const Slice& slice) {
    if (slice.kind == SliceKind::kStep) return What::kNothing;
    if (slice.kind != SliceKind::kZone) return What::kWhole;
    if (thread == steps_.thread && is_step(slice)) return What::kNothing;
    if (of_names_.size() <= raw(slice.name)) of_names_.resize(execution_.trace().string_count());
    What& known = of_names_[raw(slice.name)];
    if (known == What::kUnknown) known = what_of_name(execution_.trace().string(slice.name));
    return known;
  }
  [[nodiscard]] static What what_of_name(std::string_view name) {
    switch (zone_class(name)) {
      case ZoneClass::kOperator:
        return What::kWhole;
      case ZoneClass::kPython:
        return is_library_frame(name) ? What::kNothing : What::kOutside;
      case ZoneClass::kBuiltIn:
        return What::kNothing;
      case ZoneClass::kRange:
        return What::kOutside;
    }
    return What::kNothing;
  }
  [[nodiscard]] bool is_step(const Slice& slice) const {
    const auto found = std::ranges::lower_bound(steps_.ranges, slice.begin, {}, &TimeRange::begin);
    return found != steps_.ranges.end() && found->begin == slice.begin && found->end == slice.end;
  }

  // NVTX ranges of PyTorch have a number of the call in their names: "aten::add, op_id = 12".
  [[nodiscard]] std::string shown(PathClass path_class, StringId id) const {
    const std::string_view name = execution_.trace().string(id);
    const bool cut = path_class == PathClass::kHost && zone_class(name) == ZoneClass::kOperator;
    return std::string(cut ? name.substr(0, name.find(", ")) : name);
  }
  [[nodiscard]] std::string thread_name(TrackId thread) const {
    const std::string& name = execution_.trace().track(thread).info.name;
    return name.starts_with("thread") ? name : "thread " + name;
  }

  const Execution& execution_;
  const Steps& steps_;
  std::array<std::unordered_map<std::uint32_t, Sum>, kPathClassCount> sums_;  // by string id
  std::unordered_map<std::uint32_t, Sum> threads_;                            // by track id
  std::vector<What> of_names_;                                                // of zones; by string id
  bool at_parent_ = false;  // the time that is added now was not named by the thread itself
};

void split_by_step(const Steps& steps, CriticalPath& path) {
  auto segment = path.segments.begin();
  for (const TimeRange& whole : steps.ranges) {
    PathStep step{{std::max(whole.begin, path.range.begin), std::min(whole.end, path.range.end)}, {}};
    if (step.range.empty()) continue;
    while (segment != path.segments.end() && segment->range.end <= step.range.begin) ++segment;
    for (auto at = segment; at != path.segments.end() && at->range.begin < step.range.end; ++at) {
      step.times[static_cast<std::size_t>(at->path_class)] +=
          std::min(at->range.end, step.range.end) - std::max(at->range.begin, step.range.begin);
    }
    path.steps.push_back(step);
  }
}

}  // namespace

void name_path(const Execution& execution, const Steps& steps, CriticalPath& path) {
  Names names(execution, steps);
  for (const PathSegment& segment : path.segments) names.add(segment);
  path.names = names.sorted();
  for (std::size_t i = kMostPathNames; i < path.names.size(); ++i) {
    ++path.more_names;
    path.more_time += path.names[i].time;
  }
  if (path.names.size() > kMostPathNames) path.names.resize(kMostPathNames);
  split_by_step(steps, path);
}

}  // namespace runahead::causes
