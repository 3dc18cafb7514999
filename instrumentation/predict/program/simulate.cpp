#include "instrumentation/predict/program/simulate.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/base/wrapping.h"

namespace runahead::predict {
namespace {

constexpr std::int64_t kLargestElement = 8;  // bytes

// The inverse of a list of lists: successors from predecessors, the users of a block from the uses of ops.
Lists inverse(const Lists& lists, std::size_t count) {
  Lists out;
  out.first.assign(count + 1, 0);
  for (const std::uint32_t item : lists.items) ++out.first[item + 1];
  for (std::size_t i = 0; i < count; ++i) out.first[i + 1] += out.first[i];
  out.items.resize(lists.items.size());
  std::vector<std::uint32_t> next(out.first.begin(), out.first.end() - 1);
  for (std::uint32_t i = 0; i < lists.count(); ++i) {
    for (const std::uint32_t item : lists.of(i)) out.items[next[item]++] = i;
  }
  return out;
}

// The end of a simulation. Only a damaged file has a run that takes years.
constexpr Duration kEndOfTime{std::int64_t{1} << 59};

void add_time(Duration& sum, Duration more) {
  sum = more > Duration::max() - sum ? Duration::max() : sum + more;
}

class Simulation {
 public:
  Simulation(const Program& program, const SimulateOptions& options);
  Outcome run();

 private:
  void settle();
  // kPart: a part of an op begins, and the part before it ends. kOpBegins: only if it allocates memory then.
  enum class Kind : std::uint8_t { kPart, kOpEnds, kOpBegins, kOpReady, kFrontend };
  struct Due {
    Duration at;
    Kind kind;  // at the same time, parts and ops end first
    std::uint32_t index, server;
    bool operator>(const Due& other) const {
      if (at != other.at) return at > other.at;
      if (kind != other.kind) return kind > other.kind;
      return index > other.index;
    }
  };
  enum class Wait : std::uint8_t { kNo, kOp, kAll, kStep, kAdmission, kSet, kSignal };
  struct FrontendState {
    std::size_t next = 0;  // event
    Duration now{};
    Wait wait = Wait::kNo;
    std::uint32_t awaited = kNone;  // kOp: op; kAll: the number of ops enqueued; kStep: step; kSet, kSignal
    std::uint32_t ended = 0;        // kSet: the first ops of the set have ended
    Duration wait_began{};
    Duration blocked{};                // in all waits
    bool under_limit = false;          // kAdmission: by the safety limit
    bool waited = false;               // the wait of the event `next` is over: now perform it
    std::vector<std::uint32_t> steps;  // begun, by their order
    std::uint32_t open_step = kNone;
  };
  struct StepState {
    std::int64_t outstanding = 0;
    bool open = true;
  };
  struct QueueState {
    std::vector<std::uint32_t> ready;  // a ring that only grows at its end; a heap with oldest_first
    std::size_t begin = 0;
    std::vector<Duration> free_since;  // of each server; Duration::max(): busy
    int idle = 0;
  };

  [[nodiscard]] Duration time_before(std::uint32_t frontend, const Event& event) const {
    const std::vector<double>& factors = options_.frontend_factors;
    return frontend < factors.size() ? scaled(event.before, factors[frontend]) : event.before;
  }
  void proceed(std::uint32_t frontend);
  bool perform(std::uint32_t frontend, const Event& event);
  void end_event(std::uint32_t frontend);
  bool wait_for(FrontendState& state, const Event& event, Wait wait, std::uint32_t awaited);
  bool is_over(FrontendState& state) const;
  bool has_ended(FrontendState& state) const;
  void signal(std::uint32_t signal);
  bool enqueue(FrontendState& state, OpIndex op);
  bool admits(std::int64_t ops, std::int64_t bytes, std::int64_t op_bytes) const;
  bool admitted(bool under_limit, bool resumes, std::int64_t bytes) const;
  bool apply_barrier(FrontendState& state, const Event& event);
  void leave_out(OpIndex op);
  void begin_step(FrontendState& state);
  void end_step(FrontendState& state);
  void finish_if_done(std::uint32_t step);
  [[nodiscard]] Duration cost_of(const FrontendState& state, const Event& event) const;
  [[nodiscard]] Duration time_to_read(OpIndex op) const;

  void release_successors(OpIndex op);
  void meet_condition(OpIndex op, Duration delay);
  void make_ready(OpIndex op);
  void start(OpIndex op, std::size_t server, Duration idle);
  void start_next(QueueState& queue, std::size_t server);
  void start_idle_servers(QueueState& queue);
  OpIndex take(QueueState& queue);
  [[nodiscard]] auto later() const {
    return [this](OpIndex a, OpIndex b) { return place_[a] > place_[b]; };
  }
  void end_op(const Due& due);
  void wake_frontends(OpIndex ended);
  void resume(std::uint32_t frontend);

  void begin_op(OpIndex op);
  void begin_part(std::uint32_t part);
  void allocate(OpIndex op);
  void allocate_blocks(std::span<const BlockIndex> blocks);
  void let_go(BlockIndex block);

  const Program& program_;
  const SimulateOptions& options_;
  const Lists successors_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  Duration now_{};
  std::vector<std::uint32_t> pending_;  // of each op: what must happen before it is ready
  std::vector<Duration> ready_;         // when the op became ready
  std::vector<std::uint8_t> ended_;
  std::vector<std::uint32_t> step_of_;
  std::vector<std::uint32_t> place_;  // of each op: its place in the order of enqueueing
  std::vector<std::uint32_t> order_;  // enqueued ops
  std::size_t oldest_ = 0;            // all ops before this place have ended
  std::vector<QueueState> queues_;
  QueueState* ending_ = nullptr;  // an op of this queue is ending
  std::vector<FrontendState> frontends_;
  std::size_t waiting_ = 0;  // frontends
  std::vector<StepState> steps_;
  std::uint32_t open_step_ = kNone;  // of any frontend
  std::vector<std::uint8_t> signalled_;
  std::vector<std::uint32_t> holders_;  // of each block: ops that use it, and the program
  std::vector<std::uint8_t> allocated_;
  std::vector<std::int64_t> live_;
  std::int64_t total_live_ = 0;        // of all devices
  std::size_t first_quarter_ = 0;      // steps
  std::vector<std::int64_t> settled_;  // of each device: the peak after the first quarter
  std::int64_t in_flight_ops_ = 0, in_flight_bytes_ = 0, in_flight_steps_ = 0;
  Duration last_end_{};
  Outcome out_;
};

Simulation::Simulation(const Program& program, const SimulateOptions& options)
    : program_(program),
      options_(options),
      successors_(inverse(program.predecessors, program.ops.size())),
      pending_(program.ops.size()),
      ready_(program.ops.size()),
      ended_(program.ops.size()),
      step_of_(program.ops.size(), kNone),
      place_(program.ops.size()),
      queues_(program.queues.size()),
      frontends_(program.frontends.size()),
      signalled_(program.signals),
      holders_(program.blocks.size(), 1),
      allocated_(program.blocks.size()) {
  for (OpIndex op = 0; op < program.ops.size(); ++op)
    pending_[op] = 1 + static_cast<std::uint32_t>(program.predecessors.of(op).size());
  for (const BlockIndex block : program.uses.items) ++holders_[block];
  for (const Part& part : program.parts) {
    for (const BlockIndex block : part.uses) ++holders_[block];
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    queues_[i].free_since.assign(static_cast<std::size_t>(program.queues[i].servers), Duration{});
    queues_[i].idle = program.queues[i].servers;
  }
  for (const Memory& memory : program.memories) {
    live_.push_back(memory.begin_bytes);
    total_live_ = wrapping_sum(total_live_, memory.begin_bytes);
  }
  for (const Frontend& frontend : program.frontends)
    first_quarter_ +=
        static_cast<std::size_t>(std::ranges::count(frontend.events, Action::kEndStep, &Event::action));
  first_quarter_ = std::max<std::size_t>(first_quarter_ / 4, 1);
  for (BlockIndex block = 0; block < program.blocks.size(); ++block)
    allocated_[block] = program.blocks[block].began_before ? 1 : 0;
  out_.peak_bytes = settled_ = live_;
  out_.busy.resize(program.queues.size());
  if (options.keep_times) {
    Timeline& timeline = out_.timeline;
    timeline.ops.resize(program.ops.size());
    for (const Frontend& frontend : program.frontends) timeline.events.emplace_back(frontend.events.size());
    timeline.blocks.resize(program.blocks.size());
    for (const std::int64_t bytes : live_) timeline.live_bytes.push_back({{Duration{}, bytes}});
  }
  order_.reserve(program.ops.size());
  for (const OpIndex op : program.done) leave_out(op);
}

Outcome Simulation::run() {
  for (std::uint32_t i = 0; i < frontends_.size(); ++i) {
    const std::vector<Event>& events = program_.frontends[i].events;
    if (!events.empty()) due_.push({time_before(i, events.front()), Kind::kFrontend, i, 0});
  }
  while (!due_.empty() && due_.top().at < kEndOfTime) {
    const Due due = due_.top();
    due_.pop();
    now_ = due.at;
    switch (due.kind) {
      case Kind::kPart:
        begin_part(due.index);
        break;
      case Kind::kOpBegins:
        begin_op(due.index);
        break;
      case Kind::kOpEnds:
        end_op(due);
        break;
      case Kind::kOpReady:
        make_ready(due.index);
        break;
      case Kind::kFrontend:
        resume(due.index);
        break;
    }
  }
  out_.stuck = !due_.empty();
  for (const FrontendState& state : frontends_) {
    out_.stuck = out_.stuck || state.wait != Wait::kNo;
    out_.blocked = std::max(out_.blocked, state.blocked);
  }
  out_.length = last_end_;
  out_.ops_run = order_.size();
  settle();
  return std::move(out_);
}

void Simulation::settle() {
  for (const std::int64_t bytes : settled_)
    out_.settled_peak_bytes = wrapping_sum(out_.settled_peak_bytes, bytes);
  const std::vector<Duration>& ends = out_.step_ends;
  if (ends.size() <= first_quarter_) return;
  out_.settled_steps_per_s = rate_of(static_cast<std::int64_t>(ends.size() - first_quarter_),
                                     ends.back() - ends[first_quarter_ - 1]);
}

// ---- frontends --------------------------------------------------------------------------------------------

// Performs events until the frontend waits, or something else is due before its next event.
void Simulation::proceed(std::uint32_t index) {
  FrontendState& state = frontends_[index];
  const std::vector<Event>& events = program_.frontends[index].events;
  while (state.next < events.size()) {
    const Event& event = events[state.next];
    const Duration at = state.now + time_before(index, event);
    if ((!due_.empty() && due_.top().at <= at) || at >= kEndOfTime) {
      due_.push({at, Kind::kFrontend, index, 0});
      return;
    }
    state.now = now_ = at;
    if (options_.keep_times) out_.timeline.events[index][state.next].begin = at;
    if (!perform(index, event)) return;
    end_event(index);
  }
}

void Simulation::end_event(std::uint32_t index) {
  FrontendState& state = frontends_[index];
  if (options_.keep_times) out_.timeline.events[index][state.next].end = state.now;
  if (program_.frontends[index].events[state.next].action != Action::kDrop)
    last_end_ = std::max(last_end_, state.now);
  ++state.next;
}

// The time of the frontend's next event has come, or its wait is over.
void Simulation::resume(std::uint32_t index) {
  FrontendState& state = frontends_[index];
  const Event& event = program_.frontends[index].events[state.next];
  state.now = now_;
  if (options_.keep_times && !state.waited) out_.timeline.events[index][state.next].begin = now_;
  if (!perform(index, event)) return;
  end_event(index);
  proceed(index);
}

// Returns false if the frontend has to wait. It is then resumed at the time at which its wait returns, and
// the event is performed again.
bool Simulation::perform(std::uint32_t index, const Event& event) {
  FrontendState& state = frontends_[index];
  if (is_left_out(event, program_.settings)) {
    if (event.action == Action::kEnqueue) leave_out(event.target);
    return true;
  }
  switch (event.action) {
    case Action::kEnqueue:
      return enqueue(state, event.target);
    case Action::kWaitOp:
      return wait_for(state, event, Wait::kOp, event.target);
    case Action::kWaitAll:
      return wait_for(state, event, Wait::kAll, static_cast<std::uint32_t>(order_.size()));
    case Action::kBarrier:
      return apply_barrier(state, event);
    case Action::kBeginStep: {
      const BarrierPolicy& barrier = program_.settings.barrier;
      const auto k = static_cast<std::size_t>(std::max<std::int64_t>(barrier.k, 1));
      if (barrier.kind == BarrierKind::kWindow && state.steps.size() >= k &&
          !wait_for(state, event, Wait::kStep, state.steps[state.steps.size() - k]))
        return false;
      begin_step(state);
      return true;
    }
    case Action::kEndStep:
      end_step(state);
      return true;
    case Action::kDrop:
      if (options_.keep_times) out_.timeline.blocks[event.target].dropped = now_;
      let_go(event.target);
      return true;
    case Action::kWaitSet:
      return wait_for(state, event, Wait::kSet, event.target);
    case Action::kJoin:
      if (event.target != kNone && !program_.settings.allocates_at_execution)
        allocate_blocks(program_.parts[event.target].allocates);
      return true;
    case Action::kSignal:
      signal(event.target);
      return true;
    case Action::kAwait:
      return wait_for(state, event, Wait::kSignal, event.target);
  }
  return true;
}

void Simulation::signal(std::uint32_t signal) {
  signalled_[signal] = 1;
  wake_frontends(kNone);
}

bool Simulation::apply_barrier(FrontendState& state, const Event& event) {
  switch (program_.settings.barrier.kind) {
    case BarrierKind::kWaitToRead:
    case BarrierKind::kItem:
    case BarrierKind::kAsnumpy:
    case BarrierKind::kPrint:
      return wait_for(state, event, Wait::kOp, event.target);
    case BarrierKind::kWaitAll:
      return wait_for(state, event, Wait::kAll, static_cast<std::uint32_t>(order_.size()));
    case BarrierKind::kNone:
    case BarrierKind::kWindow:
    case BarrierKind::kOps:
    case BarrierKind::kBytes:
      return true;
  }
  return true;
}

// Returns true if there is nothing to wait for, or if the wait is over already.
bool Simulation::wait_for(FrontendState& state, const Event& event, Wait wait, std::uint32_t awaited) {
  if (std::exchange(state.waited, false)) return true;
  state.wait = wait;
  state.awaited = awaited;
  state.ended = 0;
  state.wait_began = now_;
  if (is_over(state)) {
    state.wait = Wait::kNo;
    const Duration cost = cost_of(state, event);
    state.now += cost;
    if (wait != Wait::kSignal) add_time(state.blocked, cost);
    return true;
  }
  ++waiting_;
  return false;
}

bool Simulation::has_ended(FrontendState& state) const {
  const auto set = program_.wait_sets.of(state.awaited);
  while (state.ended < set.size() && ended_[set[state.ended]] != 0) ++state.ended;
  return state.ended == set.size();
}

bool Simulation::is_over(FrontendState& state) const {
  switch (state.wait) {
    case Wait::kNo:
      return true;
    case Wait::kOp:
      return state.awaited == kNone || ended_[state.awaited] != 0;
    case Wait::kAll:
      return oldest_ >= state.awaited;
    case Wait::kStep:
      return !steps_[state.awaited].open && steps_[state.awaited].outstanding == 0;
    case Wait::kAdmission:
      return admitted(state.under_limit, true, program_.ops[state.awaited].output_bytes);
    case Wait::kSet:
      return has_ended(state);
    case Wait::kSignal:
      return signalled_[state.awaited] != 0;
  }
  return true;
}

Duration Simulation::cost_of(const FrontendState& state, const Event& event) const {
  const std::vector<RecordedWait>& waits = program_.recorded_waits;
  const bool keeps =
      event.action == Action::kWaitSet && event.target < waits.size() && waits[event.target].keeps_cost;
  if (keeps || event.action == Action::kAwait) return event.own_cost;
  const Idle blocked = idle_of(now_ - state.wait_began);
  const bool recorded =
      event.action == Action::kWaitOp || event.action == Action::kWaitAll || event.action == Action::kWaitSet;
  if (recorded && event.blocked == blocked) return event.own_cost;
  if (event.held_cost > Duration{} && event.blocked == blocked) return event.held_cost;
  Duration cost = program_.waits.wake_up.of(blocked);
  const BarrierKind kind = program_.settings.barrier.kind;
  if (event.action == Action::kBarrier &&
      (kind == BarrierKind::kItem || kind == BarrierKind::kAsnumpy || kind == BarrierKind::kPrint))
    cost += program_.waits.read_back + time_to_read(event.target);
  return cost;
}

// How long the barrier policy takes to read the output of an op.
Duration Simulation::time_to_read(OpIndex index) const {
  if (index == kNone) return {};
  const Op& op = program_.ops[index];
  if (op.queue >= program_.waits.read_times.size()) return {};
  const ReadTimes& times = program_.waits.read_times[op.queue];
  const bool item = program_.settings.barrier.kind == BarrierKind::kItem;
  if (item && op.output_bytes <= kLargestElement) return {};
  const double ns =
      static_cast<double>(op.output_bytes) * (item ? times.sum_ns_per_byte : times.copy_ns_per_byte);
  return bounded(scaled(Duration(1), std::max(ns, 0.0)));
}

// `ended`: the op that has just ended; kNone: a frontend gave a signal.
void Simulation::wake_frontends(OpIndex ended) {
  if (waiting_ == 0) return;
  for (std::uint32_t i = 0; i < frontends_.size(); ++i) {
    FrontendState& state = frontends_[i];
    if (state.wait == Wait::kNo || !is_over(state)) continue;
    const Event& event = program_.frontends[i].events[state.next];
    const Duration returns = now_ + cost_of(state, event);
    if (state.wait != Wait::kSignal) add_time(state.blocked, returns - state.wait_began);
    state.wait = Wait::kNo;
    state.waited = true;
    --waiting_;
    if (options_.keep_times) out_.timeline.events[i][state.next].released_by = ended;
    due_.push({returns, Kind::kFrontend, i, 0});
  }
}

// ---- enqueueing -------------------------------------------------------------------------------------------

bool Simulation::admits(std::int64_t ops, std::int64_t bytes, std::int64_t op_bytes) const {
  if (in_flight_ops_ == 0) return true;
  return (ops <= 0 || in_flight_ops_ < ops) &&
         (bytes <= 0 || wrapping_sum(in_flight_bytes_, op_bytes) <= bytes);
}

// `resumes`: a frontend that the safety limit has stopped asks whether it may go on.
bool Simulation::admitted(bool under_limit, bool resumes, std::int64_t bytes) const {
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

bool Simulation::enqueue(FrontendState& state, OpIndex op) {
  if (ended_[op] != 0) return true;  // one of Program::done
  const std::int64_t bytes = program_.ops[op].output_bytes;
  if (!program_.settings.allocates_at_execution) allocate(op);
  if (!std::exchange(state.waited, false)) {
    const bool by_policy = admitted(false, false, bytes);
    if (!by_policy || !admitted(true, false, bytes)) {
      state.wait = Wait::kAdmission;
      state.awaited = op;
      state.under_limit = by_policy;
      state.wait_began = now_;
      ++waiting_;
      return false;
    }
  }
  place_[op] = static_cast<std::uint32_t>(order_.size());
  order_.push_back(op);
  // Another tool's trace has its steps on one thread, and launches of others.
  const std::uint32_t step = program_.settings.of_graph ? open_step_ : state.open_step;
  if (step != kNone) {
    step_of_[op] = step;
    ++steps_[step].outstanding;
  }
  out_.max_ops = std::max(out_.max_ops, ++in_flight_ops_);
  in_flight_bytes_ = wrapping_sum(in_flight_bytes_, bytes);
  out_.max_bytes = std::max(out_.max_bytes, in_flight_bytes_);
  if (options_.keep_times) out_.timeline.ops[op].enqueued = now_;
  const Op& row = program_.ops[op];
  meet_condition(op, program_.settings.of_graph ? row.enqueue_delay : row.ready_delay);
  return true;
}

// An op of the policy of the run, which the new policy does not have, or one of Program::done.
void Simulation::leave_out(OpIndex op) {
  ended_[op] = 1;
  release_successors(op);
  for (const BlockIndex block : program_.uses.of(op)) let_go(block);
}

void Simulation::begin_step(FrontendState& state) {
  state.open_step = open_step_ = static_cast<std::uint32_t>(steps_.size());
  state.steps.push_back(state.open_step);
  steps_.emplace_back();
  out_.step_begins.push_back({now_, in_flight_steps_, in_flight_ops_, in_flight_bytes_, total_live_});
  out_.max_steps = std::max(out_.max_steps, ++in_flight_steps_);
  if (options_.keep_times) out_.timeline.steps_in_flight.push_back({now_, in_flight_steps_});
}

void Simulation::end_step(FrontendState& state) {
  if (state.open_step == kNone) return;
  const std::uint32_t step = std::exchange(state.open_step, kNone);
  if (step == open_step_) open_step_ = kNone;
  steps_[step].open = false;
  finish_if_done(step);
}

void Simulation::finish_if_done(std::uint32_t step) {
  if (steps_[step].open || steps_[step].outstanding > 0) return;
  --in_flight_steps_;
  ++out_.steps;
  out_.step_ends.push_back(now_);
  if (out_.step_ends.size() == first_quarter_) settled_ = live_;
  if (!options_.keep_times) return;
  out_.timeline.steps_in_flight.push_back({now_, in_flight_steps_});
  out_.timeline.steps_finished.push_back({now_, out_.steps});
}

// ---- queues -----------------------------------------------------------------------------------------------

void Simulation::make_ready(OpIndex op) {
  ready_[op] = now_;
  if (options_.keep_times) out_.timeline.ops[op].ready = now_;
  QueueState& queue = queues_[program_.ops[op].queue];
  queue.ready.push_back(op);
  if (program_.settings.oldest_first) std::push_heap(queue.ready.begin(), queue.ready.end(), later());
  if (&queue != ending_) start_idle_servers(queue);
}

void Simulation::start_idle_servers(QueueState& queue) {
  for (std::size_t server = 0; queue.idle > 0 && queue.begin < queue.ready.size(); ++server) {
    if (queue.free_since[server] == Duration::max()) continue;
    --queue.idle;
    start(take(queue), server, std::max(now_ - queue.free_since[server], Duration(1)));
  }
}

// Returns the op of the queue that goes first. REQUIRES: it has one.
OpIndex Simulation::take(QueueState& queue) {
  if (!program_.settings.oldest_first) return queue.ready[queue.begin++];
  std::pop_heap(queue.ready.begin(), queue.ready.end(), later());
  const OpIndex op = queue.ready.back();
  queue.ready.pop_back();
  return op;
}

// `idle`: how long the server had been idle; 0: it has just ended an op.
void Simulation::start(OpIndex index, std::size_t server, Duration idle) {
  const Op& op = program_.ops[index];
  QueueState& queue = queues_[op.queue];
  queue.free_since[server] = Duration::max();
  const auto parts = program_.parts_of(index);
  const Idle how_long = idle_of(idle);
  const Duration delay =
      how_long == op.start_idle ? op.start_delay : program_.queues[op.queue].start_delays.of(how_long);
  const double factor = options_.queue_factors.empty() ? 1 : options_.queue_factors[op.queue];
  const Duration begin = now_ + delay, end = begin + scaled(op.duration, factor);
  if (program_.settings.allocates_at_execution) {
    if (delay > Duration{}) {
      due_.push({begin, Kind::kOpBegins, index, 0});
    } else {
      begin_op(index);
    }
  }
  add_time(out_.busy[op.queue], end - begin);
  if (options_.keep_times) {
    OpTimes& times = out_.timeline.ops[index];
    times.started = begin;
    times.ended = end;
    times.server = static_cast<std::uint32_t>(server);
    times.ran = true;
  }
  Duration part_begins = begin;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    part_begins += scaled(parts[i - 1].duration, factor);
    due_.push({std::min(part_begins, end), Kind::kPart,
               program_.first_part[index] + static_cast<std::uint32_t>(i), 0});
  }
  due_.push({end, Kind::kOpEnds, index, static_cast<std::uint32_t>(server)});
}

void Simulation::start_next(QueueState& queue, std::size_t server) {
  if (queue.begin == queue.ready.size()) {
    queue.ready.clear();
    queue.begin = 0;
    queue.free_since[server] = now_;
    ++queue.idle;
    return;
  }
  start(take(queue), server, Duration{});
}

void Simulation::release_successors(OpIndex op) {
  for (const OpIndex next : successors_.of(op)) meet_condition(next, program_.ops[next].ready_delay);
}

// A condition of the op has been met: it may be ready after the delay, if no other condition holds it. A run
// of our engine has one delay for all conditions, so it counts from the last one.
void Simulation::meet_condition(OpIndex op, Duration delay) {
  ready_[op] = std::max(ready_[op], now_ + delay);
  if (--pending_[op] > 0) return;
  if (ready_[op] <= now_) {
    make_ready(op);
  } else {
    due_.push({ready_[op], Kind::kOpReady, op, 0});
  }
}

void Simulation::end_op(const Due& due) {
  const OpIndex op = due.index;
  QueueState& queue = queues_[program_.ops[op].queue];
  ended_[op] = 1;
  last_end_ = std::max(last_end_, now_);
  --in_flight_ops_;
  in_flight_bytes_ = wrapping_difference(in_flight_bytes_, program_.ops[op].output_bytes);
  while (oldest_ < order_.size() && ended_[order_[oldest_]] != 0) ++oldest_;
  for (const BlockIndex block : program_.uses.of(op)) let_go(block);
  if (const auto parts = program_.parts_of(op); !parts.empty()) {
    for (const BlockIndex block : parts.back().uses) let_go(block);
  }
  // The server takes the op that has waited longest. What becomes ready now comes after it.
  ending_ = &queue;
  release_successors(op);
  ending_ = nullptr;
  start_next(queue, due.server);
  start_idle_servers(queue);
  if (const std::uint32_t step = step_of_[op]; step != kNone) {
    --steps_[step].outstanding;
    finish_if_done(step);
  }
  wake_frontends(op);
}

// ---- memory -----------------------------------------------------------------------------------------------

void Simulation::begin_op(OpIndex op) {
  const auto parts = program_.parts_of(op);
  parts.empty() ? allocate(op) : allocate_blocks(parts.front().allocates);
}

void Simulation::begin_part(std::uint32_t part) {
  for (const BlockIndex block : program_.parts[part - 1].uses) let_go(block);
  allocate_blocks(program_.parts[part].allocates);
}

void Simulation::allocate(OpIndex op) {
  allocate_blocks(program_.allocates.of(op));
  for (const Part& part : program_.parts_of(op)) allocate_blocks(part.allocates);
}

void Simulation::allocate_blocks(std::span<const BlockIndex> blocks) {
  for (const BlockIndex block : blocks) {
    if (allocated_[block] != 0) continue;
    allocated_[block] = 1;
    const Block& row = program_.blocks[block];
    std::int64_t& live = live_[row.device];
    live = wrapping_sum(live, row.size_bytes);
    total_live_ = wrapping_sum(total_live_, row.size_bytes);
    out_.peak_bytes[row.device] = std::max(out_.peak_bytes[row.device], live);
    settled_[row.device] = std::max(settled_[row.device], live);
    if (!options_.keep_times) continue;
    out_.timeline.blocks[block].begin = now_;
    out_.timeline.live_bytes[row.device].push_back({now_, live});
  }
}

void Simulation::let_go(BlockIndex block) {
  RUNAHEAD_CHECK(holders_[block] > 0);
  if (--holders_[block] > 0 || allocated_[block] == 0) return;
  const Block& row = program_.blocks[block];
  std::int64_t& live = live_[row.device];
  live = wrapping_difference(live, row.size_bytes);
  total_live_ = wrapping_difference(total_live_, row.size_bytes);
  if (!options_.keep_times) return;
  out_.timeline.blocks[block].end = now_;
  out_.timeline.live_bytes[row.device].push_back({now_, live});
}

}  // namespace

double Outcome::steps_per_s() const { return rate_of(steps, length); }
double Outcome::blocked_ratio() const { return share_of(blocked, length); }

std::int64_t Outcome::total_peak_bytes() const {
  std::int64_t sum = 0;
  for (const std::int64_t bytes : peak_bytes) sum = wrapping_sum(sum, bytes);
  return sum;
}

Outcome simulate(const Program& program, const SimulateOptions& options) {
  return Simulation(program, options).run();
}

}  // namespace runahead::predict
