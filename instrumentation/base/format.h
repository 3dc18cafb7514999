// Formats numbers for people: three significant digits and a unit (1.28 ms, 341 MB, 5.12 GB/s, 12.3 k).
// SI prefixes, powers of 1000. The window, the command line and all messages use these functions.
#pragma once

#include <cstdint>
#include <string>

#include "instrumentation/base/time.h"

namespace runahead {

[[nodiscard]] std::string format_duration(Duration d);  // "0 ns", "987 ns", "1.28 ms", "2 min 05 s"
[[nodiscard]] std::string format_bytes(double bytes);   // "0 B", "341 MB", "-1.05 GB"
[[nodiscard]] std::string format_bytes_per_s(double bytes_per_s);  // "5.12 GB/s"
[[nodiscard]] std::string format_count(double count);              // "0", "412", "12.3 k", "4.71 M"
// The shortest text that parse_real() reads as the same number: "0.5", "64", "1e+20".
[[nodiscard]] std::string format_exact(double value);
[[nodiscard]] std::string format_rate(double per_s);     // "412 /s"
[[nodiscard]] std::string format_percent(double ratio);  // 0.713 -> "71 %", 0.0031 -> "0.31 %"
[[nodiscard]] std::string format_ratio(double ratio);    // 0.233 -> "x0.23", 12.4 -> "x12.4"
// Like format_ratio(), but writes a large decrease as a division: 0.0044 -> "÷226", not "x0.00".
[[nodiscard]] std::string format_change(double ratio);
// Formats the label of a tick on the time axis ("1.250 s", "3 min 04.2 s"). `step` is the time between two
// neighbouring ticks. The label has just enough digits of `t` that the labels of these two ticks differ.
[[nodiscard]] std::string format_axis_time(Timestamp t, Duration step);

}  // namespace runahead
