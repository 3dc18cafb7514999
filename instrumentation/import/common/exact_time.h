// Times of a Chrome trace: microseconds as decimal text, converted to whole nanoseconds. The conversion does
// not use a double, because the resolution of a double is only 0.25 us for microseconds since 1970.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runahead::importers {

// Times of this size or larger, positive or negative, are refused, so that the difference of two times never
// overflows. The limit is 146 years.
inline constexpr std::int64_t kMostTimeNs = std::int64_t{1} << 62;

// Converts "12", "-0.5", "1.5e3", "1683564901548726.125" to ns, rounded to the nearest (halves away from
// zero). nullopt: not a number, or at least kMostTimeNs.
[[nodiscard]] std::optional<std::int64_t> ns_from_us_text(std::string_view text);

}  // namespace runahead::importers
