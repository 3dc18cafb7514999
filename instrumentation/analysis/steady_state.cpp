#include "instrumentation/analysis/steady_state.h"

#include <algorithm>
#include <span>

#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/steady_rate.h"

namespace runahead::analysis {
namespace {

// The maximum number of rows per lane that are searched for the first wait. A step without a wait has a few
// dozen rows, so if this many rows contain no wait, the frontend probably does not wait.
constexpr std::uint64_t kMostRows = 20'000;
constexpr double kLeastSteps = 4;

bool counts(const trace::Slice& slice) {
  return slice.kind == trace::SliceKind::kWait && (slice.flags & trace::kSliceHeldByLimit) == 0;
}

std::optional<trace::Slice> first_wait(const trace::Track& track, Timestamp from, Timestamp until) {
  std::optional<trace::Slice> first;
  for (const trace::Lane& lane : track.lanes) {
    const std::uint64_t begin = lane.first_row_beginning_from(from);
    const std::uint64_t end = std::min(lane.end_row(), begin + kMostRows);
    for (std::uint64_t row = begin; row < end; ++row) {
      const trace::Slice slice = lane.slice(row);
      if (slice.begin >= until) break;
      if (!counts(slice)) continue;
      if (!first || slice.begin < first->begin) first = slice;
      break;
    }
  }
  return first;
}

bool waits_now(const trace::Trace& trace, Timestamp from, Timestamp until) {
  const std::span<const trace::OpenSlice> open = trace.open_slices();
  return std::ranges::any_of(open, [&](const trace::OpenSlice& o) {
    return counts(o.slice) && o.slice.begin >= from && o.slice.begin < until &&
           trace.track(o.track).info.kind == trace::TrackKind::kFrontend;
  });
}

// Also true if no step finished in `range`, or if the trace does not count steps.
bool has_enough_steps(const trace::Trace& trace, TimeRange range, TimeRange steady) {
  const auto steps = [&](TimeRange r) {
    return steps_finished_by(trace, r.end) - steps_finished_by(trace, r.begin);
  };
  return steps(range) <= 0 || steps(steady) >= kLeastSteps;
}

struct SteadyTime {
  TimeRange range;
  bool settled = true;
};
// Returns the steady time between the change `mark` and `until`, in one part of the run. If the barrier does
// not reach its steady state before `until`, or has too few steps in it, the range begins at the change.
SteadyTime steady_time(const trace::Trace& trace, const std::vector<PartOfRun>& parts,
                       const BarrierChange& mark, Timestamp until) {
  const TimeRange measured = measured_time(trace, parts, {mark.at, until});
  const std::optional<Timestamp> steady = steady_from(trace, {measured.begin, mark.label}, measured.end);
  if (steady && *steady <= measured.begin) return {measured, true};  // it had no backlog to wait for
  if (!steady || *steady >= measured.end) return {measured, false};
  const TimeRange range{*steady, measured.end};
  return has_enough_steps(trace, measured, range) ? SteadyTime{range, true} : SteadyTime{measured, false};
}

}  // namespace

std::string_view barrier_after(std::string_view label) {
  for (const std::string_view mark : {std::string_view("-> "), std::string_view("start: ")}) {
    const std::size_t found = label.rfind(mark);
    if (found != std::string_view::npos) return label.substr(found + mark.size());
  }
  return {};
}

std::string_view barrier_before(std::string_view label) {
  const std::size_t found = label.rfind(" -> ");
  return found != std::string_view::npos ? label.substr(0, found) : std::string_view{};
}

std::optional<Timestamp> steady_from(const trace::Trace& trace, const BarrierChange& change,
                                     Timestamp until) {
  const std::string_view barrier = barrier_after(change.label);
  if (is_start(change) || barrier.empty() || barrier == "none") return change.at;
  std::optional<trace::Slice> first;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind != trace::TrackKind::kFrontend) continue;
    const std::optional<trace::Slice> wait = first_wait(track, change.at, until);
    if (wait && (!first || wait->begin < first->begin)) first = wait;
  }
  if (first) return first->end;
  if (waits_now(trace, change.at, until)) return std::nullopt;
  return change.at;
}

std::vector<AroundChange> around_changes(const trace::Trace& trace) {
  const std::vector<BarrierChange> marks = barrier_changes(trace);
  const std::vector<PartOfRun> parts = parts_of_run(trace);
  const TimeRange extent = trace.extent();
  std::vector<AroundChange> out;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (is_start(marks[i])) continue;
    // The next mark may also be the start of another run; the range ends there too.
    const Timestamp end = i + 1 < marks.size() ? marks[i + 1].at : extent.end;
    const BarrierChange before = i > 0 ? marks[i - 1] : BarrierChange{extent.begin, ""};
    const SteadyTime old = steady_time(trace, parts, before, marks[i].at);
    const SteadyTime now = steady_time(trace, parts, marks[i], end);
    if (old.range.empty() || now.range.empty()) continue;
    out.push_back({marks[i], old.range, now.range, old.settled, now.settled});
  }
  return out;
}

}  // namespace runahead::analysis
