// JSON values as text, appended to a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runahead::files {

// Quoted and escaped. Bytes that are not UTF-8 become U+FFFD, one each, so that any string makes valid JSON.
void append_json_string(std::string& out, std::string_view text);
// The shortest decimal that reads back as the same double; null for what JSON has no number for.
void append_json_number(std::string& out, double value);
// `ns` as microseconds with three decimals, exactly. REQUIRES: ns >= 0.
void append_json_us(std::string& out, std::int64_t ns);

}  // namespace runahead::files
