// find_part(): the part of a run from which a prediction is read: steps that have finished, one after
// another, under one set of settings. Internal to predict.
//
// The frontends may be far ahead of the devices. Then the frontends performed the steps of the part long
// before the devices executed them:
//
//   frontends  ....[ steps of the part ]..............................
//   devices    .......................................[ their ops ]...
//                   ^steps.begin                      ^from
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "instrumentation/predict/read_program.h"

namespace runahead::predict {

struct RunPart {
  TimeRange steps{};  // on the frontends: from the begin of the first step to the end of the last one
  // When the step before the part had finished, but not before steps.begin. From then on, the devices worked
  // on the part, and the ops in flight were those of the part.
  Timestamp from{};
  BarrierPolicy barrier;
  std::string note;  // a sentence: which part it is; empty: nothing to say
};

// True if the barrier changed after the start of the run.
[[nodiscard]] bool barrier_changed(const trace::Trace& trace);

// With options.most: the last steps that finished within this time, since the last change of the barrier and
// the last pause. Else: the steps between two changes of the barrier, where these are most. Error: it has
// fewer than kLeastSteps steps. O(log n + instants of marks + steps of the part).
inline constexpr std::size_t kLeastSteps = 4;
[[nodiscard]] Result<RunPart> find_part(const trace::Trace& trace, const ReadOptions& options);

}  // namespace runahead::predict
