// The frontends in a simulation: their events, steps, waits and the barriers that hold them. Internal to
// predict/simulation. The waits are in simulated_waits.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "instrumentation/predict/program/program.h"
#include "instrumentation/predict/simulation/agenda.h"
#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/predict/simulation/simulated_memory.h"
#include "instrumentation/predict/simulation/simulated_queues.h"

namespace runahead::predict {

class SimulatedFrontends {
 public:
  // All arguments must outlive this. `out` gets the steps, the run-ahead, `blocked` and, with keep_times, the
  // times of the events.
  SimulatedFrontends(const Program& program, const SimulateOptions& options, Agenda& agenda,
                     SimulatedMemory& memory, SimulatedQueues& queues, Outcome& out);

  // The first event of each frontend is due.
  void begin();
  // The time of the frontend's next event has come, or its wait is over.
  void resume(std::uint32_t frontend);
  // The op has ended: a step may be finished, and frontends may go on. Returns how long they had waited (the
  // longest, if several go on); nullopt: none goes on.
  std::optional<Idle> end_op(OpIndex op);
  // The engine learns of the end of the op: a limit on run-ahead may let frontends go on.
  std::optional<Idle> learn_of(OpIndex op);
  // Fills `out`. REQUIRES: nothing is due any more, or the time has ended.
  void finish();

 private:
  enum class Wait : std::uint8_t { kNo, kOp, kAll, kStep, kAdmission, kSet, kSignal };
  // kWoken: the wait of the event `next` was a sleep. kFirst: `next` is the first event after it. kSlow: no
  // op was enqueued since.
  enum class Sleep : std::uint8_t { kNo, kWoken, kFirst, kSlow };
  struct FrontendState {
    std::size_t next = 0;  // event
    Duration now{};
    Wait wait = Wait::kNo;
    std::uint32_t awaited = kNone;  // kOp: op; kAll: the number of ops enqueued; kStep: step; kSet, kSignal
    std::uint32_t ended = 0;        // kSet: the first ops of the set have ended
    Duration wait_began{};
    Duration blocked{};        // in all waits
    bool under_limit = false;  // kAdmission: by the safety limit
    bool waited = false;       // the wait of the event `next` is over: now perform it
    Sleep sleep = Sleep::kNo;
    bool after_wait = false;  // it waited since its previous enqueue, perhaps for no time
    Duration wake_time{};     // before the event `next`: to wake the worker that executes what was enqueued
    std::vector<std::uint32_t> steps;  // begun, by their order
    std::uint32_t open_step = kNone;
    std::uint32_t rank = 0;
  };
  struct StepState {
    std::int64_t outstanding = 0;
    bool open = true;
    bool counts = true;  // false: of another rank than the first
  };

  [[nodiscard]] Duration time_before(std::uint32_t frontend, const Event& event) const;
  void proceed(std::uint32_t frontend);
  bool perform(std::uint32_t frontend, const Event& event);
  void end_event(std::uint32_t frontend);
  bool enqueue(FrontendState& state, const Event& event);
  [[nodiscard]] Duration time_to_wake(const Event& enqueue, bool after_wait, Idle idle) const;
  void leave_out(OpIndex op);
  bool begin_step(FrontendState& state, const Event& event);
  void end_step(FrontendState& state);
  void finish_if_done(std::uint32_t step);

  bool apply_barrier(FrontendState& state, const Event& event);
  bool wait_for(FrontendState& state, const Event& event, Wait wait, std::uint32_t awaited);
  [[nodiscard]] bool is_over(FrontendState& state) const;
  [[nodiscard]] bool set_has_ended(FrontendState& state) const;
  [[nodiscard]] bool admits(std::int64_t ops, std::int64_t bytes, std::int64_t op_bytes) const;
  [[nodiscard]] bool admitted(bool under_limit, bool resumes, std::int64_t bytes) const;
  [[nodiscard]] Duration cost_of(const FrontendState& state, const Event& event,
                                 Duration learned_after) const;
  [[nodiscard]] Duration time_to_read(OpIndex op) const;
  void begin_wait() {
    ++waiting_;
    --agenda_.running_frontends;
  }
  void signal(std::uint32_t signal);
  std::optional<Idle> wake(OpIndex ended);

  const Program& program_;
  const SimulateOptions& options_;
  Agenda& agenda_;
  SimulatedMemory& memory_;
  SimulatedQueues& queues_;
  Outcome& out_;
  std::vector<FrontendState> frontends_;
  std::size_t waiting_ = 0;             // frontends
  std::vector<std::uint32_t> step_of_;  // of each op
  std::vector<StepState> steps_;
  std::vector<std::uint32_t> open_step_;  // of any frontend of each rank
  std::vector<std::uint8_t> signalled_;
  std::int64_t steps_to_finish_ = 0;
  bool figures_of_steps_ = false;                 // Program::figures_of_steps, and it has steps
  std::size_t first_quarter_ = 0;                 // steps
  std::int64_t known_ops_ = 0, known_bytes_ = 0;  // in flight, by what the engine has learned
  std::int64_t in_flight_ops_ = 0, in_flight_bytes_ = 0, in_flight_steps_ = 0;
};

}  // namespace runahead::predict
