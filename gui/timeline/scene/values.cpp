#include "gui/timeline/scene/values.h"

#include <cmath>

#include "instrumentation/base/format.h"

namespace runahead::gui {

std::string format_value(trace::Unit unit, double value) {
  switch (unit) {
    case trace::Unit::kNone:
    case trace::Unit::kCount:
      return format_count(value);
    case trace::Unit::kBytes:
      return format_bytes(value);
    case trace::Unit::kPerSecond:
      return format_rate(value);
    case trace::Unit::kBytesPerSecond:
      return format_bytes_per_s(value);
    case trace::Unit::kNanoseconds:
      return format_duration(Duration{std::llround(value)});
    case trace::Unit::kRatio:
      return format_percent(value);
  }
  return format_count(value);
}

double round_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0}) {
    if (value <= step * decade) return step * decade;
  }
  return 10 * decade;
}

}  // namespace runahead::gui
