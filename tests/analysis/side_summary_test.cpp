#include "instrumentation/analysis/side_summary.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "instrumentation/analysis/nearest_rank.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::CounterRole;
using trace::SliceKind;
using trace::Trace;
using trace::Track;
using trace::TrackKind;

constexpr std::int64_t kSidesEndNs = 4'000;

struct RandomTrace {
  explicit RandomTrace(Random& random) {
    builder.group("Frontend").track("main", TrackKind::kFrontend);
    fill(random, {SliceKind::kEnqueue, SliceKind::kWait, SliceKind::kStep, SliceKind::kPause});
    builder.track("second", TrackKind::kFrontend);
    if (random.chance(0.5)) fill(random, {SliceKind::kWait, SliceKind::kZone});
    builder.group("Workers");
    for (const char* name : {"cpu 0", "cpu 1"}) {
      builder.track(name, TrackKind::kWorker).device("cpu", false);
      fill(random, {SliceKind::kExecute, SliceKind::kZone});
    }
    builder.group("virtual:0").track("compute", TrackKind::kStream).device("virtual:0", true);
    fill(random, {SliceKind::kExecute});
    builder.track("copies", TrackKind::kStream).device("virtual:0", true);
    fill(random, {SliceKind::kCopyToDevice, SliceKind::kCopyToHost});
    builder.track("lives", TrackKind::kQueue);
    fill(random, {SliceKind::kZone});
    builder.end_group();
    samples(random, "run-ahead ops", CounterRole::kRunAheadOps);
    samples(random, "run-ahead steps", CounterRole::kRunAheadSteps);
    samples(random, "live", CounterRole::kLiveBytes);
    builder.watermark(Duration{kSidesEndNs});
  }

  void fill(Random& random, const std::vector<SliceKind>& kinds) {
    static constexpr const char* kNames[]{"add", "matmul", "relu"};
    for (std::int64_t at = random.integer(0, 50); at < kSidesEndNs - 60; at += random.integer(0, 60)) {
      const std::int64_t length = random.integer(0, 50);
      builder
          .slice(
              kNames[random.integer(0, 2)], Duration{at}, Duration{length},
              kinds[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(kinds.size()) - 1))])
          .bytes(random.integer(0, 1000));
      at += length;
    }
  }
  void samples(Random& random, const char* name, CounterRole role) {
    builder.counter(name, role);
    for (std::int64_t at = random.integer(0, 500); at < kSidesEndNs; at += random.integer(1, 200))
      builder.sample(Duration{at}, static_cast<double>(random.integer(0, 9)));
  }

  TraceBuilder builder;
};

TimeRange random_range(Random& random) {
  const std::int64_t begin = random.integer(0, kSidesEndNs - 1);
  return {timestamp_from_ns(begin), timestamp_from_ns(random.integer(begin + 1, kSidesEndNs))};
}

// ---- the same figures, computed in the simplest way -------------------------------------------------------

struct ByName {
  std::vector<std::int64_t> durations_ns;
  std::int64_t size_bytes = 0, total_ns = 0;
};

std::map<std::pair<std::string, SliceKind>, ByName> names_by_hand(const Trace& trace, TimeRange range) {
  std::map<std::pair<std::string, SliceKind>, ByName> out;
  for (const Track& track : trace.tracks()) {
    if (track.info.kind == TrackKind::kQueue) continue;
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = lane.slice(row);
        if (!range.contains(slice.begin)) continue;
        ByName& name = out[{std::string(trace.string(slice.name)), slice.kind}];
        name.durations_ns.push_back(ns_from(slice.duration()));
        name.total_ns += ns_from(slice.duration());
        name.size_bytes += slice.size_bytes;
      }
    }
  }
  return out;
}

// Marks the busy nanoseconds of each device one by one, and counts the marks.
std::map<std::string, std::int64_t> busy_by_hand(const Trace& trace, TimeRange range) {
  std::map<std::string, std::vector<bool>> painted;
  for (const Track& track : trace.tracks()) {
    if (track.info.device.empty() || track.info.kind == TrackKind::kCounter) continue;
    std::vector<bool>& busy = painted[track.info.device];
    busy.resize(kSidesEndNs);
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = lane.slice(row);
        if (slice.kind != SliceKind::kExecute && !is_copy(slice.kind)) continue;
        for (std::int64_t ns = ns_from(slice.begin); ns < ns_from(slice.end); ++ns)
          busy[static_cast<std::size_t>(ns)] = true;
      }
    }
  }
  std::map<std::string, std::int64_t> out;
  for (const auto& [device, busy] : painted) {
    for (std::int64_t ns = ns_from(range.begin); ns < ns_from(range.end); ++ns)
      out[device] += busy[static_cast<std::size_t>(ns)] ? 1 : 0;
  }
  return out;
}

std::optional<double> median_by_hand(const Trace& trace, CounterRole role, TimeRange range) {
  std::vector<double> values;  // one value per nanosecond
  for (const Track& track : trace.tracks()) {
    if (track.info.role != role) continue;
    for (Timestamp at = range.begin; at < range.end; at += Duration{1}) {
      if (const auto value = track.counter.value_at(at)) values.push_back(*value);
    }
  }
  return values.empty() ? std::nullopt : std::optional(nearest_rank(values, 50));
}

void expect_same_figures(const SegmentFigures& got, const SegmentFigures& want) {
  EXPECT_EQ(got.range, want.range);
  EXPECT_EQ(got.frontends, want.frontends);
  EXPECT_EQ(got.ops, want.ops);
  EXPECT_EQ(got.steps, want.steps);
  EXPECT_EQ(got.blocked, want.blocked);
  EXPECT_DOUBLE_EQ(got.blocked_ratio, want.blocked_ratio);
  EXPECT_EQ(got.peak_bytes, want.peak_bytes);
  EXPECT_EQ(got.max_run_ahead_ops, want.max_run_ahead_ops);
  EXPECT_EQ(got.max_run_ahead_steps, want.max_run_ahead_steps);
  EXPECT_EQ(got.copied_bytes, want.copied_bytes);
  EXPECT_EQ(got.busy_execute, want.busy_execute);
  EXPECT_EQ(got.busy_copy, want.busy_copy);
  EXPECT_EQ(got.overlap, want.overlap);
}

TEST(SideSummary, OfRandomTracesIsWhatCountingByHandGives) {
  Random random;
  for (int round = 0; round < 60; ++round) {
    const Trace trace = RandomTrace(random).builder.build();
    const TimeRange range = random_range(random);
    const SideSummary side =
        summarize_side(trace, range, {}, static_cast<std::uint64_t>(random.integer(1, 400)));
    ASSERT_FALSE(side.cancelled);
    expect_same_figures(side.figures, segment_figures(trace, range));
    const auto names = names_by_hand(trace, range);
    ASSERT_EQ(side.names.size(), names.size());
    for (const NameSummary& name : side.names) {
      ByName by_hand = names.at({name.name, name.kind});
      EXPECT_EQ(name.durations.count, by_hand.durations_ns.size());
      EXPECT_EQ(ns_from(name.durations.total), by_hand.total_ns);
      EXPECT_EQ(name.size_bytes, by_hand.size_bytes);
      EXPECT_EQ(ns_from(name.durations.percentiles[0]), nearest_rank(by_hand.durations_ns, 50));
      EXPECT_EQ(ns_from(name.durations.percentiles[3]), nearest_rank(by_hand.durations_ns, 99));
    }
    const auto busy = busy_by_hand(trace, range);
    ASSERT_EQ(side.devices.size(), busy.size());
    for (const DeviceBusy& device : side.devices)
      EXPECT_EQ(ns_from(device.busy), busy.at(device.device)) << device.device;
    const auto devices = busy_devices(trace, range, {}, static_cast<std::uint64_t>(random.integer(1, 400)));
    ASSERT_TRUE(devices && devices->size() == busy.size());
    for (const DeviceBusy& device : *devices)
      EXPECT_EQ(ns_from(device.busy), busy.at(device.device)) << device.device;
    EXPECT_EQ(side.median_run_ahead_ops, median_by_hand(trace, CounterRole::kRunAheadOps, range));
    EXPECT_EQ(side.median_run_ahead_steps, median_by_hand(trace, CounterRole::kRunAheadSteps, range));
  }
}

TEST(SideSummary, TellsHowFarItIsAndCanBeCancelled) {
  Random random;
  const Trace trace = RandomTrace(random).builder.build();
  const TimeRange all{timestamp_from_ns(0), timestamp_from_ns(kSidesEndNs)};
  std::vector<double> told;
  const SideSummary whole = summarize_side(
      trace, all,
      [&](double done) {
        told.push_back(done);
        return true;
      },
      20);
  EXPECT_FALSE(whole.cancelled);
  ASSERT_GT(told.size(), 4u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_DOUBLE_EQ(told.back(), 1);
  int calls = 0;
  const SideSummary cut = summarize_side(
      trace, all, [&](double) { return ++calls < 3; }, 20);
  EXPECT_TRUE(cut.cancelled);
  EXPECT_EQ(calls, 3);
}

// A run is stopped at 50 ns, while the second and third of its steps are in the queues.
TEST(SideSummary, LeavesOutStepsThatAStopCancelled) {
  TraceBuilder builder;
  builder.track("main", TrackKind::kFrontend);
  for (int i = 0; i < 3; ++i)
    builder.slice("step", 10_ns * i, 8_ns, SliceKind::kStep)
        .slice("dot", 10_ns * i + 2_ns, 2_ns, SliceKind::kEnqueue, OpId{i + 1ULL});
  builder.op(OpId{1}, "dot", {2_ns, 3_ns, 4_ns, 30_ns});
  for (const OpId op : {OpId{2}, OpId{3}}) builder.op(op, "dot", {12_ns, std::nullopt, std::nullopt, 50_ns});
  builder.counter("steps finished", CounterRole::kStepsFinished, trace::Unit::kCount)
      .sample(0_ns, 0)
      .sample(30_ns, 1)
      .sample(50_ns, 3)
      .watermark(100_ns);
  const Trace trace = builder.build();
  EXPECT_EQ(summarize_side(trace, range(0_ns, 100_ns)).figures.steps, 1);
  EXPECT_EQ(summarize_side(trace, range(0_ns, 40_ns)).figures.steps, 1) << "before the stop";
  const auto counts = [&](TimeRange of) {
    std::map<std::string, std::uint64_t> out;
    for (const NameSummary& name : summarize_side(trace, of).names) out[name.name] = name.durations.count;
    return out;
  };
  EXPECT_EQ(counts(range(0_ns, 100_ns)), (std::map<std::string, std::uint64_t>{{"dot", 1}, {"step", 1}}));
  EXPECT_EQ(counts(range(0_ns, 40_ns)), (std::map<std::string, std::uint64_t>{{"dot", 3}, {"step", 3}}));
}

// A predicted timeline has no preparation, and does not read results.
TEST(SideSummary, APredictedTimelineIsComparedWithTheRunAlone) {
  const auto run = [] {
    TraceBuilder builder;
    builder.track("barrier", TrackKind::kMarkers).instant("start: none", 20_ns);
    builder.track("parts", TrackKind::kMarkers);
    builder.instant("part: preparation", 0_ns).instant("part: results", 80_ns);
    builder.track("main", TrackKind::kFrontend).slice("step", 30_ns, 8_ns, SliceKind::kStep);
    builder.slice("read", 90_ns, 10_ns);
    return builder;
  };
  const Trace recorded = run().build(), other = run().build();
  const Trace predicted = run().metadata("prediction", "barrier=none").build();
  EXPECT_EQ(whole_side(recorded, other), range(0_ns, 101_ns));
  EXPECT_EQ(whole_side(recorded, predicted), range(20_ns, 80_ns));
  EXPECT_EQ(whole_side(predicted, recorded), range(0_ns, 101_ns));
}

TEST(SideSummary, CountsWhatGoesOnStillAsBusyUpToTheWatermark) {
  TraceBuilder builder;
  builder.track("cpu 0", TrackKind::kWorker)
      .device("cpu", false)
      .open_slice("dot", 60_ns, SliceKind::kExecute)
      .watermark(90_ns);
  const SideSummary side = summarize_side(builder.build(), range(0_ns, 100_ns));
  ASSERT_EQ(side.devices.size(), 1u);
  EXPECT_EQ(side.devices[0].busy, 30_ns);
}

}  // namespace
}  // namespace runahead::analysis
