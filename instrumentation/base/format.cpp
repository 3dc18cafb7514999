#include "instrumentation/base/format.h"

#include <array>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

namespace runahead {
namespace {

template <typename... Args>
std::string print(const char* format, Args... args) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), format, args...);
  return text.data();
}

// `value` with three significant digits. Whole numbers below 1000 are written in full.
std::string three_digits(double value) {
  if (value == std::floor(value) && value < 1000) return print("%.0f", value);
  if (value >= 99.95) return print("%.0f", value);
  if (value >= 9.995) return print("%.1f", value);
  if (value >= 0.9995) return print("%.2f", value);
  return print("%.3g", value);
}

// Writes three digits in all cases, so that a column of scaled values lines up: 1.00 MB.
std::string scaled_digits(double value) {
  if (value >= 99.95) return print("%.0f", value);
  return print(value >= 9.995 ? "%.1f" : "%.2f", value);
}

// Writes `value` with one of `units`. Each unit is 1000 times the previous unit; the first unit has no
// prefix.
std::string with_prefix(double value, std::span<const std::string_view> units) {
  if (!std::isfinite(value)) return "n/a";
  const char* sign = value < 0 ? "-" : "";
  double size = std::fabs(value);
  std::size_t step = 0;
  // 999.5 would be printed as 1000, so numbers from 999.5 on use the next unit.
  while (size >= 999.5 && step + 1 < units.size() &&
         !(step == 0 && size < 1000 && size == std::floor(size))) {
    size /= 1000;
    ++step;
  }
  const std::string digits = step == 0 ? three_digits(size) : scaled_digits(size);
  if (digits == "0") sign = "";
  std::string out = sign + digits;
  if (!units[step].empty()) out.append(" ").append(units[step]);
  return out;
}

constexpr std::int64_t kSecondNs = 1'000'000'000;

std::string minutes_and_seconds(std::int64_t size_ns, const char* sign) {
  const std::int64_t seconds = (size_ns + kSecondNs / 2) / kSecondNs;
  if (seconds < 3600) return print("%s%" PRId64 " min %02" PRId64 " s", sign, seconds / 60, seconds % 60);
  return print("%s%" PRId64 " h %02" PRId64 " min", sign, seconds / 3600, seconds % 3600 / 60);
}

// Returns how many decimals are needed to write `step_ns` exactly in units of `unit_ns`. At most two decimals
// after the first nonzero digit are used, even if the number is then not exact.
int decimals_of(std::int64_t step_ns, std::int64_t unit_ns) {
  int decimals = 0;
  int most = 12;
  for (std::int64_t digit_ns = unit_ns; step_ns % digit_ns != 0 && decimals < most; digit_ns /= 10) {
    if (digit_ns == 1) break;
    if (most == 12 && step_ns >= digit_ns) most = decimals + 2;
    ++decimals;
  }
  return decimals;
}

std::string zero_padded(std::int64_t value, int digits) {
  std::string out = std::to_string(value);
  const auto width = static_cast<std::size_t>(digits);
  if (out.size() < width) out.insert(0, width - out.size(), '0');
  return out;
}

// Writes size_ns / unit_ns with `decimals` decimals, rounded. It uses integer arithmetic, so that a million
// seconds still have 9 exact decimals.
std::string fixed(std::int64_t size_ns, std::int64_t unit_ns, int decimals, int whole_digits) {
  std::int64_t digit_ns = unit_ns;
  std::int64_t per_unit = 1;
  for (int i = 0; i < decimals; ++i, per_unit *= 10) digit_ns /= 10;
  const std::int64_t digits = size_ns / digit_ns + (size_ns % digit_ns * 2 >= digit_ns ? 1 : 0);
  std::string out = zero_padded(digits / per_unit, whole_digits);
  if (decimals > 0) out.append(".").append(zero_padded(digits % per_unit, decimals));
  return out;
}

}  // namespace

std::string format_duration(Duration d) {
  static constexpr std::array<std::string_view, 4> kUnits{"ns", "µs", "ms", "s"};
  const std::int64_t ns = d.count();
  const std::int64_t size_ns = ns == INT64_MIN ? INT64_MAX : std::abs(ns);
  if (size_ns >= 60 * kSecondNs - kSecondNs / 20) return minutes_and_seconds(size_ns, ns < 0 ? "-" : "");
  return with_prefix(static_cast<double>(ns), kUnits);
}

std::string format_bytes(double bytes) {
  static constexpr std::array<std::string_view, 7> kUnits{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  return with_prefix(bytes, kUnits);
}

std::string format_bytes_per_s(double bytes_per_s) {
  static constexpr std::array<std::string_view, 7> kUnits{"B/s",  "kB/s", "MB/s", "GB/s",
                                                          "TB/s", "PB/s", "EB/s"};
  return with_prefix(bytes_per_s, kUnits);
}

std::string format_count(double count) {
  static constexpr std::array<std::string_view, 5> kUnits{"", "k", "M", "G", "T"};
  return with_prefix(count, kUnits);
}

std::string format_exact(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end);
}

std::string format_rate(double per_s) {
  static constexpr std::array<std::string_view, 5> kUnits{"/s", "k/s", "M/s", "G/s", "T/s"};
  return with_prefix(per_s, kUnits);
}

std::string format_percent(double ratio) {
  if (!std::isfinite(ratio)) return "n/a";
  const double percent = ratio * 100;
  const double size = std::fabs(percent);
  if (size == 0) return "0 %";
  if (size < 0.005) return percent < 0 ? ">-0.01 %" : "<0.01 %";
  if (size >= 9.95) return print("%.0f %%", percent);
  return print(size >= 0.995 ? "%.1f %%" : "%.2f %%", percent);
}

std::string format_ratio(double ratio) {
  if (!std::isfinite(ratio)) return "n/a";
  const double size = std::fabs(ratio);
  if (size >= 99.95) return print("x%.0f", ratio);
  return print(size >= 9.995 ? "x%.1f" : "x%.2f", ratio);
}

std::string format_change(double ratio) {
  constexpr double kFarLess = 0.095;
  if (ratio > 0 && ratio < kFarLess) return "\u00f7" + format_count(1 / ratio);
  return format_ratio(ratio);
}

std::string format_axis_time(Timestamp t, Duration step) {
  const std::int64_t ns = ns_from(t);
  if (ns == 0) return "0 s";
  const std::string sign = ns < 0 ? "-" : "";
  const std::int64_t size_ns = ns == INT64_MIN ? INT64_MAX : std::abs(ns);
  const std::int64_t step_ns = step.count() > 0 ? step.count() : 1;
  if (size_ns < 1'000) return sign + fixed(size_ns, 1, 0, 1) + " ns";
  if (size_ns < 1'000'000) return sign + fixed(size_ns, 1'000, decimals_of(step_ns, 1'000), 1) + " µs";
  if (size_ns < kSecondNs)
    return sign + fixed(size_ns, 1'000'000, decimals_of(step_ns, 1'000'000), 1) + " ms";
  const int decimals = decimals_of(step_ns, kSecondNs);
  if (size_ns < 60 * kSecondNs) return sign + fixed(size_ns, kSecondNs, decimals, 1) + " s";
  const std::int64_t minutes = size_ns / (60 * kSecondNs);
  const std::string seconds = fixed(size_ns % (60 * kSecondNs), kSecondNs, decimals, 2) + " s";
  if (minutes < 60) return sign + std::to_string(minutes) + " min " + seconds;
  return sign + std::to_string(minutes / 60) + print(" h %02" PRId64 " min ", minutes % 60) + seconds;
}

}  // namespace runahead
