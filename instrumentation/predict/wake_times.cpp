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

// ---- wakes after an enqueue -------------------------------------------------------------------------------

namespace {

// A worker that spins begins a ready op sooner than this.
constexpr Duration kLeastWake{2'000};
// A longer time was not spent on the wake: the frontend lost its processor, or did something else.
constexpr Duration kMostWake{50'000};

// An enqueue of an op of a worker, and the frontend's next event. A wake is part of the time between them.
struct WorkerEnqueue {
  Event* enqueue = nullptr;
  Event* next = nullptr;
  bool wakes = false;
  using Kind = std::pair<OpKey, Action>;
  Kind kind;  // of the op, and of the next event
};

bool is_ready_at_once(const Event& enqueue, std::span<const trace::OpRow> rows, const Program& program) {
  return std::ranges::all_of(program.predecessors.of(enqueue.target),
                             [&](OpIndex on) { return rows[on].ended <= enqueue.to; });
}

bool wakes_worker(const Event& enqueue, const Op& op) {
  return enqueue.ready_at_once && op.start_idle != Idle::kNot && op.start_delay >= kLeastWake;
}

bool waits(const Event& event) {
  return event.action == Action::kWaitOp || event.action == Action::kWaitAll || event.held_cost > Duration{};
}

// Sets Event::ready_at_once and Event::after_wait.
std::vector<WorkerEnqueue> worker_enqueues(std::span<Frontend> frontends, Timestamp begin,
                                           std::span<const trace::OpRow> rows, const Program& program) {
  std::vector<WorkerEnqueue> out;
  for (Frontend& frontend : frontends) {
    std::vector<Event>& events = frontend.events;
    bool waited = false;
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
      Event& event = events[i];
      waited = waited || waits(event);
      if (event.action != Action::kEnqueue) continue;
      event.after_wait = std::exchange(waited, false);
      const Op& op = program.ops[event.target];
      if (event.to < begin || !program.queues[op.queue].workers) continue;
      event.ready_at_once = is_ready_at_once(event, rows, program);
      out.push_back({&event, &events[i + 1], wakes_worker(event, op), {key_of(op), events[i + 1].action}});
    }
  }
  return out;
}

// The median time after enqueues that wake nobody.
std::map<WorkerEnqueue::Kind, Duration> usual_times(std::span<const WorkerEnqueue> enqueues) {
  std::map<WorkerEnqueue::Kind, std::vector<Duration>> times;
  for (const WorkerEnqueue& one : enqueues) {
    if (!one.wakes) times[one.kind].push_back(one.next->before);
  }
  std::map<WorkerEnqueue::Kind, Duration> out;
  for (auto& [kind, alike] : times) {
    if (alike.size() >= kLeastAlike) out[kind] = median(std::move(alike));
  }
  return out;
}

void take_out(const WorkerEnqueue& one, Duration wake) {
  one.enqueue->wake_time = std::min(wake, one.next->before);
  one.next->before -= one.enqueue->wake_time;
  one.next->load = std::min(one.next->load, one.next->before);
}

}  // namespace

void find_enqueue_wakes(std::span<Frontend> frontends, Timestamp begin, std::span<const trace::OpRow> rows,
                        Program& program) {
  const std::vector<WorkerEnqueue> enqueues = worker_enqueues(frontends, begin, rows, program);
  const std::map<WorkerEnqueue::Kind, Duration> usual = usual_times(enqueues);
  const auto is_known = [&](const WorkerEnqueue& one) { return usual.contains(one.kind); };
  const auto wake_time = [&](const WorkerEnqueue& one) {
    return std::min(bounded(one.next->before - usual.at(one.kind)), kMostWake);
  };
  std::vector<std::array<std::vector<Duration>, kIdleCount>> samples(program.queues.size());
  for (const WorkerEnqueue& one : enqueues) {
    const Event& enqueue = *one.enqueue;
    if (!enqueue.ready_at_once || enqueue.after_wait || (one.wakes && !is_known(one))) continue;
    const Op& op = program.ops[enqueue.target];
    samples[op.queue][static_cast<std::size_t>(op.start_idle)].push_back(one.wakes ? wake_time(one)
                                                                                   : Duration{});
  }
  for (std::size_t i = 0; i < program.queues.size(); ++i) {
    Queue& queue = program.queues[i];
    if (queue.workers) queue.enqueue_wakes = delays_of(samples[i], kUsualEnqueueWakes);
  }
  for (const WorkerEnqueue& one : enqueues) {
    if (!one.wakes) continue;
    const Op& op = program.ops[one.enqueue->target];
    take_out(one, is_known(one) ? wake_time(one) : program.queues[op.queue].enqueue_wakes.of(op.start_idle));
  }
}

// ---- slow starts of frontends -----------------------------------------------------------------------------

namespace {

// What a frontend did from an enqueue or a wait until the next enqueue.
struct BeforeEnqueue {
  std::span<Event> events;
  OpKey enqueued;
  Duration time{};
  enum class After : std::uint8_t { kOther, kEnqueue, kSleep } after = After::kOther;
};

std::vector<BeforeEnqueue> parts_of(Frontend& frontend, std::span<const Op> ops) {
  using After = BeforeEnqueue::After;
  std::vector<BeforeEnqueue> out;
  std::size_t first = 0;
  Duration time{};
  After after = After::kOther;
  const auto begin = [&](std::size_t at, After what) {
    first = at;
    time = {};
    after = what;
  };
  const auto after_wait = [](const Event& wait) {
    return wait.blocked == Idle::kLong ? After::kSleep : After::kOther;
  };
  for (std::size_t i = 0; i < frontend.events.size(); ++i) {
    const Event& event = frontend.events[i];
    time += event.before;
    if (event.action == Action::kEnqueue) {
      const std::span<Event> events = std::span(frontend.events).subspan(first, i + 1 - first);
      out.push_back({events, key_of(ops[event.target]), time, after});
      begin(i + 1, After::kEnqueue);
    }
    const bool waits = event.action == Action::kWaitOp || event.action == Action::kWaitAll;
    if (waits || event.held_cost > Duration{}) begin(i + 1, after_wait(event));
  }
  return out;
}

void mark_slow_start(const BeforeEnqueue& part, Duration slow) {
  part.events.front().after_sleep = true;
  for (Event& event : part.events) {
    event.slow_start = std::min(event.before, slow);
    slow -= event.slow_start;
  }
}

}  // namespace

void find_slow_starts(std::span<Frontend> frontends, std::span<const Op> ops, Duration& after_sleep) {
  std::vector<BeforeEnqueue> slept;
  std::map<OpKey, std::vector<Duration>> others;
  for (Frontend& frontend : frontends) {
    for (const BeforeEnqueue& part : parts_of(frontend, ops)) {
      if (part.after == BeforeEnqueue::After::kSleep) slept.push_back(part);
      if (part.after == BeforeEnqueue::After::kEnqueue) others[part.enqueued].push_back(part.time);
    }
  }
  std::map<OpKey, Duration> usual;
  for (const auto& [key, times] : others) {
    if (times.size() >= kLeastAlike) usual[key] = median(times);
  }
  const auto is_known = [&](const BeforeEnqueue& part) { return usual.contains(part.enqueued); };
  const auto slowness = [&](const BeforeEnqueue& part) {
    return bounded(part.time - usual.at(part.enqueued));
  };
  std::vector<Duration> samples;
  for (const BeforeEnqueue& part : slept) {
    if (is_known(part)) samples.push_back(slowness(part));
  }
  after_sleep = samples.size() < kLeastAlike ? Duration{} : median(std::move(samples));
  for (const BeforeEnqueue& part : slept)
    mark_slow_start(part, is_known(part) ? slowness(part) : std::min(after_sleep, part.time / 2));
}

}  // namespace runahead::predict
