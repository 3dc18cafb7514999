#include "gui/model/retention.h"

#include <gtest/gtest.h>

#include "gui/text/language.h"
#include "tests/support/literals.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;  // NOLINT: for literals such as 1_ms
using Kind = Retention::Kind;

TEST(Retention, IsALimitThatARecordingTakes) {
  EXPECT_EQ(limits_of({}), record::FileLimits{});
  const record::FileLimits seconds = limits_of({Kind::kSeconds, 30, 64});
  EXPECT_EQ(seconds.keep_last, (record::Amount{.time = 30'000_ms}));
  EXPECT_TRUE(seconds.rotate.none());
  EXPECT_EQ(limits_of({Kind::kMegabytes, 30, 64}).keep_last, (record::Amount{.bytes = 64'000'000}));
  for (const Kind kind : {Kind::kWhole, Kind::kSeconds, Kind::kMegabytes})
    EXPECT_TRUE(limits_of({kind, -5, 0}).check().ok()) << "whatever was typed";
  EXPECT_EQ(within_bounds({Kind::kSeconds, 1'000'000'000, 2'000'000'000}),
            (Retention{Kind::kSeconds, kMostKeptSeconds, kMostKeptMegabytes}));
}

TEST(Retention, IsSaidPlainly) {
  EXPECT_EQ(limits_words({}), "");
  EXPECT_EQ(limits_words(limits_of({Kind::kSeconds, 30, 64})), "keeps the last 30 s");
  EXPECT_EQ(limits_words(limits_of({Kind::kMegabytes, 30, 64})), "keeps the last 64 MB");
  EXPECT_EQ(limits_words({.rotate = {.time = 1'500_ms}, .keep_last = {}}), "a new file every 1.50 s");
}

}  // namespace
}  // namespace runahead::gui
