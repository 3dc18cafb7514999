// Bytes as text (RFC 4648, section 4): four characters for three bytes, '=' at the end.
#pragma once

#include <string>
#include <string_view>

namespace runahead::files {

void append_base64(std::string& out, std::string_view bytes);
// The way back. False, with `out` as it was: the text is none that append_base64() makes.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& out);

}  // namespace runahead::files
