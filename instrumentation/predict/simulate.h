// simulate(): runs a Program again, and says how long it took, how much memory it held and how far its
// frontends ran ahead. Method: a simulation of discrete events, with the rules of the engine:
//
// - A frontend performs its events in program order. A barrier waits for what it covers in the simulation.
// - An op is ready when it has been enqueued and all ops that it depends on have ended. A queue starts ready
//   ops in the order in which they became ready (or were enqueued), one for each server.
// - The limits on run-ahead hold a frontend before it enqueues. The safety limit lets it go when a sixteenth
//   of the limit is free, a barrier ops:k or bytes:k as soon as one op fits.
// - A block is live from its op's enqueue (or begin) until the program has dropped it and all ops that use it
//   have ended.
//
// Durations stay as they were: the model knows no contention.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/predict/program.h"

namespace runahead::predict {

// The four times of an op, since the begin of the run.
struct OpTimes {
  Duration enqueued{}, ready{}, started{}, ended{};
};

struct Outcome {
  Duration length{};  // from the first enqueue to the end of the last op or the last event of a frontend
  std::int64_t steps = 0;
  Duration blocked{};                    // the frontends' waits within steps
  std::int64_t max_ops = 0;              // the most ops enqueued and not ended
  std::int64_t max_bytes = 0;            // their most bytes of outputs
  std::int64_t max_steps = 0;            // the most steps begun and not finished
  std::vector<std::int64_t> peak_bytes;  // of each of Program::memories
  std::vector<Duration> busy;            // of each queue: the time of all its servers
  std::vector<OpTimes> times;            // of each op; only with SimulateOptions::keep_times
  std::uint64_t ops_run = 0;
  bool stuck = false;  // a wait can never end: the Program contradicts itself

  [[nodiscard]] double steps_per_s() const;
  [[nodiscard]] double blocked_ratio() const;
  [[nodiscard]] std::int64_t total_peak_bytes() const;  // the sum over the devices
};

struct SimulateOptions {
  bool keep_times = false;
  // Multiplies the time of each queue's ops, and each frontend's own time; empty: by 1.
  std::vector<double> queue_factors{};
  std::vector<double> frontend_factors{};
};

// O((ops + events + dependencies) * log(servers + frontends)).
[[nodiscard]] Outcome simulate(const Program& program, const SimulateOptions& options = {});

}  // namespace runahead::predict
