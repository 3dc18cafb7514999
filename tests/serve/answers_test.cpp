#include "gui/serve/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::gui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServeAnswers, NamesOfFilesAreText) {
  const std::string page =
      list_page({.entries = {{.number = 3, .name = "<script>\x1b.json", .bytes = 1000, .live = true}}},
                Language::kEnglish);
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\"><a href=\"3/\">&lt;script&gt;"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\">Name</th>")) << "a screen reader says what a column is";
  EXPECT_THAT(page, HasSubstr("being written"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(error_page("'<b>' is empty", false), HasSubstr("'&lt;b&gt;' is empty"));
}

TEST(ServeAnswers, TheListIsInTheLanguageOfTheBrowserAndSaysWhatIsLeftOut) {
  const ShelfList list{.entries = {}, .more_files = true, .deeper_folders = 7};
  const std::string english = list_page(list, Language::kEnglish);
  EXPECT_THAT(english, HasSubstr("<html lang=\"en\">"));
  EXPECT_THAT(english, HasSubstr("No traces yet"));
  EXPECT_THAT(english, HasSubstr("more than 10000 files"));
  EXPECT_THAT(english, HasSubstr("deeper than 4 levels: 7"));
  EXPECT_THAT(list_page(list, Language::kJapanese), HasSubstr("<html lang=\"ja\">"));
  EXPECT_THAT(list_page(list, Language::kChinese), HasSubstr("还没有跟踪"));
  EXPECT_THAT(list_page({}, Language::kEnglish), Not(HasSubstr("Left out")));
}

TEST(ServeAnswers, OnlyPagesMayRunScriptsAndAskTheServer) {
  EXPECT_THAT(std::string(content_policy(Policy::kNothing)), Not(HasSubstr("script-src")));
  EXPECT_THAT(std::string(content_policy(Policy::kPage)), HasSubstr("connect-src 'self'"));
  for (const Policy policy : {Policy::kNothing, Policy::kPage})
    EXPECT_THAT(std::string(content_policy(policy)), HasSubstr("frame-ancestors 'none'"));
}

TEST(ServeAnswers, TheStateIsJson) {
  EXPECT_EQ(state_json({.version = "1-2-3.4", .live = true}), "{\"version\": \"1-2-3.4\", \"live\": true}\n");
}

}  // namespace
}  // namespace runahead::gui
