#include "instrumentation/analysis/segment.h"

#include <algorithm>
#include <string_view>

#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/trace/lane_reader.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::analysis {
namespace {

using trace::CounterRole;
using trace::CounterSeries;
using trace::kinds_of;
using trace::Lane;
using trace::OpenSlice;
using trace::SliceKind;
using trace::SliceKinds;
using trace::Trace;
using trace::Track;
using trace::TrackKind;

// Slices on queue tracks and asynchronous tracks show how long ops existed, not that work was done.
bool shows_work(TrackKind kind) { return kind != TrackKind::kQueue && kind != TrackKind::kAsync; }

void add_open_slices(const Trace& trace, TrackId only_track, SliceKinds kinds, TimeRange range, Ranges& out) {
  for (const OpenSlice& open : trace.open_slices()) {
    if (only_track != kNoTrack && open.track != only_track) continue;
    if (!shows_work(trace.track(open.track).info.kind) || (kinds_of(open.slice.kind) & kinds) == 0) continue;
    add_range(out, {std::max(open.slice.begin, range.begin), std::min(trace.watermark(), range.end)});
  }
}

bool active_in(const Trace& trace, const Track& track, TimeRange range) {
  for (const Lane& lane : track.lanes) {
    const std::uint64_t row = lane.first_row_ending_after(range.begin);
    if (row < lane.end_row() && lane.begin(row) < range.end) return true;
  }
  const auto open_here = [&](const OpenSlice& open) {
    return open.track == track.info.id && open.slice.begin < range.end && trace.watermark() > range.begin;
  };
  return std::any_of(trace.open_slices().begin(), trace.open_slices().end(), open_here);
}

bool held_by_limit(const trace::Slice& wait) { return (wait.flags & trace::kSliceHeldByLimit) != 0; }

// Returns the time in which the safety limit held the thread of `track`.
Duration held_by_limit_in(const Trace& trace, const Track& track, TimeRange range) {
  constexpr SliceKinds kWaits = kinds_of(SliceKind::kWait);
  Ranges held;
  const auto add = [&](Timestamp begin, Timestamp end) {
    add_range(held, {std::max(begin, range.begin), std::min(end, range.end)});
  };
  for (const Lane& lane : track.lanes) {
    trace::LaneReader rows(lane);
    const std::uint64_t first = lane.first_row_ending_after(range.begin);
    const std::uint64_t last = lane.first_row_beginning_from(range.end, first);
    for (std::uint64_t row = rows.next_of_kinds(kWaits, first, last); row < last;
         row = rows.next_of_kinds(kWaits, row + 1, last)) {
      const trace::Slice wait = rows.slice(row);
      if (held_by_limit(wait)) add(wait.begin, wait.end);
    }
  }
  for (const OpenSlice& open : trace.open_slices()) {
    if (open.track == track.info.id && open.slice.kind == SliceKind::kWait && held_by_limit(open.slice))
      add(open.slice.begin, trace.watermark());
  }
  return total(held);
}

void add_blocked(const Trace& trace, TimeRange range, SegmentFigures& out) {
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kFrontend || !active_in(trace, track, range)) continue;
    std::vector<const Lane*> lanes;
    for (const Lane& lane : track.lanes) lanes.push_back(&lane);
    Ranges waits = busy_ranges(lanes, kinds_of(SliceKind::kWait), range);
    add_open_slices(trace, track.info.id, kinds_of(SliceKind::kWait), range, waits);
    out.blocked += total(waits);
    out.held_by_limit += held_by_limit_in(trace, track, range);
    ++out.frontends;
  }
}

// `counter` counts ops in flight; `range` is a pause of the run. Adds to `out` the times in the pause in
// which ops are in flight, because the backlog drains during the pause. Nothing is enqueued in a pause, so
// the samples in it come only from ops that end. If events were lost, the counter may never return to 0. In
// this case ops count as in flight only until the last sample.
void add_above_zero(const CounterSeries& counter, TimeRange range, bool events_lost, Ranges& out) {
  double value = counter.value_at(range.begin).value_or(0);
  Timestamp since = range.begin;
  for (std::uint64_t row = counter.first_row_from(range.begin); row < counter.end_row(); ++row) {
    const trace::CounterSample next = counter.sample(row);
    if (next.at >= range.end) break;
    if (value != 0) add_range(out, {since, next.at});
    value = next.value;
    since = next.at;
  }
  if (value != 0 && !events_lost) add_range(out, {since, range.end});
}

Duration nothing_in_flight(const Trace& trace, TimeRange range) {
  Ranges in_flight;
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kCounter || track.info.role != CounterRole::kRunAheadOps) continue;
    if (!track.counter.empty())
      add_above_zero(track.counter, range, trace.losses().facts_missing(), in_flight);
  }
  return range.duration() - total(in_flight);
}

void add_paused(const Trace& trace, TimeRange range, SegmentFigures& out) {
  std::vector<const Lane*> lanes;
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kFrontend) continue;
    for (const Lane& lane : track.lanes) lanes.push_back(&lane);
  }
  Ranges pauses = busy_ranges(lanes, kinds_of(SliceKind::kPause), range);
  add_open_slices(trace, kNoTrack, kinds_of(SliceKind::kPause), range, pauses);
  for (const TimeRange& pause : pauses) out.paused += nothing_in_flight(trace, pause);
}

std::int64_t bytes_ended_in(const Lane& lane, SliceKinds kinds, TimeRange range) {
  // A copy counts in the segment in which it ends. Therefore a copy across the border of two segments counts
  // only once.
  std::int64_t bytes = 0;
  std::uint64_t row = lane.first_row_ending_after(range.begin - Duration{1});
  const std::uint64_t last = lane.first_row_ending_after(range.end - Duration{1}, row);
  for (row = lane.next_of_kinds(kinds, row, last); row < last;
       row = lane.next_of_kinds(kinds, row + 1, last)) {
    const trace::Slice copy = lane.slice(row);
    if ((copy.flags & trace::kSlicePartOfOp) == 0) bytes += copy.size_bytes;
  }
  return bytes;
}

void add_work(const Trace& trace, TimeRange range, SegmentFigures& out) {
  std::vector<const Lane*> lanes;
  for (const Track& track : trace.tracks()) {
    if (!shows_work(track.info.kind)) continue;
    for (const Lane& lane : track.lanes) {
      lanes.push_back(&lane);
      out.copied_bytes += static_cast<double>(bytes_ended_in(lane, kCopyKinds, range));
    }
  }
  Ranges execute = busy_ranges(lanes, kinds_of(SliceKind::kExecute), range);
  Ranges copy = busy_ranges(lanes, kCopyKinds, range);
  add_open_slices(trace, kNoTrack, kinds_of(SliceKind::kExecute), range, execute);
  add_open_slices(trace, kNoTrack, kCopyKinds, range, copy);
  out.busy_execute = total(execute);
  out.busy_copy = total(copy);
  out.overlap = total_overlap(execute, copy);
}

// Returns by how much a counter that only grows has grown in the range. A sample exactly at the start belongs
// to the range. A sample exactly at the end belongs to the next range.
double growth(const CounterSeries& series, TimeRange range) {
  const auto at_end = series.value_at(range.end - Duration{1});
  if (!at_end) return 0;
  const auto at_begin = series.value_at(range.begin - Duration{1});
  if (at_begin) return *at_end - *at_begin;
  // There is no sample before the range. If no samples were evicted, the counter started at 0. Otherwise its
  // growth is counted from the first sample that was kept.
  return series.first_row() == 0 ? *at_end : *at_end - series.sample(series.first_row()).value;
}

void add_counters(const Trace& trace, TimeRange range, SegmentFigures& out) {
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kCounter || track.counter.empty()) continue;
    const auto extremes = track.counter.extremes(range);
    const double max = extremes ? extremes->max : 0;
    switch (track.info.role) {
      case CounterRole::kStepsFinished:
        out.steps += growth(track.counter, range);
        break;
      case CounterRole::kLiveBytes:
        out.peak_bytes += max;
        break;
      case CounterRole::kRunAheadOps:
        out.max_run_ahead_ops += max;
        break;
      case CounterRole::kRunAheadBytes:
        out.max_run_ahead_bytes += max;
        break;
      case CounterRole::kRunAheadSteps:
        out.max_run_ahead_steps += max;
        break;
      default:
        break;
    }
  }
}

}  // namespace

Duration active_time(const SegmentFigures& figures) { return figures.range.duration() - figures.paused; }

void set_ratios(SegmentFigures& figures) {
  const auto active_ns = static_cast<double>(ns_from(active_time(figures)));
  const double frontend_ns = active_ns * static_cast<double>(figures.frontends);
  figures.steps_per_s = active_ns > 0 ? figures.steps * 1e9 / active_ns : 0;
  const auto share = [&](Duration part) {
    return frontend_ns > 0 ? static_cast<double>(ns_from(part)) / frontend_ns : 0;
  };
  figures.blocked_ratio = share(figures.blocked);
  figures.held_by_limit_ratio = share(figures.held_by_limit);
}

SegmentFigures segment_figures(const Trace& trace, TimeRange range, SegmentWork work) {
  SegmentFigures out;
  out.range = range;
  if (range.empty()) return out;
  add_counters(trace, range, out);
  out.ops = trace.ops_ended_in(range);
  add_blocked(trace, range, out);
  add_paused(trace, range, out);
  set_ratios(out);
  if (work == SegmentWork::kIncluded) add_work(trace, range, out);
  return out;
}

std::uint64_t frontends_in(const Trace& trace, TimeRange range) {
  return static_cast<std::uint64_t>(std::ranges::count_if(trace.tracks(), [&](const Track& track) {
    return track.info.kind == TrackKind::kFrontend && active_in(trace, track, range);
  }));
}

std::vector<BarrierChange> barrier_changes(const Trace& trace) {
  std::vector<BarrierChange> out;
  TrackId track_of_last = kNoTrack;
  const auto tracks = trace.tracks();
  const auto is_markers = [](const Track& track) { return track.info.kind == TrackKind::kMarkers; };
  trace::TrackBits of_markers = 0;
  for (const Track& track : tracks) of_markers |= is_markers(track) ? trace::bit_of(track.info.id) : 0;
  trace::InstantReader instants(trace.instants());
  for (std::uint64_t i = 0; (i = instants.next_of_tracks(of_markers, i)) < instants.size(); ++i) {
    const trace::Instant instant = instants.instant(i);
    if (instant.track == kNoTrack || !is_markers(trace.track(instant.track))) continue;
    BarrierChange change{instant.at, std::string(trace.string(instant.name))};
    if (!is_start(change) && barrier_before(change.label).empty()) continue;
    const bool repeated = !out.empty() && out.back().label == change.label && instant.track != track_of_last;
    if (repeated) continue;
    track_of_last = instant.track;
    out.push_back(std::move(change));
  }
  return out;
}

bool is_start(const BarrierChange& change) { return change.label.starts_with("start: "); }

std::optional<LastChange> last_change(const Trace& trace) {
  std::vector<BarrierChange> changes = barrier_changes(trace);
  if (changes.empty() || is_start(changes.back())) return std::nullopt;
  const Timestamp begin = changes.size() > 1 ? changes[changes.size() - 2].at : trace.extent().begin;
  return LastChange{std::move(changes.back()), begin};
}

std::optional<BeforeAfter> around_last_change(const Trace& trace) {
  const auto last = last_change(trace);
  if (!last) return std::nullopt;
  const Timestamp at = last->change.at;
  return BeforeAfter{last->change, segment_figures(trace, {last->before_begin, at}),
                     segment_figures(trace, {at, trace.watermark()})};
}

}  // namespace runahead::analysis
