// Tests the kinds of events that an import skipped: they are counted, stored as metadata, and shown in one
// line.
#include "instrumentation/trace/skipped_kinds.h"

#include <gtest/gtest.h>

namespace runahead::trace {
namespace {

TEST(SkippedKinds, AreMetadataThatAddsUp) {
  SkippedKinds kinds;
  kinds.add("ftrace", "sched_waking", 1200);
  kinds.add("ftrace", "sched_waking", 4);
  kinds.add("packet", "android_log");
  kinds.add("packet", "none", 0);
  Trace trace;
  kinds.add_to(trace);
  EXPECT_EQ(trace.metadata().at("import.skipped.ftrace.sched_waking"), "1204");
  EXPECT_EQ(trace.metadata().size(), 2u);
  kinds.add_to(trace);
  EXPECT_EQ(trace.metadata().at("import.skipped.packet.android_log"), "2");
}

TEST(SkippedKinds, NamesOfAFileCannotBreakALine) {
  SkippedKinds kinds;
  kinds.add("ftrace", "a b\n: \x1b[31m", 1);
  kinds.add("ftrace", "", 1);
  kinds.add("ftrace", std::string(1000, 'x'), 1);
  Trace trace;
  kinds.add_to(trace);
  const std::vector<SkippedKind> told = skipped_kinds(trace.metadata());
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].name, "a_b____[31m");
  EXPECT_EQ(told[1].name, "nameless");
  EXPECT_EQ(told[2].name, std::string(64, 'x'));
}

TEST(SkippedKinds, ManyKindsAreCountedTogether) {
  SkippedKinds kinds;
  for (int i = 0; i < 1000; ++i) kinds.add("ftrace", "kind" + std::to_string(i));
  Trace trace;
  kinds.add_to(trace);
  std::uint64_t sum = 0;
  for (const SkippedKind& kind : skipped_kinds(trace.metadata())) sum += kind.count;
  EXPECT_EQ(sum, 1000u) << "every skipped event is counted";
  EXPECT_EQ(trace.metadata().size(), 257u);
  EXPECT_EQ(skipped_kinds(trace.metadata()).front().name, "other");
}

TEST(SkippedKinds, TheLineNamesTheMostFrequentOnes) {
  const std::vector<SkippedKind> kinds{
      {"ftrace", "sched_waking", 1234567}, {"packet", "android_log", 12}, {"ftrace", "print", 3}};
  EXPECT_EQ(skipped_text(kinds, 9),
            "ftrace events: sched_waking 1,234,567, print 3; packets: android_log 12");
  EXPECT_EQ(skipped_text(kinds, 2),
            "ftrace events: sched_waking 1,234,567; packets: android_log 12; and 1 more kind");
  EXPECT_EQ(skipped_text({}, 9), "");
}

}  // namespace
}  // namespace runahead::trace
