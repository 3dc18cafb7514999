// Tests zones, waits and enqueues of one thread: nesting, unmatched ends, open slices.
#include <gtest/gtest.h>

#include "tests/record/capture.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::LossCause;
using trace::SliceKind;
using trace::TrackKind;

const Site& outer() { return intern_site("outer", SliceKind::kZone); }
const Site& inner() { return intern_site("inner", SliceKind::kZone); }
const Site& zone_wait() { return intern_site("wait_to_read", SliceKind::kWait); }

TEST(Zones, NestByDepthInOrderOfTime) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(outer(), capture.ticks(10_us));
    zone_begin(inner(), capture.ticks(20_us), op(7), 64);
    zone_end(capture.ticks(30_us));
    zone_begin(inner(), capture.ticks(30_us));
    zone_end(capture.ticks(40_us), trace::kSliceFailed);
    zone_end(capture.ticks(50_us));
  });
  capture.settle();
  EXPECT_EQ(capture.slices("t"), "0: outer 10..50\n1: inner 20..30 op 7 64 B\n1: inner 30..40 failed\n");
  EXPECT_TRUE(capture.trace.losses().none());
}

TEST(Zones, TheZoneOfAScopeRecordsOnlyWhileARecorderRuns) {
  { RUNAHEAD_RECORD_ZONE("before"); }
  Capture capture;
  on_thread(TrackKind::kThread, "t", [] { RUNAHEAD_RECORD_ZONE("during"); });
  capture.recorder.stop();
  on_thread(TrackKind::kThread, "t", [] { RUNAHEAD_RECORD_ZONE("after"); });
  capture.settle();
  EXPECT_TRUE(capture.trace.find_string("during"));
  EXPECT_FALSE(capture.trace.find_string("before"));
  EXPECT_FALSE(capture.trace.find_string("after"));
  EXPECT_EQ(capture.trace.counts().slices, 1u);
}

TEST(Zones, ASiteWithAPlaceGivesItsSlicesTheLine) {
  Capture capture;
  const auto line_of = [&](ArgsId args) {
    const auto set = capture.trace.args(args);
    if (set.empty()) return std::string();
    return std::string(capture.trace.string(set[0].key)) + " " +
           std::string(capture.trace.string(std::get<StringId>(set[0].value)));
  };
  const Site& placed = intern_site("mm", SliceKind::kZone, "train.py", 12);
  const TrackDesc& stream = intern_track({.kind = TrackKind::kAsync, .group = "g", .name = "stream"});
  on_thread(TrackKind::kThread, "t", [&] {
    RUNAHEAD_RECORD_ZONE("in C++");
    zone_begin(placed, capture.ticks(10_us));
    instant_here(placed, capture.ticks(15_us));
    zone_end(capture.ticks(20_us));
    zone_begin(inner(), capture.ticks(20_us));
    zone_end(capture.ticks(30_us));
    zone_begin(placed, capture.ticks(30_us));
    zone_end(capture.ticks(40_us));
    async_slice({.site = &placed,
                 .track = &stream,
                 .begin_ticks = capture.ticks(10_us),
                 .end_ticks = capture.ticks(20_us)});
  });
  capture.settle();
  const trace::Track& track = *capture.track("t");
  EXPECT_EQ(track.lanes[0].slice(0).args, kNoArgs);
  EXPECT_EQ(line_of(track.lanes[1].slice(0).args), "line train.py:12");
  EXPECT_EQ(track.lanes[1].slice(1).args, kNoArgs);
  EXPECT_EQ(track.lanes[1].slice(2).args, track.lanes[1].slice(0).args);
  EXPECT_EQ(line_of(capture.track("stream")->lanes[0].slice(0).args), "line train.py:12");
  EXPECT_EQ(line_of(capture.trace.instant(0).args), "line train.py:12");
  EXPECT_EQ(capture.trace.args_count(), 1u);
}

TEST(Zones, AnOptionalArrowWithoutItsEndIsNotALoss) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(outer(), capture.ticks(10_us));
    flow_out(inner(), capture.ticks(11_us), 1, true);
    flow_out(inner(), capture.ticks(12_us), 2, true);
    flow_out(inner(), capture.ticks(13_us), 2, true);  // the id is reused: the first arrow is left out
    flow_out(inner(), capture.ticks(14_us), 3);
    zone_end(capture.ticks(20_us));
    zone_begin(outer(), capture.ticks(30_us));
    flow_in(capture.ticks(35_us), 2);
    zone_end(capture.ticks(40_us));
  });
  capture.recorder.stop();
  capture.settle();
  EXPECT_EQ(capture.flows(), "other t@13 t@35 op 0\n");
  EXPECT_EQ(capture.lost(LossCause::kUnboundFlow), 1u);
}

TEST(Zones, EachEndOfAMessageIsAHalfOfItsOwn) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(outer(), capture.ticks(10_us));
    message_out(inner(), capture.ticks(20_us), 7);
    message_out(inner(), capture.ticks(30_us), 0);  // no id: not recorded
    message_in(capture.ticks(40_us), 7);
    message_in(capture.ticks(50_us), 0);
    message_in(capture.ticks(60_us), UINT64_MAX);
    zone_end(capture.ticks(70_us));
  });
  capture.settle();
  EXPECT_EQ(capture.flows(),
            "other t@20 ?@20 message 7 op 0\n"
            "other ?@40 t@40 message 7 op 0\n"
            "other ?@60 t@60 message 18446744073709551615 op 0\n");
  EXPECT_EQ(capture.trace.string(capture.trace.flow(0).name), "inner");
  EXPECT_EQ(capture.trace.string(capture.trace.flow(1).name), "");
  EXPECT_TRUE(capture.trace.losses().none());
}

TEST(Zones, AWaitNestsLikeAZoneAndKeepsTheOpItWaitsFor) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    zone_begin(outer(), capture.ticks(10_us));
    wait_begin(zone_wait(), capture.ticks(20_us), op(3));
    wait_end(capture.ticks(90_us), kNoOp, trace::kSliceHeldByLimit);
    zone_end(capture.ticks(100_us));
  });
  capture.settle();
  EXPECT_EQ(capture.slices("main"), "0: outer 10..100\n1: wait_to_read 20..90 op 3\n");
  const trace::Slice wait = capture.track("main")->lanes[1].slice(0);
  EXPECT_EQ(wait.kind, SliceKind::kWait);
  EXPECT_EQ(wait.flags, trace::kSliceHeldByLimit);
}

TEST(Zones, AnEndWithoutABeginIsCountedAndDrawsNothing) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_end(capture.ticks(10_us));
    wait_end(capture.ticks(11_us), kNoOp);
    zone_begin(outer(), capture.ticks(12_us));
    zone_end(capture.ticks(13_us));
  });
  capture.settle();
  EXPECT_EQ(capture.slices("t"), "0: outer 12..13\n");
  EXPECT_EQ(capture.lost(LossCause::kUnmatchedEnd), 2u);
}

TEST(Zones, AScopeLeftOpenWithinAnotherEndsWithItAsUnfinished) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    wait_begin(zone_wait(), capture.ticks(10_us), kNoOp);
    zone_begin(inner(), capture.ticks(20_us));
    wait_end(capture.ticks(30_us), kNoOp);
  });
  capture.settle();
  EXPECT_EQ(capture.slices("t"), "0: wait_to_read 10..30\n1: inner 20..30 unfinished\n");
  EXPECT_EQ(capture.lost(LossCause::kUnfinishedSlice), 1u);
}

TEST(Zones, AnEndBeforeItsBeginIsCountedAndHasLengthZero) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(outer(), capture.ticks(20_us));
    zone_end(capture.ticks(10_us));
  });
  capture.settle();
  EXPECT_EQ(capture.slices("t"), "0: outer 20..20\n");
  EXPECT_EQ(capture.lost(LossCause::kClockWentBack), 1u);
}

TEST(Zones, ASliceThatBeginsBeforeTheEndOfTheOneBeforeGoesToAnExtraLane) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(outer(), capture.ticks(20_us));
    zone_end(capture.ticks(40_us));
    zone_begin(inner(), capture.ticks(30_us));
    zone_end(capture.ticks(50_us));
  });
  capture.settle();
  EXPECT_EQ(capture.slices("t"), "0: outer 20..40\n1: inner 30..50\n");
  EXPECT_EQ(capture.lost(LossCause::kLateRow), 1u);
}

TEST(Zones, OpenOnesAreInEachBatchUntilTheyEnd) {
  Capture capture;
  on_thread(TrackKind::kThread, "other", [&] {
    zone_begin(outer(), capture.ticks(1_us));
    wait_begin(zone_wait(), capture.ticks(2_us), op(9));
    capture.wait_until(3_us);
    capture.settle();
    EXPECT_EQ(capture.open_slices("other"), "0: outer 1..\n1: wait_to_read 2.. op 9\n");
    EXPECT_EQ(capture.slices("other"), "");
    const Timestamp before = capture.trace.watermark();
    capture.settle();
    EXPECT_EQ(capture.trace.open_slices().size(), 2u);
    EXPECT_GT(capture.trace.watermark(), before);
    wait_end(capture.ticks(5_us), kNoOp);
    zone_end(capture.ticks(6_us));
  });
  capture.settle();
  EXPECT_EQ(capture.trace.open_slices().size(), 0u);
  EXPECT_EQ(capture.slices("other"), "0: outer 1..6\n1: wait_to_read 2..5 op 9\n");
}

TEST(Zones, AThreadThatEndsWithOpenZonesLeavesThemUnfinished) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(outer(), capture.ticks(10_us));
    zone_begin(inner(), capture.ticks(20_us));
    zone_end(capture.ticks(30_us));
  });
  capture.settle();
  EXPECT_EQ(capture.slices("t"), "0: outer 10..30 unfinished\n1: inner 20..30\n");
  EXPECT_EQ(capture.lost(LossCause::kUnfinishedSlice), 1u);
}

TEST(Zones, MomentsBeforeTheStartOfTheRecordingBecomeItsStart) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(outer(), capture.ticks(Duration{-5000}));
    zone_end(capture.ticks(5_us));
  });
  capture.settle();
  EXPECT_EQ(capture.slices("t"), "0: outer 0..5\n");
}

}  // namespace
}  // namespace runahead::record
