// Tests recorders that start, stop, end and follow one another, also while other threads run hooks.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/record/capture.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::LossCause;
using trace::SliceKind;
using trace::TrackKind;

const Site& start_stop_work() { return intern_site("work", SliceKind::kZone); }
const TrackDesc& start_stop_queue() {
  return intern_track({.kind = TrackKind::kCounter,
                       .group = "Queue",
                       .name = "run-ahead cpu",
                       .device = "cpu",
                       .unit = trace::Unit::kCount,
                       .role = trace::CounterRole::kRunAheadOps});
}

TEST(StartStop, RecordingFollowsTheRecorderInUse) {
  EXPECT_FALSE(recording());
  Recorder recorder;
  EXPECT_FALSE(recorder.running());
  recorder.start();
  EXPECT_TRUE(recording());
  EXPECT_TRUE(recorder.running());
  recorder.stop();
  recorder.stop();
  EXPECT_FALSE(recording());
  {
    Recorder other;
    other.start();
    EXPECT_TRUE(recording());
  }
  EXPECT_FALSE(recording());
}

TEST(StartStop, WhatIsOpenAtTheStopEndsThereAsUnfinished) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    op_enqueued({.site = &start_stop_work(), .queue = &start_stop_queue(), .op = op(1)}, capture.ticks(1_us),
                capture.ticks(2_us));
    zone_begin(start_stop_work(), capture.ticks(3_us));
    capture.wait_until(4_us);
    capture.recorder.stop();
    capture.settle();
    EXPECT_TRUE(capture.trace.open_slices().empty());
    EXPECT_TRUE(capture.trace.open_ops().empty());
  });
  const trace::Slice zone = capture.track("main")->lanes[0].slice(1);
  EXPECT_EQ(zone.flags, trace::kSliceUnfinished);
  EXPECT_GE(zone.end, at(4_us));
  ASSERT_EQ(capture.trace.op_count(), 1u);
  EXPECT_EQ(capture.trace.op_row(0).ended, trace::kNever);
  EXPECT_EQ(capture.trace.op_row(0).flags, trace::kSliceUnfinished);
  EXPECT_EQ(capture.lost(LossCause::kUnfinishedSlice), 2u);
  const trace::CounterSeries& depth = capture.track("run-ahead cpu")->counter;
  EXPECT_EQ(depth.sample(depth.end_row() - 1).value, 0);
}

TEST(StartStop, RecordingAgainContinuesIdsAndTimeOnTheSameTracks) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone_begin(start_stop_work(), capture.ticks(1_us));
    zone_end(capture.ticks(2_us));
    zone_begin(start_stop_work(), capture.ticks(3_us));
    capture.wait_until(4_us);
    capture.recorder.stop();
    zone_end(capture.ticks(5_us));  // not recorded
    capture.recorder.start();       // no drain between stop and start
    zone_begin(start_stop_work(), capture.ticks(100_s));
    zone_end(capture.ticks(101_s));
  });
  capture.settle();
  const trace::Track& track = *capture.track("t");
  ASSERT_EQ(track.lanes.size(), 1u);
  ASSERT_EQ(track.lanes[0].size(), 3u);
  EXPECT_EQ(track.lanes[0].slice(0).end, at(2_us));
  EXPECT_EQ(track.lanes[0].slice(1).flags, trace::kSliceUnfinished);
  EXPECT_EQ(track.lanes[0].slice(2).end, at(101_s));
  EXPECT_EQ(capture.lost(LossCause::kUnfinishedSlice), 1u);
  EXPECT_EQ(capture.lost(LossCause::kUnmatchedEnd), 0u);
  EXPECT_EQ(capture.trace.counts().tracks, 2u);
}

TEST(StartStop, AThreadThatRecordsForTwoRecordersGivesEachItsOwn) {
  std::thread([] {
    for (int i = 1; i <= 3; ++i) {
      Capture capture;
      for (int n = 0; n < i; ++n) {
        zone_begin(start_stop_work(), capture.ticks(Duration{1000 + n * 10}));
        zone_end(capture.ticks(Duration{1005 + n * 10}));
      }
      capture.settle();
      EXPECT_EQ(capture.trace.counts().slices, static_cast<std::uint64_t>(i));
    }
  }).join();
}

// A stress test. recorder_state.h promises: stop() and ~Recorder may run while other threads run hooks.
TEST(StartStop, RecordersMayComeAndGoUnderHooksInFlight) {
  const Site& site = start_stop_work();
  const TrackDesc& depth = start_stop_queue();
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      name_thread(TrackKind::kWorker, "w" + std::to_string(i));
      for (std::uint64_t n = 1; !done.load(std::memory_order_relaxed); ++n) {
        const Zone zone(site, op(n));
        const OpId id = op(n * 4 + static_cast<std::uint64_t>(i));
        const std::uint64_t now = now_ticks();
        op_enqueued({.site = &site, .queue = &depth, .op = id}, now, now);
        op_started(id, site, now, now);
        op_ended(id, now_ticks());
      }
    });
  }
  std::uint64_t slices = 0;
  for (int round = 0; round < 15; ++round) {
    CollectorOptions options;
    options.period = std::chrono::microseconds(200);
    Capture capture({.events_per_thread = 1 << 12}, options);
    const std::uint64_t before = capture.recorder.stats().events;
    while (capture.recorder.stats().events < before + 2000) {
      // stats() locks a mutex that a thread's first hook in a recording needs too. The pause lets such a
      // thread lock the mutex.
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    if (round % 3 == 0) capture.recorder.stop();
    if (round % 3 == 1) {
      capture.recorder.stop();
      capture.recorder.start();
    }
    capture.settle();
    slices += capture.trace.counts().slices;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(slices, 0u);
}

}  // namespace
}  // namespace runahead::record
