#include "instrumentation/predict/simulation/simulated_frontends.h"

#include <algorithm>
#include <utility>

#include "instrumentation/base/wrapping.h"

namespace runahead::predict {

SimulatedFrontends::SimulatedFrontends(const Program& program, const SimulateOptions& options, Agenda& agenda,
                                       SimulatedMemory& memory, SimulatedQueues& queues, Outcome& out)
    : program_(program),
      options_(options),
      agenda_(agenda),
      memory_(memory),
      queues_(queues),
      out_(out),
      frontends_(program.frontends.size()),
      step_of_(program.ops.size(), kNone),
      signalled_(program.signals) {
  for (std::size_t i = 0; i < frontends_.size(); ++i) {
    const Frontend& frontend = program.frontends[i];
    frontends_[i].rank = frontend.rank;
    open_step_.resize(std::max<std::size_t>(open_step_.size(), frontend.rank + 1), kNone);
    if (frontend.rank == 0)
      steps_to_finish_ += std::ranges::count(frontend.events, Action::kEndStep, &Event::action);
  }
  first_quarter_ = std::max<std::size_t>(static_cast<std::size_t>(steps_to_finish_) / 4, 1);
  figures_of_steps_ = program.figures_of_steps && steps_to_finish_ > 0;
  agenda_.counts = !figures_of_steps_;
  if (options.keep_times) {
    for (const Frontend& frontend : program.frontends)
      out_.timeline.events.emplace_back(frontend.events.size());
  }
  for (const OpIndex op : program.done) leave_out(op);
}

void SimulatedFrontends::begin() {
  for (std::uint32_t i = 0; i < frontends_.size(); ++i) {
    const std::vector<Event>& events = program_.frontends[i].events;
    if (events.empty()) continue;
    ++agenda_.running_frontends;
    agenda_.add(program_.frontends[i].begin + time_before(i, events.front()), DueKind::kFrontend, i);
  }
}

void SimulatedFrontends::finish() {
  for (const FrontendState& state : frontends_) {
    out_.stuck = out_.stuck || state.wait != Wait::kNo;
    out_.blocked = std::max(out_.blocked, state.blocked);
  }
  out_.ops_run = queues_.enqueued();
  const std::vector<Duration>& ends = out_.step_ends;
  const bool alone = figures_of_steps_ && !ends.empty();
  out_.steps_time = alone ? ends.back() - out_.step_begins.front().at : out_.length;
  if (ends.size() <= first_quarter_) return;
  out_.settled_steps_per_s = rate_of(static_cast<std::int64_t>(ends.size() - first_quarter_),
                                     ends.back() - ends[first_quarter_ - 1]);
}

Duration SimulatedFrontends::time_before(std::uint32_t frontend, const Event& event) const {
  // What our engine's policy did after its wait point is the policy's time too. In a trace of another tool,
  // what is before a wait is the program's own.
  const Settings& settings = program_.settings;
  const FrontendState& state = frontends_[frontend];
  if (event.of_policy && !settings.of_graph && is_left_out(event, settings)) return state.wake_time;
  Duration time = event.before;
  if (state.sleep == Sleep::kNo) time = std::max(time - event.slow_start, Duration{});
  if (state.sleep == Sleep::kFirst && !event.after_sleep) time += program_.waits.slow_start;
  const std::vector<double>& factors = options_.frontend_factors;
  return state.wake_time + (frontend < factors.size() ? scaled(time, factors[frontend]) : time);
}

std::optional<Idle> SimulatedFrontends::end_op(OpIndex op) {
  const Op& row = program_.ops[op];
  out_.length = std::max(out_.length, agenda_.now);
  if (!row.is_arrival) --in_flight_ops_;
  in_flight_bytes_ = wrapping_difference(in_flight_bytes_, row.output_bytes);
  if (const std::uint32_t step = step_of_[op]; step != kNone) {
    --steps_[step].outstanding;
    finish_if_done(step);
  }
  if (row.learn_delay > Duration{}) {
    agenda_.add(agenda_.now + row.learn_delay, DueKind::kOpLearned, op);
    return wake(op);
  }
  return learn_of(op);
}

std::optional<Idle> SimulatedFrontends::learn_of(OpIndex op) {
  --known_ops_;
  known_bytes_ = wrapping_difference(known_bytes_, program_.ops[op].output_bytes);
  return wake(op);
}

// Performs events until the frontend waits, or something else is due before its next event.
void SimulatedFrontends::proceed(std::uint32_t index) {
  FrontendState& state = frontends_[index];
  const std::vector<Event>& events = program_.frontends[index].events;
  while (state.next < events.size()) {
    const Event& event = events[state.next];
    const Duration at = state.now + time_before(index, event);
    if (agenda_.has_before(at) || at >= kEndOfTime) {
      agenda_.add(at, DueKind::kFrontend, index);
      return;
    }
    state.now = agenda_.now = at;
    state.wake_time = {};
    if (options_.keep_times) out_.timeline.events[index][state.next].begin = at;
    if (!perform(index, event)) return;
    end_event(index);
  }
  --agenda_.running_frontends;
}

void SimulatedFrontends::end_event(std::uint32_t index) {
  FrontendState& state = frontends_[index];
  if (options_.keep_times) out_.timeline.events[index][state.next].end = state.now;
  const Event& event = program_.frontends[index].events[state.next];
  if (event.action != Action::kDrop) out_.length = std::max(out_.length, state.now);
  if (state.sleep == Sleep::kWoken) {
    state.sleep = Sleep::kFirst;
  } else if (state.sleep != Sleep::kNo && !is_left_out(event, program_.settings)) {
    state.sleep = event.action == Action::kEnqueue ? Sleep::kNo : Sleep::kSlow;
  }
  ++state.next;
}

// The time of the frontend's next event has come, or its wait is over.
void SimulatedFrontends::resume(std::uint32_t index) {
  FrontendState& state = frontends_[index];
  const Event& event = program_.frontends[index].events[state.next];
  state.now = agenda_.now;
  state.wake_time = {};
  if (options_.keep_times && !state.waited) out_.timeline.events[index][state.next].begin = agenda_.now;
  if (!perform(index, event)) return;
  end_event(index);
  proceed(index);
}

// Returns false if the frontend has to wait. It is then resumed at the time at which its wait returns, and
// the event is performed again.
bool SimulatedFrontends::perform(std::uint32_t index, const Event& event) {
  FrontendState& state = frontends_[index];
  if (is_left_out(event, program_.settings)) {
    if (event.action == Action::kEnqueue) leave_out(event.target);
    return true;
  }
  switch (event.action) {
    case Action::kEnqueue:
      return enqueue(state, event);
    case Action::kWaitOp:
      return wait_for(state, event, Wait::kOp, event.target);
    case Action::kWaitAll:
      return wait_for(state, event, Wait::kAll, queues_.enqueued());
    case Action::kBarrier:
      return apply_barrier(state, event);
    case Action::kBeginStep:
      return begin_step(state, event);
    case Action::kEndStep:
      end_step(state);
      return true;
    case Action::kDrop:
      memory_.drop(event.target);
      return true;
    case Action::kWaitSet:
      return wait_for(state, event, Wait::kSet, event.target);
    case Action::kJoin:
      if (event.target != kNone && !program_.settings.allocates_at_execution)
        memory_.allocate_blocks(program_.parts[event.target].allocates);
      return true;
    case Action::kSignal:
      signal(event.target);
      return true;
    case Action::kAwait:
      return wait_for(state, event, Wait::kSignal, event.target);
  }
  return true;
}

bool SimulatedFrontends::enqueue(FrontendState& state, const Event& event) {
  const OpIndex op = event.target;
  if (queues_.has_ended(op)) return true;  // one of Program::done
  const std::int64_t bytes = program_.ops[op].output_bytes;
  if (!program_.settings.allocates_at_execution) memory_.allocate(op);
  if (!std::exchange(state.waited, false)) {
    const bool by_policy = admitted(false, false, bytes);
    if (!by_policy || !admitted(true, false, bytes)) {
      state.wait = Wait::kAdmission;
      state.awaited = op;
      state.under_limit = by_policy;
      state.wait_began = agenda_.now;
      begin_wait();
      return false;
    }
  }
  // Another tool's trace has its steps on one thread, and launches of others.
  const std::uint32_t step = program_.settings.of_graph ? open_step_[state.rank] : state.open_step;
  if (step != kNone) {
    step_of_[op] = step;
    ++steps_[step].outstanding;
  }
  if (!program_.ops[op].is_arrival) out_.max_ops = std::max(out_.max_ops, ++in_flight_ops_);
  ++known_ops_;
  known_bytes_ = wrapping_sum(known_bytes_, bytes);
  in_flight_bytes_ = wrapping_sum(in_flight_bytes_, bytes);
  out_.max_bytes = std::max(out_.max_bytes, in_flight_bytes_);
  const bool after_wait = std::exchange(state.after_wait, false);
  if (const std::optional<Idle> idle = queues_.enqueue(op))
    state.wake_time = time_to_wake(event, after_wait, *idle);
  return true;
}

// A server that was idle takes the op that the event enqueues. Returns how long the frontend needs to wake
// it.
Duration SimulatedFrontends::time_to_wake(const Event& enqueue, bool after_wait, Idle idle) const {
  const Op& op = program_.ops[enqueue.target];
  const bool as_recorded = enqueue.ready_at_once && enqueue.after_wait == after_wait && op.start_idle == idle;
  return as_recorded ? enqueue.wake_time : program_.queues[op.queue].enqueue_wakes.of(idle);
}

// An op of the policy of the run, which the new policy does not have, or one of Program::done.
void SimulatedFrontends::leave_out(OpIndex op) {
  queues_.leave_out(op);
  memory_.leave_out(op);
}

// A window may have to wait first: as perform().
bool SimulatedFrontends::begin_step(FrontendState& state, const Event& event) {
  const BarrierPolicy& barrier = program_.settings.barrier;
  const auto k = static_cast<std::size_t>(std::max<std::int64_t>(barrier.k, 1));
  if (barrier.kind == BarrierKind::kWindow && state.steps.size() >= k &&
      !wait_for(state, event, Wait::kStep, state.steps[state.steps.size() - k]))
    return false;
  state.open_step = open_step_[state.rank] = static_cast<std::uint32_t>(steps_.size());
  state.steps.push_back(state.open_step);
  steps_.emplace_back().counts = state.rank == 0;
  if (state.rank != 0) return true;
  if (figures_of_steps_ && steps_.size() == 1) {
    agenda_.counts = true;
    memory_.begin_steps();
  }
  out_.step_begins.push_back(
      {agenda_.now, in_flight_steps_, in_flight_ops_, in_flight_bytes_, memory_.live()});
  out_.max_steps = std::max(out_.max_steps, ++in_flight_steps_);
  if (options_.keep_times) out_.timeline.steps_in_flight.push_back({agenda_.now, in_flight_steps_});
  return true;
}

void SimulatedFrontends::end_step(FrontendState& state) {
  if (state.open_step == kNone) return;
  const std::uint32_t step = std::exchange(state.open_step, kNone);
  if (step == open_step_[state.rank]) open_step_[state.rank] = kNone;
  steps_[step].open = false;
  finish_if_done(step);
}

void SimulatedFrontends::finish_if_done(std::uint32_t step) {
  if (steps_[step].open || steps_[step].outstanding > 0 || !steps_[step].counts) return;
  --in_flight_steps_;
  ++out_.steps;
  if (figures_of_steps_ && out_.steps == steps_to_finish_) agenda_.counts = false;
  out_.step_ends.push_back(agenda_.now);
  if (out_.step_ends.size() == first_quarter_) memory_.begin_settled();
  if (!options_.keep_times) return;
  out_.timeline.steps_in_flight.push_back({agenda_.now, in_flight_steps_});
  out_.timeline.steps_finished.push_back({agenda_.now, out_.steps});
}

}  // namespace runahead::predict
