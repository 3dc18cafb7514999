#include <gtest/gtest.h>

#include "gui/timeline/timeline_commands.h"
#include "gui/timeline/timeline_legend.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

SceneLegend legend_of(const trace::Trace& trace, ColourBy by, SceneSize size = {1000, 400, 1}) {
  TimelineState state{.view = range(0_us, 1000_us)};
  apply_timeline(SetColourBy{by}, trace, state);
  return scene_legend(scene_of(trace, state, size), trace, by);
}

std::vector<std::string> names_of(const SceneLegend& legend) {
  std::vector<std::string> names;
  for (const LegendEntry& entry : legend.entries) names.push_back(entry.name);
  return names;
}

TEST(Legend, ListsTheNamesInViewThatCoverMostFirstAndNoWaits) {
  EXPECT_EQ(names_of(legend_of(sample_run(), ColourBy::kName)),
            (std::vector<std::string>{"step", "matmul", "copy", "relu"}));
}

TEST(Legend, ListsTheStepsInViewInTheirOrderAndTellsOfSlicesOfNone) {
  TraceBuilder builder;
  builder.track("main", trace::TrackKind::kFrontend).slice("zone", 0_us, 50_us);
  builder.track("cpu 0", trace::TrackKind::kWorker);
  for (int i = 0; i < 15; ++i) {
    const OpId op{static_cast<std::uint64_t>(i + 1)};
    const Duration start = 100_us + 50_us * i;
    builder.on("cpu 0").slice("dot", start, 40_us, trace::SliceKind::kExecute, op);
    builder.op(op, "dot", {start, start, start, start + 40_us}, {i + 3, 0, "main", "cpu 0"});
  }
  const trace::Trace trace = builder.watermark(1000_us).build();
  const SceneLegend legend = legend_of(trace, ColourBy::kStep);
  ASSERT_EQ(legend.entries.size(), kMostLegendEntries);
  EXPECT_EQ(legend.entries.front().category, 3u);
  EXPECT_EQ(legend.entries.back().category, 14u);
  EXPECT_EQ(legend.left_out, 3u);
  EXPECT_TRUE(legend.of_none);
}

TEST(Legend, ByKindNeedsNoLookAtTheScene) {
  EXPECT_TRUE(legend_of(sample_run(), ColourBy::kKind).entries.empty());
}

TEST(Legend, OfASceneOfAnotherTraceNamesNothingThatIsNotThere) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  state.colour_by = ColourBy::kName;
  const Scene scene = scene_of(trace, state);
  EXPECT_TRUE(scene_legend(scene, trace::Trace{}, ColourBy::kName).entries.empty());
}

}  // namespace
}  // namespace runahead::gui
