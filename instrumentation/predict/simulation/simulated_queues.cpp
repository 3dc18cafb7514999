#include "instrumentation/predict/simulation/simulated_queues.h"

#include <algorithm>

#include "instrumentation/base/wrapping.h"

namespace runahead::predict {
namespace {

// When the program begins, the servers have been idle for long.
constexpr Duration kFreeSinceLong = -kPoll - Duration(1);

// The inverse of a list of lists: successors from predecessors.
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

}  // namespace

SimulatedQueues::SimulatedQueues(const Program& program, const SimulateOptions& options, Agenda& agenda,
                                 SimulatedMemory& memory, Outcome& out)
    : program_(program),
      options_(options),
      agenda_(agenda),
      memory_(memory),
      out_(out),
      successors_(inverse(program.predecessors, program.ops.size())),
      pending_(program.ops.size()),
      ready_(program.ops.size()),
      ended_(program.ops.size()),
      place_(program.ops.size()),
      queues_(program.queues.size()) {
  for (OpIndex op = 0; op < program.ops.size(); ++op)
    pending_[op] = 1 + static_cast<std::uint32_t>(program.predecessors.of(op).size());
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    queues_[i].free_since.assign(static_cast<std::size_t>(program.queues[i].servers), kFreeSinceLong);
    queues_[i].idle = program.queues[i].servers;
  }
  out_.busy.resize(program.queues.size());
  if (options.keep_times) out_.timeline.ops.resize(program.ops.size());
  order_.reserve(program.ops.size());
}

std::optional<Idle> SimulatedQueues::enqueue(OpIndex op) {
  place_[op] = static_cast<std::uint32_t>(order_.size());
  order_.push_back(op);
  if (options_.keep_times) out_.timeline.ops[op].enqueued = agenda_.now;
  const Op& row = program_.ops[op];
  meet_condition(op, program_.settings.of_graph ? row.enqueue_delay : row.ready_delay);
  return last_started_ == op ? std::optional(last_idle_) : std::nullopt;
}

void SimulatedQueues::leave_out(OpIndex op) {
  ended_[op] = 1;
  release_successors(op);
}

void SimulatedQueues::release_successors(OpIndex op) {
  for (const OpIndex next : successors_.of(op)) meet_condition(next, program_.ops[next].ready_delay);
}

// A condition of the op has been met: it may be ready after the delay, if no other condition holds it. A run
// of our engine has one delay for all conditions, so it counts from the last one.
void SimulatedQueues::meet_condition(OpIndex op, Duration delay) {
  ready_[op] = std::max(ready_[op], agenda_.now + delay);
  if (--pending_[op] > 0) return;
  if (ready_[op] <= agenda_.now) {
    make_ready(op);
  } else {
    agenda_.add(ready_[op], DueKind::kOpReady, op);
  }
}

void SimulatedQueues::make_ready(OpIndex op) {
  ready_[op] = agenda_.now;
  if (options_.keep_times) out_.timeline.ops[op].ready = agenda_.now;
  QueueState& queue = queues_[program_.ops[op].queue];
  queue.ready.push_back(op);
  if (program_.settings.oldest_first) std::push_heap(queue.ready.begin(), queue.ready.end(), later());
  if (&queue != ending_) start_idle_servers(queue);
}

// Returns the idle server that takes the next op: as in the engine, the one that still spins, or else the one
// that has slept longest. REQUIRES: one is idle.
std::size_t SimulatedQueues::next_server(const QueueState& queue) const {
  std::optional<std::size_t> spins, sleeps;
  for (std::size_t i = 0; i < queue.free_since.size(); ++i) {
    const Duration since = queue.free_since[i];
    if (since == Duration::max()) continue;
    if (agenda_.now - since <= kSpin) {
      if (!spins || since > queue.free_since[*spins]) spins = i;
    } else if (!sleeps || since < queue.free_since[*sleeps]) {
      sleeps = i;
    }
  }
  return spins ? *spins : *sleeps;
}

void SimulatedQueues::start_idle_servers(QueueState& queue) {
  while (queue.idle > 0 && queue.begin < queue.ready.size()) {
    const std::size_t server = next_server(queue);
    --queue.idle;
    start(take(queue), server, std::max(agenda_.now - queue.free_since[server], Duration(1)), {});
  }
}

// Returns the op of the queue that goes first. REQUIRES: it has one.
OpIndex SimulatedQueues::take(QueueState& queue) {
  if (!program_.settings.oldest_first) return queue.ready[queue.begin++];
  std::pop_heap(queue.ready.begin(), queue.ready.end(), later());
  const OpIndex op = queue.ready.back();
  queue.ready.pop_back();
  return op;
}

// The recorded time of the op, without the time for new memory that it does not write here, and with time for
// new memory that it writes only here. The order of a free and an allocation that are close together may
// differ from the recorded one. Then another op writes the new memory, and takes over the time that was
// saved.
Duration SimulatedQueues::take_new_memory(OpIndex index) {
  const Op& op = program_.ops[index];
  const NewBytes bytes = memory_.new_bytes_of(index);
  if (bytes.simulated == bytes.recorded) return op.duration;
  const Queue& queue = program_.queues[op.queue];
  NewMemoryTime& saved = queues_[op.queue].saved;
  if (bytes.simulated < bytes.recorded) {
    const std::int64_t unused = bytes.recorded - bytes.simulated;
    const double share = static_cast<double>(unused) / static_cast<double>(bytes.recorded);
    const Duration time = std::min(scaled(op.new_time, share), op.duration);
    saved.bytes = wrapping_sum(saved.bytes, unused);
    add_time(saved.time, time);
    return op.duration - time;
  }
  const std::int64_t more = bytes.simulated - bytes.recorded;
  const std::int64_t from_saved = std::clamp<std::int64_t>(saved.bytes, 0, more);
  Duration time = scaled(Duration(1), static_cast<double>(more - from_saved) * queue.new_ns_per_byte);
  if (from_saved > 0) {
    const double share = static_cast<double>(from_saved) / static_cast<double>(saved.bytes);
    const Duration taken_over = scaled(saved.time, share);
    saved.bytes -= from_saved;
    saved.time -= taken_over;
    time += taken_over;
  }
  return op.duration + time;
}

// How long the op takes. A worker that wakes a frontend does so within its next op.
Duration SimulatedQueues::take_duration(OpIndex index, std::optional<Idle> wakes) {
  const Op& op = program_.ops[index];
  const Duration duration = take_new_memory(index);
  if (op.wakes == wakes.has_value()) return duration;
  if (op.wakes) return std::max(duration - op.wake_time, Duration{});
  return duration + program_.queues[op.queue].wake_times.of(*wakes);
}

// `idle`: how long the server had been idle; 0: it has just ended an op.
void SimulatedQueues::start(OpIndex index, std::size_t server, Duration idle, std::optional<Idle> wakes) {
  const Op& op = program_.ops[index];
  QueueState& queue = queues_[op.queue];
  queue.free_since[server] = Duration::max();
  const auto parts = program_.parts_of(index);
  const Idle how_long = idle_of(idle);
  last_started_ = index;
  last_idle_ = how_long;
  const Duration delay =
      how_long == op.start_idle ? op.start_delay : program_.queues[op.queue].start_delays.of(how_long);
  const double factor = options_.queue_factors.empty() ? 1 : options_.queue_factors[op.queue];
  const Duration begin = agenda_.now + delay, end = begin + scaled(take_duration(index, wakes), factor);
  if (program_.settings.allocates_at_execution) {
    const Duration first_ends = parts.empty() ? end : begin + scaled(parts.front().duration, factor);
    allocate(index, begin, std::min(first_ends, end));
  }
  if (agenda_.counts) add_time(out_.busy[op.queue], end - begin);
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
    agenda_.add(std::min(part_begins, end), DueKind::kPart,
                program_.first_part[index] + static_cast<std::uint32_t>(i));
  }
  agenda_.add(end, DueKind::kOpEnds, index, static_cast<std::uint32_t>(server));
}

// The op, or its first part, runs in [begin, end). It allocates its memory before its end, also if it takes
// no time: ends come first, and a block that is allocated after its last user's end would never be freed.
void SimulatedQueues::allocate(OpIndex op, Duration begin, Duration end) {
  const Duration at = std::min(begin, end - Duration(1));
  if (at > agenda_.now) {
    agenda_.add(at, DueKind::kOpAllocates, op);
  } else {
    memory_.allocate_first(op);
  }
}

void SimulatedQueues::start_next(QueueState& queue, std::size_t server, std::optional<Idle> wakes) {
  if (queue.begin == queue.ready.size()) {
    queue.ready.clear();
    queue.begin = 0;
    queue.free_since[server] = agenda_.now;
    ++queue.idle;
    return;
  }
  start(take(queue), server, Duration{}, wakes);
}

// The time has come at which the op should end. An op that was late beside a frontend is late again if a
// frontend runs now, and one that was late as memory grew, if enough has been live (has_grown()).
bool SimulatedQueues::delay_if_late(const Due& due) {
  const Op& op = program_.ops[due.index];
  if (op.lateness <= Duration{}) return false;
  if (op.late_live_bytes > 0 ? !memory_.has_grown(due.index) : agenda_.running_frontends == 0) return false;
  if (!late_.insert(due.index).second) return false;  // it was, and now it ends
  const Duration end = agenda_.now + op.lateness;
  if (agenda_.counts) add_time(out_.busy[op.queue], op.lateness);
  if (options_.keep_times) {
    out_.timeline.ops[due.index].ended = end;
    out_.timeline.ops[due.index].late = true;
  }
  agenda_.add(end, DueKind::kOpEnds, due.index, due.server);
  return true;
}

void SimulatedQueues::end(OpIndex op) {
  ended_[op] = 1;
  while (oldest_ < order_.size() && ended_[order_[oldest_]] != 0) ++oldest_;
}

void SimulatedQueues::go_on(const Due& due, std::optional<Idle> wakes) {
  const OpIndex op = due.index;
  QueueState& queue = queues_[program_.ops[op].queue];
  // The server takes the op that has waited longest. What becomes ready now comes after it.
  ending_ = &queue;
  release_successors(op);
  ending_ = nullptr;
  start_next(queue, due.server, wakes);
  start_idle_servers(queue);
}

}  // namespace runahead::predict
