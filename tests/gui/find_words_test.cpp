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

TEST(FindWords, TakeAKindInPlaceOfTheOneThereWas) {
  using trace::SliceKind;
  EXPECT_EQ(words_with_kind("relu", SliceKind::kWait), "relu kind=wait");
  EXPECT_EQ(words_with_kind("kind=wait name=\"a kind=wait\" dur>1ms", SliceKind::kCopyToHost),
            "name=\"a kind=wait\" dur>1ms kind=copy");
  EXPECT_EQ(words_with_kind("relu kind=wait", std::nullopt), "relu");
  EXPECT_EQ(words_with_kind("kind=wait", std::nullopt), "");
  EXPECT_TRUE(have_kind("relu kind=wait"));
  EXPECT_FALSE(have_kind("relu \"kind=wait\""));
}

// A click on the button of a kind searches for this kind, so the search has to read the word of each kind.
TEST(FindWords, OfEachKindAreReadBySearch) {
  for (int i = 0; i < trace::kSliceKindCount; ++i) {
    const auto kind = static_cast<trace::SliceKind>(i);
    const auto search = analysis::parse_slice_search(words_with_kind("", kind));
    ASSERT_TRUE(search) << i;
    EXPECT_TRUE(search->kinds & trace::kinds_of(kind)) << i;
  }
}

}  // namespace
}  // namespace runahead::gui
