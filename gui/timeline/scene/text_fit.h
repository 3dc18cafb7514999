// Computes the width of a text without a font. A TextAdvance has the width of each ASCII character, and two
// widths for all other characters. build_scene() gets a TextAdvance as a value and calls no font library, so
// it stays pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace runahead::gui {

struct TextAdvance {
  std::array<float, 128> ascii_px{};  // index: the ASCII character; average() gives all the same width
  float other_px = 0;  // width of a non-ASCII character that is not wide, such as a Greek letter
  float wide_px = 0;   // width of a Chinese, Japanese or Korean character
  std::string_view ellipsis = "\u2026";  // must outlive this

  // Returns average widths: 7 px for a letter in a 13 px proportional font. `scale` is the interface scale.
  [[nodiscard]] static TextAdvance average(float scale);
  [[nodiscard]] float width_px(std::string_view utf8) const;
};

// Returns `text` if it fits into `width_px`; otherwise its start and an ellipsis. Empty if not even two
// letters fit.
[[nodiscard]] std::string fit_text(std::string_view text, float width_px, const TextAdvance& advance);

}  // namespace runahead::gui
