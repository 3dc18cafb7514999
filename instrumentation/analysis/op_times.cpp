#include "instrumentation/analysis/op_times.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/analysis/slices_of_kinds.h"

namespace runahead::analysis {
namespace {

constexpr std::uint64_t kMostOps = 1'000'000;

struct OpTimestamps {
  OpId id = kNoOp;
  Timestamp enqueued{}, started{}, ended{};
  bool of_a_step = false;
  bool waited_for = false;
};

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double ns_between(Timestamp from, Timestamp to) { return static_cast<double>((to - from).count()); }

// Returns, for each op whose end released a wait, the end of that wait.
std::unordered_map<OpId, Timestamp> releases(const trace::Trace& trace) {
  std::unordered_map<OpId, Timestamp> ends;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const trace::Flow flow = trace.flow(i);
    if (flow.kind == trace::FlowKind::kExecuteToWait) ends.emplace(flow.op, flow.to_time);
  }
  return ends;
}

// The ops for which a frontend waited. An op that had ended before the wait counts too.
std::unordered_set<OpId> waited_for(const trace::Trace& trace) {
  constexpr trace::SliceKinds kWaits = trace::kinds_of(trace::SliceKind::kWait);
  std::unordered_set<OpId> ops;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind != trace::TrackKind::kFrontend) continue;
    for (const trace::Lane& lane : track.lanes)
      each_of_kinds(lane, kWaits, lane.first_row(), lane.end_row(),
                    [&](const trace::Slice& wait) { ops.insert(wait.op); });
  }
  return ops;
}

// Returns the times in which frontends waited, for example for a barrier or the safety limit. A frontend that
// waits enqueues nothing.
Ranges frontend_waits(const trace::Trace& trace) {
  std::vector<const trace::Lane*> lanes;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind != trace::TrackKind::kFrontend) continue;
    for (const trace::Lane& lane : track.lanes) lanes.push_back(&lane);
  }
  return busy_ranges(lanes, trace::kinds_of(trace::SliceKind::kWait), trace.extent());
}

double ns_between(Timestamp from, Timestamp to, const Ranges& without) {
  double ns = ns_between(from, to);
  auto range = std::ranges::upper_bound(without, from, {}, &TimeRange::end);
  for (; range != without.end() && range->begin < to; ++range)
    ns -= ns_between(std::max(from, range->begin), std::min(to, range->end));
  return ns;
}

std::vector<OpTimestamps> ops_named(const trace::Trace& trace, StringId name) {
  std::vector<OpTimestamps> ops;
  const std::uint64_t count = trace.op_count();
  for (std::uint64_t i = count > kMostOps ? count - kMostOps : 0; i < count; ++i) {
    const trace::OpRow row = trace.op_row(i);
    if (row.name != name || row.enqueued == trace::kNever || row.started == trace::kNever) continue;
    ops.push_back({row.id, row.enqueued, row.started, row.ended, row.step >= 0});
  }
  std::sort(ops.begin(), ops.end(), [](const OpTimestamps& a, const OpTimestamps& b) { return a.id < b.id; });
  return ops;
}

}  // namespace

OpTimes op_times(const trace::Trace& trace, std::string_view name) {
  OpTimes times;
  const std::optional<StringId> id = trace.find_string(name);
  if (!id) return times;
  std::vector<OpTimestamps> ops = ops_named(trace, *id);
  const std::unordered_map<OpId, Timestamp> wait_ends = releases(trace);
  const std::unordered_set<OpId> waits_for = waited_for(trace);
  bool any_steps = false;  // true: at least one op of a step is not waited for
  for (OpTimestamps& op : ops) {
    op.waited_for = wait_ends.contains(op.id) || waits_for.contains(op.id);
    any_steps = any_steps || (op.of_a_step && !op.waited_for);
  }
  // True if enqueue_ns and execute_ns are computed from this op.
  const auto counts = [&](const OpTimestamps& op) { return !op.waited_for && op.of_a_step == any_steps; };
  std::vector<double> enqueue, execute, execute_waited_for, round_trip, report;
  for (const OpTimestamps& op : ops) {
    if (counts(op)) execute.push_back(ns_between(op.started, op.ended));
    if (!op.waited_for) continue;
    ++times.waited_for;
    execute_waited_for.push_back(ns_between(op.started, op.ended));
    const auto released = wait_ends.find(op.id);
    if (released != wait_ends.end()) report.push_back(ns_between(op.ended, released->second));
  }
  const Ranges waits = frontend_waits(trace);
  for (std::size_t i = 1; i < ops.size(); ++i) {
    const OpTimestamps &before = ops[i - 1], &op = ops[i];
    if (raw(op.id) != raw(before.id) + 1 || op.waited_for != before.waited_for) continue;
    if (op.waited_for) {
      round_trip.push_back(ns_between(before.enqueued, op.enqueued));
    } else if (counts(op) && counts(before)) {
      enqueue.push_back(ns_between(before.enqueued, op.enqueued, waits));
    }
  }
  times.ops = ops.size();
  times.enqueue_ns = mean_of(enqueue);
  times.execute_ns = mean_of(execute.empty() ? execute_waited_for : execute);
  times.round_trip_ns = mean_of(round_trip);
  times.report_ns = mean_of(report);
  return times;
}

}  // namespace runahead::analysis
