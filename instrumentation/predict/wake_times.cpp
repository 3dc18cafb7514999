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

// Ops that should take the same time.
using Alike = std::tuple<QueueIndex, StringId, std::int64_t>;
Alike alike(const Op& op) { return {op.queue, op.name, op.output_bytes}; }

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

// The time of ops that are alike and do not wake a frontend.
struct UsualTime {
  Duration median{}, least{};
};

std::map<Alike, UsualTime> usual_times(const Program& program) {
  std::map<Alike, std::vector<Duration>> samples;
  for (const Op& op : program.ops) {
    if (!op.wakes) samples[alike(op)].push_back(op.duration);
  }
  std::map<Alike, UsualTime> out;
  for (auto& [which, times] : samples) {
    if (times.size() < kLeastAlike) continue;
    const Duration least = std::ranges::min(times);
    out[which] = {median(times), least};
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
  const std::map<Alike, UsualTime> usual = usual_times(program);
  std::map<Alike, std::vector<Duration>> more;  // than the median
  std::vector<std::array<std::vector<Duration>, kIdleCount>> samples(program.queues.size());
  for (const WakingOp& wake : waking) {
    const Op& op = program.ops[wake.op];
    const auto without = usual.find(alike(op));
    if (without == usual.end()) continue;
    const Duration time = op.duration - without->second.median;
    more[alike(op)].push_back(time);
    samples[op.queue][static_cast<std::size_t>(wake.waited)].push_back(bounded(time));
  }
  std::map<Alike, Duration> medians;
  for (auto& [which, times] : more) medians[which] = bounded(median(times));
  for (std::size_t i = 0; i < program.queues.size(); ++i)
    program.queues[i].wake_times = delays_of(samples[i], program.queues[i].wake_times);
  for (const WakingOp& wake : waking) {
    Op& op = program.ops[wake.op];
    const auto without = usual.find(alike(op));
    if (without != usual.end()) {
      op.wake_time = std::min(medians[alike(op)], bounded(op.duration - without->second.least));
    } else {
      op.wake_time = std::min(program.queues[op.queue].wake_times.of(wake.waited), op.duration / 2);
    }
  }
}

}  // namespace runahead::predict
