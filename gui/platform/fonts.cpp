#include "gui/platform/fonts.h"

#include <array>
#include <filesystem>
#include <initializer_list>
#include <system_error>

namespace runahead::gui {

namespace {

// Latin, Greek (µ), general punctuation (… – “ ”), arrows, mathematical operators (× ≥), as pairs, ended by
// 0.
constexpr std::array<ImWchar, 11> kGlyphs{0x0020, 0x024F, 0x0370, 0x03FF, 0x2010, 0x205E,
                                          0x2190, 0x21FF, 0x2200, 0x22FF, 0};

// Where Debian, Fedora and Arch keep them, best first.
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

template <std::size_t N>
std::string first_that_exists(const std::array<const char*, N>& paths) {
  std::error_code code;
  for (const char* path : paths) {
    if (std::filesystem::is_regular_file(path, code)) return path;
  }
  return {};
}

ImFont* add_face(const std::string& path, float size_px) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFontConfig config;
  config.OversampleH = 2;
  config.OversampleV = 1;
  config.PixelSnapH = false;
  if (path.empty()) {
    config.SizePixels = size_px;
    return atlas.AddFontDefault(&config);
  }
  return atlas.AddFontFromFileTTF(path.c_str(), size_px, &config, kGlyphs.data());
}

}  // namespace

Fonts build_fonts(float scale) {
  ImGui::GetIO().Fonts->Clear();
  const std::string regular = first_that_exists(kRegularFaces);
  std::string bold = first_that_exists(kBoldFaces);
  if (bold.empty()) bold = regular;
  // Whole pixels: fractional sizes blur the stems.
  const auto px = [scale](float size) { return static_cast<float>(static_cast<int>(size * scale + 0.5f)); };
  Fonts fonts;
  fonts.face = regular;
  fonts.body = add_face(regular, px(kBodyFontPx));
  fonts.bold = add_face(bold, px(kBodyFontPx));
  fonts.small = add_face(regular, px(kSmallFontPx));
  fonts.large = add_face(bold, px(kLargeFontPx));
  return fonts;
}

}  // namespace runahead::gui
