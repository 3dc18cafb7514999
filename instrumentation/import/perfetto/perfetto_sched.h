// Scheduling: which thread ran on which cpu, and when. The kernel reports each switch of a cpu from one
// thread to the next. The time between two switches is a run of a thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/import/perfetto/perfetto_decoded.h"
#include "instrumentation/import/perfetto/perfetto_tasks.h"

namespace runahead::importers::perfetto {
using namespace trace;

struct SchedSwitch {
  ClockTime time;
  // the thread that ran before; nullopt: unknown, because the compact form of a switch does not state it
  std::optional<std::int64_t> prev_tid;
  // the state of that thread when it left the cpu, as the bits that the kernel uses
  std::int64_t prev_state = 0;
  std::int64_t next_tid = 0;  // 0: idle
  std::int32_t next_prio = 0;
};

class SchedBook {
 public:
  void add(std::uint32_t cpu, const SchedSwitch& told) { cpus_[cpu].push_back(told); }

  // Makes the runs, on a track for each cpu. Idle time makes no run. A run without an end (the last run on a
  // cpu) stays open. A switch that ends a run may also name the thread that ran before. If this is not the
  // thread of the run, the run has no end state, and the end is counted as a loss (kUnmatchedEnd). Removes
  // the collected switches. REQUIRES: tasks.resolve() was called.
  void make_runs(Decoded& out, const TaskBook& tasks);

 private:
  std::map<std::uint32_t, std::vector<SchedSwitch>> cpus_;
};

// Returns the end state of a run as text, such as "R", "S", "D" or "R+", in the notation of /proc and trace
// viewers. Several bits give several letters.
[[nodiscard]] std::string end_state_text(std::int64_t bits);

}  // namespace runahead::importers::perfetto
