#include "gui/timeline/overview.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

Overview overview_of(const trace::Trace& trace, TimeRange view, float width_px) {
  Overview overview;
  update_overview(trace, {.view = view}, width_px, 1, overview);
  return overview;
}

TEST(Overview, FramesTheViewInTheWholeRun) {
  const Overview overview = overview_of(sample_run(), range(250_us, 500_us), 1000);
  EXPECT_EQ(overview.extent, range(0_us, 1000_us));
  EXPECT_NEAR(overview.view_px.first, 250, 0.01);
  EXPECT_NEAR(overview.view_px.second, 500, 0.01);
}

TEST(Overview, AddsUpTheBusyShareOfWorkersAndStreams) {
  const Overview overview = overview_of(sample_run(), range(0_us, 1000_us), 1000);
  double busy_us = 0;
  for (const OverviewColumn& column : overview.columns)
    busy_us += static_cast<double>(column.busy) * overview.column_px;
  EXPECT_NEAR(busy_us, (350 + 200) / 2.0, 1);  // the mean of both streams: compute, copy to host
}

TEST(Overview, CountsTheWorkOfAStreamAndNotItsAnnotations) {
  TraceBuilder builder;
  builder.track("stream 7", trace::TrackKind::kStream)
      .slice("ProfilerStep#1", 0_us, 200_us)
      .slice("gemm", 50_us, 20_us, trace::SliceKind::kExecute)
      .slice("memcpy", 120_us, 10_us, trace::SliceKind::kCopyToHost);
  const Overview overview = overview_of(builder.build(), range(0_us, 1000_us), 1000);
  ASSERT_EQ(overview.extent, range(0_us, 200_us));
  double busy_us = 0;
  for (const OverviewColumn& column : overview.columns)
    busy_us += static_cast<double>(column.busy) * ns_from(overview.column) / 1000.0;
  EXPECT_NEAR(busy_us, 30, 0.5);
}

TEST(Overview, ShowsThreadsIfThereAreNoWorkersAndNoStreams) {
  TraceBuilder builder;
  builder.track("main").slice("outer", 0_us, 150_us).slice("inner", 50_us, 50_us);
  builder.track("second").slice("other", 75_us, 225_us);
  const Overview overview = overview_of(builder.build(), range(0_us, 1000_us), 1000);
  ASSERT_EQ(overview.extent, range(0_us, 300_us));
  double busy = 0;
  for (const OverviewColumn& column : overview.columns)
    busy += static_cast<double>(column.busy) * overview.column_px / 1000;
  EXPECT_NEAR(busy, 1, 0.01) << "the busiest thread counts, and nesting does not count twice";
}

TEST(Overview, ShowsAsynchronousTracksWhereThereIsNothingElse) {
  TraceBuilder builder;
  builder.track("requests", trace::TrackKind::kAsync)
      .slice("read", 0_us, 100_us)
      .slice("write", 50_us, 150_us);
  const Overview overview = overview_of(builder.build(), range(0_us, 1000_us), 1000);
  ASSERT_EQ(overview.extent, range(0_us, 200_us));
  EXPECT_NEAR(overview.columns.front().busy, 1, 0.01);
}

TEST(Overview, LeavesOutWhatIsHiddenAndTakesItBack) {
  const trace::Trace trace = sample_run();
  TimelineState state{.view = range(0_us, 1000_us)};
  Overview overview;
  const auto busy_us = [&] {
    update_overview(trace, state, 1000, 1, overview);
    double sum = 0;
    for (const OverviewColumn& column : overview.columns)
      sum += static_cast<double>(column.busy) * overview.column_px;
    return sum;
  };
  const double all = busy_us();
  state.hidden = {kTracks.copy_out};
  EXPECT_NEAR(busy_us(), 350, 1);
  state.hidden = {kTracks.device_group};
  EXPECT_EQ(busy_us(), 0);
  state.pinned = {kTracks.copy_out};  // the track is pinned, so it is shown although its group is hidden
  EXPECT_NEAR(busy_us(), 200, 1);
  state.hidden.clear();
  state.pinned.clear();
  EXPECT_DOUBLE_EQ(busy_us(), all);
}

TEST(Overview, ShowsWhereTheFrontendWasBlocked) {
  const Overview overview = overview_of(sample_run(), range(0_us, 1000_us), 1000);
  const auto blocked_at = [&](float us) {
    return overview.columns[static_cast<std::size_t>(us / overview.column_px)].blocked;
  };
  EXPECT_FLOAT_EQ(blocked_at(100), 0);
  EXPECT_FLOAT_EQ(blocked_at(400), 1);
  EXPECT_FLOAT_EQ(blocked_at(650), 0);
}

TEST(Overview, LiesInProportionForDenseSlicesToo) {
  const Overview overview = overview_of(dense_run(10'000), range(0_us, 10_us), 300);
  for (const OverviewColumn& column : overview.columns) EXPECT_NEAR(column.busy, 0.5, 0.02);
}

TEST(Overview, MarksBarrierChanges) {
  EXPECT_EQ(overview_of(sample_run(), range(0_us, 10_us), 1000).marker_x_px, (std::vector<float>{0, 240}));
}

TEST(Overview, MovesTheViewToWhereItIsDragged) {
  const Overview overview = overview_of(sample_run(), range(0_us, 100_us), 1000);
  EXPECT_EQ(view_from_overview(overview, range(0_us, 100_us), 500), range(450_us, 550_us));
}

TEST(Overview, MovesItsFrameAloneWhenOnlyTheViewHasMoved) {
  const trace::Trace trace = sample_run();
  Overview overview = overview_of(trace, range(0_us, 100_us), 1000);
  EXPECT_EQ(overview.trace_version, trace.version());
  update_overview(trace, {.view = range(300_us, 400_us)}, 1000, 1, overview);
  EXPECT_EQ(overview.view_px, overview_of(trace, range(300_us, 400_us), 1000).view_px);
}

// A trace that grows batch by batch, as during a capture. A retention limit evicts the oldest slices.
class GrowingRun {
 public:
  explicit GrowingRun(std::uint64_t seed) : random_(seed) {
    TraceBuilder builder;
    builder.track("main", trace::TrackKind::kFrontend).track("cpu 0", trace::TrackKind::kWorker);
    builder.track("cpu 1", trace::TrackKind::kWorker);
    trace_.append(builder.batch());
  }
  void grow() {
    trace::Batch batch;
    for (std::uint32_t track = 0; track < 3; ++track) {
      trace::LaneRows rows{.track = TrackId(track), .depth = 0, .rows = {}};
      // A track may get no rows in a batch. When its next rows arrive, they are older than rows that other
      // tracks already have.
      const std::int64_t count = random_.chance(0.3) ? 0 : random_.integer(1, 400);
      for (std::int64_t i = 0; i < count; ++i) {
        reached_[track] += Duration{random_.magnitude(100'000)};
        const Timestamp begin = reached_[track];
        reached_[track] += Duration{random_.magnitude(1'000'000)};
        const auto kind = random_.chance(0.5) ? trace::SliceKind::kWait : trace::SliceKind::kExecute;
        rows.rows.push_back({.begin = begin, .end = reached_[track], .name = StringId(0), .kind = kind});
      }
      if (count > 0) batch.lanes.push_back(std::move(rows));
      batch.watermark = std::max(batch.watermark, reached_[track]);
    }
    trace_.append(std::move(batch));
  }
  trace::Trace& trace() { return trace_; }
  // The earliest time after which no lane has lost rows.
  [[nodiscard]] Timestamp whole_from() const {
    Timestamp from = trace_.extent().begin;
    for (std::size_t track = 0; track < trace_.tracks().size(); ++track) {
      for (const trace::Lane& lane : trace_.tracks()[track].lanes) {
        const bool all_gone = lane.size() == 0;
        from = std::max(from, all_gone ? reached_[track] : lane.begin(lane.first_row()));
      }
    }
    return from;
  }
  Random& random() { return random_; }

 private:
  Random random_;
  trace::Trace trace_;
  std::array<Timestamp, 3> reached_{};
};

TEST(Overview, OfARunThatGrowsIsTheOneOfTheWholeRun) {
  GrowingRun run(test_seed());
  Overview growing;
  for (int i = 0; i < 300; ++i) {
    run.grow();
    if (run.random().chance(0.1))
      run.trace().retain_at_most(static_cast<std::size_t>(run.random().integer(50'000, 500'000)));
    const float width = run.random().chance(0.02) ? 700 : 900;
    const TimeRange view = run.trace().extent();
    update_overview(run.trace(), {.view = view}, width, 1, growing);
    const Overview whole = overview_of(run.trace(), view, width);
    ASSERT_EQ(growing.extent, whole.extent);
    ASSERT_EQ(growing.columns_begin, whole.columns_begin);
    ASSERT_EQ(growing.column, whole.column);
    ASSERT_EQ(growing.columns.size(), whole.columns.size());
    for (std::size_t c = 0; c < whole.columns.size(); ++c) {
      // Before whole_from() some lanes have lost rows. The columns of that time are still shown, but the test
      // cannot compute them any more.
      if (whole.columns_begin + whole.column * static_cast<std::int64_t>(c) < run.whole_from()) continue;
      ASSERT_NEAR(growing.columns[c].busy, whole.columns[c].busy, 1e-4)
          << "column " << c << " in round " << i;
      ASSERT_NEAR(growing.columns[c].blocked, whole.columns[c].blocked, 1e-4)
          << "column " << c << " in round " << i;
    }
  }
  EXPECT_GT(run.trace().losses().of(trace::LossCause::kEvicted), 0u);
}

TEST(Overview, OfAnotherTraceForgetsTheOneBefore) {
  const trace::Trace sample = sample_run(), dense = dense_run(10'000);
  Overview overview = overview_of(sample, range(0_us, 1000_us), 1000);
  update_overview(dense, {.view = range(0_us, 1000_us)}, 1000, 1, overview);
  EXPECT_EQ(overview.columns.size(), overview_of(dense, range(0_us, 1000_us), 1000).columns.size());
  EXPECT_NEAR(overview.columns[1].busy, 0.5, 0.02);
  EXPECT_TRUE(overview.marker_x_px.empty());
}

TEST(Overview, OfNothingIsEmpty) {
  const Overview overview = overview_of(trace::Trace{}, range(0_us, 1_us), 1000);
  EXPECT_TRUE(overview.columns.empty());
  EXPECT_EQ(view_from_overview(overview, range(0_us, 1_us), 5), range(0_us, 1_us));
}

}  // namespace
}  // namespace runahead::gui
