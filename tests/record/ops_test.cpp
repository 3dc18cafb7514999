// Tests one op that several threads record, from its enqueue to its end: its row, its slices, its arrows, the
// run-ahead counters.
#include <gtest/gtest.h>

#include "instrumentation/record/hooks/thread_buffer.h"
#include "tests/record/capture.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::LossCause;
using trace::SliceKind;
using trace::TrackKind;

const Site& dot() { return intern_site("dot", SliceKind::kExecute); }
const Site& copy_site() { return intern_site("copy", SliceKind::kCopyToHost); }
const Site& waiting() { return intern_site("wait_to_read", SliceKind::kWait); }

const TrackDesc& queue() {
  return intern_track({.kind = TrackKind::kCounter,
                       .group = "Queue",
                       .name = "run-ahead virtual:0",
                       .device = "virtual:0",
                       .simulated = true,
                       .unit = trace::Unit::kCount,
                       .role = trace::CounterRole::kRunAheadOps});
}
const TrackDesc& stream(const char* name) {
  return intern_track({.kind = TrackKind::kStream,
                       .group = "virtual:0",
                       .name = name,
                       .device = "virtual:0",
                       .simulated = true});
}

void enqueue(const Capture& capture, std::uint64_t number, Duration begin, Duration end,
             std::int64_t bytes = 0) {
  op_enqueued({.site = &dot(), .queue = &queue(), .op = op(number), .step = 4, .output_bytes = bytes},
              capture.ticks(begin), capture.ticks(end));
}
void execute(const Capture& capture, std::uint64_t number, Duration ready, Duration start, Duration end) {
  op_started(op(number), dot(), capture.ticks(ready), capture.ticks(start));
  op_ended(op(number), capture.ticks(end));
}

TEST(Ops, TheFourMomentsAreJoinedFromTwoThreadsWhicheverIsSeenFirst) {
  Capture capture;
  on_thread(TrackKind::kWorker, "cpu 0", [&] { execute(capture, 1, 12_us, 30_us, 50_us); });
  on_thread(TrackKind::kFrontend, "main", [&] { enqueue(capture, 1, 10_us, 11_us, 400); });
  capture.settle();
  ASSERT_EQ(capture.trace.op_count(), 1u);
  const trace::OpRow row = capture.trace.op_row(0);
  EXPECT_EQ(row.id, op(1));
  EXPECT_EQ(capture.trace.string(row.name), "dot");
  EXPECT_EQ(row.step, 4);
  EXPECT_EQ(row.enqueued, at(10_us));
  EXPECT_EQ(row.ready, at(12_us));
  EXPECT_EQ(row.started, at(30_us));
  EXPECT_EQ(row.ended, at(50_us));
  EXPECT_EQ(row.enqueue_track, *capture.track_id("main"));
  EXPECT_EQ(row.execute_track, *capture.track_id("cpu 0"));
  EXPECT_EQ(row.output_bytes, 400);
  EXPECT_EQ(row.flags, 0);
  EXPECT_EQ(capture.slices("main"), "0: dot 10..11 op 1\n");
  EXPECT_EQ(capture.track("main")->lanes[0].slice(0).kind, SliceKind::kEnqueue);
  EXPECT_EQ(capture.slices("cpu 0"), "0: dot 30..50 op 1\n");
  EXPECT_EQ(capture.slices("op lives virtual:0"), "0: dot 10..50 op 1 400 B\n");
  EXPECT_EQ(capture.flows(), "enqueue->execute main@10 cpu 0@30 op 1\n");
  EXPECT_TRUE(capture.trace.losses().none());
}

TEST(Ops, RunAheadCountsOpsAndBytesInOrderOfTimeAcrossThreads) {
  Capture capture;
  on_thread(TrackKind::kWorker, "cpu 0", [&] {
    execute(capture, 1, 11_us, 12_us, 25_us);
    execute(capture, 2, 21_us, 25_us, 40_us);
  });
  on_thread(TrackKind::kFrontend, "main", [&] {
    enqueue(capture, 1, 10_us, 11_us, 100);
    enqueue(capture, 2, 20_us, 21_us, 50);
    enqueue(capture, 3, 30_us, 31_us, 7);
  });
  capture.settle();
  EXPECT_EQ(capture.samples("run-ahead virtual:0"), "10: 1, 20: 2, 25: 1, 30: 2, 40: 1");
  EXPECT_EQ(capture.samples("run-ahead bytes virtual:0"), "10: 100, 20: 150, 25: 50, 30: 57, 40: 7");
  EXPECT_EQ(capture.slices("op lives virtual:0"), "0: dot 10..25 op 1 100 B\n1: dot 20..40 op 2 50 B\n");
}

TEST(Ops, ThoseStillOpenAreInTheBatchWithWhatIsKnown) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    enqueue(capture, 1, 1_us, 2_us);
    enqueue(capture, 2, 2_us, 3_us);
    on_thread(TrackKind::kWorker, "cpu 0", [&] {
      op_started(op(1), dot(), capture.ticks(2_us), capture.ticks(4_us));
      capture.wait_until(5_us);
      capture.settle();
      ASSERT_EQ(capture.trace.open_ops().size(), 2u);
      EXPECT_EQ(capture.trace.open_ops()[0].id, op(1));
      EXPECT_EQ(capture.trace.open_ops()[0].started, at(4_us));
      EXPECT_EQ(capture.trace.open_ops()[0].ended, trace::kNever);
      EXPECT_EQ(capture.trace.open_ops()[1].started, trace::kNever);
      EXPECT_EQ(capture.open_slices("cpu 0"), "0: dot 4.. op 1\n");
      EXPECT_EQ(capture.open_slices("op lives virtual:0"), "0: dot 1.. op 1\n1: dot 2.. op 2\n");
      op_ended(op(1), capture.ticks(6_us));
    });
    op_skipped(op(2), capture.ticks(7_us));
  });
  capture.settle();
  EXPECT_EQ(capture.trace.open_ops().size(), 0u);
  EXPECT_EQ(capture.trace.open_slices().size(), 0u);
  ASSERT_EQ(capture.trace.op_count(), 2u);
  EXPECT_EQ(capture.trace.op_row(1).flags, trace::kSliceFailed | trace::kSliceSkipped);
  EXPECT_EQ(capture.trace.op_row(1).started, trace::kNever);
}

TEST(Ops, OpenOnesBeyondTheLimitAreTheOldestAndTheNewest) {
  CollectorOptions options = Capture::quiet();
  options.open_ops = 4;
  Capture capture({}, options);
  on_thread(TrackKind::kFrontend, "main", [&] {
    for (std::uint64_t i = 1; i <= 10; ++i) enqueue(capture, i, Duration{i * 100}, Duration{i * 100 + 50});
  });
  capture.settle();
  ASSERT_EQ(capture.trace.open_ops().size(), 4u);
  EXPECT_EQ(capture.trace.open_ops()[0].id, op(1));
  EXPECT_EQ(capture.trace.open_ops()[1].id, op(2));
  EXPECT_EQ(capture.trace.open_ops()[2].id, op(9));
  EXPECT_EQ(capture.trace.open_ops()[3].id, op(10));
  EXPECT_EQ(capture.collector->stats().open_ops, 10u);
}

TEST(Ops, AStreamsOpIsDrawnAsRunningUntilItHasRun) {
  Capture capture;
  OpRan ran{.site = &copy_site(), .track = &stream("copy to host"), .op = op(1)};
  on_thread(TrackKind::kFrontend, "main", [&] {
    enqueue(capture, 1, 1_us, 2_us);
    ran.ready_ticks = capture.ticks(3_us);
    ran.start_ticks = capture.ticks(4_us);
    op_running(ran);
    capture.wait_until(5_us);
    capture.settle();
    EXPECT_EQ(capture.open_slices("copy to host"), "0: copy 4.. op 1\n");
    ran.end_ticks = capture.ticks(8_us);
    ran.size_bytes = 4000;
    ran.flags = trace::kSliceLate;
    op_ran(ran);
  });
  capture.settle();
  EXPECT_EQ(capture.open_slices("copy to host"), "");
  EXPECT_EQ(capture.slices("copy to host"), "0: copy 4..8 op 1 4000 B late\n");
  EXPECT_EQ(capture.flows(), "enqueue->execute main@1 copy to host@4 op 1\n");
  EXPECT_EQ(capture.samples("copy bandwidth"), "4: 1e+09, 8: 0");
  EXPECT_EQ(capture.trace.op_row(0).flags, trace::kSliceLate);
  EXPECT_EQ(capture.track("virtual:0")->info.kind, TrackKind::kGroup);
  EXPECT_TRUE(capture.track("virtual:0")->info.simulated);
}

TEST(Ops, AnArrowLeadsFromTheEndOfAnOpToTheWaitThatItReleased) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    enqueue(capture, 1, 10_us, 11_us);
    wait_begin(waiting(), capture.ticks(20_us), op(1));
    wait_end(capture.ticks(52_us), op(1));
    wait_begin(waiting(), capture.ticks(60_us), op(1));
    wait_end(capture.ticks(61_us), kNoOp);  // the thread did not have to wait
  });
  on_thread(TrackKind::kWorker, "cpu 0", [&] { execute(capture, 1, 11_us, 30_us, 50_us); });
  capture.settle();
  EXPECT_EQ(capture.flows(), "enqueue->execute main@10 cpu 0@30 op 1\nexecute->wait cpu 0@50 main@52 op 1\n");
  EXPECT_EQ(capture.lost(LossCause::kUnboundFlow), 0u);
}

TEST(Ops, TheArrowLeadsToWhereAWaitWasReleasedThatGoesOn) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    enqueue(capture, 1, 10_us, 11_us);
    wait_begin(waiting(), capture.ticks(20_us), op(1));
    wait_released(capture.ticks(52_us), op(1));
    wait_end(capture.ticks(80_us), kNoOp);
    wait_begin(waiting(), capture.ticks(90_us), op(1));
    wait_released(capture.ticks(91_us), kNoOp);  // the thread did not have to wait
    wait_end(capture.ticks(95_us), kNoOp);
  });
  on_thread(TrackKind::kWorker, "cpu 0", [&] { execute(capture, 1, 11_us, 30_us, 50_us); });
  capture.settle();
  EXPECT_EQ(capture.flows(), "enqueue->execute main@10 cpu 0@30 op 1\nexecute->wait cpu 0@50 main@52 op 1\n");
  EXPECT_EQ(capture.lost(LossCause::kUnboundFlow), 0u);
}

TEST(Ops, AWaitThatEndsBeforeItsReleaseIsSeenStillGetsItsArrow) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    enqueue(capture, 1, 10_us, 11_us);
    wait_begin(waiting(), capture.ticks(20_us), op(1));
    wait_end(capture.ticks(52_us), op(1));
  });
  capture.settle();
  EXPECT_EQ(capture.flows(), "");
  on_thread(TrackKind::kWorker, "cpu 0", [&] { execute(capture, 1, 11_us, 30_us, 50_us); });
  capture.settle();
  EXPECT_EQ(capture.flows(), "enqueue->execute main@10 cpu 0@30 op 1\nexecute->wait cpu 0@50 main@52 op 1\n");
}

TEST(Ops, AnOpThatRunsWithinItsEnqueueIsWhole) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    execute(capture, 1, 11_us, 12_us, 40_us);
    // The op has ended, but its enqueue call has not. An enqueue is recorded only when the call ends.
    capture.settle();
    EXPECT_EQ(capture.trace.op_count(), 0u);
    enqueue(capture, 1, 10_us, 41_us);
  });
  capture.settle();
  ASSERT_EQ(capture.trace.op_count(), 1u);
  EXPECT_EQ(capture.trace.op_row(0).enqueued, at(10_us));
  EXPECT_EQ(capture.trace.op_row(0).ended, at(40_us));
  EXPECT_EQ(capture.slices("main"), "0: dot 12..40 op 1\n1: dot 10..41 op 1\n");
  EXPECT_EQ(capture.flows(), "enqueue->execute main@10 main@12 op 1\n");
  EXPECT_TRUE(capture.trace.losses().none());
}

TEST(Ops, MoreLivesThanLanesAreCountedAndTheirRowsAreWhole) {
  Capture capture;
  constexpr std::uint64_t kOps = 1000;
  on_thread(TrackKind::kFrontend, "main", [&] {
    for (std::uint64_t i = 1; i <= kOps; ++i) enqueue(capture, i, Duration{i * 10}, Duration{i * 10 + 5});
    for (std::uint64_t i = 1; i <= kOps; ++i) op_skipped(op(i), capture.ticks(Duration{100'000 + i}));
  });
  capture.settle();
  EXPECT_EQ(capture.trace.op_count(), kOps);
  EXPECT_EQ(capture.track("op lives virtual:0")->lanes.size(), 256u);
  EXPECT_EQ(capture.collector->stats().lives_undrawn, kOps - 256);
  EXPECT_EQ(capture.trace.tracks()[raw(*capture.track_id("run-ahead virtual:0"))]
                .counter.extremes(range(0_us, 1_s))
                ->max,
            static_cast<double>(kOps));
}

TEST(Ops, OneWhoseEndWasLostDoesNotCountAsRunAheadForEver) {
  Capture capture({.events_per_thread = kChunkEvents});
  const TrackDesc& noise = intern_track({.kind = TrackKind::kCounter, .group = "Memory", .name = "noise"});
  on_thread(TrackKind::kFrontend, "main", [&] {
    enqueue(capture, 1, 1_us, 2_us);
    for (std::size_t i = 2; i < kChunkEvents; ++i) counter(noise, capture.ticks(3_us), 0);
    op_skipped(op(1), capture.ticks(4_us));  // the buffer is full: this event is lost
    capture.settle();
    EXPECT_EQ(capture.lost(LossCause::kBufferFull), 1u);
    EXPECT_EQ(capture.samples("run-ahead virtual:0"), "1: 1");
    // When a much later op of the same queue ends, the collector no longer waits for the end of op 1.
    enqueue(capture, 2, 2_s, 2001_ms);
    op_skipped(op(2), capture.ticks(3_s));
  });
  capture.settle();
  ASSERT_EQ(capture.trace.op_count(), 2u);
  const trace::OpRow given_up = *capture.trace.op(op(1));
  EXPECT_EQ(given_up.ended, trace::kNever);
  EXPECT_EQ(given_up.flags, trace::kSliceUnfinished);
  EXPECT_EQ(capture.lost(LossCause::kUnfinishedSlice), 1u);
  EXPECT_EQ(capture.samples("run-ahead virtual:0"), "1: 1, 2e+06: 2, 3e+06: 1, 3e+06: 0");
}

TEST(Ops, OneWhoseEnqueueIsNotSeenIsHandedOverWithoutIt) {
  Capture capture;
  on_thread(TrackKind::kWorker, "cpu 0", [&] { execute(capture, 1, 11_us, 12_us, 20_us); });
  capture.settle();
  EXPECT_EQ(capture.trace.op_count(), 0u);  // no row yet, because the enqueue event may still come
  capture.recorder.stop();
  capture.settle();
  ASSERT_EQ(capture.trace.op_count(), 1u);
  EXPECT_EQ(capture.trace.op_row(0).enqueued, trace::kNever);
  EXPECT_EQ(capture.trace.op_row(0).ended, at(20_us));
  EXPECT_EQ(capture.flows(), "");
}

TEST(Ops, RowsComeInTheOrderOfEnding) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    for (std::uint64_t i = 1; i <= 3; ++i) enqueue(capture, i, Duration{i * 100}, Duration{i * 100 + 50});
  });
  on_thread(TrackKind::kWorker, "cpu 0", [&] { execute(capture, 1, 2_us, 5_us, 50_us); });
  on_thread(TrackKind::kWorker, "cpu 1", [&] {
    execute(capture, 3, 2_us, 5_us, 20_us);
    execute(capture, 2, 2_us, 20_us, 30_us);
  });
  capture.settle();
  ASSERT_EQ(capture.trace.op_count(), 3u);
  EXPECT_EQ(capture.trace.op_row(0).id, op(3));
  EXPECT_EQ(capture.trace.op_row(1).id, op(2));
  EXPECT_EQ(capture.trace.op_row(2).id, op(1));
}

}  // namespace
}  // namespace runahead::record
