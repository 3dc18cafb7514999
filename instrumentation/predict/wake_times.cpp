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

struct AfterEnqueue {
  Event* enqueue = nullptr;
  std::span<Event> events;  // until the next one that is not a drop
  Duration time{};          // from the enqueue until then
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

// Those of ops of workers. Sets Event::ready_at_once and Event::after_wait.
std::vector<AfterEnqueue> after_enqueues(std::span<Frontend> frontends, std::span<const trace::OpRow> rows,
                                         const Program& program) {
  std::vector<AfterEnqueue> out;
  for (Frontend& frontend : frontends) {
    std::vector<Event>& events = frontend.events;
    bool waited = false;
    for (std::size_t i = 0; i < events.size(); ++i) {
      waited = waited || waits(events[i]);
      if (events[i].action != Action::kEnqueue) continue;
      events[i].after_wait = std::exchange(waited, false);
      const Op& op = program.ops[events[i].target];
      if (!program.queues[op.queue].workers) continue;
      std::size_t next = i + 1;
      while (next < events.size() && events[next].action == Action::kDrop) ++next;
      if (next == events.size()) break;
      events[i].ready_at_once = is_ready_at_once(events[i], rows, program);
      AfterEnqueue after{.enqueue = &events[i],
                         .events = std::span(events).subspan(i + 1, next - i),
                         .wakes = wakes_worker(events[i], op),
                         .kind = {key_of(op), events[next].action}};
      for (const Event& event : after.events) after.time += event.before;
      out.push_back(after);
    }
  }
  return out;
}

void take_out(const AfterEnqueue& after, Duration wake) {
  after.enqueue->wake_time = wake;
  for (Event& event : after.events) {
    const Duration part = std::min(event.before, wake);
    event.before -= part;
    event.load = std::min(event.load, event.before);
    wake -= part;
  }
}

}  // namespace

void find_enqueue_wakes(std::span<Frontend> frontends, std::span<const trace::OpRow> rows, Program& program) {
  const std::vector<AfterEnqueue> all = after_enqueues(frontends, rows, program);
  std::map<AfterEnqueue::Kind, std::vector<Duration>> others;
  for (const AfterEnqueue& after : all) {
    if (!after.wakes) others[after.kind].push_back(after.time);
  }
  std::map<AfterEnqueue::Kind, Duration> usual;
  for (const auto& [kind, times] : others) {
    if (times.size() >= kLeastAlike) usual[kind] = median(times);
  }
  const auto is_known = [&](const AfterEnqueue& after) { return usual.contains(after.kind); };
  const auto wake_time = [&](const AfterEnqueue& after) {
    return std::min(bounded(after.time - usual.at(after.kind)), kMostWake);
  };
  std::vector<std::array<std::vector<Duration>, kIdleCount>> samples(program.queues.size());
  for (const AfterEnqueue& after : all) {
    const Op& op = program.ops[after.enqueue->target];
    const Event& enqueue = *after.enqueue;
    if (!enqueue.ready_at_once || enqueue.after_wait || (after.wakes && !is_known(after))) continue;
    samples[op.queue][static_cast<std::size_t>(op.start_idle)].push_back(after.wakes ? wake_time(after)
                                                                                     : Duration{});
  }
  for (std::size_t i = 0; i < program.queues.size(); ++i) {
    Queue& queue = program.queues[i];
    if (queue.workers) queue.enqueue_wakes = delays_of(samples[i], kUsualEnqueueWakes);
  }
  for (const AfterEnqueue& after : all) {
    if (!after.wakes) continue;
    const Op& op = program.ops[after.enqueue->target];
    const Duration usual_wake = program.queues[op.queue].enqueue_wakes.of(op.start_idle);
    take_out(after, is_known(after) ? wake_time(after) : std::min(usual_wake, after.time));
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
