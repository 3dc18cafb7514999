#include "instrumentation/base/barrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead {
namespace {

using ::testing::HasSubstr;

TEST(Barrier, EveryPolicyIsReadAndWrittenTheSame) {
  for (const char* text :
       {"none", "wait_to_read", "waitall", "item", "asnumpy", "print", "window:2", "ops:100", "bytes:256M",
        "bytes:256Mi", "bytes:1G", "bytes:3Gi", "bytes:5k", "bytes:7Ki", "bytes:123"}) {
    const Result<BarrierPolicy> policy = parse_barrier(text);
    ASSERT_TRUE(policy.ok()) << text;
    EXPECT_EQ(to_string(*policy), text);
  }
  EXPECT_EQ(parse_barrier("bytes:256M")->k, 256'000'000);
  EXPECT_EQ(parse_barrier("bytes:256Mi")->k, 256ll << 20);
  EXPECT_EQ(parse_barrier("window:2")->kind, BarrierKind::kWindow);
}

TEST(Barrier, AnUnknownWordIsNamedWithWhatThereIs) {
  const auto error = parse_barrier("wait").error().message;
  EXPECT_THAT(error, HasSubstr("unknown barrier 'wait'"));
  EXPECT_THAT(error, HasSubstr("window:K"));
}

TEST(Barrier, ANumberThatIsNoneIsRefused) {
  for (const char* text :
       {"window", "window:", "window:0", "window:-1", "window:2x", "window:2k", "ops:1.5", "bytes:M",
        "bytes:99999999999Gi", "none:1", "", ":", "ops:9999999999999999999999"}) {
    EXPECT_FALSE(parse_barrier(text).ok()) << text;
  }
  EXPECT_THAT(parse_barrier("window").error().message, HasSubstr("needs a number"));
  EXPECT_THAT(parse_barrier("ops:x").error().message, HasSubstr("'x' is not a whole number above 0"));
}

TEST(Barrier, EachChoiceHasALabelASentenceAndAPolicyThatCanBeTyped) {
  ASSERT_LE(barrier_choices().size(), 9u);  // the keys 1 to 9 of the window choose a barrier
  EXPECT_EQ(barrier_choices().front().policy.kind, BarrierKind::kNone);
  for (const BarrierChoice& choice : barrier_choices()) {
    EXPECT_EQ(*parse_barrier(to_string(choice.policy)), choice.policy);
    EXPECT_FALSE(choice.label.empty());
    EXPECT_TRUE(choice.sentence.ends_with("."));
  }
}

}  // namespace
}  // namespace runahead
