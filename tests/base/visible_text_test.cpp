// Tests visible_text(): names from outside must not control the terminal to which they are written.
#include "instrumentation/base/visible_text.h"

#include <gtest/gtest.h>

#include <string>

namespace runahead {
namespace {

TEST(VisibleText, PlainTextOfAnyScriptStaysAsItIs) {
  for (const std::string text :
       {"", "conv2d", "a b~", "\xe5\x8d\xb7\xe7\xa9\x8d", "\xc3\xa9", "\xf0\x9f\x94\xa5"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleText, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(visible_text("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(visible_text("\a\b\x7f"), "\\x07\\x08\\x7f");
  EXPECT_EQ(visible_text("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(visible_text(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(VisibleText, C1CharactersAndChangesOfDirectionAreWrittenOut) {
  EXPECT_EQ(visible_text("\xc2\x9b"
                         "31m"),
            "\\u009b31m");
  EXPECT_EQ(visible_text("gnp.\xe2\x80\xae"
                         "exe"),
            "gnp.\\u202eexe");
  EXPECT_EQ(visible_text("\xe2\x80\xa8"), "\\u2028");
  EXPECT_EQ(visible_text("\xc2\xa0"), "\xc2\xa0");  // a no-break space is not a control character
}

TEST(VisibleText, BytesThatAreNotUtf8AreWrittenOut) {
  EXPECT_EQ(visible_text("\x9b"
                         "31m"),
            "\\x9b31m");
  EXPECT_EQ(visible_text("\xe5\x8d"), "\\xe5\\x8d");  // cut off
  // a line break (0x0a) in two bytes, which UTF-8 does not allow
  EXPECT_EQ(visible_text("\xc0\x8a"), "\\xc0\\x8a");
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(visible_text("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(VisibleText, WhatIsExceptedStays) { EXPECT_EQ(visible_text("a\nb\tc", "\n"), "a\nb\\tc"); }

}  // namespace
}  // namespace runahead
