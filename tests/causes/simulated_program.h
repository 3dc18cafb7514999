// A random program that launches kernels and copies on several streams of one GPU, records events, lets
// streams wait for them, and synchronises. It is simulated with the rules of CUDA's documentation, so the
// test knows what each call waited for. The simulation shares no code with instrumentation/causes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/base/time.h"
#include "instrumentation/trace/trace.h"

namespace runahead::testing {

struct SimulatedWork {
  std::int64_t launch = 0, begin = 0, end = 0;  // ns
  int stream = 0;
  bool copy = false;
  int before = -1;  // the work that had to end first, of those that decided its begin; -1: its launch decided
};

struct SimulatedWait {
  std::string call;
  std::int64_t begin = 0, end = 0;
  int awaited = -1;  // index of the work; -1: nothing ran any more
  std::int64_t running = 0, copying = 0, queued = 0, finished = 0, wake_up = 0;
};

struct SimulatedProgram {
  trace::Trace trace;
  std::vector<SimulatedWork> works;
  std::vector<SimulatedWait> waits;  // in the order of the calls
};

struct SimulationOptions {
  std::uint64_t seed = 1;
  int calls = 400, streams = 4;
  // The trace has the records of synchronisations that PyTorch's profiler can write (cuda_sync).
  bool with_records = false;
  // To compare programs that differ in one thing: each call has random numbers of its own.
  bool seeded_calls = false;
  std::string without_call{};  // this call is not made: "cudaDeviceSynchronize"
  double kernel_factor = 1;    // of the time of kernels
  double host_factor = 1;      // of the host's time between calls
  bool waits = true;           // false: the host never waits
  bool as_graph = false;       // after the first launch, calls and the time between them take no time
};

[[nodiscard]] SimulatedProgram simulate_program(const SimulationOptions& options);

}  // namespace runahead::testing
