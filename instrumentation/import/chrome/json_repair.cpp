#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/import/chrome/json_event.h"

namespace runahead::importers {
using namespace trace;
namespace {

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

// The length of the UTF-8 character at `at`; 0: no character begins here. REQUIRES: the byte at `at` is not
// ASCII.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text, at + i)) return 0;
  }
  const auto second = static_cast<unsigned char>(text[at + 1]);
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return too_long || no_character ? 0 : length;
}

// The four hexadecimal digits at `at` as a number; -1: there are no such digits.
std::int32_t hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  std::int32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(text[i]);
    if (digit == std::string_view::npos) return -1;
    value = value * 16 + static_cast<std::int32_t>(digit % 16);
  }
  return value;
}

// Appends the character of the escape \uXXXX at `at`. If this escape and the next one form a surrogate pair,
// reads both. Returns the offset after the escapes that were read.
std::size_t append_unicode(std::string_view text, std::size_t at, std::string& out) {
  const std::int32_t first = hex4(text, at + 2);
  if (first < 0) {
    out += text[at];
    return at + 1;
  }
  std::size_t end = at + 6;
  auto c = static_cast<std::uint32_t>(first);
  if (c >= 0xd800 && c < 0xdc00 && text.substr(end, 2) == "\\u") {
    const std::int32_t second = hex4(text, end + 2);
    if (second >= 0xdc00 && second < 0xe000) {
      c = 0x10000 + ((c - 0xd800) << 10) + (static_cast<std::uint32_t>(second) - 0xdc00);
      end += 6;
    }
  }
  append_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);  // half of a surrogate pair is not a character
  return end;
}

}  // namespace

void unescape_json(std::string_view text, std::string& out) {
  static constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  out.clear();
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t plain = std::min(text.find('\\', i), text.size());
    out.append(text, i, plain - i);
    i = plain;
    if (i + 1 >= text.size()) {
      out.append(text, i, text.npos);
      return;
    }
    if (text[i + 1] == 'u') {
      i = append_unicode(text, i, out);
      continue;
    }
    const std::size_t known = kEscapes.find(text[i + 1]);
    if (known == std::string_view::npos) out += '\\';
    out += known == std::string_view::npos ? text[i + 1] : kMeant[known];
    i += 2;
  }
}

std::string repaired_json(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size() + 64);
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      const std::size_t length = utf8_length(text, i);
      if (length == 0) {
        append_utf8(out, c);
      } else {
        out.append(text, i, length);
      }
      i += length == 0 ? 1 : length;
      continue;
    }
    if (c < 0x20 && in_string) {
      out += "\\u00";
      out += kDigits[c >> 4];
      out += kDigits[c & 15];
    } else {
      out += c < 0x20 ? ' ' : text[i];
    }
    if (c == '"') in_string = !in_string;
    if (c == '\\' && in_string && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) >= 0x20 &&
        static_cast<unsigned char>(text[i + 1]) < 0x80) {
      out += text[++i];
    }
    ++i;
  }
  return out;
}

}  // namespace runahead::importers
