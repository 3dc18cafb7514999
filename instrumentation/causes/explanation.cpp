#include "instrumentation/causes/explanation.h"

#include <algorithm>

#include "instrumentation/causes/call_place.h"

namespace runahead::causes {
namespace {

// True if a host thread has slices of Python functions.
bool has_python_stacks(const trace::Trace& trace) {
  for (std::uint64_t id = 0; id < trace.string_count(); ++id) {
    if (zone_class(trace.string(StringId{static_cast<std::uint32_t>(id)})) == ZoneClass::kPython) return true;
  }
  return false;
}

std::vector<std::string> what_to_record(const Execution& execution, const Steps& steps) {
  std::vector<std::string> out;
  if (execution.works().empty()) {
    out.emplace_back(
        "The trace has no work of a device. PyTorch: record with ProfilerActivity.CUDA. Nsight Systems: "
        "--trace=cuda.");
    return out;
  }
  const auto is_kernel = [](const Work& work) { return !trace::is_copy(work.kind); };
  const auto is_unlaunched = [&](const Work& work) { return is_kernel(work) && !work.is_launched(); };
  if (2 * std::ranges::count_if(execution.works(), is_unlaunched) >
      std::ranges::count_if(execution.works(), is_kernel))
    out.emplace_back(
        "The trace does not have the launches of most kernels: they were launched before it began, or it was "
        "recorded without the calls of the runtime.");
  const auto sync = std::ranges::find_if(execution.calls(),
                                         [](const HostCall& call) { return is_synchronisation(call.role); });
  if (sync != execution.calls().end() && sync->op == kNoOp && !has_python_stacks(execution.trace()))
    out.emplace_back(
        "The trace has no Python stacks. PyTorch: record with with_stack=True to see the lines that wait.");
  if (steps.count() == 0)
    out.emplace_back(
        "The trace names no steps. PyTorch: call prof.step(). Others: an NVTX range \"step N\" for each "
        "step.");
  return out;
}

double blocked_ratio(const Execution& execution, const std::vector<Synchronisation>& all, TrackId thread,
                     TimeRange range) {
  Duration blocked{};
  for (const Synchronisation& sync : all) {
    if (execution.calls()[sync.call].thread == thread) blocked += sync.parts.total();
  }
  return range.empty() ? 0
                       : static_cast<double>(blocked.count()) / static_cast<double>(range.duration().count());
}

StepIdle step_idle(const std::vector<IdleParts>& steps, const std::vector<TimeRange>& ranges) {
  StepIdle out{.count = steps.size()};
  if (steps.empty()) return out;
  for (const IdleParts& step : steps) out.mean.add(step);
  for (Duration& time : out.mean.times) time /= static_cast<Duration::rep>(steps.size());
  const auto worst = std::ranges::max_element(steps, {}, &IdleParts::total);
  out.worst = static_cast<std::size_t>(worst - steps.begin());
  out.worst_range = ranges[out.worst];
  out.worst_idle = *worst;
  return out;
}

void explain_streams(const Execution& execution, const IdleTimes& idle, TimeRange range,
                     std::size_t most_streams, DeviceExplanation& out) {
  std::vector<std::pair<Duration, StreamIndex>> busy;
  for (const StreamIndex at : execution.devices()[out.report.device].streams) {
    Duration sum{};
    for (const Work& work : execution.works_of(at))
      sum += std::max(Duration{}, std::min(work.end, range.end) - std::max(work.begin, range.begin));
    if (sum > Duration{}) busy.emplace_back(sum, at);
  }
  std::ranges::stable_sort(busy, std::greater<>(), [](const auto& entry) { return entry.first; });
  out.more_streams = busy.size() - std::min(busy.size(), most_streams);
  busy.resize(busy.size() - out.more_streams);
  const bool only_one =
      std::ranges::count_if(execution.devices()[out.report.device].streams,
                            [&](StreamIndex at) { return !execution.works_of(at).empty(); }) == 1;
  for (const auto& [sum, at] : busy) {
    const IdleReport report = only_one ? out.report : idle.of_stream(at, range, 0);
    const TrackId track = execution.streams()[at].track;
    out.streams.push_back({execution.trace().track(track).info.name, track, report.busy, report.idle});
  }
}

}  // namespace

double Explanation::attributed_ratio() const {
  const Duration all = blocked.total();
  return all == Duration{} ? 1
                           : 1 - static_cast<double>(blocked.of(SyncPart::kUnknown).count()) /
                                     static_cast<double>(all.count());
}

Explanation explain(const trace::Trace& trace, const ExplainOptions& options) {
  const Execution execution(trace);
  return explain(execution, find_synchronisations(execution), options);
}

Explanation explain(const Execution& execution, const std::vector<Synchronisation>& all,
                    const ExplainOptions& options) {
  Explanation out;
  out.steps = find_steps(execution);
  out.range = explained_range(execution, out.steps);
  const bool all_in_range = std::ranges::all_of(all, [&](const Synchronisation& sync) {
    const HostCall& call = execution.calls()[sync.call];
    return call.begin >= out.range.begin && call.end <= out.range.end;
  });
  const std::vector<Synchronisation> in_range =
      all_in_range ? all : find_synchronisations(execution, out.range);
  const IdleTimes idle(execution, out.steps);
  std::vector<IdleReport> reports;
  std::vector<CommunicationTimes> communication;
  for (DeviceIndex at = 0; at < execution.devices().size(); ++at) {
    if (execution.devices()[at].busy.empty()) continue;
    reports.push_back(idle.of_device(at, out.range, options.most_gaps));
    DeviceExplanation device{execution.devices()[at].name, execution.devices()[at].simulated, reports.back()};
    device.per_step = step_idle(device.report.steps, out.steps.ranges);
    explain_streams(execution, idle, out.range, options.most_streams, device);
    device.communication = communication_times(execution, at, out.range);
    communication.push_back(device.communication);
    out.devices.push_back(std::move(device));
  }
  out.synchronisations = group_by_place(execution, in_range);
  for (const Synchronisation& sync : in_range) out.blocked.add(sync.parts);
  out.blocked_ratio = blocked_ratio(execution, in_range, main_thread(execution, out.steps), out.range);
  out.path = critical_path(execution, all, out.steps, out.range);
  out.findings = find_findings(
      {&execution, &in_range, &out.synchronisations, &out.steps, &reports, &communication, out.range});
  out.edges = execution.edges();
  for (const Synchronisation& sync : all) {
    if (sync.awaited != kNone) out.edges.add(sync.evidence);
  }
  out.to_record = what_to_record(execution, out.steps);
  return out;
}

}  // namespace runahead::causes
