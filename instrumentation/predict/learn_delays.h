// When the engine learned of the end of an op on a stream. A simulated device, and a GPU, say afterwards when
// an op ended; only when the engine learns of it may a frontend go on that a barrier ops:k or bytes:k holds.
// The holds of a run say how late this was. And which ops of simulated devices were late. Internal to
// predict.
#pragma once

#include <span>
#include <vector>

#include "instrumentation/predict/program/program.h"
#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// The barrier policy held a frontend before it enqueued the op.
struct BarrierHold {
  OpIndex op = kNone;
  TimeRange time{};
  OpIndex released_by = kNone;  // the op whose end ended the hold, if the recording says so
};

// Sets Op::learn_delay of ops on streams.
//   holds  of all frontends, by the barrier Settings::recorded_barrier
//   rows   of Program::ops
// O((ops + holds) * log(ops)).
void find_learn_delays(std::span<const BarrierHold> holds, std::span<const trace::OpRow> rows,
                       Program& program);

// The live and the reserved bytes of a simulated device in the recording. Null: not known.
struct PoolCounters {
  const trace::CounterSeries* live = nullptr;
  const trace::CounterSeries* reserved = nullptr;
};
// Of each queue.
[[nodiscard]] std::vector<PoolCounters> pools_of(const trace::Trace& trace, const Program& program);

// Takes Op::lateness out of Op::duration, for the ops that were late (trace::kSliceLate) while their device
// took new memory of the system, and for those at whose modelled end a frontend ran: then the frontend had a
// part in it. The modelled time of an op depends on its name and size. So the lateness is what the op took
// beyond the median of those that were not late. If all were late, the modelled time is not known, and the
// lateness stays 0.
//   rows    of Program::ops
//   waits   of each frontend: when it waited, was paused, had not begun, or had ended; disjoint, sorted
//   pools   of each queue: the counters of its device
//   begin   of the program, in the recording
// O(ops * log(ops + waits) + late ops * blocks of samples).
void find_lateness(std::span<const trace::OpRow> rows, std::span<const std::vector<TimeRange>> waits,
                   std::span<const PoolCounters> pools, Timestamp begin, Program& program);

}  // namespace runahead::predict
