// The window's fonts: one proportional face whose digits have equal widths, in the sizes that the panels use.
// The face is Noto Sans; if it is not installed, DejaVu Sans or Liberation Sans. The face is rasterised at
// the interface scale, so that it is sharp. Chinese, Japanese and Korean characters come from another face
// (Noto Sans CJK), which is read only if needed.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "imgui.h"

namespace runahead::gui {

// Font sizes in px at scale 1. No size is below 13.
inline constexpr float kSmallFontPx = 14.0f;
inline constexpr float kBodyFontPx = 16.0f;
inline constexpr float kLargeFontPx = 21.0f;
inline constexpr float kHeadlineFontPx = 28.0f;
// The headline's size at scale 1 in a presentation. At the presentation's scale of 1.3, the headline is 44 px
// high.
inline constexpr float kPresentedHeadlineFontPx = 34.0f;

// A set of characters of Unicode's basic plane. ImGui has no glyphs for characters outside this plane.
class CharacterSet {
 public:
  // Adds characters. ASCII is always available and is skipped. Returns true if some of the characters are
  // new.
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

// The region determines which regional variant of a CJK character is drawn.
enum class Region : std::uint8_t { kChina, kJapan, kKorea };

struct FontNeeds {
  float scale = 1;
  bool presentation = false;
  Region region = Region::kChina;
  CharacterSet headline;    // characters of the headline font: only few, as its glyphs are large
  CharacterSet characters;  // needed characters in addition to the always available Latin, Greek and symbols
  friend bool operator==(const FontNeeds&, const FontNeeds&) = default;
};

struct Fonts {
  ImFont* body = nullptr;  // the default font
  ImFont* bold = nullptr;
  ImFont* small = nullptr;
  ImFont* large = nullptr;     // bold: figures of the strip
  ImFont* headline = nullptr;  // bold: the strip's answer; has only the CJK characters of FontNeeds::headline
  std::string face;       // path of the Latin face; empty: none was found, so ImGui's bitmap face is used
  std::string wide_face;  // path of the CJK face; empty: not installed or not needed
};

// Rebuilds the atlas of the current ImGui context. After this call the caller must create the atlas texture
// (Window::load_fonts does). Characters without a glyph in any face are skipped.
[[nodiscard]] Fonts build_fonts(const FontNeeds& needs);

// True if a face with Chinese and Japanese characters is installed.
[[nodiscard]] bool has_wide_face();
// Returns the characters that have no glyph in `face`.
[[nodiscard]] std::u32string missing_in(const ImFont& face, const CharacterSet& characters);
// True if every character of `utf8` has a glyph in `face`.
[[nodiscard]] bool has_glyphs(const ImFont& face, std::string_view utf8);

}  // namespace runahead::gui
