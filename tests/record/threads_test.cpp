// Tests threads that start and end: names, tracks, buffers, memory, losses when no collector drains.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "instrumentation/record/hooks/recorder_state.h"
#include "tests/record/capture.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::LossCause;
using trace::SliceKind;
using trace::TrackKind;

const Site& thread_work() { return intern_site("work", SliceKind::kZone); }

void zones(const Capture& capture, Duration first, int count) {
  for (int i = 0; i < count; ++i) {
    zone_begin(thread_work(), capture.ticks(first + Duration{i * 100}));
    zone_end(capture.ticks(first + Duration{i * 100 + 50}));
  }
}

TEST(Threads, ANameGivenBeforeRecordingHoldsAndDecidesTheGroup) {
  std::atomic<int> stage{0};
  std::optional<Capture> capture;
  std::thread thread([&] {
    name_thread(TrackKind::kFrontend, "main", 3);
    stage = 1;
    stage.notify_all();
    stage.wait(1);
    zones(*capture, 1_us, 1);
  });
  stage.wait(0);
  capture.emplace();
  stage = 2;
  stage.notify_all();
  thread.join();
  capture->settle();
  const trace::Track* const track = capture->track("main");
  ASSERT_NE(track, nullptr);
  EXPECT_EQ(track->info.kind, TrackKind::kFrontend);
  EXPECT_EQ(track->info.sort_order, 3);
  EXPECT_GT(track->info.tid, 0);
  EXPECT_EQ(capture->trace.track(track->info.parent).info.name, "Frontend");
}

TEST(Threads, ANewNameChangesTheTrackAndANewKindBeginsAnother) {
  Capture capture;
  on_thread(TrackKind::kThread, "first", [&] {
    zones(capture, 1_us, 1);
    capture.settle();
    name_thread(TrackKind::kThread, "second");
    zones(capture, 2_us, 1);
    capture.settle();
    EXPECT_EQ(capture.slices("second"), "0: work 1..1.05\n0: work 2..2.05\n");
    name_thread(TrackKind::kWorker, "cpu 0");
    zones(capture, 3_us, 1);
  });
  capture.settle();
  EXPECT_EQ(capture.slices("second"), "0: work 1..1.05\n0: work 2..2.05\n");
  EXPECT_EQ(capture.slices("cpu 0"), "0: work 3..3.05\n");
}

TEST(Threads, OneOfTheSameNameContinuesTheTrackOfOneThatEnded) {
  Capture capture;
  on_thread(TrackKind::kWorker, "cpu 0", [&] { zones(capture, 1_us, 1); });
  capture.settle();
  on_thread(TrackKind::kWorker, "cpu 0", [&] { zones(capture, 2_us, 1); });
  capture.settle();
  EXPECT_EQ(capture.slices("cpu 0"), "0: work 1..1.05\n0: work 2..2.05\n");
  EXPECT_EQ(capture.trace.counts().tracks, 2u);  // the thread's track and its group
}

TEST(Threads, TenThousandShortOnesTakeBoundedMemoryAndTracks) {
  Capture capture;
  constexpr int kThreads = 10'000;
  for (int i = 0; i < kThreads; ++i) {
    std::thread([&] { zones(capture, Duration{i * 1000}, 2); }).join();
    if (i % 50 == 49) capture.settle();
  }
  capture.settle();
  EXPECT_EQ(capture.trace.counts().slices, kThreads * 2u);
  EXPECT_LT(capture.trace.counts().tracks, 200u);
  EXPECT_TRUE(capture.trace.losses().none());
  EXPECT_EQ(capture.recorder.stats().threads, 0u);
  EXPECT_LT(capture.recorder.state().budget->used.load(), 100u);
}

TEST(Threads, ShortOnesThatNobodyDrainsStayWithinTheBudgetAndTheRestIsCounted) {
  RecorderOptions options;
  options.total_bytes = 50 * sizeof(EventChunk);
  Capture capture(options);
  constexpr int kThreads = 1000;
  for (int i = 0; i < kThreads; ++i) {
    std::thread([&] { zones(capture, Duration{i * 1000}, 1); }).join();
  }
  EXPECT_EQ(capture.recorder.stats().lost, (kThreads - 50) * 2u);
  EXPECT_EQ(capture.recorder.stats().threads, 50u);
  capture.settle();
  EXPECT_EQ(capture.trace.counts().slices, 50u);
  EXPECT_EQ(capture.lost(LossCause::kBufferFull), (kThreads - 50) * 2u);
}

TEST(Threads, OneThatNobodyDrainsKeepsItsBoundAndCountsEveryRecordBeyond) {
  RecorderOptions options;
  options.events_per_thread = 2 * kChunkEvents;
  Capture capture(options);
  constexpr int kZones = 5000;
  on_thread(TrackKind::kThread, "t", [&] { zones(capture, 1_us, kZones); });
  EXPECT_EQ(capture.recorder.state().budget->used.load(), 2u);
  EXPECT_EQ(capture.recorder.stats().lost, kZones * 2 - 2 * kChunkEvents);
  capture.settle();
  EXPECT_EQ(capture.trace.counts().slices, kChunkEvents);
  EXPECT_EQ(capture.lost(LossCause::kBufferFull), kZones * 2 - 2 * kChunkEvents);
}

TEST(Threads, EndsFindTheirBeginsAgainAfterAGap) {
  RecorderOptions options;
  options.events_per_thread = kChunkEvents;
  Capture capture(options);
  const Site& outer = intern_site("outer", SliceKind::kZone);
  const Site& inner = intern_site("inner", SliceKind::kZone);
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(outer, capture.ticks(1_us));
    zone_begin(inner, capture.ticks(2_us));
    zones(capture, 3_us, (kChunkEvents - 2) / 2);
    zone_end(capture.ticks(100_us));           // the end of the zone `inner` is lost
    zone_begin(inner, capture.ticks(110_us));  // this begin is lost; the zone is still open after the gap
    capture.settle();
    zone_begin(thread_work(), capture.ticks(120_us));
    zone_end(capture.ticks(130_us));
    zone_end(capture.ticks(140_us));  // ends the zone whose begin was lost: no slice
    zone_end(capture.ticks(150_us));
  });
  capture.settle();
  const std::string slices = capture.slices("t");
  EXPECT_NE(slices.find("0: outer 1..150\n"), std::string::npos);
  EXPECT_NE(slices.find("1: inner 2..100 unfinished\n"), std::string::npos);
  EXPECT_NE(slices.find("2: work 120..130\n"), std::string::npos);
  EXPECT_EQ(capture.lost(LossCause::kBufferFull), 2u);
  EXPECT_EQ(capture.lost(LossCause::kUnmatchedEnd), 1u);
  EXPECT_EQ(capture.lost(LossCause::kUnfinishedSlice), 1u);
}

TEST(Threads, HooksInDestructorsAfterAThreadsRegistrationAreCounted) {
  Capture capture;
  struct AtThreadEnd {
    ~AtThreadEnd() { zone_end(1); }
  };
  // `at_end` is constructed before the thread registers (in its first hook). Therefore ~AtThreadEnd runs
  // after the registration was destroyed.
  std::thread([&] {
    thread_local AtThreadEnd at_end;
    (void)at_end;
    zones(capture, 1_us, 1);
  }).join();
  capture.settle();
  EXPECT_EQ(capture.trace.counts().slices, 1u);
  EXPECT_EQ(capture.lost(LossCause::kBufferFull), 1u);
}

}  // namespace
}  // namespace runahead::record
