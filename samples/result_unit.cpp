#include "samples/result_unit.h"

#include <cmath>
#include <cstdio>

#include "instrumentation/base/format.h"

namespace runahead::samples {

namespace {

std::string significant(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string duration_text(double ns) {
  if (std::abs(ns) >= 100) return format_duration(Duration{std::llround(ns)});
  char text[40];  // below 100 ns, integer nanoseconds are too coarse: a byte may cost 0.0521 ns
  std::snprintf(text, sizeof text, "%.3g ns", ns);
  return text;
}

std::string flop_rate_text(double flop_per_s) {
  char text[40];
  const bool tera = std::abs(flop_per_s) >= 1e12;
  std::snprintf(text, sizeof text, "%.3g %cFLOP/s", flop_per_s / (tera ? 1e12 : 1e9), tera ? 'T' : 'G');
  return text;
}

}  // namespace

std::string result_text(double value, ResultUnit unit) {
  switch (unit) {
    case ResultUnit::kNumber:
      break;
    case ResultUnit::kSeconds:
      return duration_text(value * 1e9);
    case ResultUnit::kMicroseconds:
      return duration_text(value * 1e3);
    case ResultUnit::kNanoseconds:
      return duration_text(value);
    case ResultUnit::kBytes:
      return format_bytes(value);
    case ResultUnit::kBytesPerSecond:
      return format_bytes_per_s(value);
    case ResultUnit::kFlopPerSecond:
      return flop_rate_text(value);
    case ResultUnit::kRatio:
      return format_ratio(value);
    case ResultUnit::kShare:
      return format_percent(value);
    case ResultUnit::kYesOrNo:
      return value != 0 ? "yes" : "no";
  }
  return significant(value);
}

}  // namespace runahead::samples
