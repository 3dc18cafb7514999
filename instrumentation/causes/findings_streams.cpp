// Findings about work that waits only for the order of its stream.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <variant>

#include "instrumentation/base/format.h"
#include "instrumentation/causes/finding_rules.h"

namespace runahead::causes {
namespace {

// A kernel with this share of the warps that a device can hold leaves room for others.
constexpr double kFewWarps = 0.3;
// Even a small GPU has more multiprocessors. So a kernel of so few blocks leaves most of them idle.
constexpr std::int64_t kFewBlocks = 8;
// Work of two threads that alternates this often does not follow from one call of the other thread.
constexpr std::size_t kFewestTurns = 10;
// How many kernels are looked up in the trace for their size.
constexpr std::size_t kMostLookups = 20'000;

class StreamRules {
 public:
  explicit StreamRules(const FindingInput& input) : in_(input), execution_(*input.execution) {}

  std::vector<Finding> run() {
    if (execution_.trace().dependency_count() > 0 && !has_bulks()) find_free_times();
    for (StreamIndex at = 0; at < execution_.streams().size(); ++at) {
      if (!free_from_.empty()) independent_ops(at);
      independent_threads(at);
    }
    return std::move(out_);
  }

 private:
  // Time in which work of a stream could have run, and waited for other work of the stream.
  struct Held {
    std::vector<TimeRange> ranges{};
    TimeRange longest;
    void add(TimeRange range) {
      ranges.push_back(range);
      if (range.duration() > longest.duration()) longest = range;
    }
    [[nodiscard]] Duration total() const { return analysis::total(analysis::union_of(ranges)); }
  };
  [[nodiscard]] TimeRange in_range(Timestamp begin, Timestamp end) const {
    return {std::max(begin, in_.range.begin), std::min(end, in_.range.end)};
  }
  [[nodiscard]] std::string stream_name(StreamIndex at) const {
    const Stream& stream = execution_.streams()[at];
    return execution_.trace().track(stream.track).info.name + " of " +
           execution_.devices()[stream.device].name;
  }

  // ---- our own recordings: the dependencies of an op are known --------------------------------------------

  // The dependencies of a bulk are those of the whole bulk, so those of its members are not known.
  [[nodiscard]] bool has_bulks() const {
    for (std::uint64_t id = 0; id < execution_.trace().string_count(); ++id) {
      if (execution_.trace().string(StringId{static_cast<std::uint32_t>(id)}).starts_with("bulk of "))
        return true;
    }
    return false;
  }

  // When the last op ended on which each op depends. Timestamp::max(): the trace does not have that op.
  void find_free_times() {
    free_from_.assign(execution_.works().size(), Timestamp::min());
    for (std::uint64_t i = 0; i < execution_.trace().dependency_count(); ++i) {
      const trace::Dependency edge = execution_.trace().dependency(i);
      const WorkIndex op = execution_.work_of_op(edge.op), on = execution_.work_of_op(edge.on);
      if (op == kNone) continue;
      const Timestamp end = on == kNone ? Timestamp::max() : execution_.works()[on].end;
      free_from_[op] = std::max(free_from_[op], end);
    }
  }

  // The workers of a device share its ops: an op waits for a worker only if there is one.
  [[nodiscard]] bool orders_ops(StreamIndex at) const {
    const Stream& stream = execution_.streams()[at];
    const bool worker = execution_.trace().track(stream.track).info.kind == trace::TrackKind::kWorker;
    return !worker || execution_.devices()[stream.device].streams.size() == 1;
  }

  void independent_ops(StreamIndex at) {
    if (!orders_ops(at)) return;
    const std::span<const Work> works = execution_.works_of(at);
    Finding finding{.rule = "independent_work_on_one_stream", .sentence = {}, .help = {}, .range = {}};
    Held held;
    for (std::size_t i = 1; i < works.size(); ++i) {
      const Work& work = works[i];
      const Timestamp free_from = free_from_[execution_.streams()[at].first + i];
      if (work.op == kNoOp || !work.is_launched() || works[i - 1].op == kNoOp) continue;
      const TimeRange waited = in_range(std::max(work.launched, free_from), works[i - 1].end);
      if (waited.empty() || works[i - 1].end > work.begin) continue;
      ++finding.count;
      held.add(waited);
    }
    finding.cost = held.total();
    if (share_of(finding.cost, in_.range) < kMuchTime) return;
    finding.range = held.longest;
    finding.track = execution_.streams()[at].track;
    finding.sentence = std::to_string(finding.count) + " ops on " + stream_name(at) +
                       " waited for ops on which they do not depend. For " + format_duration(finding.cost) +
                       " (" + format_percent(share_of(finding.cost, in_.range)) +
                       " of the time) at least one op could have run and did not.";
    finding.help =
        runs_on_host(execution_, execution_.streams()[at].device)
            ? "Use more workers, if the machine has cores for them."
            : "Put independent ops on another stream or device, if a single op does not fill the device.";
    out_.push_back(std::move(finding));
  }

  // ---- other traces: small kernels of several threads -----------------------------------------------------

  // A trace does not say whether kernels depend on each other. Small kernels of two threads that take turns
  // on a stream, all through the run, are worth a look.
  void independent_threads(StreamIndex at) {
    const std::span<const Work> works = execution_.works_of(at);
    Finding finding{.rule = "independent_work_on_one_stream", .sentence = {}, .help = {}, .range = {}};
    Held held;
    std::vector<TrackId> threads;
    for (std::size_t i = 1; i < works.size(); ++i) {
      if (!takes_turns(works[i - 1], works[i])) continue;
      const TimeRange waited = in_range(std::max(works[i].launched, works[i - 1].begin), works[i - 1].end);
      if (waited.empty() || !leaves_room(works[i - 1]) || !leaves_room(works[i])) continue;
      ++finding.count;
      held.add(waited);
      for (const TrackId thread : {works[i - 1].launched_by, works[i].launched_by}) {
        if (std::ranges::find(threads, thread) == threads.end()) threads.push_back(thread);
      }
    }
    finding.cost = held.total();
    if (finding.count < kFewestTurns || share_of(finding.cost, in_.range) < kMuchTime) return;
    finding.range = held.longest;
    finding.track = execution_.streams()[at].track;
    finding.sentence = std::to_string(threads.size()) + " threads launched small kernels on " +
                       stream_name(at) + ". " + times(finding.count) +
                       " such a kernel waited for one of another thread, " + format_duration(finding.cost) +
                       " in all (" + format_percent(share_of(finding.cost, in_.range)) +
                       " of the time). Most of the device was free.";
    finding.help = "If the threads do not need each other's results, give each its own stream.";
    out_.push_back(std::move(finding));
  }

  // `next` was launched by another thread, and waited for nothing but `before`.
  [[nodiscard]] bool takes_turns(const Work& before, const Work& next) const {
    if (before.kind != trace::SliceKind::kExecute || next.kind != trace::SliceKind::kExecute) return false;
    if (before.op != kNoOp || next.op != kNoOp || !before.is_launched() || !next.is_launched()) return false;
    if (before.launched_by == next.launched_by || next.launched >= before.end) return false;
    return next.begin >= before.end && next.begin - before.end <= kLongestLaunch;
  }

  // The trace states that the kernel left most of the device free.
  [[nodiscard]] bool leaves_room(const Work& work) {
    const trace::Trace& trace = execution_.trace();
    if (lookups_++ >= kMostLookups) return false;
    const std::optional<trace::Slice> slice = execution_.slice_of(work);
    return slice && leaves_room(trace.args(slice->args));
  }
  [[nodiscard]] bool leaves_room(std::span<const trace::Arg> args) const {
    std::optional<bool> by_warps, by_blocks;
    for (const trace::Arg& arg : args) {
      const std::string_view key = execution_.trace().string(arg.key);
      if (key == "est. achieved occupancy %") {
        const auto* whole = std::get_if<std::int64_t>(&arg.value);
        const auto* real = std::get_if<double>(&arg.value);
        if (whole != nullptr) by_warps = static_cast<double>(*whole) < 100 * kFewWarps;
        if (real != nullptr) by_warps = *real < 100 * kFewWarps;
      } else if (key == "grid") {
        if (const auto* text = std::get_if<StringId>(&arg.value))
          by_blocks = blocks_of(execution_.trace().string(*text)) <= kFewBlocks;
      }
    }
    return by_warps.value_or(by_blocks.value_or(false));
  }
  // "[4, 2, 1]" is 8 blocks.
  [[nodiscard]] static std::int64_t blocks_of(std::string_view grid) {
    std::int64_t product = 1;
    for (const char* at = grid.data(); at < grid.data() + grid.size();) {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(at, grid.data() + grid.size(), number);
      if (error == std::errc{} && __builtin_mul_overflow(product, number, &product)) return kFewBlocks + 1;
      at = end == at ? at + 1 : end;
    }
    return product;
  }

  const FindingInput& in_;
  const Execution& execution_;
  std::vector<Timestamp> free_from_;  // of each piece of work; empty: the trace states no dependencies
  std::size_t lookups_ = 0;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> find_stream_findings(const FindingInput& input) { return StreamRules(input).run(); }

}  // namespace runahead::causes
