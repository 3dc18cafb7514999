// The units of measured values, and their text.
#pragma once

#include <cstdint>
#include <string>

namespace runahead::samples {

enum class ResultUnit : std::uint8_t {
  kNumber,
  kSeconds,
  kMicroseconds,
  kNanoseconds,
  kBytes,
  kBytesPerSecond,
  kFlopPerSecond,
  kRatio,  // "x0.23"
  kShare,  // 0.98 -> "98 %"
  kYesOrNo,
};

[[nodiscard]] std::string result_text(double value, ResultUnit unit);

}  // namespace runahead::samples
