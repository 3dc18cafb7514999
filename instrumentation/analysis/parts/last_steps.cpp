#include "instrumentation/analysis/parts/last_steps.h"

#include <algorithm>
#include <utility>

#include "instrumentation/trace/each_of_kinds.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::analysis {
namespace {

using trace::Slice;
using trace::SliceKind;
using trace::Trace;

constexpr trace::SliceKinds kStepKind = trace::kinds_of(SliceKind::kStep);

enum class StepFate : std::uint8_t { kNoOps, kRan, kCancelled };
// What became of the ops that the track enqueued in a step.
struct Fate {
  StepFate of_ops = StepFate::kNoOps;
  Timestamp cancelled_at = Timestamp::min();  // the last of them
};

Fate fate_of(const Trace& trace, const trace::Track& track, TimeRange step) {
  Fate out;
  constexpr trace::SliceKinds kEnqueues = trace::kinds_of(SliceKind::kEnqueue);
  for (const trace::Lane& lane : track.lanes) {
    const std::uint64_t end = lane.first_row_beginning_from(step.end);
    trace::each_of_kinds(
        lane, kEnqueues, lane.first_row_beginning_from(step.begin), end, [&](const Slice& slice) {
          const auto op = trace.op(slice.op);
          if (!op || op->ended == trace::kNever) return;
          const bool cancelled = op->started == trace::kNever;
          out.of_ops = std::max(out.of_ops, cancelled ? StepFate::kCancelled : StepFate::kRan);
          if (cancelled) out.cancelled_at = std::max(out.cancelled_at, op->ended);
        });
  }
  return out;
}

}  // namespace

std::vector<TimeRange> last_steps(const trace::Lane& lane, TimeRange range, std::size_t most) {
  std::vector<TimeRange> out;
  const std::uint64_t first = lane.first_row_beginning_from(range.begin);
  const std::uint64_t last = lane.first_row_beginning_from(range.end);
  const std::uint64_t first_step = lane.next_of_kinds(kStepKind, first, last);
  trace::LaneReader reader(lane);
  for (std::uint64_t row = last; row > first_step && out.size() < most; --row) {
    const Slice slice = reader.slice(row - 1);
    if (slice.kind == SliceKind::kStep && slice.end <= range.end) out.push_back({slice.begin, slice.end});
  }
  std::ranges::reverse(out);
  return out;
}

CancelledSteps cancelled_steps(const Trace& trace, TimeRange range) {
  CancelledSteps out;
  for (const trace::Track& track : trace.tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      const std::vector<TimeRange> steps = last_steps(lane, {range.begin, Timestamp::max()}, SIZE_MAX);
      std::int64_t passed = 0;  // from the end: cancelled steps, and steps without ops after them
      for (std::size_t i = steps.size(); i > 0; --i) {
        const Fate fate = fate_of(trace, track, steps[i - 1]);
        // The stop refuses the rest of the ops of the last step: those before may have run.
        if (fate.of_ops == StepFate::kRan && i < steps.size()) break;
        ++passed;
        if (fate.of_ops != StepFate::kCancelled) continue;
        out.at = std::max(out.at, fate.cancelled_at);
        out.begin = std::min(out.begin, steps[i - 1].begin);
        out.steps += std::exchange(passed, 0);
      }
    }
  }
  return out;
}

}  // namespace runahead::analysis
