// When the engine learned of the end of an op on a stream. A simulated device, and a GPU, say afterwards when
// an op ended; only when the engine learns of it may a frontend go on that a barrier ops:k or bytes:k holds.
// The holds of a run say how late this was. Internal to predict.
#pragma once

#include <span>
#include <vector>

#include "instrumentation/predict/program/program.h"
#include "instrumentation/trace/rows/slice.h"

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

}  // namespace runahead::predict
