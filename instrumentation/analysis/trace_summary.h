// TraceSummary: a few figures of a whole trace (steps, busy devices, waits, peak memory). The strip at the
// bottom of the window shows them for an opened file that is not a run of this engine, such as a file of
// another tool. The functions are pure; any thread may call them on a snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/analysis/side_summary.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// The thread that waits longest, and its total time in slices of kind wait (one nested in another one does
// not count again). Calls of another kind that waited, such as short copies, do not count: to find them, the
// whole trace must be read (causes/synchronisation.h).
struct ThreadBlocked {
  std::string thread;
  Duration blocked{};
};

// The largest value of a counter of live bytes. `counter` is the name of the counter's track. Some tools
// count only the bytes allocated since the start of the trace, and say so in this name.
struct PeakBytes {
  std::string counter;
  double bytes = 0;
};

struct TraceSummary {
  Duration length{};                         // from the first to the last event
  std::uint64_t steps = 0;                   // number of step slices on threads, of one rank; 0: none
  Duration median_step{};                    // by nearest rank (nearest_rank.h); 0 if the trace has no steps
  Duration shortest_step{}, longest_step{};  // 0 if the trace has no steps
  std::vector<DeviceBusy> devices;           // devices that executed or copied something, sorted by name
  std::optional<ThreadBlocked> blocked;  // nullopt: the trace has no waits; perhaps waits were not recorded
  std::optional<PeakBytes> peak;         // peak of the counter with the largest peak; nullopt: no counter of
                                         // live bytes
};

// O(rows). nullopt: `progress` cancelled the work.
[[nodiscard]] std::optional<TraceSummary> summarize_trace(const trace::Trace& trace,
                                                          const SideProgress& progress = {});

}  // namespace runahead::analysis
