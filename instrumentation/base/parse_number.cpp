#include "instrumentation/base/parse_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace runahead {
namespace {

struct Suffix {
  std::string_view word;
  std::int64_t factor;
};
constexpr std::array kSuffixes{Suffix{"Gi", std::int64_t{1} << 30},
                               Suffix{"Mi", std::int64_t{1} << 20},
                               Suffix{"Ki", std::int64_t{1} << 10},
                               Suffix{"G", 1'000'000'000},
                               Suffix{"M", 1'000'000},
                               Suffix{"k", 1'000}};

struct TimeUnit {
  std::string_view word;
  double ns;
};
// The first unit that matches is used. Therefore "s" comes after the other units that end in "s".
constexpr std::array kTimeUnits{TimeUnit{"ns", 1},  TimeUnit{"us", 1e3},   TimeUnit{"ms", 1e6},
                                TimeUnit{"s", 1e9}, TimeUnit{"min", 60e9}, TimeUnit{"h", 3600e9}};
// This limit is far longer than any trace and far below the limit of int64 nanoseconds.
constexpr double kMostNs = 1e18;

}  // namespace

#ifdef __cpp_lib_to_chars
std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}
#else
// libc++ 16, with which the viewer of a page is compiled, has no from_chars() for double. strtod() also takes
// spaces, '+', and hexadecimal numbers, which from_chars() refuses.
std::optional<double> parse_real(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  const bool decimal = !copy.empty() && copy.find_first_not_of("0123456789.eE+-") == std::string::npos;
  const bool whole = decimal && copy[0] != '+' && end == copy.c_str() + copy.size() && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}
#endif

std::optional<Duration> parse_time_with_unit(std::string_view text) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (!text.ends_with(unit.word)) continue;
    text.remove_suffix(unit.word.size());
    const std::optional<double> value = parse_real(text);
    if (!value || *value < 0 || *value * unit.ns > kMostNs) return std::nullopt;
    return Duration{std::llround(*value * unit.ns)};
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_positive(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_positive_bytes(std::string_view text) {
  std::int64_t factor = 1;
  for (const Suffix& suffix : kSuffixes) {
    if (!text.ends_with(suffix.word)) continue;
    factor = suffix.factor;
    text.remove_suffix(suffix.word.size());
    break;
  }
  const std::optional<std::int64_t> value = parse_positive(text);
  if (!value || *value > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
  return *value * factor;
}

}  // namespace runahead
