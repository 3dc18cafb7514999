// Tests how the columns of a counter (the drawn values, one for each pixel) change from one scene to the
// next. The samples are in a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "instrumentation/recording/format/block.h"
#include "tests/recording/recording_of.h"
#include "tests/support/literals.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::CounterBlock;
using trace::CounterColumn;

// Simulates blocks of samples in a file. The test says for each block whether it is loaded.
class Blocks final : public trace::BlockSource<CounterBlock> {
 public:
  explicit Blocks(std::vector<std::shared_ptr<const CounterBlock>> blocks)
      : here(blocks.size(), true), blocks_(std::move(blocks)) {}
  [[nodiscard]] std::shared_ptr<const CounterBlock> load(std::uint64_t number) const override {
    ++loads;
    return blocks_[number];
  }
  [[nodiscard]] std::shared_ptr<const CounterBlock> if_here(std::uint64_t number) const override {
    ++asked;
    return here[number] ? blocks_[number] : nullptr;
  }

  std::vector<bool> here;
  mutable std::uint64_t loads = 0, asked = 0;

 private:
  std::vector<std::shared_ptr<const CounterBlock>> blocks_;
};

constexpr std::size_t kBlocks = 400;
constexpr SceneSize kSize{800, 400, 1};
constexpr Timestamp kFirst = timestamp_from_ns(1'000'000);  // time of the first sample

trace::Trace counters(int count) {
  TraceBuilder builder;
  for (int i = 0; i < count; ++i) builder.counter("c" + std::to_string(i));
  return builder.build();
}

// A recording of counters that all have the same samples.
struct Recording {
  explicit Recording(int count = 1) : trace(counters(count)) {
    Random random;
    std::vector<std::shared_ptr<const CounterBlock>> blocks;
    trace::StoredBlocks<CounterBlock> stored;
    Timestamp at = kFirst;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      std::vector<trace::CounterSample> rows;
      for (std::size_t i = 0; i < trace::kBlockRows; ++i, at += Duration{random.magnitude(500)})
        rows.push_back({at, static_cast<double>(random.integer(0, 1'000'000))});
      blocks.push_back(std::make_shared<const CounterBlock>(rows));
      stored.summaries.push_back(blocks.back()->summary());
    }
    source = std::make_shared<Blocks>(std::move(blocks));
    stored.source = source;
    for (int i = 0; i < count; ++i) trace.adopt(TrackId{static_cast<std::uint32_t>(i)}, stored);
  }

  trace::Trace trace;
  std::shared_ptr<Blocks> source;
};

void expect_same(const SceneCounter& one, const SceneCounter& other) {
  const auto &some = one.columns, &others = other.columns;
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    ASSERT_EQ(some[i].x_px, others[i].x_px);
    ASSERT_EQ(some[i].min, others[i].min);
    ASSERT_EQ(some[i].max, others[i].max);
    ASSERT_EQ(some[i].last, others[i].last);
  }
  EXPECT_EQ(one.max_label, other.max_label);
  EXPECT_EQ(one.now_label, other.now_label);
}

TEST(CounterColumns, AViewThatSlidesAsksForNoMoreBlocksThanComeIntoSight) {
  const Recording recording;
  const Duration length = recording.trace.extent().duration() / 4;
  Scene scene;
  build_scene(recording.trace, {.view = {kFirst, kFirst + length}}, kSize, scene);
  EXPECT_GE(recording.source->asked, kBlocks / 4 - 2) << "each covers several columns";
  recording.source->asked = 0;
  const Timestamp next = kFirst + length / 50;
  build_scene(recording.trace, {.view = {next, next + length}}, kSize, scene);
  EXPECT_LE(recording.source->asked, kBlocks / 4 / 50 + 3);
  recording.source->asked = 0;
  build_scene(recording.trace, {.view = {next, next + length}}, kSize, scene);
  EXPECT_EQ(recording.source->asked, 0u) << "nothing has changed";
}

TEST(CounterColumns, WhateverViewsCameBeforeASceneIsWhatItWouldBeAlone) {
  const Recording recording;
  const TimeRange extent = recording.trace.extent();
  Random random;
  Scene scene;
  Duration length = extent.duration() / 3;
  Timestamp begin = extent.begin;
  for (int i = 0; i < 300; ++i) {
    if (random.chance(0.1)) length = Duration{1000 + random.magnitude(ns_from(extent.duration()))};
    if (random.chance(0.1))
      begin = extent.begin + Duration{random.integer(-1000, ns_from(extent.duration()))};
    begin += Duration{random.integer(-ns_from(length), ns_from(length)) / 3};
    // Marks some random blocks as loaded, and others as evicted.
    for (int k = 0; k < 5; ++k)
      recording.source->here[static_cast<std::size_t>(random.integer(0, kBlocks - 1))] = random.chance(0.7);
    const TimelineState state{.view = {begin, begin + length}};
    build_scene(recording.trace, state, kSize, scene);
    if (i % 3 != 0) continue;
    recording.source->here.assign(kBlocks, true);
    Scene alone;
    build_scene(recording.trace, state, kSize, scene);
    build_scene(recording.trace, state, kSize, alone);
    ASSERT_EQ(scene.counters.size(), 1u);
    expect_same(scene.counters[0], alone.counters[0]);
  }
  EXPECT_EQ(recording.source->loads, 0u);
}

TEST(CounterColumns, WhatIsTooMuchForOneSceneIsExactAFewScenesLater) {
  constexpr int kCounters = 7;
  const Recording recording(kCounters), alone(1);
  const TimelineState state{.view = recording.trace.extent()};
  Scene scene, of_one;
  build_scene(alone.trace, state, kSize, of_one);
  ASSERT_FALSE(of_one.counters_refine);
  build_scene(recording.trace, state, kSize, scene);
  ASSERT_EQ(scene.counters.size(), kCounters);
  EXPECT_TRUE(scene.counters_refine) << "more blocks cover several columns than one scene reads";
  for (const SceneCounter& counter : scene.counters)
    EXPECT_EQ(counter.max_label, of_one.counters[0].max_label) << "no extreme is missing";
  std::uint64_t looks = recording.source->asked;
  for (int more = 0; scene.counters_refine; ++more) {
    ASSERT_LT(more, kCounters);
    recording.source->asked = 0;
    build_scene(recording.trace, state, kSize, scene);
    EXPECT_LE(recording.source->asked, looks) << "a scene asks for no more blocks than the previous scene";
    looks = recording.source->asked;
  }
  for (const SceneCounter& counter : scene.counters) expect_same(counter, of_one.counters[0]);
}

TEST(CounterColumns, OneSceneAsksForNoMoreMissingBlocksThanAreLoadedInAWhile) {
  constexpr int kCounters = 14;
  const Recording recording(kCounters);
  recording.source->here.assign(kBlocks, false);
  const TimelineState state{.view = recording.trace.extent()};
  Scene scene;
  build_scene(recording.trace, state, kSize, scene);
  EXPECT_LT(recording.source->asked, 9 * kCounters * kBlocks / 10);
  EXPECT_FALSE(scene.counters_refine) << "another scene shows no more until some blocks are loaded";
  recording.source->here.assign(kBlocks, true);
  for (int more = 0; more == 0 || scene.counters_refine; ++more) {
    ASSERT_LT(more, 2 * kCounters);
    build_scene(recording.trace, state, kSize, scene);
  }
  const Recording alone(1);
  Scene of_one;
  build_scene(alone.trace, state, kSize, of_one);
  for (const SceneCounter& counter : scene.counters) expect_same(counter, of_one.counters[0]);
}

std::string recording_of_samples(int counters, int rows) {
  Random random;
  trace::Batch batch;
  for (int c = 0; c < counters; ++c) {
    const TrackId track{static_cast<std::uint32_t>(c)};
    batch.tracks.push_back({.id = track, .kind = trace::TrackKind::kCounter, .name = "c"});
    batch.counters.push_back({track, {}});
    Timestamp at = kFirst;
    for (int i = 0; i < rows; ++i, at += Duration{random.magnitude(500)})
      batch.counters.back().rows.push_back({at, static_cast<double>(random.integer(0, 1'000'000))});
    batch.watermark = std::max(batch.watermark, at);
  }
  return recording_of(batch);
}

// The memory limit is smaller than the samples. Therefore blocks are evicted after the scene has computed
// columns from them. The scene keeps the columns, so all of them are exact in the end.
TEST(CounterColumns, OfManyTimesWhatMayBeKeptInMemoryAreExactInTheEnd) {
  if (!recordings::recordings_supported()) GTEST_SKIP() << "this build writes no recordings";
  const std::string file = recording_of_samples(3, 300'000);
  const auto read = recordings::read_recording(as_bytes(file));
  const auto opened = recordings::open_recording_bytes(file, {.memory_bytes = 500'000});
  ASSERT_NE(opened->store(), nullptr);
  const TimelineState state{.view = read->extent()};
  Scene exact, scene;
  for (int more = 0; more == 0 || exact.counters_refine; ++more) build_scene(*read, state, kSize, exact);
  bool wanted = true;
  for (int scenes = 0; wanted || scene.counters_refine; ++scenes) {
    ASSERT_LT(scenes, 200) << "the refinement does not come to an end";
    opened->store()->begin_view();
    build_scene(*opened, state, kSize, scene);
    wanted = opened->store()->stats().wanted > 0;
    load_all_wanted(*opened);
    ASSERT_LE(opened->store()->stats().used_bytes, 500'000u);
  }
  ASSERT_EQ(scene.counters.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) expect_same(scene.counters[i], exact.counters[i]);
}

TEST(CounterColumns, AViewBeforeTheFirstSampleDoesNotReadTheFile) {
  const Recording recording;
  Scene scene;
  build_scene(recording.trace, {.view = {kFirst - 20_us, kFirst - 10_us}}, kSize, scene);
  ASSERT_EQ(scene.counters.size(), 1u);
  EXPECT_EQ(scene.counters[0].now_label, "");
  EXPECT_EQ(recording.source->loads, 0u);
  build_scene(recording.trace,
              {.view = {recording.trace.extent().end + 1_ms, recording.trace.extent().end + 2_ms}}, kSize,
              scene);
  EXPECT_NE(scene.counters[0].now_label, "") << "the last sample's value lasts";
  EXPECT_EQ(recording.source->loads, 0u);
}

}  // namespace
}  // namespace runahead::gui
