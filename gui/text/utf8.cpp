#include "gui/text/utf8.h"

#include <algorithm>

namespace runahead::gui {

namespace {

// Returns the length in bytes of a character with that first byte; 0: invalid first byte.
int length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

}  // namespace

char32_t next_character(std::string_view utf8, std::size_t& at) {
  const auto first = static_cast<unsigned char>(utf8[at]);
  const int length = length_of(first);
  const std::size_t begin = at++;
  if (length == 1) return first;
  if (length == 0 || begin + static_cast<std::size_t>(length) > utf8.size()) return kNotUtf8;
  char32_t character = first & (0xFFU >> (length + 1));
  for (int i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(utf8[begin + static_cast<std::size_t>(i)]);
    if ((byte & 0xC0) != 0x80) return kNotUtf8;
    character = character << 6 | (byte & 0x3F);
  }
  at = begin + static_cast<std::size_t>(length);
  return character;
}

bool is_ascii(std::string_view utf8) {
  return std::ranges::all_of(utf8, [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

}  // namespace runahead::gui
