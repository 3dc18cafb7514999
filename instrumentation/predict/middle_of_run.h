// start_in_middle(): the program of a part of a run in the state that the run had when the devices began to
// work on the part. Internal to predict.
#pragma once

#include <span>
#include <vector>

#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// What is known about the run at that time.
struct MiddleOfRun {
  Timestamp at{};
  std::span<const trace::OpRow> rows;  // of each op
  std::span<const TimeRange> lives;    // of each block; end: Timestamp::max() if it is not known
  std::vector<Frontend> frontends;     // they perform at once what they had performed by then
};

// `program` begins with the part. Its Program::done are the ops from before the part: here they are in
// flight.
[[nodiscard]] Program start_in_middle(const Program& program, MiddleOfRun run);

}  // namespace runahead::predict
