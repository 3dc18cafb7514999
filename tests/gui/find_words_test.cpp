#include <gtest/gtest.h>

#include "gui/panels/find/find_panel.h"
#include "instrumentation/analysis/slice_search.h"
#include "tests/support/literals.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;

TEST(FindWords, OfANameFindThatNameAlone) {
  for (const char* const name : {"matmul", "wait for a loss", "dur>1ms", "operator<<(a, b)"}) {
    const auto search = analysis::parse_slice_search(words_for_name(name));
    ASSERT_TRUE(search) << name;
    EXPECT_EQ(search->name, name);
    EXPECT_TRUE(search->name_words.empty());
  }
}

TEST(FindWords, OfANameAndAKindLeaveOutTheOtherKinds) {
  EXPECT_EQ(words_for_name("matmul", trace::SliceKind::kExecute), "name=\"matmul\" kind=execute");
  EXPECT_EQ(words_for_name("64 MB", trace::SliceKind::kCopyToHost), "name=\"64 MB\" kind=copy");
  EXPECT_EQ(words_for_name("pause", trace::SliceKind::kPause), "name=\"pause\"");
}

TEST(FindWords, TakeNewBoundsInPlaceOfThoseThereWere) {
  const std::string words = words_with_durations("name=\"wait for\" dur>1ms kind=wait dur<=2s", 3_us, 5_us);
  EXPECT_EQ(words, "name=\"wait for\" kind=wait dur>=3000ns dur<=5000ns");
  const auto search = analysis::parse_slice_search(words);
  ASSERT_TRUE(search);
  EXPECT_EQ(search->duration.least, 3_us);
  EXPECT_EQ(search->duration.most, 5_us);
  EXPECT_EQ(words_with_durations(words, 1_ns, 2_ns), "name=\"wait for\" kind=wait dur>=1ns dur<=2ns");
}

TEST(FindWords, LeaveAQuotedNameThatLooksLikeABoundAlone) {
  EXPECT_EQ(words_with_durations("name=\"a dur>1\"", 1_ns, 1_ns), "name=\"a dur>1\" dur>=1ns dur<=1ns");
}

}  // namespace
}  // namespace runahead::gui
