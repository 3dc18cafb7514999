// forecast(): what a run would do with other barriers once it has settled, from the part of it that was read.
// It is meant for a run that goes on: one simulation for each barrier, and no more.
//
// The rate is that at which steps finish after the first quarter of the part. Its interval comes from the
// same simulation: twice the standard deviation of four groups of these steps, and the drift of the replay.
//
// With some barriers, such as none, the run-ahead grows until the safety limit holds the frontend. The part
// is usually too short to see it. Then the memory and the run-ahead are extrapolated to the limit: each step
// more in flight needs as much memory as those in the second half of the part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "instrumentation/base/barrier.h"
#include "instrumentation/predict/prediction.h"

namespace runahead::predict {

struct PolicyForecast {
  BarrierPolicy policy;
  double steps_per_s = 0, low = 0, high = 0;  // low <= steps_per_s <= high
  std::int64_t peak_bytes = 0;                // the sum over the devices; not known without Program::memories
  std::int64_t max_steps = 0;                 // the most steps begun and not finished
  // Only none: the run-ahead grows until the safety limit. peak_bytes and max_steps are those at the limit.
  // If the engine has no limit, they are those at the end of the part.
  bool grows = false;
};

// The settled figures of `program`, which is that of the replay with changes, and `outcome` its simulation.
// policy: that of the program.
[[nodiscard]] PolicyForecast forecast_of(const Replay& replay, const Program& program,
                                         const Outcome& outcome);

// The figures of one simulation: those of the whole of it, or of a replay that is_recent() the settled ones.
struct RunFigures {
  double steps_per_s = 0;
  std::int64_t peak_bytes = 0;  // as PolicyForecast::peak_bytes
  Interval interval;            // only if the replay is_recent()
};
[[nodiscard]] RunFigures run_figures(const Replay& replay, const Program& program, const Outcome& outcome);

// One for each policy, in order; also for the policy that the run has. Does not ask whether the replay is
// trusted(): if it is not, do not show them. REQUIRES: the replay is of a run of our engine. Any thread.
// O(policies * simulate()).
[[nodiscard]] std::vector<PolicyForecast> forecast(const Replay& replay,
                                                   std::span<const BarrierPolicy> policies);

// nullptr: there is none for this policy.
[[nodiscard]] const PolicyForecast* find_forecast(std::span<const PolicyForecast> forecasts,
                                                  const BarrierPolicy& policy);

// The part of a run that goes on from which predictions are made: its last seconds with this barrier, and not
// more ops than nine forecasts can simulate within about 50 ms.
[[nodiscard]] ReadOptions recent_part(const BarrierPolicy& barrier);

}  // namespace runahead::predict
