#include "gui/platform/fonts.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "gui/text/line_break.h"
#include "gui/text/utf8.h"

namespace runahead::gui {

namespace {

// The characters that are always available: Latin, Greek (µ), general punctuation (… – “ ”), arrows,
// mathematical operators (× ≥). Each pair is the first and the last code point of a range; 0 ends the list.
constexpr std::array<ImWchar, 11> kGlyphs{0x0020, 0x024F, 0x0370, 0x03FF, 0x2010, 0x205E,
                                          0x2190, 0x21FF, 0x2200, 0x22FF, 0};

// The paths of the font files on Debian, Fedora and Arch, best font first.
constexpr std::array<const char*, 7> kRegularFaces{
    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/google-noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"};
constexpr std::array<const char*, 7> kBoldFaces{
    "/usr/share/fonts/truetype/noto/NotoSans-Bold.ttf",
    "/usr/share/fonts/google-noto/NotoSans-Bold.ttf",
    "/usr/share/fonts/noto/NotoSans-Bold.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf"};
constexpr std::array<const char*, 3> kWideFaces{"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
                                                "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
                                                "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc"};
constexpr std::array<const char*, 3> kWideBoldFaces{"/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc",
                                                    "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Bold.ttc",
                                                    "/usr/share/fonts/noto-cjk/NotoSansCJK-Bold.ttc"};

// CJK glyphs are rasterised larger than Latin glyphs by this factor. Without this factor, CJK glyphs would be
// too small. At ImGui's font size 16 (the distance from ascender to descender), a CJK character would be a
// square of 11 px, and Latin capitals are 8.4 px high. With the factor, the square is 13 px high, which is
// the usual size relative to the capitals. The line height does not change.
constexpr float kWideShare = 1.18f;

// The folder with the fonts of an installation that brings its own (docs/packages.md). It may not exist.
std::filesystem::path own_fonts() {
  std::error_code code;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
  return program.parent_path().parent_path() / "share" / "runahead" / "fonts";
}

// A font of the installation comes before a font of the system.
template <std::size_t N>
std::string first_that_exists(const std::array<const char*, N>& paths) {
  std::error_code code;
  const std::filesystem::path own = own_fonts();
  for (const char* path : paths) {
    const std::filesystem::path font = own / std::filesystem::path(path).filename();
    if (std::filesystem::is_regular_file(font, code)) return font.string();
  }
  for (const char* path : paths) {
    if (std::filesystem::is_regular_file(path, code)) return path;
  }
  return {};
}

// A font file of Noto Sans CJK contains one face for each region. Returns the index of the region's face.
int face_number(Region region) {
  switch (region) {
    case Region::kJapan:
      return 0;
    case Region::kKorea:
      return 1;
    case Region::kChina:
      break;
  }
  return 2;
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<char> bytes(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) bytes.clear();
  return bytes;
}

using Ranges = std::vector<ImWchar>;  // pairs of first and last code point, ended by 0

Ranges ranges_of(const CharacterSet& characters, bool wide) {
  Ranges ranges;
  for (char32_t c = 0x80; c < 0xFFFE; ++c) {
    if (!characters.has(c) || is_wide(c) != wide) continue;
    const auto glyph = static_cast<ImWchar>(c);
    if (!ranges.empty() && ranges.back() + 1 == glyph) {
      ranges.back() = glyph;
    } else {
      ranges.insert(ranges.end(), {glyph, glyph});
    }
  }
  ranges.push_back(0);
  return ranges;
}

// Fills the font atlas face by face. The font bytes and ranges must stay valid until the atlas is built.
class Builder {
 public:
  explicit Builder(const FontNeeds& needs)
      : scale_(needs.scale),
        headline_px_(needs.presentation ? kPresentedHeadlineFontPx : kHeadlineFontPx),
        face_number_(face_number(needs.region)),
        narrow_(kGlyphs.begin(), std::prev(kGlyphs.end())),
        wide_(ranges_of(needs.characters, true)),
        wide_headline_(ranges_of(needs.headline, true)) {
    const Ranges more = ranges_of(needs.characters, false);
    narrow_.insert(narrow_.end(), more.begin(), more.end());
  }

  Fonts build() {
    Fonts fonts;
    fonts.face = first_that_exists(kRegularFaces);
    std::string bold = first_that_exists(kBoldFaces);
    if (bold.empty()) bold = fonts.face;
    if (wide_.size() > 1) {
      fonts.wide_face = first_that_exists(kWideFaces);
      regular_bytes_ = read_file(fonts.wide_face);
      bold_bytes_ = read_file(first_that_exists(kWideBoldFaces));
    }
    const std::vector<char>& wide_bold = bold_bytes_.empty() ? regular_bytes_ : bold_bytes_;
    fonts.body = add(fonts.face, regular_bytes_, wide_, kBodyFontPx);
    fonts.bold = add(bold, wide_bold, wide_, kBodyFontPx);
    fonts.small = add(fonts.face, regular_bytes_, wide_, kSmallFontPx);
    fonts.large = add(bold, wide_bold, wide_, kLargeFontPx);
    fonts.headline = add(bold, wide_bold, wide_headline_, headline_px_);
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    // With thousands of CJK glyphs, a narrower texture would be higher than a graphics card allows.
    if (wide_.size() > 1) atlas.TexDesiredWidth = 4096;
    atlas.Build();
    atlas.ClearInputData();
    return fonts;
  }

 private:
  // Rounds to whole pixels, because fractional sizes blur the stems (vertical strokes) of the letters.
  [[nodiscard]] float px(float size) const { return std::floor(size * scale_ + 0.5f); }

  // Adds a font in one size. `path`: the file of the Latin face. `wide`: the bytes of the CJK face.
  // `wide_glyphs`: the characters to take from the CJK face.
  ImFont* add(const std::string& path, const std::vector<char>& wide, const Ranges& wide_glyphs, float size) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    ImFontConfig config;
    config.OversampleH = 2;
    config.OversampleV = 1;
    config.PixelSnapH = false;
    ImFont* font = nullptr;
    if (path.empty()) {
      config.SizePixels = px(size);
      font = atlas.AddFontDefault(&config);
    } else {
      font = atlas.AddFontFromFileTTF(path.c_str(), px(size), &config, narrow_.data());
    }
    if (!wide.empty() && wide_glyphs.size() > 1) add_wide(wide, wide_glyphs, px(size));
    return font;
  }

  // Merges the CJK glyphs into the last face that was added.
  void add_wide(const std::vector<char>& bytes, const Ranges& glyphs, float size_px) {
    ImFontConfig config;
    config.MergeMode = true;
    // Glyphs start at whole pixels, so oversampling would not improve them.
    config.OversampleH = config.OversampleV = 1;
    config.PixelSnapH = true;
    config.FontNo = face_number_;
    config.FontDataOwnedByAtlas = false;
    // The const_cast is safe, because ImGui only reads the bytes.
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(
        const_cast<char*>(bytes.data()), static_cast<int>(bytes.size()),
        std::floor(size_px * kWideShare + 0.5f), &config, glyphs.data());
  }

  const float scale_, headline_px_;
  const int face_number_;
  Ranges narrow_, wide_, wide_headline_;
  std::vector<char> regular_bytes_, bold_bytes_;
};

}  // namespace

bool CharacterSet::add(char32_t character) {
  if (character < 0x80 || character >= bits_.size() || bits_[character]) return false;
  bits_.set(character);
  return true;
}

bool CharacterSet::add(std::string_view utf8) {
  if (is_ascii(utf8)) return false;
  bool any = false;
  for (std::size_t at = 0; at < utf8.size();) any = add(next_character(utf8, at)) || any;
  return any;
}

CharacterSet& CharacterSet::operator|=(const CharacterSet& other) {
  bits_ |= other.bits_;
  return *this;
}

Fonts build_fonts(const FontNeeds& needs) {
  ImGui::GetIO().Fonts->Clear();
  return Builder(needs).build();
}

bool has_wide_face() { return !first_that_exists(kWideFaces).empty(); }

std::u32string missing_in(const ImFont& face, const CharacterSet& characters) {
  std::u32string missing;
  for (char32_t c = 0x80; c <= 0xFFFF; ++c) {
    if (characters.has(c) && face.FindGlyphNoFallback(static_cast<ImWchar>(c)) == nullptr) missing += c;
  }
  return missing;
}

bool has_glyphs(const ImFont& face, std::string_view utf8) {
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t character = next_character(utf8, at);
    if (character > 0xFFFF || face.FindGlyphNoFallback(static_cast<ImWchar>(character)) == nullptr)
      return false;
  }
  return true;
}

}  // namespace runahead::gui
