#include "instrumentation/analysis/statistics.h"

#include <gtest/gtest.h>

#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

TEST(StatisticsByName, GroupByNameKindAndTopLevelGroupWorstTotalFirst) {
  const Trace trace = TraceBuilder{}
                          .group("Workers")
                          .track("w0", TrackKind::kWorker)
                          .slice("matmul", 0_us, 10_us, SliceKind::kExecute)
                          .bytes(3)
                          .track("w1", TrackKind::kWorker)
                          .slice("matmul", 0_us, 30_us, SliceKind::kExecute)
                          .bytes(4)
                          .slice("relu", 40_us, 1_us, SliceKind::kExecute)
                          .group("virtual:0")
                          .track("compute", TrackKind::kStream)
                          .device("virtual:0", true)
                          .slice("matmul", 0_us, 100_us, SliceKind::kExecute)
                          .end_group()
                          .track("main", TrackKind::kFrontend)
                          .slice("matmul", 0_us, 2_us, SliceKind::kEnqueue)
                          .build();
  const auto rows = statistics_by_name(trace, range(0_us, 1_s));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].track_group, "virtual:0 (simulated)");
  EXPECT_EQ(rows[1].track_group, "Workers");
  EXPECT_EQ(rows[1].name, "matmul");
  EXPECT_EQ(rows[1].count, 2u);
  EXPECT_EQ(rows[1].total, 40_us);
  EXPECT_EQ(rows[1].mean, 20_us);
  EXPECT_EQ(rows[1].min, 10_us);
  EXPECT_EQ(rows[1].max, 30_us);
  EXPECT_EQ(rows[1].size_bytes, 7);
  EXPECT_EQ(rows[2].track_group, "main");
  EXPECT_EQ(rows[2].kind, SliceKind::kEnqueue);
  EXPECT_EQ(rows[3].name, "relu");
}

TEST(StatisticsByName, PercentilesAreExactByNearestRank) {
  TraceBuilder builder;
  builder.track("w0");
  // Durations 1..200 ns, not sorted.
  for (int i = 0; i < 200; ++i) builder.slice("x", 1_us * i, 1_ns * ((i * 77) % 200 + 1));
  const auto rows = statistics_by_name(builder.build(), range(0_us, 1_s));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].p50, 100_ns);
  EXPECT_EQ(rows[0].p99, 198_ns);
  const Trace one = TraceBuilder{}.track("w0").slice("x", 0_ns, 7_ns).build();
  EXPECT_EQ(statistics_by_name(one, range(0_us, 1_s))[0].p99, 7_ns);
}

TEST(StatisticsByName, TakeTheSlicesThatBeginInTheRange) {
  const Trace trace = TraceBuilder{}
                          .track("w0")
                          .slice("x", 0_us, 10_us)
                          .slice("x", 10_us, 10_us)
                          .slice("x", 20_us, 10_us)
                          .build();
  EXPECT_EQ(statistics_by_name(trace, range(5_us, 20_us))[0].count, 1u);
  EXPECT_TRUE(statistics_by_name(trace, range(50_us, 60_us)).empty());
}

TEST(StatisticsByName, LeaveTheLivesOfOpsOutWhereAsked) {
  const Trace trace = TraceBuilder{}
                          .track("cpu 0", TrackKind::kWorker)
                          .slice("add", 10_us, 5_us)
                          .track("op lives", TrackKind::kQueue)
                          .slice("add", 0_us, 15_us)
                          .build();
  const TimeRange all{Timestamp{}, Timestamp{100_us}};
  EXPECT_EQ(statistics_by_name(trace, all).size(), 2u);
  const auto without = statistics_by_name(trace, all, OpLives::kLeftOut);
  ASSERT_EQ(without.size(), 1u);
  EXPECT_EQ(without[0].total, 5_us);
}

}  // namespace
}  // namespace runahead::analysis
