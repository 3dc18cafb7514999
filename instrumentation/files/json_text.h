// Appends JSON values as text to a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runahead::files {

// Appends the text quoted and escaped. Each byte that is not part of valid UTF-8 is replaced by U+FFFD (the
// replacement character), so the result is valid JSON for any text.
void append_json_string(std::string& out, std::string_view text);
// Appends the shortest decimal number that reads back as the same double. Writes null for infinity and NaN.
void append_json_number(std::string& out, double value);
// Appends `ns` as microseconds with three decimals; the value is exact. REQUIRES: ns >= 0.
void append_json_us(std::string& out, std::int64_t ns);

}  // namespace runahead::files
