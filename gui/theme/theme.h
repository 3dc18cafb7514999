// The palette: the meaning of every colour of the window, in a dark and a light version. A Theme is a value
// that is passed to the code that draws. There is no global state, and no code in this file draws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "instrumentation/trace/rows/slice.h"

namespace runahead::gui {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  friend constexpr bool operator==(Colour, Colour) = default;
};

// Returns an opaque colour; `rgb` is 0xRRGGBB.
[[nodiscard]] constexpr Colour colour(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8),
          static_cast<std::uint8_t>(rgb), 255};
}
[[nodiscard]] constexpr Colour with_alpha(Colour c, std::uint8_t alpha) { return {c.r, c.g, c.b, alpha}; }
// Returns the four bytes R, G, B, A in memory order on a little-endian machine, as ImU32 needs them.
[[nodiscard]] constexpr std::uint32_t rgba(Colour c) {
  return std::uint32_t{c.r} | std::uint32_t{c.g} << 8 | std::uint32_t{c.b} << 16 | std::uint32_t{c.a} << 24;
}
// Blends `share` (0..1) of `over` onto `under`. The result is opaque.
[[nodiscard]] Colour mix(Colour under, Colour over, float share);
// Returns the WCAG 2 contrast ratio of two opaque colours, 1..21.
[[nodiscard]] double contrast(Colour a, Colour b);
// Returns black or white: the colour with more contrast on `background`. The contrast is at least 4.5:1.
[[nodiscard]] Colour label_on(Colour background);

inline constexpr std::size_t kCategoryCount = 12;

struct Theme {
  bool dark = true;
  // Surfaces.
  Colour window, panel, row, row_alternate, group_header, ruler, name_column, popup;
  // Text and lines.
  Colour text, text_dim, grid_major, grid_minor, separator;
  // Colours with a meaning.
  std::array<Colour, trace::kSliceKindCount> kinds;  // index: SliceKind; Okabe and Ito's palette
  std::array<Colour, kCategoryCount> categories;     // colours of op names or of steps
  Colour wait_fill,
      wait_stroke;  // colours of the hatch that marks a wait; a label is readable on both colours
  Colour counter, counter_line, marker, selection, hover, related, arrow, range, badge, good, warning,
      failure;
  Colour path;            // the critical path
  Colour side_a, side_b;  // the two sides, A and B, of a comparison of two traces or ranges

  [[nodiscard]] Colour of(trace::SliceKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] Colour category(std::uint32_t key) const { return categories[key % kCategoryCount]; }
};

[[nodiscard]] Theme dark_theme();
[[nodiscard]] Theme light_theme();

}  // namespace runahead::gui
