// Tests interned sites and tracks: equal sites have the same address until the process ends, and so do equal
// tracks.
#include "instrumentation/record/hooks/site.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace runahead::record {
namespace {

TEST(Sites, TheSameNameAndKindHaveTheSameAddress) {
  const Site& a = intern_site(std::string("dot") + "_1", trace::SliceKind::kExecute);
  const Site& b = intern_site("dot_1", trace::SliceKind::kExecute);
  EXPECT_EQ(&a, &b);
  EXPECT_STREQ(a.name, "dot_1");
  EXPECT_EQ(a.kind, trace::SliceKind::kExecute);
  EXPECT_NE(&a, &intern_site("dot_1", trace::SliceKind::kWait));
}

TEST(Sites, ASiteWithAPlaceDiffersByItsPlace) {
  const Site& a = intern_site("mm", trace::SliceKind::kZone, std::string("train") + ".py", 12);
  EXPECT_EQ(&a, &intern_site("mm", trace::SliceKind::kZone, "train.py", 12));
  EXPECT_STREQ(a.file, "train.py");
  EXPECT_EQ(a.line, 12u);
  EXPECT_TRUE(a.has_place);
  EXPECT_NE(&a, &intern_site("mm", trace::SliceKind::kZone, "train.py", 13));
  EXPECT_NE(&a, &intern_site("mm", trace::SliceKind::kZone, "other.py", 12));
  EXPECT_NE(&a, &intern_site("mm", trace::SliceKind::kZone));
}

TEST(Sites, AnEmptyFileIsNoPlace) {
  const Site& plain = intern_site("relu", trace::SliceKind::kZone);
  EXPECT_EQ(&plain, &intern_site("relu", trace::SliceKind::kZone, "", 7));
  EXPECT_FALSE(plain.has_place);
}

TEST(Sites, TracksDifferInAnyFact) {
  const TrackDesc desc{.group = "Memory", .name = "live", .device = "cpu"};
  TrackDesc other = desc;
  other.simulated = true;
  EXPECT_EQ(&intern_track(desc), &intern_track(TrackDesc(desc)));
  EXPECT_NE(&intern_track(desc), &intern_track(other));
  EXPECT_EQ(intern_track(other), other);
}

TEST(Sites, ThreadsThatInternAtOnceAgree) {
  std::vector<std::vector<const Site*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 200; ++i) {
        mine.push_back(&intern_site("raced " + std::to_string(i), trace::SliceKind::kZone));
        (void)intern_track({.name = "raced " + std::to_string(i)});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, seen.front());
}

}  // namespace
}  // namespace runahead::record
