// Explanation: everything that `runahead explain` and the window say about the causes in a trace. It has its
// own copies of all texts, so it outlives the trace.
#pragma once

#include <string>
#include <vector>

#include "instrumentation/causes/communication.h"
#include "instrumentation/causes/critical_path.h"
#include "instrumentation/causes/findings.h"
#include "instrumentation/causes/idle_time.h"
#include "instrumentation/causes/steps.h"
#include "instrumentation/causes/synchronisation.h"

namespace runahead::causes {

// The idle time of a device within the steps of the program.
struct StepIdle {
  std::size_t count = 0;  // steps; 0: the trace names none, and the rest has no meaning
  IdleParts mean{};
  std::size_t worst = 0;  // index of the step in which the device was idle longest
  TimeRange worst_range;
  IdleParts worst_idle{};
};

struct StreamExplanation {
  std::string name;
  TrackId track = kNoTrack;
  Duration busy{};
  IdleParts idle{};  // busy + idle.total() is the length of the range
};

struct DeviceExplanation {
  std::string name;
  bool simulated = false;
  IdleReport report;
  StepIdle per_step{};
  std::vector<StreamExplanation> streams{};  // most busy first, at most ExplainOptions::most_streams
  std::size_t more_streams = 0;              // streams that worked in the range and are not in `streams`
  CommunicationTimes communication{};
};

struct Explanation {
  TimeRange range;
  Steps steps;
  std::vector<DeviceExplanation> devices;  // those that worked in the range
  std::vector<SyncGroup> synchronisations;
  SyncParts blocked;         // of all synchronisations
  double blocked_ratio = 0;  // of the main thread: its blocked time within the range
  CriticalPath path;
  std::vector<Finding> findings;
  EdgeCounts edges;
  std::vector<std::string> to_record;  // sentences: what the trace lacks, and how to record it

  // Share of the blocked time with a known cause; 1 if nothing was blocked.
  [[nodiscard]] double attributed_ratio() const;
};

struct ExplainOptions {
  std::size_t most_gaps = 1000;   // for each device
  std::size_t most_streams = 32;  // for each device
};

// O(n log n) for n slices. Any thread may call it on a snapshot.
[[nodiscard]] Explanation explain(const trace::Trace& trace, const ExplainOptions& options = {});
// The same for a graph that is there already. `all` are its synchronisations: find_synchronisations().
[[nodiscard]] Explanation explain(const Execution& execution, const std::vector<Synchronisation>& all,
                                  const ExplainOptions& options = {});

}  // namespace runahead::causes
