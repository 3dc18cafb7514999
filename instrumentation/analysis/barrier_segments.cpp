#include "instrumentation/analysis/barrier_segments.h"

#include <algorithm>
#include <chrono>
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

// is_last: the segment ends with its last step, which counts.
BarrierSegment segment_of(const trace::Trace& trace, const std::vector<PartOfRun>& parts,
                          const BarrierChange& mark, Timestamp end, bool is_last) {
  const TimeRange measured = measured_time(trace, parts, {mark.at, is_last ? end + Duration{1} : end});
  const SteadyPart part = steady_part(trace, {measured.begin, mark.label}, measured.end);
  BarrierSegment out{.barrier = std::string(barrier_after(mark.label)), .range = {mark.at, end}};
  out.drained = part.drained < measured.end ? part.drained : end;
  out.rate = part.rate;
  out.figures = figures_of(trace, part);
  out.lateness = lateness(trace, part.shown, UINT64_MAX);
  return out;
}

// The late slices of a lane that ended in the range, among its last rows in the range.
struct LateSlices {
  std::uint64_t late = 0, all = 0;
  Timestamp since{};  // the rows that ended after this time were read
};
LateSlices count_late(const trace::Lane& lane, TimeRange range, std::uint64_t most_rows) {
  const std::uint64_t first = lane.first_row_ending_after(range.begin - Duration{1});
  const std::uint64_t last = lane.first_row_ending_after(range.end - Duration{1}, first);
  std::uint64_t row = std::max(first, last - std::min(last, most_rows));
  trace::LaneReader reader(lane);
  LateSlices out{.all = last - row,
                 .since = row == first ? range.begin : std::max(range.begin, reader.slice(row).begin)};
  for (; row < last; ++row) out.late += (reader.slice(row).flags & trace::kSliceLate) != 0 ? 1 : 0;
  return out;
}

}  // namespace

SteadyPart steady_part(const trace::Trace& trace, const BarrierChange& mark, Timestamp end) {
  const std::optional<Timestamp> drained = steady_from(trace, mark, end);
  SteadyPart out;
  out.drained = std::min(drained.value_or(end), end);
  out.rate = steady_rate(trace, {out.drained, end});
  out.phase = phase_of(mark, drained.has_value(), out.rate);
  out.shown = out.rate.settled ? out.rate.range : TimeRange{drained ? out.drained : mark.at, end};
  return out;
}

std::vector<LeftOut> left_out(const BarrierChange& mark, const SteadyPart& part) {
  const TimeRange drain{mark.at, part.drained};
  const TimeRange settling{part.drained, part.rate.settled ? part.rate.range.begin : part.drained};
  std::vector<LeftOut> out;
  if (is_start(mark)) {
    const TimeRange warm_up{mark.at, settling.end};
    if (!warm_up.empty()) out.push_back({warm_up, Phase::kWarmingUp});
    return out;
  }
  if (!drain.empty()) out.push_back({drain, Phase::kDraining});
  if (!settling.empty()) out.push_back({settling, Phase::kSettling});
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

Doubt doubt_about(const Steadiness& before, const Steadiness& after, bool late) {
  if (!both_settled(before, after)) return Doubt::kUnsettled;
  return late ? Doubt::kLate : Doubt::kNone;
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
    const bool is_last = i + 1 == marks.size();
    const Timestamp end = is_last ? last_step_end(trace, rest) : marks[i + 1].at;
    out.push_back(segment_of(trace, parts, marks[i], end, is_last));
  }
  return out;
}

Lateness lateness(const trace::Trace& trace, TimeRange range, std::uint64_t most_rows) {
  using Seconds = std::chrono::duration<double>;
  Lateness out;
  std::uint64_t all = 0;
  for (const trace::Track& track : trace.tracks()) {
    if (!track.info.simulated) continue;
    for (const trace::Lane& lane : track.lanes) {
      const LateSlices of = count_late(lane, range, most_rows);
      all += of.all;
      out.late_slices += of.late;
      if (of.late == 0 || of.since >= range.end) continue;
      out.of_time +=
          static_cast<double>(of.late) * (Seconds(trace::kLateAfter) / Seconds(range.end - of.since));
    }
  }
  if (all > 0) out.of_slices = static_cast<double>(out.late_slices) / static_cast<double>(all);
  return out;
}

}  // namespace runahead::analysis
