#include "instrumentation/import/common/short_texts.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>

#include "tests/support/random.h"

namespace runahead::importers {
namespace {

TEST(ShortTexts, GivesBackWhatWasSetForExactlyThisText) {
  testing::Random random;
  ShortTexts<int, 64> texts;
  std::unordered_map<std::string, int> all;
  int found = 0;
  for (int i = 0; i < 100'000; ++i) {
    // Every second string has at most 3 letters, so it occurs often. The others have up to 32 letters,
    // nearly all of them 'a'.
    std::string text(static_cast<std::size_t>(random.integer(1, i % 2 == 0 ? 3 : 32)), 'a');
    text[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(text.size()) - 1))] =
        static_cast<char>('a' + random.integer(0, 2));
    if (random.chance(0.1)) text.back() = '\0';
    const int value = all.try_emplace(text, i).first->second;
    if (const int* known = texts.find(text)) {
      ASSERT_EQ(*known, value) << text;
      ++found;
    } else {
      texts.set_last(value);
    }
  }
  EXPECT_GT(found, 10'000);
}

}  // namespace
}  // namespace runahead::importers
