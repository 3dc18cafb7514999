#include "instrumentation/predict/run_part.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/analysis/parts/last_steps.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/format.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::predict {
namespace {

using trace::Slice;
using trace::SliceKind;
using trace::Trace;

// A time with one barrier. Its label is empty if the trace has no mark of the barrier.
struct Span {
  TimeRange range{};
  std::string barrier;
};

// The times between changes of the barrier, in order. If the trace no longer has its first mark, the mark
// after it says which barrier was set before.
std::vector<Span> spans_of(const Trace& trace) {
  const TimeRange all{trace.extent().begin, std::max(trace.extent().end, trace.watermark())};
  std::vector<Span> out{{all, {}}};
  for (const analysis::BarrierChange& change : analysis::barrier_changes(trace)) {
    if (out.size() == 1 && out.back().barrier.empty()) {
      out.back().barrier = std::string(analysis::barrier_before(change.label));
      if (analysis::is_start(change)) out.clear();
    }
    if (!out.empty()) out.back().range.end = change.at;
    out.push_back({{change.at, all.end}, std::string(analysis::barrier_after(change.label))});
  }
  return out;
}

// Leaves out the preparation and the results. With `last_part`, the time before the last part with steps too.
void keep_measured(const Trace& trace, bool last_part, std::vector<Span>& spans) {
  const std::vector<analysis::PartOfRun> parts = analysis::parts_of_run(trace);
  const analysis::PartOfRun* const main = analysis::main_part(
      trace, parts, {trace.extent().begin, std::max(trace.extent().end, trace.watermark())});
  for (Span& span : spans) {
    for (const analysis::PartOfRun& part : parts) {
      if (part.name == trace::kPreparationPart && part.range.begin <= span.range.begin)
        span.range.begin = std::max(span.range.begin, part.range.end);
      if (part.name == trace::kResultsPart && part.range.begin > span.range.begin)
        span.range.end = std::min(span.range.end, part.range.begin);
    }
    if (last_part && main != nullptr) span.range.begin = std::max(span.range.begin, main->range.begin);
  }
  std::erase_if(spans, [](const Span& span) { return span.range.empty(); });
}

// Steps that ended before this time have finished, because no op is open that was enqueued before.
Timestamp finished_before(const Trace& trace) {
  Timestamp out = trace.watermark();
  for (const trace::OpRow& op : trace.open_ops()) {
    if (op.enqueued != trace::kNever) out = std::min(out, op.enqueued);
  }
  return out;
}

// The steps of one frontend.
struct StepLane {
  TrackId track = kNoTrack;
  std::vector<TimeRange> steps;  // the last ones within a time, in order
};

// Of the frontend with most steps. `frontends` counts those that have any.
StepLane find_steps(const Trace& trace, TimeRange range, std::size_t most, std::size_t& frontends) {
  StepLane out;
  frontends = 0;
  for (const trace::Track& track : trace.tracks()) {
    std::size_t steps = 0;
    for (const trace::Lane& lane : track.lanes) {
      std::vector<TimeRange> found = analysis::last_steps(lane, range, most);
      steps += found.size();
      if (found.size() > out.steps.size()) out = {track.info.id, std::move(found)};
    }
    if (steps > 0) ++frontends;
  }
  return out;
}

// The one with most steps.
Span longest_of(const Trace& trace, const std::vector<Span>& spans) {
  return *std::ranges::max_element(spans, {}, [&](const Span& span) {
    std::size_t frontends = 0;
    return find_steps(trace, span.range, SIZE_MAX, frontends).steps.size();
  });
}

// The steps that had finished by `t`. nullopt: the trace does not count them.
std::optional<double> finished_by(const Trace& trace, Timestamp t) {
  std::optional<double> out;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.role != trace::CounterRole::kStepsFinished || track.counter.empty()) continue;
    out = out.value_or(0) + track.counter.value_at(t).value_or(0);
  }
  return out;
}

// How many of the last steps to read, for the time and the number of ops that the options allow.
std::size_t steps_within(const Trace& trace, const ReadOptions& options) {
  const Timestamp now = trace.watermark();
  const bool has_time = options.most > Duration{};
  const Timestamp since = has_time ? now - options.most : trace.extent().begin;
  const double steps = finished_by(trace, now).value_or(0) - finished_by(trace, since).value_or(0);
  double most = has_time ? std::floor(steps) : 1e9;
  const auto ops = static_cast<double>(trace.ops_ended_in({since, now}));
  if (options.most_ops > 0 && steps > 0 && ops > 0)
    most = std::min(most, std::max(static_cast<double>(kLeastSteps),
                                   std::floor(static_cast<double>(options.most_ops) * steps / ops)));
  return static_cast<std::size_t>(std::max(most, 0.0));
}

// Begins the range after its last pause.
void leave_out_pauses(const Trace& trace, TrackId track, TimeRange& range) {
  for (const trace::Lane& lane : trace.track(track).lanes) {
    const std::uint64_t first = lane.first_row_ending_after(range.begin);
    const std::uint64_t last = lane.first_row_beginning_from(range.end);
    analysis::each_of_kinds(lane, trace::kinds_of(SliceKind::kPause), first, std::max(first, last),
                            [&](const Slice& pause) { range.begin = std::max(range.begin, pause.end); });
  }
}

// When the ops that were enqueued in `range` had ended. nullopt: one has not ended, or its end is not known.
std::optional<Timestamp> ended_of(const Trace& trace, TimeRange range) {
  Timestamp out = range.begin;
  bool all = true;
  for (const trace::Track& track : trace.tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      analysis::each_of_kinds(lane, trace::kinds_of(SliceKind::kEnqueue),
                              lane.first_row_beginning_from(range.begin),
                              lane.first_row_beginning_from(range.end), [&](const Slice& slice) {
                                const auto op = trace.op(slice.op);
                                // an op that was cancelled has an end and no start
                                all = all && op && op->ended != trace::kNever && op->started != trace::kNever;
                                if (all) out = std::max(out, op->ended);
                              });
    }
  }
  return all ? std::optional(out) : std::nullopt;
}

// Leaves out the last steps if their ops have not ended: a trace lists only some of the ops in flight.
void leave_out_unfinished(const Trace& trace, std::vector<TimeRange>& steps) {
  const auto unfinished =
      std::ranges::partition_point(steps, [&](TimeRange step) { return ended_of(trace, step).has_value(); });
  steps.erase(unfinished, steps.end());
}

// The step of the track that ended last before `t`; without one, nothing before `t`.
TimeRange step_before(const Trace& trace, TrackId track, Timestamp t) {
  std::optional<Timestamp> begin;
  for (const trace::Lane& lane : trace.track(track).lanes) {
    const std::vector<TimeRange> found = analysis::last_steps(lane, {trace.extent().begin, t}, 1);
    if (!found.empty()) begin = std::max(begin.value_or(found.front().begin), found.front().begin);
  }
  return {begin.value_or(t), t};
}

std::string few_steps(const ReadOptions& options, const Span& span, std::size_t steps) {
  const std::string time = options.most > Duration{} ? "the last " + format_duration(options.most) + " have"
                                                     : "the longest part with one barrier has";
  const std::string under = span.barrier.empty() ? "" : " with the barrier " + span.barrier;
  return time + " " + std::to_string(steps) + " finished steps" + under + ": a prediction needs " +
         std::to_string(kLeastSteps);
}

Result<BarrierPolicy> barrier_of(const Span& span, const ReadOptions& options) {
  if (span.barrier.empty()) return options.barrier.value_or(BarrierPolicy{});
  const Result<BarrierPolicy> policy = parse_barrier(span.barrier);
  if (!policy) return Error{"its barrier is not known: " + policy.error().message};
  return *policy;
}

}  // namespace

bool barrier_changed(const Trace& trace) {
  bool started = false;
  for (const analysis::BarrierChange& change : analysis::barrier_changes(trace)) {
    if (!analysis::is_start(change) && (started || !analysis::barrier_before(change.label).empty()))
      return true;
    started = true;
  }
  return false;
}

Result<RunPart> find_part(const Trace& trace, const ReadOptions& options) {
  const bool recent = options.most > Duration{};
  std::vector<Span> spans = spans_of(trace);
  keep_measured(trace, recent, spans);
  const std::size_t all_spans = spans.size();
  if (spans.empty()) return Error{"no step of the run has begun yet"};
  Span span = recent ? spans.back() : longest_of(trace, spans);
  const Result<BarrierPolicy> barrier = barrier_of(span, options);
  if (!barrier) return barrier.error();
  span.range.end = std::min(span.range.end, finished_before(trace));
  std::size_t most = steps_within(trace, options), frontends = 0;
  StepLane lane = find_steps(trace, span.range, most, frontends);
  if (frontends > 1) most = std::max<std::size_t>(most / frontends, 1);
  if (!lane.steps.empty()) {
    if (lane.steps.size() > most)
      lane.steps.erase(lane.steps.begin(), lane.steps.end() - static_cast<std::ptrdiff_t>(most));
    TimeRange range{lane.steps.front().begin, lane.steps.back().end};
    leave_out_pauses(trace, lane.track, range);
    std::erase_if(lane.steps, [&](TimeRange step) { return step.begin < range.begin; });
    leave_out_unfinished(trace, lane.steps);
  }
  if (lane.steps.size() < kLeastSteps) return Error{few_steps(options, span, lane.steps.size())};
  RunPart out{.steps = {lane.steps.front().begin, lane.steps.back().end}, .barrier = *barrier};
  const TimeRange before = step_before(trace, lane.track, out.steps.begin);
  out.from = std::max(out.steps.begin, ended_of(trace, before).value_or(out.steps.begin));
  if (!recent && all_spans > 1)
    out.note = "the barrier changed during the run: this is the longest part with one barrier, " +
               std::to_string(lane.steps.size()) + " steps with " + to_string(*barrier);
  return out;
}

}  // namespace runahead::predict
