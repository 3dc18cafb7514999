// sweep(): one prediction for each value of a change, to choose a value: throughput against memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/predict/forecast.h"
#include "instrumentation/predict/prediction.h"

namespace runahead::predict {

struct SweepPoint {
  Change change;
  Prediction prediction;
};

// `text`: "KEY=A..B". KEY is window, ops or bytes (barriers with this number), or the key of a change whose
// value is a number. At most kMostSweep values: more are spread evenly over A..B, as powers if B is more than
// 64 times A. `changes` apply to all.
inline constexpr std::size_t kMostSweep = 33;
[[nodiscard]] Result<std::vector<SweepPoint>> sweep(const Replay& replay, std::string_view text,
                                                    const std::vector<Change>& changes);

// The point that needs the least memory of those within 2 % of the highest throughput. REQUIRES: not empty.
[[nodiscard]] std::size_t knee_of(std::span<const RunFigures> points);
[[nodiscard]] std::size_t knee_of(const std::vector<SweepPoint>& points);

// Error: `text` is no sweep, or its last value is wrong in any run. Needs no run.
[[nodiscard]] Status check_sweep(std::string_view text);

// A plot for a terminal: peak memory to the right, steps/s upwards. The knee is marked with K.
[[nodiscard]] std::string plot(const std::vector<SweepPoint>& points, std::size_t knee);

}  // namespace runahead::predict
