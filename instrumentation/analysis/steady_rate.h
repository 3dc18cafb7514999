// SteadyRate: whether the steps in a range had a steady rate, in which part of the range, and how high the
// rate was. Warm-up (memory that is touched for the first time) and the noise of a busy machine change the
// rate. Two rates are compared only if both are steady. The functions are pure; any thread may call them on a
// snapshot.
//
// Method: the range is divided into half seconds, and the rate of steps is computed for each. The steady part
// is the longest sequence of half seconds whose rates all agree within kAgreement. A steady part must have at
// least kLeastWindows half seconds. Of two equally long sequences, the later is used. Between the ends of two
// steps, the number of finished steps is interpolated. Otherwise the rate of slow steps would look uneven.
#pragma once

#include <cstddef>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct SteadyRate {
  static constexpr Duration kWindow = std::chrono::milliseconds(500);
  static constexpr std::size_t kLeastWindows = 4;
  static constexpr double kAgreement = 0.05;  // largest allowed (fastest - slowest) / fastest
  static constexpr double kLeastSteps = 8;    // a steady part must have at least this many steps

  bool settled = false;
  TimeRange range{};       // the steady part; empty if `settled` is false
  double steps_per_s = 0;  // rate of steps in the steady part
  double spread = 0;  // half of the difference between the fastest and the slowest half second, in steps/s
};

// Returns the steady rate in `range`. An incomplete half second at the end does not count. O(half seconds *
// log(samples)).
[[nodiscard]] SteadyRate steady_rate(const trace::Trace& trace, TimeRange range);

// Returns the number of steps finished by `t`, interpolated between the ends of steps. 0 if the trace has no
// counter of finished steps.
[[nodiscard]] double steps_finished_by(const trace::Trace& trace, Timestamp t);
// Returns the end of the last step that ended by the end of `range`. If no step ended, returns the start of
// `range`.
[[nodiscard]] Timestamp last_step_end(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
