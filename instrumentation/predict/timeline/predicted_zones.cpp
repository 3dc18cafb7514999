#include "instrumentation/predict/timeline/predicted_zones.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/predict/load_times.h"
#include "instrumentation/trace/each_of_kinds.h"

namespace runahead::predict {
namespace {

using trace::Slice;
using trace::SliceKind;

// An event of the frontend in both timelines.
struct Anchor {
  TimeRange recorded{};
  Duration begin{}, end{};
};

// An event that a change moved does not say where the others are.
std::vector<Anchor> anchors_of(const Frontend& frontend, std::span<const EventTimes> times) {
  std::vector<Anchor> out;
  for (std::size_t i = 0; i < frontend.events.size(); ++i) {
    const Event& event = frontend.events[i];
    const bool known = event.from != Timestamp::max();
    if (!known || (!out.empty() && event.from < out.back().recorded.end)) continue;
    out.push_back({{event.from, event.to}, times[i].begin, times[i].end});
  }
  return out;
}

// When a thread did not go on with its program: it waited, the user paused it, or it did what another thread
// does in the prediction.
class Absences {
 public:
  explicit Absences(analysis::Ranges ranges) : ranges_(std::move(ranges)) {}
  [[nodiscard]] Duration within(TimeRange range) const {
    Duration sum{};
    auto at = std::ranges::upper_bound(ranges_, range.begin, {}, &TimeRange::end);
    for (; at != ranges_.end() && at->begin < range.end; ++at)
      sum += std::min(at->end, range.end) - std::max(at->begin, range.begin);
    return sum;
  }

 private:
  analysis::Ranges ranges_;
};

Absences absences_of(const trace::Trace& recorded, TrackId track, bool loads_elsewhere) {
  constexpr trace::SliceKinds kAbsent =
      trace::kinds_of(SliceKind::kWait) | trace::kinds_of(SliceKind::kPause);
  std::vector<TimeRange> all;
  for (const trace::Lane& lane : recorded.track(track).lanes) {
    trace::each_of_kinds(lane, kAbsent | trace::kinds_of(SliceKind::kZone), lane.first_row(), lane.end_row(),
                         [&](const Slice& slice) {
                           const bool loads = loads_elsewhere && loads_data(recorded.string(slice.name));
                           if (slice.kind != SliceKind::kZone || loads)
                             all.push_back({slice.begin, slice.end});
                         });
  }
  return Absences(analysis::union_of(std::move(all)));
}

// Finds the predicted time of a recorded one.
class Places {
 public:
  Places(std::vector<Anchor> anchors, Absences absences)
      : anchors_(std::move(anchors)), absences_(std::move(absences)) {}

  // A zone that begins at the time of an event begins after it. nullopt: not in the program.
  [[nodiscard]] std::optional<Duration> begin_at(Timestamp t) const {
    const auto next =
        std::ranges::upper_bound(anchors_, t, {}, [](const Anchor& one) { return one.recorded.end; });
    if (next == anchors_.end()) return std::nullopt;
    if (t >= next->recorded.begin) return within(*next, t);
    if (next != anchors_.begin()) return between(*std::prev(next), *next, t);
    const Duration before = next->recorded.begin - t;
    return before <= next->begin ? std::optional(next->begin - before) : std::nullopt;
  }

  // A zone that ends at the time of an event ends before it. A zone that outlasts the program ends with it.
  [[nodiscard]] Duration end_at(Timestamp t) const {
    const auto next =
        std::ranges::lower_bound(anchors_, t, {}, [](const Anchor& one) { return one.recorded.begin; });
    if (next == anchors_.begin()) return std::max(next->begin - (next->recorded.begin - t), Duration{});
    const Anchor& before = *std::prev(next);
    if (t < before.recorded.end) return within(before, t);
    return next == anchors_.end() ? before.end : between(before, *next, t);
  }

 private:
  [[nodiscard]] static Duration within(const Anchor& event, Timestamp t) {
    return std::min(event.begin + (t - event.recorded.begin), event.end);
  }
  [[nodiscard]] Duration between(const Anchor& before, const Anchor& next, Timestamp t) const {
    const TimeRange gap{before.recorded.end, next.recorded.begin};
    const Duration predicted = next.begin - before.end;
    if (gap.duration() == predicted) return before.end + (t - gap.begin);
    const Duration own = gap.duration() - absences_.within(gap);
    const Duration at = t - gap.begin - absences_.within({gap.begin, t});
    if (own == predicted) return before.end + at;
    if (own <= Duration{}) return before.end;
    const double share = static_cast<double>(at.count()) / static_cast<double>(own.count());
    return before.end + Duration(std::llround(share * static_cast<double>(predicted.count())));
  }

  std::vector<Anchor> anchors_;
  Absences absences_;
};

bool is_solid(const Slice& slice) {
  return slice.kind == SliceKind::kEnqueue || slice.kind == SliceKind::kWait;
}

// Extends the zones that begin or end within an enqueue or a wait.
void extend_zones(std::vector<Slice>& slices) {
  std::vector<TimeRange> solid;
  for (const Slice& slice : slices) {
    if (is_solid(slice) && slice.end > slice.begin) solid.push_back({slice.begin, slice.end});
  }
  std::ranges::sort(solid, {}, &TimeRange::begin);
  const auto around = [&](Timestamp t) {
    const auto after = std::ranges::lower_bound(solid, t, {}, &TimeRange::begin);
    return after != solid.begin() && t < std::prev(after)->end ? std::prev(after) : solid.end();
  };
  for (Slice& slice : slices) {
    if (slice.kind != SliceKind::kZone) continue;
    const auto at_begin = around(slice.begin), at_end = around(slice.end);
    if (at_begin == at_end) continue;  // within one of them, or within none
    if (at_begin != solid.end()) slice.begin = at_begin->begin;
    if (at_end != solid.end()) slice.end = at_end->end;
  }
}

}  // namespace

std::vector<PredictedZone> predicted_zones(const trace::Trace& recorded, const Frontend& frontend,
                                           std::span<const EventTimes> times, bool loads_elsewhere) {
  std::vector<PredictedZone> out;
  std::vector<Anchor> anchors = anchors_of(frontend, times);
  if (frontend.track == kNoTrack || anchors.empty()) return out;
  const Places places(std::move(anchors), absences_of(recorded, frontend.track, loads_elsewhere));
  for (const trace::Lane& lane : recorded.track(frontend.track).lanes) {
    trace::each_of_kinds(lane, trace::kinds_of(SliceKind::kZone), lane.first_row(), lane.end_row(),
                         [&](const Slice& zone) {
                           const std::optional<Duration> begin = places.begin_at(zone.begin);
                           if (!begin) return;
                           const Duration end = std::max(*begin, places.end_at(zone.end));
                           if (end == *begin && zone.end > zone.begin) return;
                           out.push_back({*begin, end, zone.name});
                         });
  }
  return out;
}

std::vector<std::uint32_t> nest(std::vector<Slice>& slices) {
  extend_zones(slices);
  std::ranges::stable_sort(slices, [](const Slice& a, const Slice& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<std::uint32_t> out;
  std::vector<TimeRange> open;
  for (Slice& slice : slices) {
    const auto is_over = [&](const TimeRange& outer) {
      return outer.end < slice.begin ||
             (outer.end == slice.begin && (slice.end > slice.begin || outer.empty()));
    };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    if (!open.empty() && slice.kind == SliceKind::kZone) slice.end = std::min(slice.end, open.back().end);
    out.push_back(static_cast<std::uint32_t>(open.size()));
    open.push_back({slice.begin, slice.end});
  }
  return out;
}

}  // namespace runahead::predict
