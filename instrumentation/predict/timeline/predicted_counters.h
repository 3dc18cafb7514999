// What a recording derives from the ops and steps of a run, for a predicted timeline: where the life of each
// op is drawn, and the rate of steps. Internal to predict.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::predict {

// The lane of each of `ops`, whose lives are from enqueue to end; kNone: all lanes were in use, as in a
// recording. REQUIRES: `ops` are sorted by their enqueue. O(n * log n).
[[nodiscard]] std::vector<std::uint32_t> lanes_of_lives(std::span<const OpIndex> ops,
                                                        std::span<const OpTimes> times);

// Steps per second, as a recording has them: a value every 100 ms, from the steps of the last 200 ms.
//   finished  the number of finished steps over time
//   end       of the run
[[nodiscard]] std::vector<trace::CounterSample> steps_per_second(std::span<const Sample> finished,
                                                                 Duration end);

// Bytes per second of all copies together, at each time at which a copy begins or ends. The bytes of a copy
// are spread evenly over its time.
struct PredictedCopy {
  Duration begin{}, end{};  // begin < end
  std::int64_t size_bytes = 0;
};
[[nodiscard]] std::vector<trace::CounterSample> copy_bandwidth(std::span<const PredictedCopy> copies);

}  // namespace runahead::predict
