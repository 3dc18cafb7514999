#include "gui/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace runahead::gui {
namespace {

using trace::SliceKind;

double linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(Colour c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); }

std::uint8_t mix_channel(std::uint8_t under, std::uint8_t over, float share) {
  return static_cast<std::uint8_t>(std::lround(under + (over - under) * share));
}

// The eight colours of Okabe and Ito (2008), which colour-blind users can tell apart. Copies within a device
// get another colour: the mean of the colours of copies to the device and of copies to the host.
constexpr std::uint32_t kOrange = 0xE69F00, kSkyBlue = 0x56B4E9, kBluishGreen = 0x009E73, kYellow = 0xF0E442,
                        kBlue = 0x0072B2, kVermillion = 0xD55E00, kReddishPurple = 0xCC79A7;

std::array<Colour, trace::kSliceKindCount> kind_colours(bool dark) {
  std::array<Colour, trace::kSliceKindCount> colours{};
  const auto set = [&](SliceKind kind, std::uint32_t rgb) {
    colours[static_cast<std::size_t>(kind)] = colour(rgb);
  };
  set(SliceKind::kZone, dark ? 0x8A93A0 : 0xB4BAC4);
  set(SliceKind::kEnqueue, kSkyBlue);
  set(SliceKind::kExecute, kBluishGreen);
  set(SliceKind::kWait, kVermillion);
  set(SliceKind::kCopyToDevice, kOrange);
  set(SliceKind::kCopyToHost, kYellow);
  set(SliceKind::kCopyOnDevice, 0xEBC221);
  set(SliceKind::kAllocation, kReddishPurple);
  set(SliceKind::kStep, kBlue);
  set(SliceKind::kPause, dark ? 0x6C7480 : 0xD3D7DD);
  return colours;
}

// Twelve hues of similar lightness. Names (or steps) with successive ids get successive colours of this list.
// Therefore neighbours in the list are as different as possible.
constexpr std::array<std::uint32_t, kCategoryCount> kCategoryColours = {
    0x56B4E9, 0xE69F00, 0x2FA67F, 0xCC79A7, 0xD9C93A, 0x4F86C6,
    0xD9743A, 0x8F7FC9, 0x7FB24A, 0xC9626B, 0x4FB3B3, 0xB08D57};

void set_shared(Theme& theme) {
  theme.kinds = kind_colours(theme.dark);
  const Colour wait = theme.of(SliceKind::kWait);
  theme.wait_fill = mix(theme.row, wait, 0.45f);
  theme.wait_stroke = mix(theme.row, wait, theme.dark ? 0.78f : 1.0f);
  for (std::size_t i = 0; i < kCategoryCount; ++i) theme.categories[i] = colour(kCategoryColours[i]);
}

}  // namespace

Colour mix(Colour under, Colour over, float share) {
  return {mix_channel(under.r, over.r, share), mix_channel(under.g, over.g, share),
          mix_channel(under.b, over.b, share), 255};
}

double contrast(Colour a, Colour b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

Colour label_on(Colour background) {
  constexpr Colour kBlack = colour(0x000000), kWhite = colour(0xFFFFFF);
  return contrast(background, kBlack) >= contrast(background, kWhite) ? kBlack : kWhite;
}

Theme dark_theme() {
  Theme theme;
  theme.dark = true;
  theme.window = colour(0x16191F);
  theme.panel = colour(0x1C2028);
  theme.row = colour(0x16191F);
  theme.row_alternate = colour(0x1A1E25);
  theme.group_header = colour(0x262C37);
  theme.ruler = colour(0x1C2028);
  theme.name_column = colour(0x1C2028);
  theme.popup = colour(0x262C37);
  theme.text = colour(0xE8EBF0);
  theme.text_dim = colour(0xA3ACB9);
  theme.grid_major = colour(0x333B48);
  theme.grid_minor = colour(0x222831);
  theme.separator = colour(0x3A4250);
  theme.counter = colour(0x3D7EAA);
  theme.counter_line = colour(0x8CCBF2);
  theme.marker = colour(0xF2C14E);
  theme.selection = colour(0xFFFFFF);
  theme.hover = colour(0xC9D2DE);
  theme.related = colour(0xF2E86D);
  theme.arrow = colour(0xF2E86D);
  theme.path = colour(0xFF5FB0);
  theme.range = colour(0x6FA8DC);
  theme.badge = colour(0x4A5364);
  theme.good = colour(0x4DC49A);
  theme.side_a = theme.counter_line;
  theme.side_b = theme.marker;
  theme.warning = colour(0xF2B23C);
  theme.failure = colour(0xFF7A5C);
  set_shared(theme);
  return theme;
}

Theme light_theme() {
  Theme theme;
  theme.dark = false;
  theme.window = colour(0xFFFFFF);
  theme.panel = colour(0xF3F5F8);
  theme.row = colour(0xFFFFFF);
  theme.row_alternate = colour(0xF7F9FB);
  theme.group_header = colour(0xE3E8EF);
  theme.ruler = colour(0xF3F5F8);
  theme.name_column = colour(0xF3F5F8);
  theme.popup = colour(0xFFFFFF);
  theme.text = colour(0x1A1F27);
  theme.text_dim = colour(0x55606F);
  theme.grid_major = colour(0xCBD3DD);
  theme.grid_minor = colour(0xE9EDF2);
  theme.separator = colour(0xB9C2CE);
  theme.counter = colour(0x9CCBEA);
  theme.counter_line = colour(0x0A5F94);
  theme.marker = colour(0x9A5B00);
  theme.selection = colour(0x000000);
  theme.hover = colour(0x3A4250);
  theme.related = colour(0x7A2E8C);
  theme.arrow = colour(0x7A2E8C);
  theme.path = colour(0xC2006B);
  theme.range = colour(0x0072B2);
  theme.badge = colour(0xCBD3DD);
  theme.good = colour(0x007A58);
  theme.side_a = theme.counter_line;
  theme.side_b = theme.marker;
  theme.warning = colour(0x8F5A00);
  theme.failure = colour(0xB8320A);
  set_shared(theme);
  return theme;
}

}  // namespace runahead::gui
