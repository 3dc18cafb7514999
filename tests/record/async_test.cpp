// Tests slices on tracks without a thread: lanes of overlapping slices, late slices, instants.
#include <gtest/gtest.h>

#include "tests/record/capture.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::LossCause;
using trace::SliceKind;
using trace::TrackKind;

const Site& kernel() { return intern_site("kernel", SliceKind::kExecute); }
const TrackDesc& stream() {
  return intern_track(
      {.kind = TrackKind::kStream, .group = "cuda:0", .name = "stream 7", .device = "cuda:0"});
}
void slice(const Capture& capture, Duration begin, Duration end, std::uint64_t number = 0) {
  async_slice({.site = &kernel(),
               .track = &stream(),
               .begin_ticks = capture.ticks(begin),
               .end_ticks = capture.ticks(end),
               .op = number == 0 ? kNoOp : op(number)});
}

TEST(Async, OverlappingSlicesTakeTheLowestFreeLane) {
  Capture capture;
  slice(capture, 10_us, 40_us);
  slice(capture, 20_us, 30_us);
  slice(capture, 25_us, 60_us);
  slice(capture, 30_us, 35_us);
  slice(capture, 40_us, 50_us);
  capture.settle();
  EXPECT_EQ(capture.slices("stream 7"),
            "0: kernel 10..40\n0: kernel 40..50\n1: kernel 20..30\n1: kernel 30..35\n2: kernel 25..60\n");
  EXPECT_TRUE(capture.trace.losses().none());
}

TEST(Async, SlicesOfOneDrainAreOrderedByBeginWhateverThreadTheyCameFrom) {
  Capture capture;
  on_thread(TrackKind::kThread, "a", [&] { slice(capture, 30_us, 40_us); });
  on_thread(TrackKind::kThread, "b", [&] { slice(capture, 10_us, 20_us); });
  capture.settle();
  EXPECT_EQ(capture.slices("stream 7"), "0: kernel 10..20\n0: kernel 30..40\n");
  EXPECT_TRUE(capture.trace.losses().none());
}

TEST(Async, ASliceThatComesAfterItsPlaceInTimeIsOnAnExtraLaneAndCounted) {
  Capture capture;
  slice(capture, 50_us, 60_us);
  capture.settle();
  slice(capture, 10_us, 20_us);
  capture.settle();
  EXPECT_EQ(capture.slices("stream 7"), "0: kernel 50..60\n1: kernel 10..20\n");
  EXPECT_EQ(capture.lost(LossCause::kLateRow), 1u);
  EXPECT_FALSE(capture.trace.losses().facts_missing());
}

TEST(Async, ALongSliceThatEndsAfterShorterOnesIsNotLate) {
  Capture capture;
  slice(capture, 50_us, 60_us);
  capture.settle();
  slice(capture, 10_us, 90_us);
  capture.settle();
  EXPECT_EQ(capture.slices("stream 7"), "0: kernel 50..60\n1: kernel 10..90\n");
  EXPECT_EQ(capture.lost(LossCause::kLateRow), 0u);
}

TEST(Async, WhatRunsKeepsItsLaneFreeOfOthers) {
  Capture capture;
  OpRan running{.site = &kernel(), .track = &stream(), .op = op(1)};
  running.ready_ticks = running.start_ticks = capture.ticks(1_us);
  op_running(running);
  capture.wait_until(1_us);
  capture.settle();
  slice(capture, 2_us, 3_us);
  slice(capture, 3_us, 4_us, 2);
  capture.settle();
  running.end_ticks = capture.ticks(9_us);
  op_ran(running);
  capture.settle();
  EXPECT_EQ(capture.slices("stream 7"), "0: kernel 1..9 op 1\n1: kernel 2..3\n1: kernel 3..4 op 2\n");
}

TEST(Async, AnEndBeforeItsBeginIsCountedAndHasLengthZero) {
  Capture capture;
  slice(capture, 20_us, 10_us);
  capture.settle();
  EXPECT_EQ(capture.slices("stream 7"), "0: kernel 20..20\n");
  EXPECT_EQ(capture.lost(LossCause::kClockWentBack), 1u);
}

TEST(Async, InstantsAreSortedByTimeAndNamedByTheirSite) {
  const TrackDesc& barrier = intern_track({.kind = TrackKind::kMarkers, .name = "barrier"});
  Capture capture;
  on_thread(TrackKind::kThread, "b",
            [&] { instant(barrier, intern_site("none -> item", SliceKind::kZone), capture.ticks(30_us)); });
  on_thread(TrackKind::kThread, "a", [&] {
    instant(barrier, intern_site("start: none", SliceKind::kZone), capture.ticks(10_us), op(5));
  });
  capture.settle();
  ASSERT_EQ(capture.trace.instant_count(), 2u);
  const trace::Instant first = capture.trace.instant(0), second = capture.trace.instant(1);
  EXPECT_EQ(capture.trace.string(first.name), "start: none");
  EXPECT_EQ(first.at, at(10_us));
  EXPECT_EQ(first.op, op(5));
  EXPECT_EQ(capture.trace.string(second.name), "none -> item");
  EXPECT_EQ(capture.trace.track(second.track).info.kind, TrackKind::kMarkers);
  EXPECT_EQ(capture.trace.track(second.track).info.parent, kNoTrack);
}

TEST(Async, GroupsComeInTheOrderOfTheWindow) {
  Capture capture;
  for (const char* group : {"else", "Memory", "Throughput", "Queue", "virtual:1", "virtual:0"}) {
    const bool device = std::string_view(group).starts_with("virtual");
    counter(intern_track({.kind = TrackKind::kCounter,
                          .group = group,
                          .name = "value",
                          .device = device ? group : "",
                          .simulated = device}),
            capture.ticks(1_us), 1);
  }
  on_thread(TrackKind::kThread, "x", [&] { slice(capture, 1_us, 2_us); });
  on_thread(TrackKind::kWorker, "cpu 0", [&] { slice(capture, 3_us, 4_us); });
  on_thread(TrackKind::kFrontend, "main", [&] { slice(capture, 5_us, 6_us); });
  capture.settle();
  std::map<std::int32_t, std::string> groups;
  for (const trace::Track& track : capture.trace.tracks()) {
    if (track.info.kind == TrackKind::kGroup) groups[track.info.sort_order] += track.info.name;
  }
  std::string order;
  for (const auto& [sort_order, name] : groups) order += name + " ";
  EXPECT_EQ(order, "Frontend cuda:0 virtual:0 virtual:1 Memory Throughput Workers Queue Threads else ");
}

}  // namespace
}  // namespace runahead::record
