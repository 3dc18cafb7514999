#include "instrumentation/causes/communication.h"

#include <gtest/gtest.h>

#include "instrumentation/causes/explanation.h"
#include "tests/causes/gpu_trace.h"
#include "tests/support/random.h"

namespace runahead::causes {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::Trace;

CommunicationTimes times_of(const Trace& trace, TimeRange range = kAllTime) {
  const Execution execution(trace);
  return communication_times(execution, 0, range);
}

TEST(Communication, IsHiddenByKernelsAndExposedWhereNothingElseRuns) {
  TraceBuilder builder = two_streams();
  launch(builder, "ncclDevKernel_AllReduce", 0_us, "stream 20", 10_us, 100_us);
  launch(builder, "gemm", 10_us, "stream 7", 20_us, 30_us);
  launch(builder, "Memcpy HtoD (Pinned -> Device)", 20_us, "stream 7", 60_us, 10_us,
         SliceKind::kCopyToDevice);
  const Trace trace = builder.build();
  const CommunicationTimes times = times_of(trace);
  EXPECT_EQ(times.count, 1U);
  EXPECT_EQ(times.total, 100_us);
  EXPECT_EQ(times.hidden, 30_us);
  EXPECT_EQ(times.exposed, 60_us);  // 10 us before the gemm, 10 us before the copy, 40 us after it
  EXPECT_EQ(times.longest.begin, at(70_us));
  EXPECT_EQ(times.longest.duration(), 40_us);
  EXPECT_EQ(times.track, builder.track_id("stream 20"));
}

TEST(Communication, CollectivesAtTheSameTimeCountOnce) {
  TraceBuilder builder = two_streams();
  launch(builder, "ncclDevKernel_AllReduce", 0_us, "stream 20", 10_us, 100_us);
  launch(builder, "ncclDevKernel_AllGather", 10_us, "stream 7", 60_us, 100_us);
  const Trace trace = builder.build();
  const CommunicationTimes times = times_of(trace);
  EXPECT_EQ(times.count, 2U);
  EXPECT_EQ(times.total, 150_us);
  EXPECT_EQ(times.exposed, 150_us);
  const CommunicationTimes part = times_of(trace, {at(20_us), at(50_us)});
  EXPECT_EQ(part.count, 1U);
  EXPECT_EQ(part.total, 30_us);
}

TEST(Communication, ADeviceWithoutCollectivesHasNone) {
  TraceBuilder builder = two_streams();
  launch(builder, "gemm", 0_us, "stream 7", 10_us, 100_us);
  const Trace trace = builder.build();
  const CommunicationTimes times = times_of(trace);
  EXPECT_EQ(times.count, 0U);
  EXPECT_EQ(times.total, Duration{});
}

// The sum over all nanoseconds is the truth.
TEST(Communication, OfRandomWorkIsWhatEachMomentSays) {
  Random random;
  for (int i = 0; i < 100; ++i) {
    TraceBuilder builder = two_streams();
    struct Piece {
      std::int64_t begin, end;
      int what;
    };
    std::vector<Piece> pieces;
    for (const char* stream : {"stream 7", "stream 20"}) {
      std::int64_t now = 0;
      for (std::int64_t n = random.integer(0, 12); n > 0; --n) {
        const Piece piece{now + random.integer(0, 9), 0, static_cast<int>(random.integer(0, 2))};
        now = piece.begin + random.integer(0, 20);
        pieces.push_back({piece.begin, now, piece.what});
        builder.on(stream).slice(piece.what == 0 ? "nccl" : "other", Duration{piece.begin},
                                 Duration{now - piece.begin},
                                 piece.what == 2 ? SliceKind::kCopyToHost : SliceKind::kExecute);
      }
    }
    std::int64_t total = 0, hidden = 0, exposed = 0;
    for (std::int64_t t = 0; t < 400; ++t) {
      bool runs[3] = {};
      for (const Piece& piece : pieces) {
        if (piece.begin <= t && t < piece.end) runs[piece.what] = true;
      }
      total += runs[0] ? 1 : 0;
      hidden += runs[0] && runs[1] ? 1 : 0;
      exposed += runs[0] && !runs[1] && !runs[2] ? 1 : 0;
    }
    const Trace trace = builder.build();
    const CommunicationTimes times = times_of(trace);
    EXPECT_EQ(ns_from(times.total), total);
    EXPECT_EQ(ns_from(times.hidden), hidden);
    EXPECT_EQ(ns_from(times.exposed), exposed);
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(Findings, ExposedCommunicationIsOneIfItIsLong) {
  for (const Duration length : {2_us, 20_us}) {
    TraceBuilder builder = two_streams();
    launch(builder, "gemm", 0_us, "stream 7", 10_us, 80_us);
    launch(builder, "ncclDevKernel_AllReduce", 10_us, "stream 20", 90_us, length);
    const Trace trace = builder.build();
    const Explanation all = explain(trace);
    const auto found = std::ranges::find(all.findings, "exposed_communication", &Finding::rule);
    ASSERT_EQ(found != all.findings.end(), length == 20_us);
    if (found == all.findings.end()) continue;
    EXPECT_EQ(found->cost, 20_us);
    EXPECT_EQ(found->count, 1U);
    EXPECT_EQ(found->range.begin, at(90_us));
  }
}

}  // namespace
}  // namespace runahead::causes
