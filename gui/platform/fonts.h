// The window's type: one proportional face with tabular figures (Noto Sans, else DejaVu Sans), in the sizes
// that the panels use, rasterised for the interface scale so that it stays crisp. Chinese, Japanese and
// Korean characters come from a face of their own (Noto Sans CJK), which is read only where they are needed.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "imgui.h"

namespace runahead::gui {

// Sizes in px at scale 1. Never below 13.
inline constexpr float kSmallFontPx = 14.0f;
inline constexpr float kBodyFontPx = 16.0f;
inline constexpr float kLargeFontPx = 21.0f;

// Characters of Unicode's basic plane, which is what ImGui has glyphs for.
class CharacterSet {
 public:
  // ASCII is always there and is left out. True: some of them are new.
  bool add(std::string_view utf8);
  bool add(char32_t character);
  [[nodiscard]] bool has(char32_t character) const { return character < bits_.size() && bits_[character]; }
  [[nodiscard]] std::size_t count() const { return bits_.count(); }
  void clear() { bits_.reset(); }
  CharacterSet& operator|=(const CharacterSet& other);
  friend bool operator==(const CharacterSet&, const CharacterSet&) = default;

 private:
  std::bitset<0x10000> bits_;
};

// The same character is written a little differently in each.
enum class Region : std::uint8_t { kChina, kJapan, kKorea };

struct FontNeeds {
  float scale = 1;
  Region region = Region::kChina;
  CharacterSet characters;  // beyond Latin, Greek and the signs that are always there
  friend bool operator==(const FontNeeds&, const FontNeeds&) = default;
};

struct Fonts {
  ImFont* body = nullptr;  // the default
  ImFont* bold = nullptr;
  ImFont* small = nullptr;
  ImFont* large = nullptr;  // bold: figures of the strip
  std::string face;         // the file in use; empty: ImGui's own bitmap face, since no face was found
  std::string wide_face;    // of Chinese and Japanese; empty: none is installed, or nothing needed it
};

// Fills the atlas of the current ImGui context anew. The caller then makes its texture (Window::load_fonts
// does). Characters that no face has are left out.
[[nodiscard]] Fonts build_fonts(const FontNeeds& needs);

// A face with Chinese and Japanese characters is installed.
[[nodiscard]] bool has_wide_face();
// Those of `characters` that have no glyph in `face`.
[[nodiscard]] std::u32string missing_in(const ImFont& face, const CharacterSet& characters);
// Every character of `utf8` has a glyph in `face`.
[[nodiscard]] bool has_glyphs(const ImFont& face, std::string_view utf8);

}  // namespace runahead::gui
