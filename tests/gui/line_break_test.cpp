#include "gui/text/line_break.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "gui/text/utf8.h"

namespace runahead::gui {
namespace {

// A wide character has a width of 2, every other character has a width of 1.
float advance(char32_t character) { return is_wide(character) ? 2.0f : 1.0f; }
std::string broken(std::string_view words, float width) { return broken_into_lines(words, width, advance); }

float width_of(std::string_view words) {
  float width = 0;
  for (std::size_t at = 0; at < words.size();) width += advance(next_character(words, at));
  return width;
}

TEST(LineBreak, WhatFitsStaysAsItIs) {
  EXPECT_EQ(broken("", 10), "");
  EXPECT_EQ(broken("前端等待", 8), "前端等待");
  EXPECT_EQ(broken("two words", 9), "two words");
}

TEST(LineBreak, ChineseBreaksBetweenAnyTwoCharacters) {
  EXPECT_EQ(broken("前端等待后端", 8), "前端等待\n后端");
}

TEST(LineBreak, NoLineBeginsWithWhatClosesOrLengthens) {
  EXPECT_EQ(broken("前端等待。后端", 8), "前端等\n待。后端");
  EXPECT_EQ(broken("「前」、後", 6), "「前」\n、後") << "there is no other place to break";
  EXPECT_EQ(broken("待つデータ", 6), "待つ\nデータ");
  EXPECT_EQ(broken("ここでちょっと待つ", 8), "ここで\nちょっと\n待つ");
}

TEST(LineBreak, NoLineEndsWithWhatOpens) { EXPECT_EQ(broken("等待「结果」", 6), "等待\n「结\n果」"); }

TEST(LineBreak, WordsAreKeptWholeAndTheSpaceBetweenThemGoes) {
  EXPECT_EQ(broken("the frontend waits", 12), "the frontend\nwaits");
  EXPECT_EQ(broken("the frontend waits", 11), "the\nfrontend\nwaits");
  EXPECT_EQ(broken("屏障 wait_to_read 等待", 14), "屏障\nwait_to_read\n等待");
}

TEST(LineBreak, AFigureAndItsUnitStayTogether) {
  EXPECT_EQ(broken("takes 11.7 ms", 10), "takes\n11.7 ms");
  EXPECT_EQ(broken("of 919 ns; more", 8), "of\n919 ns;\nmore");
  EXPECT_EQ(broken("\u7528\u65f6 5 \u00b5s", 6), "\u7528\u65f6\n5 \u00b5s");
  EXPECT_EQ(broken("复制用了 129 ms，先后", 16), "复制用了\n129 ms，先后");
  EXPECT_EQ(broken("11.7 mice", 6), "11.7\nmice");
  EXPECT_EQ(broken("12345 ms", 6), "12345 \nms") << "it does not fit a line";
}

TEST(LineBreak, NoLineEndsWithAnOperator) {
  EXPECT_EQ(broken("and batch t + 1 is not", 13), "and batch t\n+ 1 is not");
  EXPECT_EQ(broken("C++ 20", 4), "C++\n20") << "this is a name";
}

TEST(LineBreak, AWordNextToASquareMayBeBrokenFromIt) {
  EXPECT_EQ(broken("切换wait_to_read之后", 12), "切换\nwait_to_read\n之后");
}

TEST(LineBreak, AWordThatIsWiderThanALineIsBrokenAnywhere) {
  EXPECT_EQ(broken("abcdefgh", 3), "abc\ndef\ngh");
  EXPECT_EQ(broken("中", 1), "中") << "one character stays, however narrow the line";
}

TEST(LineBreak, LineFeedsStay) { EXPECT_EQ(broken("一二\n\n三四五", 4), "一二\n\n三四\n五"); }

TEST(LineBreak, OfAnyWordsNoLineIsTooWideAndNothingButSpacesIsLost) {
  const std::u32string_view alphabet = U"中あア。、「」ー ab.,(（";
  const std::string_view utf8[]{"中", "あ", "ア", "。", "、", "「", "」", "ー",
                                " ",  "a",  "b",  ".",  ",",  "(",  "（"};
  ASSERT_EQ(alphabet.size(), std::size(utf8));
  std::mt19937 random(20260722);
  for (int round = 0; round < 2000; ++round) {
    std::string words;
    for (std::size_t i = random() % 40; i > 0; --i) words += utf8[random() % std::size(utf8)];
    const float width = 2.0f + static_cast<float>(random() % 12);
    const std::string lines = broken(words, width);
    std::string kept = lines, meant = words;
    std::erase_if(kept, [](char c) { return c == '\n' || c == ' '; });
    std::erase(meant, ' ');
    ASSERT_EQ(kept, meant);
    for (std::size_t begin = 0; begin <= lines.size();) {
      std::size_t end = std::min(lines.find('\n', begin), lines.size());
      const std::string line = lines.substr(begin, end - begin);
      const std::size_t last = line.find_last_not_of(' ');
      ASSERT_LE(width_of(line.substr(0, last == std::string::npos ? 0 : last + 1)), width) << lines;
      begin = end + 1;
    }
  }
}

}  // namespace
}  // namespace runahead::gui
