#include "instrumentation/trace/rows/loss.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace runahead::trace {
namespace {

TEST(Loss, EveryCauseHasAKeyOfItsOwnAndASentence) {
  std::set<std::string_view> keys;
  for (int i = 0; i < kLossCauseCount; ++i) {
    const auto cause = static_cast<LossCause>(i);
    EXPECT_TRUE(keys.insert(loss_key(cause)).second);
    EXPECT_EQ(loss_sentence(cause).back(), '.');
    for (const char c : loss_key(cause)) EXPECT_TRUE((c >= 'a' && c <= 'z') || c == '_') << loss_key(cause);
  }
  EXPECT_EQ(loss_key(LossCause::kBufferFull), "buffer_full");
  EXPECT_EQ(loss_key(LossCause::kImportSkipped), "import_skipped");
}

TEST(Loss, LateRowsAndWhatWasLetGoAreNotMissingFacts) {
  LossCounts counts;
  EXPECT_TRUE(counts.none());
  counts.add(LossCause::kLateRow, 3);
  counts.add(LossCause::kEvicted, 5);
  EXPECT_FALSE(counts.none());
  EXPECT_FALSE(counts.facts_missing());
  counts.add(LossCause::kBufferFull);
  EXPECT_TRUE(counts.facts_missing());
  EXPECT_EQ(counts.of(LossCause::kEvicted), 5u);
}

}  // namespace
}  // namespace runahead::trace
