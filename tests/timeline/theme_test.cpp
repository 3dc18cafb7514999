#include "gui/theme/theme.h"

#include <gtest/gtest.h>

#include <set>

namespace runahead::gui {
namespace {

constexpr double kReadable = 4.5;  // the contrast that WCAG 2 AA requires for text

TEST(Contrast, IsTwentyOneForBlackOnWhite) {
  EXPECT_NEAR(contrast(colour(0x000000), colour(0xFFFFFF)), 21, 0.01);
  EXPECT_NEAR(contrast(colour(0x777777), colour(0x777777)), 1, 0.01);
}

TEST(LabelOn, ReadsOnEveryGreyAndEveryKind) {
  for (std::uint32_t grey = 0; grey < 256; ++grey) {
    const Colour background = colour(grey << 16 | grey << 8 | grey);
    EXPECT_GE(contrast(background, label_on(background)), kReadable) << grey;
  }
}

TEST(Theme, EveryLabelReadsOnItsBoxFullOrFolded) {
  for (const Theme& theme : {dark_theme(), light_theme()}) {
    for (const Colour kind : theme.kinds) {
      for (const float share : {0.35f, 0.55f, 1.0f}) {
        const Colour box = mix(theme.row, kind, share);
        EXPECT_GE(contrast(box, label_on(box)), kReadable);
      }
    }
    for (const Colour category : theme.categories)
      EXPECT_GE(contrast(category, label_on(category)), kReadable);
  }
}

TEST(Theme, AWaitsLabelReadsOnItsHatch) {
  for (const Theme& theme : {dark_theme(), light_theme()}) {
    EXPECT_GE(contrast(theme.wait_fill, label_on(theme.wait_fill)), kReadable);
    EXPECT_GE(contrast(theme.wait_stroke, label_on(theme.wait_fill)), kReadable);
  }
}

TEST(Theme, TextReadsOnEverySurface) {
  for (const Theme& theme : {dark_theme(), light_theme()}) {
    for (const Colour surface : {theme.window, theme.panel, theme.row, theme.row_alternate,
                                 theme.group_header, theme.ruler, theme.name_column, theme.popup}) {
      EXPECT_GE(contrast(surface, theme.text), kReadable);
      EXPECT_GE(contrast(surface, theme.text_dim), kReadable);
    }
    for (const Colour words : {theme.marker, theme.counter_line, theme.good, theme.warning, theme.failure}) {
      EXPECT_GE(contrast(theme.panel, words), kReadable);
    }
  }
}

TEST(Theme, GivesEachKindAColourOfItsOwn) {
  for (const Theme& theme : {dark_theme(), light_theme()}) {
    std::set<std::uint32_t> colours;
    for (const Colour kind : theme.kinds) colours.insert(rgba(kind));
    EXPECT_EQ(colours.size(), static_cast<std::size_t>(trace::kSliceKindCount));
  }
}

TEST(Theme, TellsBoxesFromTheRowBehindThem) {
  for (const Colour kind : dark_theme().kinds) EXPECT_GE(contrast(dark_theme().row, kind), 2.5);
}

}  // namespace
}  // namespace runahead::gui
