#include "instrumentation/analysis/op_times.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "instrumentation/analysis/busy_time.h"

namespace runahead::analysis {
namespace {

constexpr std::uint64_t kMostOps = 1'000'000;

struct Moments {
  OpId id = kNoOp;
  Timestamp enqueued{}, started{}, ended{};
  bool waited_for = false;
};

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double ns_between(Timestamp from, Timestamp to) { return static_cast<double>((to - from).count()); }

// When each op's end let a wait go: that wait's end.
std::unordered_map<OpId, Timestamp> releases(const trace::Trace& trace) {
  std::unordered_map<OpId, Timestamp> ends;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const trace::Flow flow = trace.flow(i);
    if (flow.kind == trace::FlowKind::kExecuteToWait) ends.emplace(flow.op, flow.to_time);
  }
  return ends;
}

// A frontend that is held back, by a barrier or by the safety limit, is not enqueueing.
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

std::vector<Moments> ops_named(const trace::Trace& trace, StringId name) {
  std::vector<Moments> ops;
  const std::uint64_t count = trace.op_count();
  for (std::uint64_t i = count > kMostOps ? count - kMostOps : 0; i < count; ++i) {
    const trace::OpRow row = trace.op_row(i);
    if (row.name != name || row.enqueued == trace::kNever || row.started == trace::kNever) continue;
    ops.push_back({row.id, row.enqueued, row.started, row.ended});
  }
  std::sort(ops.begin(), ops.end(), [](const Moments& a, const Moments& b) { return a.id < b.id; });
  return ops;
}

}  // namespace

OpTimes op_times(const trace::Trace& trace, std::string_view name) {
  OpTimes times;
  const std::optional<StringId> id = trace.find_string(name);
  if (!id) return times;
  std::vector<Moments> ops = ops_named(trace, *id);
  const std::unordered_map<OpId, Timestamp> wait_ends = releases(trace);
  std::vector<double> enqueue, execute, round_trip, report;
  for (Moments& op : ops) {
    execute.push_back(ns_between(op.started, op.ended));
    const auto released = wait_ends.find(op.id);
    if (released == wait_ends.end()) continue;
    op.waited_for = true;
    ++times.waited_for;
    report.push_back(ns_between(op.ended, released->second));
  }
  const Ranges waits = frontend_waits(trace);
  for (std::size_t i = 1; i < ops.size(); ++i) {
    const Moments &before = ops[i - 1], &op = ops[i];
    if (raw(op.id) != raw(before.id) + 1 || op.waited_for != before.waited_for) continue;
    if (op.waited_for) {
      round_trip.push_back(ns_between(before.enqueued, op.enqueued));
    } else {
      enqueue.push_back(ns_between(before.enqueued, op.enqueued, waits));
    }
  }
  times.ops = ops.size();
  times.enqueue_ns = mean_of(enqueue);
  times.execute_ns = mean_of(execute);
  times.round_trip_ns = mean_of(round_trip);
  times.report_ns = mean_of(report);
  return times;
}

}  // namespace runahead::analysis
