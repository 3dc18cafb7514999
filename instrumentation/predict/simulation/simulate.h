// simulate(): runs a Program again, and says how long it took, how much memory it held and how far its
// frontends ran ahead. Method: a simulation of discrete events, with the rules of the engine:
//
// - A frontend performs its events in program order. A barrier waits for what it covers in the simulation.
// - An op is ready when it has been enqueued and all ops that it depends on have ended. A queue starts ready
//   ops in the order in which they became ready (or were enqueued), one for each server.
// - With Settings::of_graph, an op is ready at the later of two times: its enqueue + enqueue_delay, and the
//   end of the last op that it depends on + ready_delay.
// - The limits on run-ahead hold a frontend before it enqueues. They count an op as in flight until its end +
//   learn_delay. The safety limit lets it go when a sixteenth
//   of the limit is free, a barrier ops:k or bytes:k as soon as one op fits.
// - A block is live from its op's enqueue (or begin) until the program has dropped it and all ops that use it
//   have ended. If the op has parts, its part begins and ends instead.
//
// Durations stay as they were: the model knows no contention.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// All times are since the begin of the run.
struct OpTimes {
  Duration enqueued{}, ready{}, started{}, ended{};
  std::uint32_t server = 0;  // of its queue
  bool ran = false;          // false: the policy left it out
  bool late = false;         // Op::lateness is part of its time
};
// When the frontend came to an event, and when it was done: a wait lies between them.
struct EventTimes {
  Duration begin{}, end{};
  std::uint32_t released_by = kNone;  // the op whose end ended the wait; kNone: it did not wait
};
struct BlockTimes {
  // max(): not in the run
  Duration begin = Duration::max(), dropped = Duration::max(), end = Duration::max();
};
// A value that changed.
struct Sample {
  Duration at{};
  std::int64_t value = 0;
};
// What happened when; only with SimulateOptions::keep_times.
struct Timeline {
  std::vector<OpTimes> ops;
  std::vector<std::vector<EventTimes>> events;  // of each frontend
  std::vector<BlockTimes> blocks;
  std::vector<std::vector<Sample>> live_bytes;  // of each memory
  std::vector<Sample> steps_in_flight, steps_finished;
};

// The state at the begin of a step.
struct StepBegin {
  Duration at{};
  std::int64_t steps = 0, ops = 0, bytes = 0;  // in flight; bytes: of the outputs of ops
  std::int64_t live_bytes = 0;                 // of all devices
};

struct Outcome {
  Duration length{};      // until the last op and the last event of a frontend have ended
  Duration steps_time{};  // as Program::figures_of_steps says; blocked, peak_bytes and busy are of this time
  std::int64_t steps = 0;
  Duration blocked{};                    // the waits of the frontend that waited longest
  std::int64_t max_ops = 0;              // the most ops enqueued and not ended
  std::int64_t max_bytes = 0;            // their most bytes of outputs
  std::int64_t max_steps = 0;            // the most steps begun and not finished
  std::vector<std::int64_t> peak_bytes;  // of each of Program::memories
  std::vector<Duration> busy;            // of each queue: the time of all its servers
  // The settled run: after the first quarter of the steps has finished, and until the last step has. Before,
  // the begin of the program has an effect. Zero if fewer than two steps finished.
  double settled_steps_per_s = 0;
  std::int64_t settled_peak_bytes = 0;  // the sum over the devices
  std::vector<Duration> step_ends;      // when each step finished, in this order
  std::vector<StepBegin> step_begins;   // in the order of time
  Timeline timeline;
  std::uint64_t ops_run = 0;
  bool stuck = false;  // a wait can never end: the Program contradicts itself

  [[nodiscard]] double steps_per_s() const;
  [[nodiscard]] double blocked_ratio() const;
  [[nodiscard]] std::int64_t total_peak_bytes() const;  // the sum over the devices
};

struct SimulateOptions {
  bool keep_times = false;
  // Multiplies the time of each queue's ops, and each frontend's own time; empty: by 1. A frontend that a
  // change added: by 1.
  std::vector<double> queue_factors{};
  std::vector<double> frontend_factors{};
};

// O((ops + events + dependencies) * log(servers + frontends)).
[[nodiscard]] Outcome simulate(const Program& program, const SimulateOptions& options = {});

}  // namespace runahead::predict
