// The predicted timeline looks like the recording: the same groups, names, kinds of slices and bytes.
#include "instrumentation/predict/timeline/predicted_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/predict/prediction.h"
#include "instrumentation/predict/timeline/predicted_counters.h"
#include "instrumentation/trace/instant_table.h"
#include "tests/support/trace_builder.h"

namespace runahead::predict {
namespace {

using namespace runahead::testing;
using trace::CounterRole;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

constexpr int kStepsOfRun = 6;
constexpr std::int64_t kCopied = 4096;

// Steps of a copy to the device and a kernel.
Trace recorded_run() {
  TraceBuilder builder;
  builder.group("Memory", 60).counter("live virtual:0", CounterRole::kLiveBytes, trace::Unit::kBytes);
  builder.device("virtual:0");
  builder.group("Frontend", 10).track("main", TrackKind::kFrontend).numbers(7, 8);
  builder.group("Workers", 70).track("cpu 0", TrackKind::kWorker).sort_order(1).numbers(7, 9);
  builder.group("virtual:0", 40).track("compute", TrackKind::kStream).device("virtual:0");
  builder.track("copy to device", TrackKind::kStream).device("virtual:0").sort_order(1);
  const auto add = [&](int number, const char* name, const char* track, SliceKind kind, Duration at) {
    const auto id = static_cast<OpId>(number);
    builder.on("main").slice(name, at, 1_us, SliceKind::kEnqueue, id);
    builder.on(track).slice(name, at + 2_us, 5_us, kind, id);
    if (kind == SliceKind::kCopyToDevice) builder.bytes(kCopied);
    builder.op(id, name, {at + 1_us, at + 1_us, at + 2_us, at + 7_us},
               {.enqueue_track = "main", .execute_track = track});
  };
  for (int step = 0; step < kStepsOfRun; ++step) {
    const Duration at = 20_us * step;
    builder.on("main").slice("step", at, 18_us, SliceKind::kStep);
    add(3 * step + 1, "load", "cpu 0", SliceKind::kExecute, at);
    add(3 * step + 2, "copy", "copy to device", SliceKind::kCopyToDevice, at + 2_us);
    add(3 * step + 3, "dense", "compute", SliceKind::kExecute, at + 8_us);
    builder.on("live virtual:0").sample(at + 8_us, 100).sample(at + 16_us, 0);
    builder.allocation({.name = "dense",
                        .category = "activations",
                        .op = static_cast<OpId>(3 * step + 3),
                        .size_bytes = 100},
                       at + 8_us, at + 16_us);
  }
  return builder.build();
}

Trace predicted(const Trace& recorded, const std::vector<Change>& changes) {
  const Result<Replay> replay = Replay::of(recorded);
  EXPECT_TRUE(replay.ok());
  const Result<Prediction> prediction = replay->predict(changes, true);
  EXPECT_TRUE(prediction.ok());
  return predicted_trace(prediction->program, prediction->outcome, &recorded, "a change");
}

// "virtual:0/compute", and the track.
std::map<std::string, trace::TrackInfo> tracks_by_path(const Trace& trace) {
  std::map<std::string, trace::TrackInfo> out;
  for (const trace::Track& track : trace.tracks()) {
    const TrackId parent = track.info.parent;
    const std::string group = parent == kNoTrack ? "" : trace.track(parent).info.name + "/";
    out.emplace(group + track.info.name, track.info);
  }
  return out;
}

TEST(PredictedTrace, ATrackHasThePlaceOfTheRecordedOne) {
  const Trace recorded = recorded_run();
  const auto real = tracks_by_path(recorded);
  const auto likely = tracks_by_path(predicted(recorded, {{"op:dense", "0.5"}}));
  for (const auto& [path, info] : real) {
    SCOPED_TRACE(path);
    const auto found = likely.find(path);
    ASSERT_NE(found, likely.end());
    EXPECT_EQ(found->second.kind, info.kind);
    EXPECT_EQ(found->second.sort_order, info.sort_order);
    EXPECT_EQ(found->second.pid, info.pid);
    EXPECT_EQ(found->second.tid, info.tid);
    EXPECT_EQ(found->second.device, info.device);
    EXPECT_EQ(found->second.simulated, info.simulated);
  }
}

TEST(PredictedTrace, AWorkerMoreIsInTheSameGroup) {
  const auto likely = tracks_by_path(predicted(recorded_run(), {{"workers", "2"}}));
  EXPECT_TRUE(likely.contains("Workers/cpu 0"));
  EXPECT_TRUE(likely.contains("Workers/cpu 1"));
}

TEST(PredictedTrace, CopiesAreCopiesWithTheirBytes) {
  const Trace trace = predicted(recorded_run(), {{"op:dense", "0.5"}});
  const TrackId copies = tracks_by_path(trace).at("virtual:0/copy to device").id;
  const trace::Lane& lane = trace.track(copies).lanes.front();
  ASSERT_EQ(lane.end_row() - lane.first_row(), static_cast<std::uint64_t>(kStepsOfRun));
  for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
    EXPECT_EQ(lane.slice(row).kind, SliceKind::kCopyToDevice);
    EXPECT_EQ(lane.slice(row).size_bytes, kCopied);
  }
}

TEST(PredictedTrace, TheRunAheadOfEachDeviceIsThere) {
  const Trace trace = predicted(recorded_run(), {{"op:dense", "0.5"}});
  const auto tracks = tracks_by_path(trace);
  const trace::Track& ops = trace.track(tracks.at("Queue/run-ahead virtual:0").id);
  EXPECT_EQ(ops.info.role, CounterRole::kRunAheadOps);
  EXPECT_EQ(ops.counter.value_at(trace.extent().end), 0) << "all ops have ended";
  EXPECT_TRUE(tracks.contains("Queue/run-ahead bytes virtual:0"));
}

TEST(PredictedTrace, TheLifeOfEachOpIsFromItsEnqueueToItsEnd) {
  const Trace trace = predicted(recorded_run(), {{"op:dense", "0.5"}});
  const trace::Track& lives = trace.track(tracks_by_path(trace).at("Queue/op lives virtual:0").id);
  EXPECT_EQ(lives.info.kind, TrackKind::kQueue);
  std::uint64_t count = 0;
  for (const trace::Lane& lane : lives.lanes) {
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row, ++count) {
      const trace::Slice life = lane.slice(row);
      const auto op = trace.op(life.op);
      ASSERT_TRUE(op);
      EXPECT_EQ(life.begin, op->enqueued);
      EXPECT_EQ(life.end, op->ended);
    }
  }
  EXPECT_EQ(count, 2U * kStepsOfRun) << "the copies and the kernels";
}

TEST(PredictedTrace, TheMemoryOfEachCategoryIsThere) {
  const Trace trace = predicted(recorded_run(), {{"op:dense", "0.5"}});
  const auto tracks = tracks_by_path(trace);
  ASSERT_TRUE(tracks.contains("Memory/activations virtual:0"));
  const trace::Track& counter = trace.track(tracks.at("Memory/activations virtual:0").id);
  EXPECT_EQ(counter.info.role, CounterRole::kCategoryBytes);
  EXPECT_EQ(counter.counter.value_at(trace.extent().end), 0);
  EXPECT_EQ(counter.counter.sample(counter.counter.first_row_from({})).value, 100);
}

TEST(PredictedTrace, OverlappingLivesAreOnDifferentLanes) {
  const std::vector<OpIndex> ops{0, 1, 2};
  std::vector<OpTimes> times(3);
  times[0] = {.enqueued = 0_us, .ended = 10_us};
  times[1] = {.enqueued = 5_us, .ended = 20_us};
  times[2] = {.enqueued = 10_us, .ended = 15_us};
  EXPECT_EQ(lanes_of_lives(ops, times), (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(PredictedTrace, TheRateOfStepsIsThatOfTheLastSteps) {
  std::vector<Sample> finished;
  for (int step = 1; step <= 100; ++step) finished.push_back({10_ms * step, step});
  const auto rates = steps_per_second(finished, 1200_ms);
  ASSERT_FALSE(rates.empty());
  EXPECT_EQ(rates.front().at, Timestamp(110_ms));
  for (const trace::CounterSample& rate : rates) {
    if (rate.at <= Timestamp(1000_ms)) {
      EXPECT_NEAR(rate.value, 100, 1e-6);
    }
    if (rate.at > Timestamp(1110_ms)) {
      EXPECT_LT(rate.value, 20) << "no more steps finish";
    }
  }
  EXPECT_LT(rates.back().value, 20);
  EXPECT_TRUE(steps_per_second({}, 1_s).empty());
}

// ---- zones ------------------------------------------------------------------------------------------------

// Steps of 20 us: a zone around the enqueues of two ops, within it another one around the second op, and a
// wait of 6 us for it within a zone of its own.
TraceBuilder run_with_zones_builder() {
  TraceBuilder builder;
  builder.track("barrier", TrackKind::kMarkers).instant("start: wait_to_read", 0_us);
  builder.group("Frontend", 10).track("main", TrackKind::kFrontend).numbers(7, 8);
  builder.group("Workers", 70).track("cpu 0", TrackKind::kWorker);
  for (int step = 0; step < kStepsOfRun; ++step) {
    const Duration at = 20_us * step;
    const auto first = static_cast<OpId>(2 * step + 1), second = static_cast<OpId>(2 * step + 2);
    builder.on("main").slice("step", at, 20_us, SliceKind::kStep);
    builder.slice("forward", at + 1_us, 8_us).slice("layer 2", at + 5_us, 3_us);
    builder.slice("dense", at + 2_us, 1_us, SliceKind::kEnqueue, first);
    builder.slice("dense", at + 6_us, 1_us, SliceKind::kEnqueue, second);
    builder.instant(trace::kWaitPoint, at + 10_us, second);
    builder.slice("loss", at + 9_us, 10_us).slice("wait_to_read", at + 11_us, 6_us, SliceKind::kWait, second);
    builder.on("cpu 0").slice("dense", at + 3_us, 3_us, SliceKind::kExecute, first);
    builder.on("cpu 0").slice("dense", at + 8_us, 8_us, SliceKind::kExecute, second);
    builder.op(first, "dense", {at + 3_us, at + 3_us, at + 3_us, at + 6_us},
               {.enqueue_track = "main", .execute_track = "cpu 0"});
    builder.op(second, "dense", {at + 7_us, at + 7_us, at + 8_us, at + 16_us},
               {.enqueue_track = "main", .execute_track = "cpu 0"});
    builder.flow(trace::FlowKind::kExecuteToWait, "cpu 0", at + 16_us, "main", at + 17_us, second);
  }
  return builder;
}
Trace run_with_zones() { return run_with_zones_builder().build(); }

// The zones with this name, and their depth.
struct ZoneAt {
  Timestamp begin{}, end{};
  std::size_t depth = 0;
  friend bool operator==(const ZoneAt&, const ZoneAt&) = default;
};
std::vector<ZoneAt> slices_named(const Trace& trace, std::string_view name) {
  std::vector<ZoneAt> out;
  const trace::Track& track = trace.track(tracks_by_path(trace).at("Frontend/main").id);
  for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
    const trace::Lane& lane = track.lanes[depth];
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const trace::Slice slice = lane.slice(row);
      if (trace.string(slice.name) == name) out.push_back({slice.begin, slice.end, depth});
    }
  }
  return out;
}

TEST(PredictedTrace, WithoutAChangeZonesAreWhereTheyWere) {
  const Trace recorded = run_with_zones();
  const Trace trace = predicted(recorded, {});
  for (const char* const name : {"forward", "layer 2", "loss"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(slices_named(trace, name).size(), static_cast<std::size_t>(kStepsOfRun));
    EXPECT_EQ(slices_named(trace, name), slices_named(recorded, name));
  }
}

// Without the waits of 6 us, the enqueues of a step are closer to the last ones, and the zones with them.
TEST(PredictedTrace, ZonesStayBetweenTheirEvents) {
  const Trace trace = predicted(run_with_zones(), {{"barrier", "none"}});
  const std::vector<ZoneAt> steps = slices_named(trace, "step"), forward = slices_named(trace, "forward"),
                            layer = slices_named(trace, "layer 2"), loss = slices_named(trace, "loss");
  ASSERT_EQ(forward.size(), static_cast<std::size_t>(kStepsOfRun));
  ASSERT_EQ(loss.size(), forward.size());
  for (std::size_t i = 0; i < forward.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_LT(steps[i].end - steps[i].begin, 20_us);
    EXPECT_EQ(forward[i], (ZoneAt{steps[i].begin + 1_us, steps[i].begin + 9_us, 1}));
    EXPECT_EQ(layer[i], (ZoneAt{steps[i].begin + 5_us, steps[i].begin + 8_us, 2}));
    EXPECT_EQ(loss[i].begin, steps[i].begin + 9_us);
    EXPECT_LT(loss[i].end - loss[i].begin, 10_us - 6_us + 1_us) << "the wait was within it";
  }
}

// A stop cancelled the ops of two more steps, which the frontend had gone through.
TEST(PredictedTrace, CancelledStepsAreNotThere) {
  TraceBuilder builder = run_with_zones_builder();
  for (int i = 0; i < 2; ++i) {
    const Duration at = 20_us * (kStepsOfRun + i);
    const auto op = static_cast<OpId>(100 + i);
    builder.on("main").slice("step", at, 20_us, SliceKind::kStep).slice("forward", at + 1_us, 8_us);
    builder.slice("dense", at + 2_us, 1_us, SliceKind::kEnqueue, op);
    builder.instant(trace::kWaitPoint, at + 10_us, op);
    builder.op(op, "dense", {at + 3_us, std::nullopt, std::nullopt, 300_us}, {.enqueue_track = "main"});
  }
  const Trace recorded = builder.build();
  const Result<Replay> replay = Replay::of(recorded);
  ASSERT_TRUE(replay.ok());
  EXPECT_LE(replay->replayed().length, 20_us * kStepsOfRun);
  EXPECT_EQ(slices_named(predicted(recorded, {}), "forward").size(), static_cast<std::size_t>(kStepsOfRun));
}

TEST(PredictedTrace, ZonesOfAFasterFrontendAreShorter) {
  const Trace trace = predicted(run_with_zones(), {{"frontend", "0.5"}});
  const std::vector<ZoneAt> steps = slices_named(trace, "step"), forward = slices_named(trace, "forward");
  ASSERT_EQ(forward.size(), static_cast<std::size_t>(kStepsOfRun));
  for (std::size_t i = 0; i < forward.size(); ++i) {
    EXPECT_EQ(forward[i].end - forward[i].begin, 4_us);
    EXPECT_GE(forward[i].begin, steps[i].begin);
    EXPECT_LE(forward[i].end, steps[i].end);
  }
}

// ---- counters ---------------------------------------------------------------------------------------------

TEST(PredictedTrace, TheBandwidthIsThatOfThePredictedCopies) {
  const Trace trace = predicted(recorded_run(), {{"op:copy", "0.5"}});
  const auto tracks = tracks_by_path(trace);
  ASSERT_TRUE(tracks.contains("virtual:0/copy bandwidth"));
  const trace::Track& counter = trace.track(tracks.at("virtual:0/copy bandwidth").id);
  EXPECT_EQ(counter.info.role, CounterRole::kCopyBandwidth);
  EXPECT_EQ(counter.counter.sample(counter.counter.first_row()).value, kCopied / 2.5e-6);
  EXPECT_EQ(counter.counter.value_at(trace.extent().end), 0);
}

TEST(PredictedTrace, OverlappingCopiesAddUp) {
  const std::vector<PredictedCopy> copies{{0_us, 10_us, 100}, {5_us, 15_us, 200}};
  std::vector<std::pair<Timestamp, double>> samples;
  for (const trace::CounterSample& sample : copy_bandwidth(copies))
    samples.emplace_back(sample.at, sample.value);
  EXPECT_EQ(
      samples,
      (std::vector<std::pair<Timestamp, double>>{
          {Timestamp(0_us), 1e7}, {Timestamp(5_us), 3e7}, {Timestamp(10_us), 2e7}, {Timestamp(15_us), 0}}));
}

// The memory of the process depends on more than the ops. Its track says so.
TEST(PredictedTrace, ATrackSaysThatTheMemoryOfTheProcessIsNotPredicted) {
  TraceBuilder builder = run_with_zones_builder();
  builder.group("Memory", 60).counter("process RSS", CounterRole::kProcessRss, trace::Unit::kBytes);
  builder.sample(0_us, 1e6);
  const Trace trace = predicted(builder.build(), {});
  const auto tracks = tracks_by_path(trace);
  ASSERT_TRUE(tracks.contains("Memory/process RSS"));
  const TrackId track = tracks.at("Memory/process RSS").id;
  bool said = false;
  for (std::uint64_t i = 0; i < trace.instants().size(); ++i) {
    const trace::Instant instant = trace.instants().row(i);
    said = said || (instant.track == track && trace.string(instant.name).starts_with("not predicted"));
  }
  EXPECT_TRUE(said);
}

// Without a recording to look at, the groups are those that a recording would have.
TEST(PredictedTrace, AProgramOfNoRecordingHasTheUsualGroups) {
  const Trace recorded = recorded_run();
  const Result<Replay> replay = Replay::of(recorded);
  ASSERT_TRUE(replay.ok());
  const Result<Prediction> prediction = replay->predict({}, true);
  ASSERT_TRUE(prediction.ok());
  const auto likely = tracks_by_path(predicted_trace(prediction->program, prediction->outcome, nullptr, ""));
  for (const char* const path :
       {"Frontend/main", "Workers/cpu 0", "virtual:0/compute", "Memory/live virtual:0",
        "Throughput/steps finished", "Queue/run-ahead steps"})
    EXPECT_TRUE(likely.contains(path)) << path;
}

}  // namespace
}  // namespace runahead::predict
