#include "instrumentation/causes/findings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "instrumentation/base/format.h"
#include "instrumentation/causes/call_place.h"
#include "instrumentation/causes/finding_rules.h"

namespace runahead::causes {
namespace {

constexpr double kNearlyEveryStep = 0.9;
// In a trace of MTIA 66 % of the kernels ended within their launch. In 14 traces of GPUs: at most 10 %.
constexpr double kMostLaunches = 0.5;

class Rules {
 public:
  explicit Rules(const FindingInput& input) : in_(input), execution_(*input.execution) {}

  std::vector<Finding> run() {
    sync_in_every_step();
    host_bound();
    data_loading();
    allocation();
    allocation_in_steady_state();
    copies_beside_kernels();
    full_launch_queue();
    blocking_launches();
    exposed_communication();
    for (const auto& find : {find_stream_findings, find_run_ahead_findings, find_nsys_findings})
      std::ranges::move(find(in_), std::back_inserter(out_));
    // our own rules first: they say a cause
    std::ranges::stable_sort(out_, {}, [](const Finding& finding) {
      return std::pair(finding.rule.starts_with("nsys_"), -finding.cost.count());
    });
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string name_of(StringId name) const {
    return std::string(execution_.trace().string(name));
  }

  // ---- ours -----------------------------------------------------------------------------------------------

  // A place that synchronises in nearly every step, and leaves the device idle. The cost is the idle time.
  void sync_in_every_step() {
    if (in_.steps->count() < kFewestSteps) return;
    struct Place {
      std::set<std::size_t> steps;
      Finding finding;
      Duration blocked{}, longest{-1};
      std::string call, place;
    };
    std::map<std::pair<StringId, std::string>, Place> places;
    for (const Synchronisation& sync : *in_.synchronisations) {
      const HostCall& call = execution_.calls()[sync.call];
      if (is_launch(call.role)) continue;  // full_launch_queue(), blocking_launches()
      const std::optional<std::size_t> step = in_.steps->step_at(call.begin);
      if (!step) continue;
      const std::string where = place_of(execution_.trace(), call).text();
      Place& place = places[{call.name, where}];
      place.steps.insert(*step);
      place.call = name_of(call.name);
      place.place = where;
      ++place.finding.count;
      place.finding.cost += sync.idle_after;
      place.blocked += call.end - call.begin;
      if (call.end - call.begin <= place.longest) continue;
      place.longest = call.end - call.begin;
      place.finding.track = call.thread;
      place.finding.range = call.range();
    }
    for (auto& [key, place] : places) {
      const double share = static_cast<double>(place.steps.size()) / static_cast<double>(in_.steps->count());
      if (share < kNearlyEveryStep || place.finding.cost <= Duration{}) continue;
      Finding finding = std::move(place.finding);
      finding.rule = "sync_in_every_step";
      finding.change =
          "sync:" + (place.place.empty() ? place.call : place.call + "@" + place.place) + "=drop";
      finding.sentence = place.call + at_place(place.place) + " waits for the device in " +
                         std::to_string(place.steps.size()) + " of " + std::to_string(in_.steps->count()) +
                         " steps, " + format_duration(place.blocked) +
                         " in all. After it the device was idle for " + format_duration(finding.cost) + ".";
      finding.help =
          "Read the value later, or not in every step. If it is a copy, use pinned memory and "
          "non_blocking=True.";
      out_.push_back(std::move(finding));
    }
  }

  [[nodiscard]] Duration idle_by(std::initializer_list<IdleCause> causes, const IdleReport& report) const {
    Duration sum{};
    for (const IdleCause cause : causes) sum += report.idle.of(cause);
    return sum;
  }
  // Adds a finding for each device that was idle for these causes for much of the range.
  template <typename Sentence>
  void idle_finding(const char* rule, std::initializer_list<IdleCause> causes, Sentence sentence,
                    const char* help) {
    for (const IdleReport& report : *in_.devices) {
      const Duration cost = idle_by(causes, report);
      const double share = share_of(cost, report.range);
      if (report.range.empty() || report.busy == Duration{} || share < kMuchTime ||
          runs_on_host(execution_, report.device))
        continue;
      Finding finding{.rule = rule, .sentence = {}, .help = help, .cost = cost, .range = {}};
      for (const IdleCause cause : causes) finding.count += report.counts[static_cast<std::size_t>(cause)];
      for (const IdleGap& gap : report.gaps) {
        if (std::ranges::find(causes, gap.parts.main_cause()) == causes.end() || gap.next == kNone) continue;
        if (finding.range.duration() >= gap.range.duration()) continue;
        finding.range = gap.range;
        finding.track = execution_.streams()[execution_.works()[gap.next].stream].track;
      }
      finding.sentence =
          sentence(execution_.devices()[report.device].name, format_duration(cost), format_percent(share));
      out_.push_back(std::move(finding));
    }
  }
  void host_bound() {
    idle_finding(
        "launch_bound",
        {IdleCause::kOperator, IdleCause::kPython, IdleCause::kLaunchCall, IdleCause::kHost,
         IdleCause::kLaunchLatency},
        [](const std::string& device, const std::string& cost, const std::string& share) {
          return device + " was idle for " + cost + " (" + share +
                 " of the time), because the host had not launched the next kernel.";
        },
        "Launch fewer and larger kernels: a larger batch, torch.compile, CUDA graphs, fused optimizers.");
  }
  void data_loading() {
    idle_finding(
        "data_loading", {IdleCause::kDataLoading},
        [](const std::string& device, const std::string& cost, const std::string& share) {
          return device + " was idle for " + cost + " (" + share +
                 " of the time), because the host loaded data.";
        },
        "Use more workers in the DataLoader, prefetch, and pin memory.");
  }

  void allocation() {
    idle_finding(
        "allocation", {IdleCause::kAllocation},
        [](const std::string& device, const std::string& cost, const std::string& share) {
          return device + " was idle for " + cost + " (" + share +
                 " of the time), because the host allocated or freed memory.";
        },
        "Allocate once, before the steps, and reuse the memory.");
  }

  // Allocations and frees after the first half of the steps: a caching allocator has all its memory by then.
  void allocation_in_steady_state() {
    if (in_.steps->count() < kFewestSteps) return;
    const Timestamp steady_from = in_.steps->ranges[in_.steps->count() / 2].begin;
    Finding finding{.rule = "allocation_in_steady_state", .sentence = {}, .help = {}, .range = {}};
    each_call(in_, [&](const HostCall& call) {
      const bool memory = call.role == CallRole::kAllocate || call.role == CallRole::kFree;
      if (memory && call.begin >= steady_from) add_case(finding, call, call.end - call.begin);
    });
    if (finding.count == 0) return;
    finding.sentence = "Memory was allocated or freed " + times(finding.count) +
                       " in the second half of the steps, which took " + format_duration(finding.cost) + ".";
    finding.help = "Reuse buffers. PyTorch: avoid empty_cache(), and set expandable_segments if sizes vary.";
    out_.push_back(std::move(finding));
  }

  // Copies to or from the host that ran while no kernel ran, on a stream that also has kernels.
  void copies_beside_kernels() {
    for (StreamIndex at = 0; at < execution_.streams().size(); ++at) {
      const Stream& stream = execution_.streams()[at];
      const std::span<const Work> works = execution_.works_of(at);
      const bool has_kernels =
          std::ranges::any_of(works, [](const Work& w) { return w.kind == trace::SliceKind::kExecute; });
      if (!has_kernels) continue;
      Finding finding{.rule = "copy_on_compute_stream", .sentence = {}, .help = {}, .range = {}};
      Duration longest{};
      for (const Work& work : works) {
        const bool crosses =
            work.kind == trace::SliceKind::kCopyToDevice || work.kind == trace::SliceKind::kCopyToHost;
        if (!crosses || work.begin < in_.range.begin || work.end > in_.range.end) continue;
        ++finding.count;
        finding.cost += work.end - work.begin;
        if (work.end - work.begin <= longest) continue;
        longest = work.end - work.begin;
        finding.track = stream.track;
        finding.range = {work.begin, work.end};
      }
      const double share = share_of(finding.cost, in_.range);
      if (finding.count == 0 || share < kMuchTime) continue;
      finding.sentence = execution_.trace().track(stream.track).info.name + " of " +
                         execution_.devices()[stream.device].name + " copied from or to the host " +
                         times(finding.count) +
                         " and ran no kernel meanwhile: " + format_duration(finding.cost) + " (" +
                         format_percent(share) + " of the time).";
      finding.help =
          "Copy on a stream of its own, from pinned memory, while the kernels of the step before run.";
      out_.push_back(std::move(finding));
    }
  }

  // Launches that waited for a place in the queue. They cost the device nothing: it had work.
  void full_launch_queue() {
    Finding finding{.rule = "launch_queue_full", .sentence = {}, .help = {}, .range = {}};
    Duration blocked{};
    for (const Synchronisation& sync : *in_.synchronisations) {
      const HostCall& call = execution_.calls()[sync.call];
      if (!is_launch(call.role) || !begins_in(in_.range, call) || waited_for_own_work(execution_, sync))
        continue;
      add_case(finding, call, Duration{});
      blocked += call.end - call.begin;
    }
    if (finding.count == 0) return;
    finding.sentence =
        "The host was " + format_duration(blocked) + " in " + std::to_string(finding.count) +
        " launches, because the queue of launched work was full. The device had work meanwhile.";
    finding.help = "The device limits this run. More run-ahead would bring nothing.";
    out_.push_back(std::move(finding));
  }

  // Launches that waited for the work that they launched: the host cannot run ahead. The cost is the time in
  // which the device was idle after the long ones.
  void blocking_launches() {
    const double share = blocking_share();
    if (share < kMostLaunches) return;
    Finding finding{.rule = "blocking_launches", .sentence = {}, .help = {}, .range = {}};
    Duration blocked{};
    for (const Synchronisation& sync : *in_.synchronisations) {
      const HostCall& call = execution_.calls()[sync.call];
      if (!is_launch(call.role) || !begins_in(in_.range, call) || !waited_for_own_work(execution_, sync))
        continue;
      add_case(finding, call, sync.idle_after);
      blocked += call.end - call.begin;
    }
    finding.sentence =
        format_percent(share) + " of the launches of kernels returned only when the kernel had ended.";
    if (finding.count > 0)
      finding.sentence += " The " + std::to_string(finding.count) + " long ones took " +
                          format_duration(blocked) + ". After them the device was idle for " +
                          format_duration(finding.cost) + ".";
    finding.help =
        "The host does not run ahead. Look for CUDA_LAUNCH_BLOCKING=1 or its like in the environment.";
    out_.push_back(std::move(finding));
  }
  // The share of kernels whose launch returned after they had ended, of at most about a thousand kernels.
  [[nodiscard]] double blocking_share() const {
    constexpr std::int64_t kMost = 1000;
    const auto is_kernel = [](const Work& work) {
      return work.is_launched() && work.op == kNoOp && !trace::is_copy(work.kind);
    };
    const std::int64_t every = std::ranges::count_if(execution_.works(), is_kernel) / kMost + 1;
    std::int64_t kernels = 0, seen = 0, blocking = 0;
    for (const Work& work : execution_.works()) {
      if (!is_kernel(work) || kernels++ % every != 0) continue;
      ++seen;
      blocking += returned_after_work(execution_, work) ? 1 : 0;
    }
    return seen == 0 ? 0 : static_cast<double>(blocking) / static_cast<double>(seen);
  }

  // Collectives while no other work of the device ran.
  void exposed_communication() {
    for (std::size_t i = 0; i < in_.devices->size(); ++i) {
      const CommunicationTimes& times = (*in_.communication)[i];
      if (share_of(times.exposed, in_.range) < kMuchTime) continue;
      Finding finding{.rule = "exposed_communication", .sentence = {}, .help = {}, .range = times.longest};
      finding.count = times.count;
      finding.cost = times.exposed;
      finding.track = times.track;
      finding.sentence = execution_.devices()[(*in_.devices)[i].device].name + " communicated for " +
                         format_duration(times.total) + ". For " + format_duration(times.exposed) + " (" +
                         format_percent(share_of(times.exposed, in_.range)) +
                         " of the time) it did nothing else.";
      finding.help =
          "Begin each collective as soon as its data is there, on a stream of its own, beside kernels that "
          "do "
          "not need it. PyTorch: smaller buckets of DistributedDataParallel, prefetching of FSDP.";
      out_.push_back(std::move(finding));
    }
  }

  const FindingInput& in_;
  const Execution& execution_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> find_findings(const FindingInput& input) { return Rules(input).run(); }

}  // namespace runahead::causes
