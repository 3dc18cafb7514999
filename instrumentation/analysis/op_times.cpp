#include "instrumentation/analysis/op_times.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "instrumentation/base/median.h"

namespace runahead::analysis {
namespace {

constexpr std::uint64_t kMostOps = 1'000'000;

struct Moments {
  OpId id = kNoOp;
  Timestamp enqueued{}, started{}, ended{};
  bool waited_for = false;
};

double median_of(const std::vector<double>& values) { return values.empty() ? 0 : median(values); }

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
  for (std::size_t i = 1; i < ops.size(); ++i) {
    const Moments &before = ops[i - 1], &op = ops[i];
    if (raw(op.id) != raw(before.id) + 1 || op.waited_for != before.waited_for) continue;
    (op.waited_for ? round_trip : enqueue).push_back(ns_between(before.enqueued, op.enqueued));
  }
  times.ops = ops.size();
  times.enqueue_ns = median_of(enqueue);
  times.execute_ns = median_of(execute);
  times.round_trip_ns = median_of(round_trip);
  times.report_ns = median_of(report);
  return times;
}

}  // namespace runahead::analysis
