// The waits of SimulatedFrontends: what each of them waits for, how long its return takes, and the limits on
// run-ahead.
#include <algorithm>
#include <utility>

#include "instrumentation/base/wrapping.h"
#include "instrumentation/predict/simulation/simulated_frontends.h"

namespace runahead::predict {
namespace {

constexpr std::int64_t kLargestElement = 8;  // bytes

// The text of print: each element, or for many elements those at the borders (numpy_format.h). Measured on an
// AMD EPYC.
Duration time_to_print(std::int64_t bytes) {
  constexpr std::int64_t kMostPrinted = 1000;  // elements
  constexpr Duration kEach{1'100}, kCall{10'000}, kBorders{40'000};
  const std::int64_t elements = bytes / 4;
  return elements > kMostPrinted ? kBorders : kCall + kEach * elements;
}

}  // namespace

void SimulatedFrontends::signal(std::uint32_t signal) {
  signalled_[signal] = 1;
  (void)wake(kNone);
}

bool SimulatedFrontends::apply_barrier(FrontendState& state, const Event& event) {
  switch (program_.settings.barrier.kind) {
    case BarrierKind::kWaitToRead:
    case BarrierKind::kItem:
    case BarrierKind::kAsnumpy:
    case BarrierKind::kPrint:
      return wait_for(state, event, Wait::kOp, event.target);
    case BarrierKind::kWaitAll:
      return wait_for(state, event, Wait::kAll, queues_.enqueued());
    case BarrierKind::kNone:
    case BarrierKind::kWindow:
    case BarrierKind::kOps:
    case BarrierKind::kBytes:
      return true;
  }
  return true;
}

// Returns true if there is nothing to wait for, or if the wait is over already.
bool SimulatedFrontends::wait_for(FrontendState& state, const Event& event, Wait wait,
                                  std::uint32_t awaited) {
  if (std::exchange(state.waited, false)) return true;
  state.after_wait = true;
  state.wait = wait;
  state.awaited = awaited;
  state.ended = 0;
  state.wait_began = agenda_.now;
  if (is_over(state)) {
    state.wait = Wait::kNo;
    const Duration cost = cost_of(state, event, Duration{});
    state.now += cost;
    if (wait != Wait::kSignal && agenda_.counts) add_time(state.blocked, cost);
    return true;
  }
  begin_wait();
  return false;
}

bool SimulatedFrontends::set_has_ended(FrontendState& state) const {
  const auto set = program_.wait_sets.of(state.awaited);
  while (state.ended < set.size() && queues_.has_ended(set[state.ended])) ++state.ended;
  return state.ended == set.size();
}

bool SimulatedFrontends::is_over(FrontendState& state) const {
  switch (state.wait) {
    case Wait::kNo:
      return true;
    case Wait::kOp:
      return state.awaited == kNone || queues_.has_ended(state.awaited);
    case Wait::kAll:
      return queues_.have_ended(state.awaited);
    case Wait::kStep:
      return !steps_[state.awaited].open && steps_[state.awaited].outstanding == 0;
    case Wait::kAdmission:
      return admitted(state.under_limit, true, program_.ops[state.awaited].output_bytes);
    case Wait::kSet:
      return set_has_ended(state);
    case Wait::kSignal:
      return signalled_[state.awaited] != 0;
  }
  return true;
}

// How long it takes from now until the wait returns. `learned_after`: so long ago the op ended whose end
// ended the wait. The recorded costs count from this end.
Duration SimulatedFrontends::cost_of(const FrontendState& state, const Event& event,
                                     Duration learned_after) const {
  const std::vector<RecordedWait>& waits = program_.recorded_waits;
  const bool keeps =
      event.action == Action::kWaitSet && event.target < waits.size() && waits[event.target].keeps_cost;
  if (keeps || event.action == Action::kAwait) return event.own_cost;
  const Idle blocked = idle_of(agenda_.now - learned_after - state.wait_began);
  const bool recorded =
      event.action == Action::kWaitOp || event.action == Action::kWaitAll || event.action == Action::kWaitSet;
  if (recorded && event.blocked == blocked) return event.own_cost;
  const auto since_learned = [&](Duration cost) { return std::max(cost - learned_after, Duration{}); };
  if (event.held_cost > Duration{} && event.blocked == blocked) return since_learned(event.held_cost);
  Duration cost = since_learned(program_.waits.wake_up.of(blocked));
  const BarrierKind kind = program_.settings.barrier.kind;
  if (event.action == Action::kBarrier &&
      (kind == BarrierKind::kItem || kind == BarrierKind::kAsnumpy || kind == BarrierKind::kPrint))
    cost += time_to_read(event.target);
  return cost;
}

// How long the barrier policy takes to read the output of an op, beyond the wait for it.
Duration SimulatedFrontends::time_to_read(OpIndex index) const {
  const WaitCosts& waits = program_.waits;
  if (index == kNone) return waits.read_back;
  const Op& op = program_.ops[index];
  if (op.queue >= waits.read_times.size()) return waits.read_back;
  const ReadTimes& times = waits.read_times[op.queue];
  const BarrierKind kind = program_.settings.barrier.kind;
  const bool sums = kind == BarrierKind::kItem && op.output_bytes > kLargestElement;
  const double ns_per_byte = sums ? times.sum_ns_per_byte : times.copy_ns_per_byte;
  const Duration bytes =
      scaled(Duration(1), static_cast<double>(op.output_bytes) * std::max(ns_per_byte, 0.0));
  const Duration text = kind == BarrierKind::kPrint ? time_to_print(op.output_bytes) : Duration{};
  return bounded(bytes) + (sums ? times.sum : times.copy) + text;
}

// Wakes the frontends whose wait is over. `ended`: the op that has just ended; kNone: a frontend gave a
// signal. Returns how long they had waited, as end_op().
std::optional<Idle> SimulatedFrontends::wake(OpIndex ended) {
  std::optional<Idle> longest;
  if (waiting_ == 0) return longest;
  for (std::uint32_t i = 0; i < frontends_.size(); ++i) {
    FrontendState& state = frontends_[i];
    if (state.wait == Wait::kNo || !is_over(state)) continue;
    const Event& event = program_.frontends[i].events[state.next];
    const bool learns = state.wait == Wait::kAdmission && ended != kNone;
    const Duration returns =
        agenda_.now + cost_of(state, event, learns ? program_.ops[ended].learn_delay : Duration{});
    if (state.wait != Wait::kSignal && agenda_.counts) add_time(state.blocked, returns - state.wait_began);
    longest = std::max(longest, std::optional(idle_of(agenda_.now - state.wait_began)));
    if (idle_of(agenda_.now - state.wait_began) == Idle::kLong) state.sleep = Sleep::kWoken;
    state.wait = Wait::kNo;
    state.waited = state.after_wait = true;
    --waiting_;
    ++agenda_.running_frontends;
    if (options_.keep_times) out_.timeline.events[i][state.next].released_by = ended;
    agenda_.add(returns, DueKind::kFrontend, i);
  }
  return longest;
}

bool SimulatedFrontends::admits(std::int64_t ops, std::int64_t bytes, std::int64_t op_bytes) const {
  if (known_ops_ == 0) return true;
  return (ops <= 0 || known_ops_ < ops) && (bytes <= 0 || wrapping_sum(known_bytes_, op_bytes) <= bytes);
}

// `resumes`: a frontend that the safety limit has stopped asks whether it may go on.
bool SimulatedFrontends::admitted(bool under_limit, bool resumes, std::int64_t bytes) const {
  const Settings& settings = program_.settings;
  if (under_limit) {
    const std::int64_t part = resumes ? 16 : 0;
    const auto below = [part](std::int64_t limit) { return part == 0 ? limit : limit - limit / part; };
    return admits(below(settings.limit_ops), below(settings.limit_bytes), bytes);
  }
  const BarrierPolicy& barrier = settings.barrier;
  return admits(barrier.kind == BarrierKind::kOps ? barrier.k : 0,
                barrier.kind == BarrierKind::kBytes ? barrier.k : 0, bytes);
}

}  // namespace runahead::predict
