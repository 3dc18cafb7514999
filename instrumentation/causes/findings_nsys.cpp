// The rules of `nsys analyze`, as NVIDIA documents them (Nsight Systems, User Guide, "Expert System Rules",
// and the descriptions of the recipes of the same names). docs/causes.md says where they differ.
#include <algorithm>
#include <map>
#include <utility>

#include "instrumentation/base/contains_text.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/finding_rules.h"

namespace runahead::causes {
namespace {

constexpr Duration kLongGap = std::chrono::milliseconds(500);
constexpr int kUtilisationChunks = 30;
constexpr double kLowUtilisation = 0.5;
constexpr std::int64_t kSmallCopyBytes = 64 * 1024;
constexpr const char* kCopiesTook = "; the copies took ";

// The work of one process on one device.
struct DeviceUse {
  DeviceIndex device = 0;
  std::vector<StreamIndex> streams{};
  analysis::Ranges busy{};
  TimeRange range;  // from the begin of the first work to the end of the last one, within the explained range
};

class NsysRules {
 public:
  explicit NsysRules(const FindingInput& input) : in_(input), execution_(*input.execution) {}

  std::vector<Finding> run() {
    copies();
    memsets();
    synchronising_calls();
    for (const DeviceUse& use : uses()) {
      gaps(use);
      utilisation(use);
    }
    return std::move(out_);
  }

 private:
  static Finding rule(const char* name) { return {.rule = name, .sentence = {}, .help = {}, .range = {}}; }
  // `took`: what the cost is the time of, such as ", which took ".
  void finish(Finding finding, const std::string& what, const std::string& help,
              const char* took = ", which took ") {
    if (finding.count == 0) return;
    finding.sentence = what + " " + times(finding.count) + took + format_duration(finding.cost) + ".";
    finding.help = help;
    out_.push_back(std::move(finding));
  }
  // The name of a call in the runtime of this trace, such as "hipMemcpyAsync"; empty: another runtime.
  [[nodiscard]] std::string call_of_runtime(const char* name) const {
    for (const HostCall& call : execution_.calls()) {
      if (text(call.name).starts_with("cu")) return std::string("cuda") + name;
      if (text(call.name).starts_with("hip")) return std::string("hip") + name;
    }
    return {};
  }
  [[nodiscard]] std::string_view text(StringId name) const { return execution_.trace().string(name); }
  [[nodiscard]] std::string device_name(const DeviceUse& use) const {
    return execution_.devices()[use.device].name;
  }

  // ---- copies and memsets: the time is that of the copy on the device
  // --------------------------------------

  // The copy that a call launched; null: none.
  [[nodiscard]] const Work* copy_of(const HostCall& call) const {
    for (const WorkIndex at : execution_.launched_during(call.thread, {call.begin, call.end + Duration{1}})) {
      if (trace::is_copy(execution_.works()[at].kind)) return &execution_.works()[at];
    }
    return nullptr;
  }

  void copies() {
    Finding pageable = rule("nsys_cuda_memcpy_async"), blocking = rule("nsys_cuda_memcpy_sync");
    each_call(in_, [&](const HostCall& call) {
      if (call.role != CallRole::kAsyncCopy && call.role != CallRole::kCopy) return;
      const Work* const copy = copy_of(call);
      if (copy == nullptr) return;
      const Duration time = copy->end - copy->begin;
      if (call.role == CallRole::kAsyncCopy) {
        if (contains_ignoring_case(text(copy->name), "pageable")) add_case(pageable, call, time);
        return;
      }
      const bool small = copy->kind == trace::SliceKind::kCopyToDevice && copy->size_bytes <= kSmallCopyBytes;
      if (copy->kind != trace::SliceKind::kCopyOnDevice && !small) add_case(blocking, call, time);
    });
    pageable.change = "pinned=1";
    finish(std::move(pageable), "An asynchronous copy used pageable memory",
           "Use pinned memory: such a copy is not asynchronous.", kCopiesTook);
    const std::string call = call_of_runtime("MemcpyAsync");
    finish(std::move(blocking), "A synchronous copy was called",
           call.empty() ? "Use the asynchronous copy with pinned memory."
                        : "Use " + call + " with pinned memory.",
           kCopiesTook);
  }

  // A memset of pinned or managed memory by a call that is not asynchronous.
  void memsets() {
    Finding finding = rule("nsys_cuda_memset_sync");
    enum class Blocks : std::uint8_t { kUnknown, kNo, kYes };
    std::vector<Blocks> names(execution_.trace().string_count());
    for (const Work& work : execution_.works()) {
      if (work.kind != trace::SliceKind::kExecute) continue;
      Blocks& blocks = names[raw(work.name)];
      if (blocks == Blocks::kUnknown)
        blocks = is_memset_of_host_memory(text(work.name)) ? Blocks::kYes : Blocks::kNo;
      if (blocks == Blocks::kNo || !work.is_launched() || !in_.range.contains(work.launched)) continue;
      if (called_synchronously(work))
        add_case(finding, execution_.streams()[work.stream].track, {work.begin, work.end},
                 work.end - work.begin);
    }
    const std::string call = call_of_runtime("MemsetAsync");
    finish(std::move(finding), "A synchronous memset was called",
           call.empty() ? "Use the asynchronous memset." : "Use " + call + ".", "; on the device they took ");
  }
  static bool is_memset_of_host_memory(std::string_view name) {
    return contains_ignoring_case(name, "memset") &&
           (contains_ignoring_case(name, "pinned") || contains_ignoring_case(name, "managed"));
  }
  [[nodiscard]] bool called_synchronously(const Work& work) const {
    for (const trace::Lane& lane : execution_.trace().track(work.launched_by).lanes) {
      const std::uint64_t row = lane.first_row_ending_after(work.launched);
      if (row == lane.end_row() || lane.begin(row) > work.launched) continue;
      const std::string_view name = text(lane.slice(row).name);
      if (name.find("Memset") != name.npos) return name.find("Async") == name.npos;
    }
    return false;
  }

  // ---- calls ----------------------------------------------------------------------------------------------

  // cudaDeviceSynchronize and cudaStreamSynchronize, and the same of HIP and others. Not
  // cudaEventSynchronize.
  void synchronising_calls() {
    Finding finding = rule("nsys_cuda_api_sync");
    each_call(in_, [&](const HostCall& call) {
      const std::string_view name = text(call.name);
      if (name.find("DeviceSynchronize") != name.npos || name.find("StreamSynchronize") != name.npos)
        add_case(finding, call, call.end - call.begin);
    });
    finish(std::move(finding), "The host waited for a device in a synchronising call",
           "Wait for one event or stream instead of the whole device, and as late as possible.");
  }

  // ---- devices --------------------------------------------------------------------------------------------

  [[nodiscard]] std::vector<DeviceUse> uses() const {
    std::map<std::pair<DeviceIndex, std::int64_t>, DeviceUse> found;
    for (const IdleReport& report : *in_.devices) {
      if (runs_on_host(execution_, report.device)) continue;
      for (const StreamIndex at : execution_.devices()[report.device].streams) {
        DeviceUse& use = found[{report.device, execution_.streams()[at].pid}];
        use.device = report.device;
        use.streams.push_back(at);
      }
    }
    std::vector<DeviceUse> out;
    for (auto& [key, use] : found) {
      const Device& device = execution_.devices()[use.device];
      use.busy =
          use.streams.size() == device.streams.size() ? device.busy : execution_.busy_times(use.streams);
      if (use.busy.empty()) continue;
      use.range = {std::max(use.busy.front().begin, in_.range.begin),
                   std::min(use.busy.back().end, in_.range.end)};
      if (!use.range.empty()) out.push_back(std::move(use));
    }
    return out;
  }

  // Between the first work and the last one.
  void gaps(const DeviceUse& use) {
    Finding finding = rule("nsys_gpu_gaps");
    for (std::size_t i = 1; i < use.busy.size(); ++i) {
      const TimeRange gap{std::max(use.busy[i - 1].end, use.range.begin),
                          std::min(use.busy[i].begin, use.range.end)};
      if (!gap.empty() && gap.duration() >= kLongGap)
        add_case(finding, execution_.streams()[use.streams.front()].track, gap, gap.duration());
    }
    finish(std::move(finding), device_name(use) + " was idle for 500 ms or longer",
           "See the causes of the gaps.");
  }

  // How long the work of each of 30 equal parts of `use.range` ran. Work that runs at the same time adds up.
  [[nodiscard]] std::vector<Duration> used_times(const DeviceUse& use, Duration chunk) const {
    std::vector<Duration> used(kUtilisationChunks);
    for (const StreamIndex stream : use.streams) {
      for (const Work& work : execution_.works_of(stream)) {
        const TimeRange part{std::max(work.begin, use.range.begin), std::min(work.end, use.range.end)};
        if (part.empty()) continue;
        for (auto i = static_cast<std::size_t>((part.begin - use.range.begin) / chunk); i < used.size();
             ++i) {
          const Timestamp begin = use.range.begin + static_cast<Duration::rep>(i) * chunk;
          if (begin >= part.end) break;
          used[i] += std::min(part.end, begin + chunk) - std::max(part.begin, begin);
        }
      }
    }
    return used;
  }

  void utilisation(const DeviceUse& use) {
    const Duration chunk = (use.range.duration() + Duration{kUtilisationChunks - 1}) / kUtilisationChunks;
    const std::vector<Duration> used = used_times(use, chunk);
    Finding finding = rule("nsys_gpu_time_util");
    TimeRange row;  // of parts that follow each other
    const auto end_row = [&] {
      if (!row.empty()) add_case(finding, execution_.streams()[use.streams.front()].track, row, Duration{});
      row = {};
    };
    for (std::size_t i = 0; i < used.size(); ++i) {
      const Timestamp begin = use.range.begin + static_cast<Duration::rep>(i) * chunk;
      const TimeRange part{begin, std::min(begin + chunk, use.range.end)};
      if (part.empty()) break;
      if (share_of(used[i], part) >= kLowUtilisation) {
        end_row();
        continue;
      }
      finding.cost += part.duration() - used[i];
      row = {row.empty() ? part.begin : row.begin, part.end};
    }
    end_row();
    if (finding.count == 0) return;
    finding.sentence = device_name(use) + " was busy for less than half of the time in " +
                       std::to_string(finding.count) + (finding.count == 1 ? " part" : " parts") +
                       " of its run (of 30, those that follow each other joined). It was idle for " +
                       format_duration(finding.cost) + " there.";
    finding.help = "See the causes of idle time.";
    out_.push_back(std::move(finding));
  }

  const FindingInput& in_;
  const Execution& execution_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> find_nsys_findings(const FindingInput& input) { return NsysRules(input).run(); }

}  // namespace runahead::causes
