#include "gui/text/text.h"

#include <gtest/gtest.h>

#include <string>

namespace runahead::gui {
namespace {

TEST(Text, EveryTextIsThereAndHasNoSpaceAtItsEnds) {
  for (std::size_t i = 0; i < kTextCount; ++i) {
    const std::string words = text(static_cast<Text>(i));
    ASSERT_FALSE(words.empty()) << i;
    EXPECT_NE(words.front(), ' ') << words;
    EXPECT_NE(words.back(), ' ') << words;
  }
}

}  // namespace
}  // namespace runahead::gui
