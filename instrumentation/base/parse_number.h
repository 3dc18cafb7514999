// Whole numbers as a person types them. The one place that does this, for barriers and the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runahead {

// A whole number above 0 that an int64 holds, and nothing else; nullopt: it is none.
[[nodiscard]] std::optional<std::int64_t> parse_positive(std::string_view text);
// The same, with k, M, G (powers of 1000) or Ki, Mi, Gi (powers of 1024) after it: "256M".
[[nodiscard]] std::optional<std::int64_t> parse_positive_bytes(std::string_view text);

}  // namespace runahead
