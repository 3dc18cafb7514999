// The window's type: one proportional face with tabular figures (Noto Sans, else DejaVu Sans), in the sizes
// that the panels use, rasterised for the interface scale so that it stays crisp.
#pragma once

#include <string>

#include "imgui.h"

namespace runahead::gui {

// Sizes in px at scale 1. Never below 13.
inline constexpr float kSmallFontPx = 14.0f;
inline constexpr float kBodyFontPx = 16.0f;
inline constexpr float kLargeFontPx = 21.0f;

struct Fonts {
  ImFont* body = nullptr;  // the default
  ImFont* bold = nullptr;
  ImFont* small = nullptr;
  ImFont* large = nullptr;  // bold: figures of the strip
  std::string face;         // the file in use; empty: ImGui's own bitmap face, since no face was found
};

// Fills the atlas of the current ImGui context anew. The caller then makes its texture (Window::load_fonts
// does).
[[nodiscard]] Fonts build_fonts(float scale);

}  // namespace runahead::gui
