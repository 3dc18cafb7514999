// Formats the values of counters, and rounds the ends of the counters' axes.
#pragma once

#include <string>

#include "instrumentation/trace/rows/track.h"

namespace runahead::gui {

[[nodiscard]] std::string format_value(trace::Unit unit, double value);

// Returns the smallest number that is not below `value` and is 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of
// ten; 1 for a value <= 0. The end of a counter's axis is rounded up in this way, so that the axis does not
// change while the values vary a little.
[[nodiscard]] double round_up(double value);

}  // namespace runahead::gui
