#include "instrumentation/predict/wake_times.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "instrumentation/base/median.h"
#include "instrumentation/predict/op_reader.h"

namespace runahead::predict {
namespace {

// An op and the wake within it.
struct WakingOp {
  OpIndex op = kNone;
  Idle waited = Idle::kNot;
};

// For each op that woke a frontend: the op after it on its worker, if the worker was not idle between.
std::vector<WakingOp> waking_ops(std::span<const FrontendWake> wakes, std::span<const trace::OpRow> rows,
                                 const Program& program) {
  std::vector<OpIndex> order(rows.size());
  std::iota(order.begin(), order.end(), OpIndex{0});
  const auto place = [&](OpIndex op) { return std::tuple(rows[op].execute_track, rows[op].started, op); };
  std::ranges::sort(order, {}, place);
  std::vector<WakingOp> out;
  for (const FrontendWake& wake : wakes) {
    const Queue& queue = program.queues[program.ops[wake.by].queue];
    if (!queue.workers || queue.simulated) continue;
    const auto next = std::ranges::upper_bound(order, place(wake.by), {}, place);
    if (next == order.end() || rows[*next].execute_track != rows[wake.by].execute_track) continue;
    if (program.ops[*next].start_idle == Idle::kNot) out.push_back({*next, wake.waited});
  }
  return out;
}

// Fewer ops that are alike say nothing about their usual time.
constexpr std::size_t kLeastAlike = 4;

// The times of ops that are alike.
struct AlikeTimes {
  std::vector<Duration> without, with;  // a wake
  Duration usual{}, least{};            // without one
  Duration wake{};                      // the median of what the others take beyond `usual`
  [[nodiscard]] bool known() const { return without.size() >= kLeastAlike; }
};

// REQUIRES: Op::wakes is set.
std::map<OpKey, AlikeTimes> alike_times(const Program& program) {
  std::map<OpKey, AlikeTimes> out;
  for (const Op& op : program.ops) {
    AlikeTimes& times = out[key_of(op)];
    (op.wakes ? times.with : times.without).push_back(op.duration);
  }
  for (auto& [which, times] : out) {
    if (!times.known() || times.with.empty()) continue;
    times.usual = median(times.without);
    times.least = std::ranges::min(times.without);
    times.wake = bounded(median(times.with) - times.usual);
  }
  return out;
}

}  // namespace

void find_wake_times(std::span<const FrontendWake> wakes, std::span<const trace::OpRow> rows,
                     Program& program) {
  for (Queue& queue : program.queues) {
    if (queue.workers && !queue.simulated) queue.wake_times = kUsualWakeTimes;
  }
  const std::vector<WakingOp> waking = waking_ops(wakes, rows, program);
  if (waking.empty()) return;
  for (const WakingOp& wake : waking) program.ops[wake.op].wakes = true;
  const std::map<OpKey, AlikeTimes> all = alike_times(program);
  std::vector<std::array<std::vector<Duration>, kIdleCount>> samples(program.queues.size());
  for (const WakingOp& wake : waking) {
    const Op& op = program.ops[wake.op];
    const AlikeTimes& times = all.at(key_of(op));
    if (times.known())
      samples[op.queue][static_cast<std::size_t>(wake.waited)].push_back(bounded(op.duration - times.usual));
  }
  for (std::size_t i = 0; i < program.queues.size(); ++i)
    program.queues[i].wake_times = delays_of(samples[i], program.queues[i].wake_times);
  for (const WakingOp& wake : waking) {
    Op& op = program.ops[wake.op];
    const AlikeTimes& times = all.at(key_of(op));
    op.wake_time = times.known()
                       ? std::min(times.wake, bounded(op.duration - times.least))
                       : std::min(program.queues[op.queue].wake_times.of(wake.waited), op.duration / 2);
  }
}

}  // namespace runahead::predict
