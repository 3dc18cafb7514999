// SteadyRate: whether the steps in a range came at a steady rate, when, and how fast. Warm-up (memory that is
// touched for the first time) and the noise of a busy machine change the rate; a rate is compared with
// another only where both are steady. Pure; any thread on a snapshot.
//
// Method: the range is cut into half seconds. The steady part is the longest sequence of at least
// kLeastWindows half seconds whose rates all agree within kAgreement; of two equally long ones the later.
// Within a step the count of steps is interpolated, so that slow steps do not look uneven.
#pragma once

#include <cstddef>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct SteadyRate {
  static constexpr Duration kWindow = std::chrono::milliseconds(500);
  static constexpr std::size_t kLeastWindows = 4;
  static constexpr double kAgreement = 0.05;  // (fastest - slowest) / fastest
  static constexpr double kLeastSteps = 8;    // fewer steps say too little

  bool settled = false;
  TimeRange range{};       // the steady part; empty if not settled
  double steps_per_s = 0;  // in the steady part
  double spread = 0;       // half the difference between its fastest and its slowest half second, in steps/s
};

// The last, incomplete half second does not count. O(half seconds * (log(samples) + half seconds of the
// steady part)).
[[nodiscard]] SteadyRate steady_rate(const trace::Trace& trace, TimeRange range);

// Number of steps finished by `t`, interpolated between the ends of steps. 0 without a counter of steps.
[[nodiscard]] double steps_finished_by(const trace::Trace& trace, Timestamp t);
// The last end of a step up to the end of `range`; its begin if there is none.
[[nodiscard]] Timestamp last_step_end(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
