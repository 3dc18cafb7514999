// How wide a text is, without a font: advances of ASCII and one for the rest. A value, so that scenes stay
// pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace runahead::gui {

struct TextAdvance {
  std::array<float, 128> ascii_px{};     // by character; all equal unless the font said otherwise
  float other_px = 0;                    // every code point beyond ASCII, but for
  float wide_px = 0;                     // ... Chinese, Japanese and Korean ones
  std::string_view ellipsis = "\u2026";  // must outlive this

  // 7 px is a 13 px proportional face's average; `scale` is the interface's.
  [[nodiscard]] static TextAdvance average(float scale);
  [[nodiscard]] float width_px(std::string_view utf8) const;
};

// `text` if it fits `width_px`, else its beginning with an ellipsis, else (not even two letters fit) nothing.
[[nodiscard]] std::string fit_text(std::string_view text, float width_px, const TextAdvance& advance);

}  // namespace runahead::gui
