#include "gui/timeline/scene/text_fit.h"

namespace runahead::gui {
namespace {

constexpr float kAverageAdvancePx = 7.0f;
constexpr int kFewestLetters = 2;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

float advance_of(char first_byte, const TextAdvance& advance) {
  const auto byte = static_cast<unsigned char>(first_byte);
  if (byte < 128) return advance.ascii_px[byte];
  // In UTF-8, the first byte of a character tells its range. 0xE3 to 0xED: U+3000 to U+DFFF. 0xEF and above:
  // U+F000 and above. Characters in these two ranges are counted as wide.
  return byte >= 0xE3 && byte != 0xEE ? advance.wide_px : advance.other_px;
}

}  // namespace

TextAdvance TextAdvance::average(float scale) {
  TextAdvance advance;
  advance.ascii_px.fill(kAverageAdvancePx * scale);
  advance.other_px = kAverageAdvancePx * scale;
  advance.wide_px = 2 * kAverageAdvancePx * scale;
  return advance;
}

float TextAdvance::width_px(std::string_view utf8) const {
  float width = 0;
  for (const char byte : utf8) {
    if (!continues(byte)) width += advance_of(byte, *this);
  }
  return width;
}

std::string fit_text(std::string_view text, float width_px, const TextAdvance& advance) {
  const float ellipsis_px = advance.width_px(advance.ellipsis);
  float used = 0;
  std::size_t cut = 0;  // number of bytes that fit before the ellipsis
  int letters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (continues(text[i])) continue;
    if (used + ellipsis_px <= width_px) {
      cut = i;
      if (i > 0) ++letters;
    }
    used += advance_of(text[i], advance);
    if (used > width_px) {
      if (letters < kFewestLetters) return {};
      while (cut > 0 && text[cut - 1] == ' ') --cut;
      return std::string(text.substr(0, cut)) + std::string(advance.ellipsis);
    }
  }
  return std::string(text);
}

}  // namespace runahead::gui
