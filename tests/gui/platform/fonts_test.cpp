#include "gui/platform/fonts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ios>
#include <string>

#include "gui/text/language.h"
#include "imgui.h"

namespace runahead::gui {
namespace {

// Each test has an ImGui context, but no window.
class FontsTest : public ::testing::Test {
 protected:
  FontsTest() : context_(ImGui::CreateContext()) { ImGui::SetCurrentContext(context_); }
  ~FontsTest() override { ImGui::DestroyContext(context_); }

  static FontNeeds needs_of(Language language) {
    FontNeeds needs;
    needs.region = language == Language::kJapanese ? Region::kJapan : Region::kChina;
    for (const char32_t character : characters_of(language)) needs.characters.add(character);
    return needs;
  }

 private:
  ImGuiContext* const context_;
};

TEST_F(FontsTest, EveryCharacterOfALanguageHasAGlyphInEveryFace) {
  for (const Language language : kLanguages) {
    if (language != Language::kEnglish && !has_wide_face()) continue;
    const Fonts fonts = build_fonts(needs_of(language));
    if (fonts.face.empty()) GTEST_SKIP() << "no face at all is installed";
    for (const ImFont* const face : {fonts.body, fonts.bold, fonts.small, fonts.large}) {
      for (const char32_t character : characters_of(language)) {
        EXPECT_NE(face->FindGlyphNoFallback(static_cast<ImWchar>(character)), nullptr)
            << language_code(language) << ": U+" << std::hex << static_cast<unsigned>(character);
      }
    }
  }
  if (!has_wide_face()) GTEST_SKIP() << "Chinese and Japanese were left out: fonts-noto-cjk is not installed";
}

TEST_F(FontsTest, EnglishReadsNoFaceOfOthers) {
  EXPECT_EQ(build_fonts(needs_of(Language::kEnglish)).wide_face, "");
}

TEST_F(FontsTest, ACharacterOfTheDataGetsAGlyphWithoutTheLanguage) {
  if (!has_wide_face()) GTEST_SKIP() << "fonts-noto-cjk is not installed";
  FontNeeds needs = needs_of(Language::kEnglish);
  EXPECT_FALSE(has_glyphs(*build_fonts(needs).body, "訓練 ループ"));
  needs.characters.add("訓練 ループ");
  EXPECT_TRUE(has_glyphs(*build_fonts(needs).body, "訓練 ループ"));
}

TEST_F(FontsTest, TheSameCharacterIsWrittenAsItsRegionDoes) {
  if (!has_wide_face()) GTEST_SKIP() << "fonts-noto-cjk is not installed";
  const auto picture_of = [](Region region) {
    FontNeeds needs;
    needs.scale = 2.5f;
    needs.region = region;
    needs.characters.add("直");  // in Japanese, this character has another stroke at the lower left
    const Fonts fonts = build_fonts(needs);
    const ImFontGlyph& glyph = *fonts.large->FindGlyphNoFallback(0x76F4);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    std::string picture;
    const auto at = [](float share, int size) {
      return static_cast<int>(share * static_cast<float>(size) + 0.5f);
    };
    for (int y = at(glyph.V0, height); y < at(glyph.V1, height); ++y) {
      for (int x = at(glyph.U0, width); x < at(glyph.U1, width); ++x)
        picture += pixels[y * width + x] > 127 ? '#' : '.';
      picture += '\n';
    }
    return picture;
  };
  EXPECT_EQ(picture_of(Region::kChina), picture_of(Region::kChina));
  EXPECT_NE(picture_of(Region::kChina), picture_of(Region::kJapan));
}

TEST(CharacterSet, KnowsWhatIsNew) {
  CharacterSet set;
  EXPECT_FALSE(set.add("plain words")) << "ASCII is always there";
  EXPECT_TRUE(set.add("dot 中"));
  EXPECT_FALSE(set.add("中"));
  EXPECT_TRUE(set.has(U'中'));
  EXPECT_FALSE(set.add(char32_t{0x20000})) << "beyond the basic plane there are no glyphs";
  EXPECT_EQ(set.count(), 1U);
}

}  // namespace
}  // namespace runahead::gui
