// The workers and streams in a simulation: when ops become ready, begin and end. Internal to
// predict/simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "instrumentation/predict/program/program.h"
#include "instrumentation/predict/simulation/agenda.h"
#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/predict/simulation/simulated_memory.h"

namespace runahead::predict {

class SimulatedQueues {
 public:
  // All arguments must outlive this. `out` gets the busy times and, with keep_times, the times of the ops.
  SimulatedQueues(const Program& program, const SimulateOptions& options, Agenda& agenda,
                  SimulatedMemory& memory, Outcome& out);

  // If an idle server takes the op at once: returns how long it had been idle.
  std::optional<Idle> enqueue(OpIndex op);
  // The op has never to run: as if it had ended.
  void leave_out(OpIndex op);
  // What the agenda says: an op is ready; an op ends. end() does not free the op's memory.
  void make_ready(OpIndex op);
  void end(OpIndex op);
  // False: the op ends now. True: it is late, and its end is due later.
  [[nodiscard]] bool delay_if_late(const Due& due);
  // After end(): other ops are ready, and the server takes the next one. `wakes`: the end woke a frontend,
  // which had waited so long.
  void go_on(const Due& due, std::optional<Idle> wakes);

  [[nodiscard]] bool has_ended(OpIndex op) const { return ended_[op] != 0; }
  [[nodiscard]] std::uint32_t enqueued() const { return static_cast<std::uint32_t>(order_.size()); }
  // All of the first `count` ops in the order of enqueueing have ended.
  [[nodiscard]] bool have_ended(std::uint32_t count) const { return oldest_ >= count; }

 private:
  // What ops with new memory in the recording saved, as their memory is not new here. Ops whose memory is new
  // only here take it over, before they take Queue::new_ns_per_byte.
  struct NewMemoryTime {
    std::int64_t bytes = 0;
    Duration time{};
  };
  struct QueueState {
    std::vector<std::uint32_t> ready;  // a ring that only grows at its end; a heap with oldest_first
    std::size_t begin = 0;
    std::vector<Duration> free_since;  // of each server; Duration::max(): busy
    int idle = 0;
    NewMemoryTime saved;
  };

  void release_successors(OpIndex op);
  void meet_condition(OpIndex op, Duration delay);
  void start(OpIndex op, std::size_t server, Duration idle, std::optional<Idle> wakes);
  void allocate(OpIndex op, Duration begin, Duration end);
  // Once for each op, as they change QueueState::saved.
  [[nodiscard]] Duration take_duration(OpIndex op, std::optional<Idle> wakes);
  [[nodiscard]] Duration take_new_memory(OpIndex op);
  void start_next(QueueState& queue, std::size_t server, std::optional<Idle> wakes);
  void start_idle_servers(QueueState& queue);
  [[nodiscard]] std::size_t next_server(const QueueState& queue) const;
  OpIndex take(QueueState& queue);
  [[nodiscard]] auto later() const {
    return [this](OpIndex a, OpIndex b) { return place_[a] > place_[b]; };
  }

  const Program& program_;
  const SimulateOptions& options_;
  Agenda& agenda_;
  SimulatedMemory& memory_;
  Outcome& out_;
  const Lists successors_;
  std::vector<std::uint32_t> pending_;  // of each op: what must happen before it is ready
  std::vector<Duration> ready_;         // when the op became ready
  std::vector<std::uint8_t> ended_;
  std::unordered_set<OpIndex> late_;  // their ends were due once, and are due again
  std::vector<std::uint32_t> place_;  // of each op: its place in order_
  std::vector<std::uint32_t> order_;  // enqueued ops
  std::size_t oldest_ = 0;            // all ops before this place have ended
  std::vector<QueueState> queues_;
  OpIndex last_started_ = kNone;
  Idle last_idle_ = Idle::kNot;   // of the server that took it
  QueueState* ending_ = nullptr;  // an op of this queue is ending
};

}  // namespace runahead::predict
