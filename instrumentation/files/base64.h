// Base64 (RFC 4648, section 4): four characters for three bytes, '=' at the end.
#pragma once

#include <string>
#include <string_view>

namespace runahead::files {

void append_base64(std::string& out, std::string_view bytes);
// Decodes `text` and appends the bytes to `out`. Accepts only text that append_base64() can write: for other
// text, returns false and leaves `out` unchanged.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& out);

}  // namespace runahead::files
