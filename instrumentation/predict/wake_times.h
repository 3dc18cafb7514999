// The time that a worker needs to wake a frontend. When an op ends a wait, its worker wakes the thread that
// waited, and only then goes on with its next op: the recording counts this within the next op. It takes 5
// to 40 us: the kernel sends an interrupt to an idle processor, or lets the woken thread run first. Under
// another barrier other ops wake the frontends. Internal to predict.
#pragma once

#include <span>

#include "instrumentation/predict/program/program.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::predict {

// The end of op `by` ended a wait of a frontend, which had lasted so long.
struct FrontendWake {
  OpIndex by = kNone;
  Idle waited = Idle::kNot;
};

// Used for a kind of wait of which a run has no or few examples. Measured on an AMD EPYC.
inline constexpr Delays kUsualWakeTimes{{Duration(0), Duration(6'000), Duration(8'000), Duration(15'000)}};

// Sets Op::wakes, Op::wake_time and Queue::wake_times of the workers that are not simulated. Method: the time
// of an op after a wake is compared with the median of the ops of its name and size that are not after one.
//   rows  of Program::ops
// REQUIRES: find_delays() was called. O((ops + wakes) * log(ops)).
void find_wake_times(std::span<const FrontendWake> wakes, std::span<const trace::OpRow> rows,
                     Program& program);

}  // namespace runahead::predict
