#include "instrumentation/files/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace runahead::files {
namespace {

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

// Returns the length in bytes of the UTF-8 sequence that begins at `at`; 0: no valid sequence begins there.
// The rules are those of table 3-7 (well-formed UTF-8 byte sequences) of the Unicode standard.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const auto second = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0;
  if (lead < 0x80) return 1;
  if (!continues(text, at + 1)) return 0;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (!continues(text, at + 2)) return 0;
  const bool overlong_or_surrogate = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f);
  if (lead >= 0xe0 && lead <= 0xef) return overlong_or_surrogate ? 0 : 3;
  if (!continues(text, at + 3)) return 0;
  const bool out_of_range = (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  if (lead >= 0xf0 && lead <= 0xf4) return out_of_range ? 0 : 4;
  return 0;
}

void append_escaped(std::string& out, char c) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7f) {
    out += c;
    return;
  }
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 1) {
      append_escaped(out, text[at]);
    } else if (length > 1) {
      out += text.substr(at, length);
    } else {
      out += "\\ufffd";
    }
    at += length == 0 ? 1 : length;
  }
  out += '"';
}

void append_json_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 40> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), error == std::errc{} ? end : digits.data());
}

void append_json_us(std::string& out, std::int64_t ns) {
  const std::int64_t rest = ns % 1000;
  out += std::to_string(ns / 1000);
  out += '.';
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
}

}  // namespace runahead::files
