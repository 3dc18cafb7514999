// What a recording says about its process: who it is, and which clock it used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "instrumentation/merge/clock_alignment.h"
#include "instrumentation/trace/metadata.h"

namespace runahead::merge {

using trace::Metadata;

struct ProcessFacts {
  std::int64_t pid = 0;              // 0: unknown
  std::optional<std::int64_t> rank;  // of MPI or torchrun
  // number of ranks of the program, if the trace states it
  std::optional<std::int64_t> world_size{};
  std::string name;  // given by the process, else the program's file name; empty: unknown
  std::string host;
};

// The clock of a recording. Times in the recording are ns since the origin.
struct ClockFacts {
  std::string boot;                              // identifies the machine and its start; empty: unknown
  std::optional<std::uint64_t> origin_tsc;       // the CPU's time stamp counter at the origin
  double tsc_per_s = 0;                          // with origin_tsc
  std::optional<std::int64_t> origin_monotonic;  // CLOCK_MONOTONIC at the origin, in ns
};

[[nodiscard]] ProcessFacts process_facts_of(const Metadata& metadata);
[[nodiscard]] ClockFacts clock_facts_of(const Metadata& metadata);

// The map from the clock `of` to the clock `reference`, if both processes ran on one machine since one start
// of it. All its processes read the same time stamp counter, so the map is exact: also a difference between
// the rates that the two processes have measured is removed. If a process did not read the counter, the map
// uses CLOCK_MONOTONIC. nullopt: the clocks have nothing in common.
[[nodiscard]] std::optional<ClockMap> shared_clock(const ClockFacts& of, const ClockFacts& reference);

// "rank 2: mpi_ring (4711)"; without a rank "mpi_ring (4711)".
[[nodiscard]] std::string name_of_process(const ProcessFacts& facts);

}  // namespace runahead::merge
