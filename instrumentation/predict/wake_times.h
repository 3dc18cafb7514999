// The time that a worker needs to wake a frontend. When an op ends a wait, its worker wakes the thread that
// waited, and only then goes on with its next op: the recording counts this within the next op. It takes 5
// to 40 us: the kernel sends an interrupt to an idle processor, or lets the woken thread run first. Under
// another barrier other ops wake the frontends.
// And the time by which a frontend is slower after it slept: 10 to 60 us until its next enqueue, as caches
// are cold and the processor's clock is low. Under another barrier it sleeps elsewhere. Internal to predict.
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

// Sets Event::slow_start and Event::after_sleep of the frontends, and `after_sleep`, which is the median for
// a frontend that slept; 0 if the run does not show it. Method: the time from a wait of kind Idle::kLong
// until the next enqueue is compared with the median of the times before such an enqueue that follows another
// one. O(events * log(events)).
void find_slow_starts(std::span<Frontend> frontends, std::span<const Op> ops, Duration& after_sleep);

}  // namespace runahead::predict
