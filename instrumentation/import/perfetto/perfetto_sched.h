// Scheduling: which thread ran on which cpu, and when. The kernel tells each switch of a cpu from one thread
// to the next; what lies between two switches is one run of a thread.
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
  std::optional<std::int64_t> prev_tid;  // compact switches do not say it: who ran before
  std::int64_t prev_state = 0;           // in which the thread before left the cpu, as the kernel's bits
  std::int64_t next_tid = 0;             // 0: idle
  std::int32_t next_prio = 0;
};

class SchedBook {
 public:
  void add(std::uint32_t cpu, const SchedSwitch& told) { cpus_[cpu].push_back(told); }

  // Makes the runs, on a track for each cpu. What was idle is none. A run whose end was not told is open; one
  // that another thread is said to have ended lacks its end state, and counts as an unmatched end.
  // REQUIRES: tasks.resolve() was called. Takes the switches.
  void make_runs(Decoded& out, const TaskBook& tasks);

 private:
  std::map<std::uint32_t, std::vector<SchedSwitch>> cpus_;
};

// "R", "S", "D", "R+": as /proc and trace viewers write states; several bits as several letters.
[[nodiscard]] std::string end_state_text(std::int64_t bits);

}  // namespace runahead::importers::perfetto
