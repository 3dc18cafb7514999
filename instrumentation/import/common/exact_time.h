// Times of a Chrome trace: microseconds as decimal text, converted to whole nanoseconds without a double in
// between (a double holds an epoch time in microseconds only to 0.25 us).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runahead::importers {

// Times of this size or larger, positive or negative, are refused, so that differences never overflow. The
// limit is 146 years.
inline constexpr std::int64_t kMostTimeNs = std::int64_t{1} << 62;

// Converts "12", "-0.5", "1.5e3", "1683564901548726.125" to ns, rounded to the nearest (halves away from
// zero). nullopt: not a number, or at least kMostTimeNs.
[[nodiscard]] std::optional<std::int64_t> ns_from_us_text(std::string_view text);

}  // namespace runahead::importers
