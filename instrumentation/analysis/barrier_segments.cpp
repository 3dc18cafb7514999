#include "instrumentation/analysis/barrier_segments.h"

#include <algorithm>
#include <optional>

#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::analysis {
namespace {

Phase phase_of(const BarrierChange& mark, bool drained, const SteadyRate& rate) {
  if (rate.settled) return Phase::kSettled;
  if (!drained) return Phase::kDraining;
  return is_start(mark) ? Phase::kWarmingUp : Phase::kSettling;
}

BarrierSegment segment_of(const trace::Trace& trace, const std::vector<PartOfRun>& parts,
                          const BarrierChange& mark, Timestamp end) {
  const TimeRange measured = measured_time(trace, parts, {mark.at, end});
  const SteadyPart part = steady_part(trace, {measured.begin, mark.label}, measured.end);
  BarrierSegment out{.barrier = std::string(barrier_after(mark.label)), .range = {mark.at, end}};
  out.drained = part.drained < measured.end ? part.drained : end;
  out.rate = part.rate;
  out.figures = figures_of(trace, part);
  out.late_ops = late_ops_in(trace, part.shown);
  return out;
}

struct LateSlices {
  std::uint64_t late = 0, all = 0;
};
// Counts the slices of simulated devices that ended in the range. Reads at most the last `most_rows` rows of
// each lane.
LateSlices count_late(const trace::Trace& trace, TimeRange range, std::uint64_t most_rows) {
  LateSlices out;
  for (const trace::Track& track : trace.tracks()) {
    if (!track.info.simulated) continue;
    for (const trace::Lane& lane : track.lanes) {
      const std::uint64_t first = lane.first_row_ending_after(range.begin - Duration{1});
      const std::uint64_t last = lane.first_row_ending_after(range.end - Duration{1}, first);
      std::uint64_t row = std::max(first, last - std::min(last, most_rows));
      out.all += last - row;
      trace::LaneReader reader(lane);
      for (; row < last; ++row) out.late += (reader.slice(row).flags & trace::kSliceLate) != 0 ? 1 : 0;
    }
  }
  return out;
}

}  // namespace

SteadyPart steady_part(const trace::Trace& trace, const BarrierChange& mark, Timestamp end) {
  const std::optional<Timestamp> drained = steady_from(trace, mark);
  SteadyPart out;
  out.drained = std::min(drained.value_or(end), end);
  out.rate = steady_rate(trace, {out.drained, end});
  out.phase = phase_of(mark, drained.has_value(), out.rate);
  out.shown = out.rate.settled ? out.rate.range : TimeRange{drained ? out.drained : mark.at, end};
  return out;
}

SegmentFigures figures_of(const trace::Trace& trace, const SteadyPart& part) {
  SegmentFigures figures = segment_figures(trace, part.shown, SegmentWork::kLeftOut);
  if (part.rate.settled) figures.steps_per_s = part.rate.steps_per_s;
  return figures;
}

Steadiness steadiness_of(const SteadyPart& part) {
  return {part.phase, part.rate.settled ? part.rate.spread / part.rate.steps_per_s : 0};
}

Doubt doubt_about(const Steadiness& before, const Steadiness& after, double late) {
  if (!both_settled(before, after)) return Doubt::kUnsettled;
  return late > kMostLateShare ? Doubt::kLate : Doubt::kNone;
}

bool both_settled(const Steadiness& before, const Steadiness& after) {
  return before.phase == Phase::kSettled && after.phase == Phase::kSettled;
}

std::vector<BarrierSegment> barrier_segments(const trace::Trace& trace) {
  const std::vector<BarrierChange> marks = barrier_changes(trace);
  const std::vector<PartOfRun> parts = parts_of_run(trace);
  std::vector<BarrierSegment> out;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const TimeRange rest{marks[i].at, std::max(marks[i].at, trace.watermark())};
    const Timestamp end = i + 1 < marks.size() ? marks[i + 1].at : last_step_end(trace, rest);
    out.push_back(segment_of(trace, parts, marks[i], end));
  }
  return out;
}

std::uint64_t late_ops_in(const trace::Trace& trace, TimeRange range) {
  return count_late(trace, range, UINT64_MAX).late;
}

double late_share(const trace::Trace& trace, TimeRange range) {
  const LateSlices counted = count_late(trace, range, kMostLateRows);
  return counted.all > 0 ? static_cast<double>(counted.late) / static_cast<double>(counted.all) : 0;
}

}  // namespace runahead::analysis
