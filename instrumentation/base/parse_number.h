// Parses numbers, sizes and times that the user typed. Barrier settings, the command line and environment
// variables are parsed with these functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "instrumentation/base/time.h"

namespace runahead {

// Parses a whole number above 0 that fits an int64. nullopt: `text` is anything else.
[[nodiscard]] std::optional<std::int64_t> parse_positive(std::string_view text);
// Parses a number, with or without a sign, a decimal point and an exponent. nullopt: `text` is anything else,
// or the number is infinite.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);
// Parses like parse_positive(), with an optional suffix k, M, G (powers of 1000) or Ki, Mi, Gi (powers of
// 1024): "256M".
[[nodiscard]] std::optional<std::int64_t> parse_positive_bytes(std::string_view text);
// Parses a number of at least 0, with or without a decimal point, and its unit: ns, us, ms, s, min or h
// ("1.5s"). The limit is 1e9 s.
[[nodiscard]] std::optional<Duration> parse_time_with_unit(std::string_view text);

}  // namespace runahead
