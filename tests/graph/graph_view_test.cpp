// Tests GraphView: which graph is on the screen, and when its layout is computed again.
#include "gui/graph/graph_view.h"

#include <gtest/gtest.h>

#include "gui/timeline/lookup.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;
using namespace std::chrono_literals;
using trace::SliceKind;
using trace::TrackKind;

// Steps of 100 us. Each step enqueues two ops, the second after the first. The ops run during the next step.
trace::Batch steps(std::uint64_t first, std::uint64_t count) {
  TraceBuilder b;
  b.track("main", TrackKind::kFrontend).track("cpu 0", TrackKind::kWorker);
  for (std::uint64_t step = first; step < first + count; ++step) {
    const Duration begin = Duration{100'000} * static_cast<std::int64_t>(step);
    b.on("main").slice("step", begin, 90_us, SliceKind::kStep);
    for (std::uint64_t i = 0; i < 2; ++i) {
      const OpId op{2 * step + i + 1};
      const Duration enqueued = begin + Duration{10'000} * static_cast<std::int64_t>(i + 1);
      const Duration started = enqueued + 100_us;
      b.on("main").slice("op", enqueued, 1_us, SliceKind::kEnqueue, op);
      b.on("cpu 0").slice("op", started, 5_us, SliceKind::kExecute, op);
      b.op(op, "op", {enqueued, started, started, started + 5_us},
           {.step = static_cast<std::int64_t>(step), .enqueue_track = "main", .execute_track = "cpu 0"});
    }
    b.depends(OpId{2 * step + 2}, OpId{2 * step + 1});
  }
  return b.watermark(Duration{100'000} * static_cast<std::int64_t>(first + count) + 50_us).batch();
}

struct Graph : ::testing::Test {
  trace::Trace trace;
  TimelineState timeline;
  GraphView view;
  std::chrono::steady_clock::time_point now = std::chrono::steady_clock::time_point{} + 1h;

  void SetUp() override {
    trace.append(steps(0, 5));
    timeline.follow = false;
    timeline.view = trace.extent();
  }
  void update(GraphMode mode, bool live = false) { update_graph({trace, timeline, mode, live}, now, view); }
  void select(OpId op, bool execution = true) {
    const auto row = trace.op(op);
    timeline.selected = execution ? slice_near(trace, row->execute_track, row->started, op)
                                  : slice_near(trace, row->enqueue_track, row->enqueued, op);
    ASSERT_TRUE(timeline.selected.has_value());
  }
  [[nodiscard]] std::vector<std::uint64_t> ops() const {
    std::vector<std::uint64_t> numbers;
    for (const auto& node : view.graph.nodes) numbers.push_back(op_number(node.op.id));
    return numbers;
  }
};

TEST_F(Graph, ShowsTheStepOfTheSelectionHoweverTheOpWasSelected) {
  for (const bool execution : {true, false}) {
    select(OpId{6}, execution);
    update(GraphMode::kStep);
    EXPECT_EQ(ops(), (std::vector<std::uint64_t>{5, 6}));
    EXPECT_FALSE(view.latest);
    EXPECT_EQ(selected_op(trace, timeline), OpId{6});
  }
  timeline.selected = slice_near(trace, TrackId{0}, at(Duration{150'000}), kNoOp);  // the slice of a step
  update(GraphMode::kStep);
  EXPECT_EQ(ops(), (std::vector<std::uint64_t>{3, 4}));
}

TEST_F(Graph, WithoutASelectionShowsTheLatestStep) {
  update(GraphMode::kStep);
  EXPECT_TRUE(view.latest);
  EXPECT_EQ(ops(), (std::vector<std::uint64_t>{7, 8}));
}

TEST_F(Graph, ShowsWhatWasInFlightWhenTheSelectionBegan) {
  select(OpId{5});  // op 5 starts at 310 us
  update(GraphMode::kInFlight);
  EXPECT_EQ(ops(), (std::vector<std::uint64_t>{5, 6, 7}));
  EXPECT_EQ(view.graph.nodes[0].state, analysis::OpState::kRunning);
}

TEST_F(Graph, AClickOnANodeMovesNoTime) {
  select(OpId{5});
  update(GraphMode::kInFlight);
  view.chosen_here = slice_for_op(trace, OpId{7});
  timeline.selected = view.chosen_here;
  update(GraphMode::kInFlight);
  EXPECT_EQ(ops(), (std::vector<std::uint64_t>{5, 6, 7}));
  EXPECT_EQ(selected_op(trace, timeline), OpId{7});
  select(OpId{9}, false);
  update(GraphMode::kInFlight);
  EXPECT_EQ(view.graph.at, trace.op(OpId{9})->enqueued);
}

TEST_F(Graph, WhileItFollowsTimeStandsAtTheNewestAndThenWhereItWasLeft) {
  timeline.follow = true;
  update(GraphMode::kInFlight, true);
  EXPECT_EQ(view.graph.at, trace.watermark());
  const Timestamp left = trace.watermark();
  timeline.follow = false;
  trace.append(steps(5, 1));
  now += 1s;
  update(GraphMode::kInFlight, true);
  EXPECT_EQ(view.graph.at, left);
}

TEST_F(Graph, AGrowingTraceIsLookedAtAnewSoOftenAndALateLookIsOwed) {
  update(GraphMode::kStep, true);
  EXPECT_EQ(ops().front(), 7u);
  trace.append(steps(5, 1));
  now += kGraphPeriod / 2;
  update(GraphMode::kStep, true);
  EXPECT_EQ(ops().front(), 7u);
  EXPECT_TRUE(view.stale);
  now += kGraphPeriod;
  update(GraphMode::kStep, true);
  EXPECT_EQ(ops().front(), 9u);
  EXPECT_FALSE(view.stale);
  // The graph shows other ops, but has the same shape as before. Therefore no node moves.
  EXPECT_EQ(view.layouts, 1u);
}

TEST_F(Graph, AnotherModeOrSelectionIsShownAtOnce) {
  update(GraphMode::kStep, true);
  select(OpId{2});
  update(GraphMode::kStep, true);
  EXPECT_EQ(ops().front(), 1u);
  update(GraphMode::kInFlight, true);
  EXPECT_EQ(ops(), (std::vector<std::uint64_t>{2, 3, 4}));
}

TEST_F(Graph, AnotherTraceBringsNothingAlong) {
  view.fitted = false;
  update(GraphMode::kStep);
  trace::Trace other;
  update_graph({other, timeline, GraphMode::kStep, false}, now, view);
  EXPECT_TRUE(view.graph.nodes.empty());
  EXPECT_TRUE(view.fitted);
}

TEST_F(Graph, AnOpIsSelectedWhereItRunsOrElseWhereItWasEnqueued) {
  EXPECT_EQ(slice_for_op(trace, OpId{4})->track, TrackId{1});
  TraceBuilder b;
  b.track("main", TrackKind::kFrontend).slice("op", 0_us, 1_us, SliceKind::kEnqueue, OpId{1});
  b.op(OpId{1}, "op", {0_us, {}, {}, {}}, {.enqueue_track = "main"});
  EXPECT_EQ(slice_for_op(b.build(), OpId{1})->track, TrackId{0});
  EXPECT_EQ(slice_for_op(trace, OpId{99}), std::nullopt);
}

}  // namespace
}  // namespace runahead::gui
