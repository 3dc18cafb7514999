// What waking a thread costs the thread that wakes it, and what a thread loses because it slept.
// The time that a worker needs to wake a frontend: when an op ends a wait, its worker wakes the thread that
// waited, and only then goes on with its next op: the recording counts this within the next op. It takes 5
// to 40 us: the kernel sends an interrupt to an idle processor, or lets the woken thread run first. Under
// another barrier other ops wake the frontends.
// The time that a frontend needs to wake a worker: 4 to 8 us after an enqueue. A frontend that runs far ahead
// finds the worker busy, and wakes nobody.
// The time by which a frontend is slower after it slept: 10 to 60 us until its next enqueue, as caches are
// cold and the processor's clock is low. Under another barrier it sleeps elsewhere. Internal to predict.
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

// Used for a kind of idle worker of which a run has no or few examples. Measured on an Intel Xeon. A worker
// that was idle for a short time spins: nobody wakes it.
inline constexpr Delays kUsualEnqueueWakes{{Duration(0), Duration(0), Duration(6'000), Duration(8'000)}};

// Sets Event::ready_at_once, after_wait and wake_time of the enqueues, takes this time out of Event::before,
// and sets Queue::enqueue_wakes, for workers. Method: an enqueue wakes a worker if its op is ready at once,
// the worker is idle, and begins later than one that spins. The time from such an enqueue to the next event
// is compared with the median after other enqueues of ops of this name and size. A frontend that waits for
// each op may share a processor with the worker. Then the worker does not spin, and each enqueue wakes it. So
// the times after a wait say nothing about a frontend that does not wait. Streams have none: the thread of a
// simulated device may be asleep while the device is busy.
//   begin  what the frontends did before this has no times (start_in_middle())
//   rows   of Program::ops
// REQUIRES: find_delays() was called, find_slow_starts() was not. O((events + dependencies) * log(events)).
void find_enqueue_wakes(std::span<Frontend> frontends, Timestamp begin, std::span<const trace::OpRow> rows,
                        Program& program);

// Sets Event::slow_start and Event::after_sleep of the frontends, and `after_sleep`, which is the median for
// a frontend that slept; 0 if the run does not show it. Method: the time from a wait of kind Idle::kLong
// until the next enqueue is compared with the median of the times before such an enqueue that follows another
// one. O(events * log(events)).
void find_slow_starts(std::span<Frontend> frontends, std::span<const Op> ops, Duration& after_sleep);

}  // namespace runahead::predict
