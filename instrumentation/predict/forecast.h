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

// One for each policy, in order; also for the policy that the run has. Does not ask whether the replay is
// trusted(): if it is not, do not show them. REQUIRES: the replay is of a run of our engine. Any thread.
// O(policies * simulate()).
[[nodiscard]] std::vector<PolicyForecast> forecast(const Replay& replay,
                                                   std::span<const BarrierPolicy> policies);

}  // namespace runahead::predict
