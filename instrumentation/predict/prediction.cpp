#include "instrumentation/predict/prediction.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "instrumentation/predict/read_execution.h"

namespace runahead::predict {
namespace {

// With fewer groups, the spread says little. With more, each group has few steps.
constexpr std::size_t kGroups = 6;
constexpr double kDeviations = 2;
// Without groups (few steps), the interval is this wide.
constexpr double kUnknownSpread = 0.1;
constexpr double kLeastSpread = 0.005;

// The group of steps in which each event of a frontend is. Group 0 is also what comes before the first step.
template <typename Seen>
void each_event(const Program& program, std::size_t group_count, const Seen& seen) {
  for (std::size_t f = 0; f < program.frontends.size(); ++f) {
    const std::vector<Event>& events = program.frontends[f].events;
    const auto steps =
        static_cast<std::size_t>(std::ranges::count(events, Action::kBeginStep, &Event::action));
    std::size_t begun = 0;
    for (const Event& event : events) {
      if (event.action == Action::kBeginStep) ++begun;
      const std::size_t step = begun == 0 ? 0 : begun - 1;
      seen(f, event, steps == 0 ? 0 : step * group_count / steps);
    }
  }
}

double ns(Duration time) { return static_cast<double>(time.count()); }

double deviation(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// Of each queue (or frontend) and group: the time of its parts, and the time that they would have if each
// took the mean of its kind in the whole run.
struct Share {
  double time = 0, expected = 0;
  [[nodiscard]] double factor() const { return expected > 0 && time > 0 ? time / expected : 1; }
};

struct Mean {
  double sum = 0, count = 0;
  [[nodiscard]] double value() const { return count > 0 ? sum / count : 0; }
};

}  // namespace

double Replay::drift() const {
  const double measured = ns(run_.measured.length);
  return measured <= 0 ? 1 : std::abs(ns(replayed_.length) - measured) / measured;
}

Result<Replay> Replay::of(const trace::Trace& trace, const ReadOptions& options) {
  Replay replay(trace);
  Result<RunToReplay> run = trace.op_count() > 0 ? read_program(trace, options) : read_execution(trace);
  if (!run) return run.error();
  replay.run_ = std::move(*run);
  const std::optional<Program>& from_middle = replay.run_.from_middle;
  replay.replayed_ = simulate(from_middle ? *from_middle : replay.run_.program);
  replay.recent_ = options.most > Duration{};
  if (!replay.recent_) replay.find_groups();
  return replay;
}

Outcome Replay::unchanged() const { return run_.from_middle ? simulate(run_.program) : replayed_; }

void Replay::find_groups() {
  const Program& program = run_.program;
  if (run_.measured.steps < static_cast<std::int64_t>(2 * kGroups)) return;
  std::unordered_map<std::uint64_t, Mean> ops, own;
  // Ops of one name may have several sizes, such as in the parts of a run.
  const auto op_key = [&](OpIndex op) {
    const Op& row = program.ops[op];
    const std::uint64_t queue_and_name =
        std::uint64_t{row.queue} << 32 | static_cast<std::uint32_t>(row.name);
    return queue_and_name ^ static_cast<std::uint64_t>(row.output_bytes) * 0x9e3779b97f4a7c15;
  };
  // A frontend's own time before an event depends on what the event is.
  const auto own_key = [&](std::size_t frontend, const Event& event) {
    const std::uint32_t name = event.action == Action::kEnqueue
                                   ? static_cast<std::uint32_t>(program.ops[event.target].name) + 16
                                   : static_cast<std::uint32_t>(event.action);
    return std::uint64_t{frontend} << 32 | name;
  };
  each_event(program, kGroups, [&](std::size_t f, const Event& event, std::size_t) {
    Mean& mean = own[own_key(f, event)];
    mean.sum += ns(event.before);
    ++mean.count;
    if (event.action != Action::kEnqueue) return;
    Mean& of_op = ops[op_key(event.target)];
    of_op.sum += ns(program.ops[event.target].duration);
    ++of_op.count;
  });
  std::vector<std::vector<Share>> queues(kGroups, std::vector<Share>(program.queues.size()));
  std::vector<std::vector<Share>> frontends(kGroups, std::vector<Share>(program.frontends.size()));
  each_event(program, kGroups, [&](std::size_t f, const Event& event, std::size_t group) {
    frontends[group][f].time += ns(event.before);
    frontends[group][f].expected += own[own_key(f, event)].value();
    if (event.action != Action::kEnqueue) return;
    Share& share = queues[group][program.ops[event.target].queue];
    share.time += ns(program.ops[event.target].duration);
    share.expected += ops[op_key(event.target)].value();
  });
  for (std::size_t group = 0; group < kGroups; ++group) {
    SimulateOptions& options = groups_.emplace_back();
    for (const Share& share : queues[group]) options.queue_factors.push_back(share.factor());
    for (const Share& share : frontends[group]) options.frontend_factors.push_back(share.factor());
  }
}

Interval Replay::interval_of(const Program& program, double steps_per_s) const {
  double spread = kUnknownSpread;
  if (!groups_.empty()) {
    std::vector<double> rates;
    for (const SimulateOptions& group : groups_) rates.push_back(simulate(program, group).steps_per_s());
    spread = steps_per_s > 0 ? std::max(kDeviations * deviation(rates) / steps_per_s, kLeastSpread) : 0;
  }
  spread += drift();
  return {.low = steps_per_s * std::max(0.0, 1 - spread), .high = steps_per_s * (1 + spread)};
}

Result<Prediction> Replay::predict(const std::vector<Change>& changes, bool keep_times) const {
  Program program = run_.program;
  for (const Change& change : in_order(changes)) {
    if (Status status = apply(change, *trace_, program); !status) return status.error();
  }
  Prediction out;
  out.outcome = simulate(program, {.keep_times = keep_times});
  out.steps_per_s = interval_of(program, out.outcome.steps_per_s());
  out.program = std::move(program);
  return out;
}

}  // namespace runahead::predict
