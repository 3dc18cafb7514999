// Numbers, sizes and times as a person types them. The one place that does this, for barriers, the command
// line and the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "instrumentation/base/time.h"

namespace runahead {

// A whole number above 0 that an int64 holds, and nothing else; nullopt: it is none.
[[nodiscard]] std::optional<std::int64_t> parse_positive(std::string_view text);
// The same, with k, M, G (powers of 1000) or Ki, Mi, Gi (powers of 1024) after it: "256M".
[[nodiscard]] std::optional<std::int64_t> parse_positive_bytes(std::string_view text);
// A number of 0 or more, with a point in it or not, and ns, us, ms, s, min or h after it: "1.5s". Up to 1e9
// s.
[[nodiscard]] std::optional<Duration> parse_time_with_unit(std::string_view text);

}  // namespace runahead
