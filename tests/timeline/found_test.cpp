// Tests that the scene shows which slices a search has found.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "instrumentation/analysis/slice_search.h"
#include "tests/support/random.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

std::shared_ptr<const analysis::FoundRows> found_in(const trace::Trace& trace, std::string_view words) {
  const auto search = analysis::parse_slice_search(words);
  const std::atomic<bool> cancel{false};
  const TimeRange all{Timestamp{Duration::min()}, Timestamp{Duration::max()}};
  return analysis::find_slices(trace, *search, all, analysis::FoundOrder::kByTime, 10, cancel).rows;
}

// Slices of random lengths and three names on two tracks, with random gaps.
trace::Trace random_run(Random& random, int rows) {
  TraceBuilder builder;
  for (const char* const track : {"a", "b"}) {
    builder.track(track, trace::TrackKind::kWorker);
    Duration at{};
    for (int i = 0; i < rows; ++i) {
      const Duration length{random.integer(1, 3000)};
      builder.slice("name " + std::to_string(random.integer(0, 2)), at, length,
                    random.chance(0.2) ? trace::SliceKind::kWait : trace::SliceKind::kExecute);
      at += length + Duration{random.chance(0.3) ? random.integer(1, 5000) : 0};
    }
  }
  return builder.build();
}

TEST(FoundSlices, AreCountedInEachBoxOfAnyZoom) {
  Random random;
  const trace::Trace trace = random_run(random, 3000);
  for (const char* const words : {"\"name 1\"", "kind=wait", "dur>2900ns", "track=a", "none"}) {
    TimelineState state{.found = found_in(trace, words)};
    const auto matches = [&](const trace::Slice& slice, TrackId track) {
      const std::string_view name = trace.string(slice.name), asked = words;
      if (asked == "\"name 1\"") return name == "name 1";
      if (asked == "kind=wait") return slice.kind == trace::SliceKind::kWait;
      if (asked == "track=a") return track == TrackId{0};
      return asked != "none" && slice.duration() > Duration{2900};
    };
    for (const Duration length : {trace.extent().duration(), Duration{1'000'000}, Duration{20'000}}) {
      const Duration room = trace.extent().duration() - length;
      state.view.begin = trace.extent().begin + Duration{random.integer(0, room.count())};
      state.view.end = state.view.begin + length;
      const Scene scene = scene_of(trace, state);
      ASSERT_FALSE(scene.boxes.empty());
      for (const SceneBox& box : scene.boxes) {
        ASSERT_TRUE(box.found);
        ASSERT_LE(*box.found, box.count);
        if (box.count == 1) {
          const trace::Slice slice = trace.track(box.slice.track).lanes[0].slice(box.slice.row);
          EXPECT_EQ(*box.found == 1, matches(slice, box.slice.track)) << words;
        }
      }
    }
    // A view of the complete trace has each slice in one box.
    state.view = {trace.extent().begin, trace.extent().end + Duration{1}};
    std::uint64_t in_boxes = 0, expected = 0;
    for (const SceneBox& box : scene_of(trace, state).boxes) in_boxes += *box.found;
    for (const trace::Track& track : trace.tracks()) {
      for (std::uint64_t row = 0; row < track.lanes[0].end_row(); ++row)
        expected += matches(track.lanes[0].slice(row), track.info.id);
    }
    EXPECT_EQ(in_boxes, expected) << words;
  }
}

// One slice of 10,000 is found. Its box is not joined with the boxes of other slices.
TEST(FoundSlices, KeepTheirPlaceAmongMergedOnes) {
  TraceBuilder builder;
  builder.track("cpu 0", trace::TrackKind::kWorker);
  for (int i = 0; i < 10'000; ++i) builder.slice(i == 7000 ? "rare" : "tick", 2_us * i, 1_us);
  const trace::Trace trace = builder.build();
  TimelineState state{.view = range(0_us, 20'000_us)};
  EXPECT_EQ(scene_of(trace, state, {1000, 100, 1}).boxes.size(), 1u);
  state.found = found_in(trace, "rare");
  const Scene scene = scene_of(trace, state, {1000, 100, 1});
  const auto box = std::ranges::find_if(scene.boxes, [](const SceneBox& b) { return b.found > 0u; });
  ASSERT_NE(box, scene.boxes.end());
  EXPECT_EQ(box->found, 1u);
  EXPECT_NEAR(box->x0_px, 700, 3);
  EXPECT_NEAR(box->x1_px, 700, 3);
  EXPECT_EQ(scene.boxes.size(), 3u);
}

TEST(FoundSlices, OfNoSearchAndOfOpenSlicesAreUnknown) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 2000_us)};
  for (const SceneBox& box : scene_of(trace, state, {1000, 400, 1}).boxes) EXPECT_EQ(box.found, std::nullopt);
  state.found = found_in(trace, "relu");
  for (const SceneBox& box : scene_of(trace, state, {1000, 400, 1}).boxes)
    EXPECT_EQ(box.found.has_value(), !box.open);
}

}  // namespace
}  // namespace runahead::gui
