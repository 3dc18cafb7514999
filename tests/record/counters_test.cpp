// Tests counters that programs emit, and counters that the collector derives.
#include <gtest/gtest.h>

#include "tests/record/capture.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::CounterRole;
using trace::LossCause;
using trace::SliceKind;
using trace::TrackKind;
using trace::Unit;

const TrackDesc& steps() {
  return intern_track({.kind = TrackKind::kCounter,
                       .group = "Throughput",
                       .name = "steps finished",
                       .unit = Unit::kCount,
                       .role = CounterRole::kStepsFinished});
}
void copy(const Capture& capture, const char* stream, std::uint64_t number, Duration begin, Duration end,
          std::int64_t bytes) {
  const TrackDesc& track =
      intern_track({.kind = TrackKind::kStream, .group = "virtual:0", .name = stream, .device = "virtual:0"});
  op_ran({.site = &intern_site("copy", SliceKind::kCopyToDevice),
          .track = &track,
          .op = op(number),
          .ready_ticks = capture.ticks(begin),
          .start_ticks = capture.ticks(begin),
          .end_ticks = capture.ticks(end),
          .size_bytes = bytes});
}

TEST(Counters, SamplesOfSeveralThreadsAreInOrderOfTime) {
  Capture capture;
  on_thread(TrackKind::kThread, "b", [&] {
    counter(live_bytes(), capture.ticks(20_us), 2.5);
    counter(live_bytes(), capture.ticks(40_us), 0);
  });
  on_thread(TrackKind::kThread, "a", [&] {
    counter(live_bytes(), capture.ticks(10_us), 1);
    counter(live_bytes(), capture.ticks(30_us), -3);
  });
  capture.settle();
  EXPECT_EQ(capture.samples("live virtual:0"), "10: 1, 20: 2.5, 30: -3, 40: 0");
  const trace::TrackInfo& info = capture.track("live virtual:0")->info;
  EXPECT_EQ(info.role, CounterRole::kLiveBytes);
  EXPECT_EQ(info.unit, Unit::kBytes);
  EXPECT_EQ(info.device, "virtual:0");
}

TEST(Counters, ASampleThatComesTooLateIsShownBesideTheLastOneWhichHoldsAgain) {
  Capture capture;
  counter(live_bytes(), capture.ticks(20_us), 2);
  capture.settle();
  counter(live_bytes(), capture.ticks(10_us), 9);
  capture.settle();
  EXPECT_EQ(capture.samples("live virtual:0"), "20: 2, 20: 9, 20: 2");
  EXPECT_EQ(capture.lost(LossCause::kLateRow), 1u);
}

TEST(Counters, WhatIsYoungWaitsForEarlierMomentsOfOtherThreads) {
  Capture capture;
  // a time in the future, so drain() leaves this sample in the collector
  counter(live_bytes(), capture.ticks(500_ms), 2);
  capture.drain();
  EXPECT_EQ(capture.samples("live virtual:0"), "no counter");
  counter(live_bytes(), capture.ticks(400_ms), 1);
  capture.settle();
  EXPECT_EQ(capture.samples("live virtual:0"), "400000: 1, 500000: 2");
  EXPECT_TRUE(capture.trace.losses().none());
}

TEST(Counters, StepsPerSecondFollowsTheFinishedSteps) {
  // On a busy machine, the collector may look long after the last step. Then the rate has already fallen.
  constexpr Duration kInTime = 200_ms;
  for (int attempt = 0; attempt < 50; ++attempt) {
    Capture capture;
    // One step per millisecond for 130 ms. The collector takes the only sample of steps/s.
    for (int i = 1; i <= 130; ++i) counter(steps(), capture.ticks(std::chrono::milliseconds(i)), i);
    capture.wait_until(std::chrono::milliseconds(131));
    capture.settle();
    if (now_ticks() > capture.ticks(kInTime)) continue;
    const trace::Track* const rate = capture.track("steps/s");
    ASSERT_NE(rate, nullptr);
    EXPECT_EQ(rate->info.role, CounterRole::kStepsPerSecond);
    ASSERT_EQ(rate->counter.end_row(), 1u);
    EXPECT_NEAR(rate->counter.sample(0).value, 1000, 1);
    return;
  }
  FAIL() << "the collector never looked in time";
}

TEST(Counters, CopyBandwidthAddsUpCopiesThatOverlap) {
  Capture capture;
  copy(capture, "copy to device", 1, 10_us, 20_us, 10'000);
  copy(capture, "copy to host", 2, 15_us, 25_us, 20'000);
  capture.wait_until(25_us);
  capture.settle();
  EXPECT_EQ(capture.samples("copy bandwidth"), "10: 1e+09, 15: 3e+09, 20: 2e+09, 25: 0");
  EXPECT_EQ(capture.track("copy bandwidth")->info.role, CounterRole::kCopyBandwidth);
}

TEST(Counters, CopyBandwidthWaitsForACopyThatStillRuns) {
  Capture capture;
  const TrackDesc& track = intern_track(
      {.kind = TrackKind::kStream, .group = "virtual:0", .name = "copy to host", .device = "virtual:0"});
  op_running({.site = &intern_site("copy", SliceKind::kCopyToHost),
              .track = &track,
              .op = op(9),
              .ready_ticks = capture.ticks(1_us),
              .start_ticks = capture.ticks(1_us)});
  copy(capture, "copy to device", 1, 2_us, 4_us, 2'000);
  capture.wait_until(20_us);
  capture.settle();
  EXPECT_EQ(capture.samples("copy bandwidth"), "");
  copy(capture, "copy to host", 9, 1_us, 5_us, 4'000);
  capture.settle();
  // Only the copy to the host runs from 1 to 2 us, and again from 4 to 5 us.
  EXPECT_EQ(capture.samples("copy bandwidth"), "1: 1e+09, 2: 2e+09, 4: 1e+09, 5: 0");
}

TEST(Counters, TheProcessesMemoryIsSampled) {
  CollectorOptions options = Capture::quiet();
  options.sample_rss = true;
  Capture capture({}, options);
  capture.settle();
  const trace::Track* const rss = capture.track("process RSS");
  ASSERT_NE(rss, nullptr);
  EXPECT_EQ(rss->info.role, CounterRole::kProcessRss);
  EXPECT_GT(rss->counter.sample(0).value, 1e6);
}

}  // namespace
}  // namespace runahead::record
