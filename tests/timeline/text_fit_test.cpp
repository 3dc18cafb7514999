#include "gui/timeline/scene/text_fit.h"

#include <gtest/gtest.h>

namespace runahead::gui {
namespace {

const TextAdvance kSeven = TextAdvance::average(1);  // in this font each character is 7 px wide

TEST(FitText, LeavesATextThatFitsAsItIs) { EXPECT_EQ(fit_text("matmul", 42, kSeven), "matmul"); }

TEST(FitText, CutsALongTextWithAnEllipsisThatFitsToo) {
  EXPECT_EQ(fit_text("matmul", 41, kSeven), "matm\u2026");
  EXPECT_LE(kSeven.width_px(fit_text("wait_to_read: op 4711", 100, kSeven)), 100);
}

TEST(FitText, GivesNothingWhereNotEvenTwoLettersFit) {
  EXPECT_EQ(fit_text("matmul", 21, kSeven), "ma\u2026");
  EXPECT_EQ(fit_text("matmul", 20, kSeven), "");
  EXPECT_EQ(fit_text("matmul", -5, kSeven), "");
}

TEST(FitText, NeverCutsWithinACharacter) {
  EXPECT_EQ(fit_text("\u77e9\u9635\u4e58\u6cd5", 35, kSeven), "\u77e9\u9635\u2026");
}

TEST(FitText, ASquareIsTwiceAsWideWhereNoFontSays) {
  EXPECT_FLOAT_EQ(kSeven.width_px("a\u77e9\u2026"), 28);
  EXPECT_FLOAT_EQ(kSeven.width_px("\uac00\u3042\uff08"), 42);
}

TEST(FitText, UsesTheWidthsOfTheFont) {
  TextAdvance wide = kSeven;
  wide.ascii_px['m'] = 20;
  EXPECT_FLOAT_EQ(wide.width_px("mam"), 47);
}

}  // namespace
}  // namespace runahead::gui
