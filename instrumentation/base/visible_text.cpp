#include "instrumentation/base/visible_text.h"

#include <cstdint>
#include <cstdio>

namespace runahead {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

// Decodes the first character of `text`. Overlong forms and surrogates do not count as UTF-8. REQUIRES:
// `text` is not empty.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[]{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

// True for characters that change the text direction (embeddings, overrides, isolates and marks of Unicode's
// bidirectional algorithm), and for line and paragraph separators.
bool changes_the_line(std::uint32_t code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e ||
         code == 0x200f || code == 0x061c || code == 0x2028 || code == 0x2029;
}

void append_code(std::string& out, const char* format, std::uint32_t code) {
  char written[16];
  std::snprintf(written, sizeof written, format, code);
  out += written;
}

void append_control(std::string& out, std::uint32_t code) {
  if (code == '\n')
    out += "\\n";
  else if (code == '\t')
    out += "\\t";
  else if (code == '\r')
    out += "\\r";
  else
    append_code(out, "\\x%02x", code);
}

}  // namespace

std::string visible_text(std::string_view text, std::string_view except) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character first = first_character(text);
    const std::size_t bytes = first.bytes == 0 ? 1 : first.bytes;
    if (first.bytes == 0) {
      append_code(out, "\\x%02x", static_cast<unsigned char>(text[0]));
    } else if (first.bytes == 1 && except.find(text[0]) != std::string_view::npos) {
      out += text[0];
    } else if (first.code < 0x20 || first.code == 0x7f) {
      append_control(out, first.code);
    } else if ((first.code >= 0x80 && first.code < 0xa0) || changes_the_line(first.code)) {
      append_code(out, "\\u%04x", first.code);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace runahead
