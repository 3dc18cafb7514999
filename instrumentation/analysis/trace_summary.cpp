#include "instrumentation/analysis/trace_summary.h"

#include <algorithm>
#include <utility>

#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/analysis/nearest_rank.h"
#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/trace/ranks.h"

namespace runahead::analysis {
namespace {

using trace::CounterRole;
using trace::Lane;
using trace::SliceKind;
using trace::Trace;
using trace::Track;
using trace::TrackKind;

bool is_thread(const Track& track) {
  return track.info.kind == TrackKind::kFrontend || track.info.kind == TrackKind::kThread;
}

// Returns the durations of the step slices on threads below `group` (kNoTrack: on all threads). Some tools
// also write each step as a slice on a track of the device; this second slice does not count.
std::vector<Duration> step_durations(const Trace& trace, TrackId group) {
  std::vector<Duration> out;
  for (const Track& track : trace.tracks()) {
    if (!is_thread(track) || (group != kNoTrack && trace::root_of(trace, track.info.id) != group)) continue;
    for (const Lane& lane : track.lanes) {
      each_of_kinds(lane, trace::kinds_of(SliceKind::kStep), lane.first_row(), lane.end_row(),
                    [&](const trace::Slice& step) { out.push_back(step.end - step.begin); });
    }
  }
  return out;
}

// The ranks of a program take the same steps, so those of one rank count: of the one that has most.
std::vector<Duration> step_durations(const Trace& trace) {
  const std::vector<trace::Rank> ranks = trace::ranks_of(trace);
  if (ranks.empty()) return step_durations(trace, kNoTrack);
  std::vector<Duration> most;
  for (const trace::Rank& rank : ranks) {
    std::vector<Duration> steps = step_durations(trace, rank.group);
    if (steps.size() > most.size()) most = std::move(steps);
  }
  return most;
}

// `extent`: that of the trace, which takes a look at every track.
std::optional<ThreadBlocked> longest_blocked(const Trace& trace, TimeRange extent) {
  std::optional<ThreadBlocked> out;
  for (const Track& track : trace.tracks()) {
    if (!is_thread(track)) continue;
    std::vector<const Lane*> lanes;
    for (const Lane& lane : track.lanes) lanes.push_back(&lane);
    const Duration blocked = total(busy_ranges(lanes, trace::kinds_of(SliceKind::kWait), extent));
    if (blocked > (out ? out->blocked : Duration{})) out = ThreadBlocked{track.info.name, blocked};
  }
  return out;
}

std::optional<PeakBytes> largest_peak(const Trace& trace, TimeRange extent) {
  std::optional<PeakBytes> out;
  for (const Track& track : trace.tracks()) {
    const bool live = track.info.kind == TrackKind::kCounter && track.info.role == CounterRole::kLiveBytes;
    if (!live || track.counter.empty()) continue;
    const auto extremes = track.counter.extremes(extent);
    if (extremes && extremes->max > (out ? out->bytes : 0)) out = PeakBytes{track.info.name, extremes->max};
  }
  return out;
}

}  // namespace

std::optional<TraceSummary> summarize_trace(const Trace& trace, const SideProgress& progress) {
  const TimeRange extent = trace.extent();
  std::optional<std::vector<DeviceBusy>> devices = busy_devices(trace, extent, progress);
  if (!devices) return std::nullopt;
  TraceSummary out;
  out.length = extent.duration();
  std::vector<Duration> steps = step_durations(trace);
  out.steps = steps.size();
  if (!steps.empty()) {
    const auto [shortest, longest] = std::ranges::minmax(steps);
    out.shortest_step = shortest;
    out.longest_step = longest;
    out.median_step = nearest_rank(steps, 50);
  }
  for (DeviceBusy& device : *devices) {
    if (device.busy > Duration{}) out.devices.push_back(std::move(device));
  }
  out.blocked = longest_blocked(trace, extent);
  out.peak = largest_peak(trace, extent);
  return out;
}

}  // namespace runahead::analysis
