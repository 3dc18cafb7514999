#include "gui/serve/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::gui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServeAnswers, NamesOfFilesAreText) {
  const std::string page =
      list_page({{.number = 3, .name = "<script>\x1b.json", .bytes = 1000, .live = true}});
  EXPECT_THAT(page, HasSubstr("<a href=\"3/\">&lt;script&gt;"));
  EXPECT_THAT(page, HasSubstr("being written"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(error_page("'<b>' is empty", false), HasSubstr("'&lt;b&gt;' is empty"));
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
