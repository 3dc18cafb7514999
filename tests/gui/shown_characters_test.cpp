#include "gui/app/shown_characters.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using runahead::testing::TraceBuilder;
using namespace std::chrono_literals;

trace::Trace trace_of(std::string_view name) {
  return TraceBuilder{}.track("w0").slice(name, 0us, 1us).build();
}

class ShownCharactersTest : public ::testing::Test {
 protected:
  const FontNeeds* due(Language language = Language::kEnglish, float scale = 1, bool presentation = false) {
    return characters_.due(scale, presentation, language, now_);
  }

  ShownCharacters characters_;
  ShownCharacters::Clock::time_point now_{};
};

TEST_F(ShownCharactersTest, OfPlainNamesFontsAreBuiltOnce) {
  characters_.look_at(trace_of("dot"), {});
  ASSERT_NE(due(), nullptr);
  characters_.look_at(trace_of("relu"), {});
  EXPECT_EQ(due(), nullptr);
  EXPECT_FALSE(characters_.waits());
}

TEST_F(ShownCharactersTest, ALanguageOrAScaleIsDueAtOnce) {
  ASSERT_NE(due(), nullptr);
  const FontNeeds* needs = due(Language::kJapanese);
  ASSERT_NE(needs, nullptr);
  EXPECT_EQ(needs->region, Region::kJapan);
  EXPECT_TRUE(needs->characters.has(U'語'));
  EXPECT_NE(due(Language::kJapanese, 2), nullptr);
  EXPECT_EQ(due(Language::kJapanese, 2), nullptr);
}

TEST_F(ShownCharactersTest, NewNamesWaitForTheirTime) {
  ASSERT_NE(due(), nullptr);
  characters_.look_at(trace_of("訓練"), {});
  EXPECT_EQ(due(), nullptr) << "fonts have just been built";
  EXPECT_TRUE(characters_.waits());
  now_ += ShownCharacters::kPeriod;
  const FontNeeds* needs = due();
  ASSERT_NE(needs, nullptr);
  EXPECT_TRUE(needs->characters.has(U'訓'));
  EXPECT_FALSE(characters_.waits());
}

TEST_F(ShownCharactersTest, WhatIsNoNameOfTheTraceIsSeenToo) {
  const std::array<std::string_view, 2> others{"plain", "文件.runahead"};
  characters_.look_at(trace_of("dot"), others);
  EXPECT_TRUE(due()->characters.has(U'文'));
}

TEST_F(ShownCharactersTest, KanaAndHangulSayWhoseShapesAreMeant) {
  characters_.look_at(trace_of("前向传播"), {});
  EXPECT_EQ(due()->region, Region::kChina);
  now_ += ShownCharacters::kPeriod;
  characters_.look_at(trace_of("순전파"), {});
  EXPECT_EQ(due()->region, Region::kKorea);
  now_ += ShownCharacters::kPeriod;
  characters_.look_at(trace_of("ループ"), {});
  EXPECT_EQ(due()->region, Region::kJapan);
  EXPECT_EQ(due(Language::kChinese)->region, Region::kChina) << "the language comes first";
}

TEST_F(ShownCharactersTest, AMillionNamesAreLookedAtInPieces) {
  TraceBuilder builder;
  builder.track("w0");
  for (std::size_t i = 0; i < ShownCharacters::kNamesAFrame + 10; ++i)
    builder.slice("op " + std::to_string(i), std::chrono::microseconds(2 * i), 1us);
  const trace::Trace trace = builder.build();
  characters_.look_at(trace, {});
  EXPECT_TRUE(characters_.more_to_see());
  characters_.look_at(trace, {});
  EXPECT_FALSE(characters_.more_to_see());
}

TEST_F(ShownCharactersTest, MoreCharactersThanATextureHoldsAreLeftOut) {
  std::string all;
  for (char32_t c = 0x4E00; c < 0x4E00 + ShownCharacters::kMostCharacters + 100; ++c) {
    all += static_cast<char>(0xE0 | c >> 12);
    all += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    all += static_cast<char>(0x80 | (c & 0x3F));
  }
  const std::array<std::string_view, 1> others{all};
  const std::size_t before = due()->characters.count();
  now_ += ShownCharacters::kPeriod;
  characters_.look_at(trace_of("dot"), others);
  EXPECT_EQ(due()->characters.count(), before + ShownCharacters::kMostCharacters);
}

}  // namespace
}  // namespace runahead::gui
