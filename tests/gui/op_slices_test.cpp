#include "gui/panels/details/op_slices.h"

#include <gtest/gtest.h>

#include "gui/timeline/flow_chain.h"
#include "gui/timeline/selection_facts.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using runahead::testing::TraceBuilder;
using runahead::testing::operator""_us;
using trace::FlowKind;
using trace::SliceKind;

// main enqueues op 1 within a step and waits for the op; cpu 0 executes the op.
TraceBuilder one_op() {
  TraceBuilder builder;
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("step", 0_us, 100_us, SliceKind::kStep)
      .slice("enqueue", 10_us, 5_us, SliceKind::kEnqueue, OpId{1})
      .slice("wait_to_read", 20_us, 60_us, SliceKind::kWait, OpId{1})
      .track("cpu 0", trace::TrackKind::kWorker)
      .slice("dot", 30_us, 40_us, SliceKind::kExecute, OpId{1});
  builder.flow(FlowKind::kEnqueueToExecute, "main", 15_us, "cpu 0", 30_us, OpId{1});
  builder.flow(FlowKind::kExecuteToWait, "cpu 0", 70_us, "main", 80_us, OpId{1});
  return builder;
}

TEST(LinkedSlices, AnExecutionComesFromItsEnqueueAndReleasesItsWait) {
  const TraceBuilder builder = one_op();
  const trace::Trace trace = builder.build();
  const TrackId main = builder.track_id("main"), cpu = builder.track_id("cpu 0");
  const std::vector<LinkedSlice> links = linked_slices(trace, {cpu, 0, 0}, 16);
  ASSERT_EQ(links.size(), 2u);
  EXPECT_FALSE(links[0].outgoing);
  EXPECT_EQ(links[0].slice, (SliceRef{main, 1, 0}));
  EXPECT_TRUE(links[1].outgoing);
  EXPECT_EQ(links[1].slice, (SliceRef{main, 1, 1}));
}

TEST(LinkedSlices, AnEnqueueLeadsToItsExecutionAlone) {
  const TraceBuilder builder = one_op();
  const trace::Trace trace = builder.build();
  const std::vector<LinkedSlice> links = linked_slices(trace, {builder.track_id("main"), 1, 0}, 16);
  ASSERT_EQ(links.size(), 1u);
  EXPECT_TRUE(links[0].outgoing);
  EXPECT_EQ(links[0].slice, (SliceRef{builder.track_id("cpu 0"), 0, 0}));
}

TEST(LinkedSlices, AnOpenSliceIsFoundByItsBegin) {
  TraceBuilder builder;
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("enqueue", 10_us, 5_us, SliceKind::kEnqueue, OpId{1})
      .open_slice("wait_to_read", 20_us, SliceKind::kWait, OpId{2});
  builder.track("cpu 0", trace::TrackKind::kWorker).open_slice("dot", 30_us, SliceKind::kExecute, OpId{1});
  builder.flow(FlowKind::kEnqueueToExecute, "main", 15_us, "cpu 0", 30_us, OpId{1});
  builder.watermark(90_us);
  const trace::Trace trace = builder.build();
  const SliceRef enqueue{builder.track_id("main"), 0, 0}, dot{builder.track_id("cpu 0"), 0, 30'000, true};
  const std::vector<LinkedSlice> links = linked_slices(trace, enqueue, 16);
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].slice, dot);
  EXPECT_TRUE(find_slice(trace, links[0].slice).has_value());
  const std::vector<LinkedSlice> back = linked_slices(trace, dot, 16);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].slice, enqueue);
}

TEST(LinkedSlices, ASliceWithoutAnOpHasNone) {
  const TraceBuilder builder = one_op();
  EXPECT_TRUE(linked_slices(builder.build(), {builder.track_id("main"), 0, 0}, 16).empty());
}

TEST(LinkedSlices, OfAnotherProcessNameIt) {
  TraceBuilder builder;
  builder.group("rank 0: ring (7)").track("main").slice("receive", 0_us, 50_us);
  builder.end_group();
  builder.group("rank 1: ring (8)").track("main of rank 1").slice("send", 10_us, 5_us);
  trace::Trace trace = builder.build();
  const SliceRef receive{builder.track_id("main"), 0, 0}, send{builder.track_id("main of rank 1"), 0, 0};
  EXPECT_EQ(where_linked(trace, send, receive), ", 10.0 \u00b5s later");
  trace.set_metadata("processes", "2");
  EXPECT_EQ(where_linked(trace, send, receive), ", rank 1: ring (8), 10.0 \u00b5s later");
  EXPECT_EQ(where_linked(trace, receive, receive), "");
}

TEST(LinkedSlices, OfAKernelOfAnotherToolAreThoseOfItsFlows) {
  TraceBuilder builder;
  builder.track("thread 9")
      .slice("aten::addmm", 0_us, 50_us)
      .slice("cudaLaunchKernel", 10_us, 5_us, SliceKind::kEnqueue);
  builder.track("stream 7", trace::TrackKind::kStream).slice("gemm", 200_us, 40_us, SliceKind::kExecute);
  builder.flow(FlowKind::kLaunchToDevice, "thread 9", 10_us, "stream 7", 200_us);
  const trace::Trace trace = builder.build();
  const SliceRef kernel{builder.track_id("stream 7"), 0, 0}, launch{builder.track_id("thread 9"), 1, 0};
  const std::vector<LinkedSlice> links = links_of_chain(trace, flow_chain(trace, kernel, 1), kernel);
  ASSERT_EQ(links.size(), 1u);
  EXPECT_FALSE(links[0].outgoing);
  EXPECT_EQ(links[0].slice, launch);
  EXPECT_EQ(where_linked(trace, launch, kernel), ", in aten::addmm, 190 \u00b5s earlier");
  const std::vector<LinkedSlice> back = links_of_chain(trace, flow_chain(trace, launch, 1), launch);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_TRUE(back[0].outgoing);
  EXPECT_EQ(back[0].slice, kernel);
  EXPECT_EQ(where_linked(trace, kernel, launch), ", 190 \u00b5s later");
}

TEST(MadeReadyBy, IsTheOpThatEndedWhenTheOpBecameReady) {
  TraceBuilder builder;
  builder.group("Workers");
  builder.track("cpu 0", trace::TrackKind::kWorker)
      .slice("copy", 0_us, 30_us, SliceKind::kCopyToDevice, OpId{1});
  builder.track("cpu 1", trace::TrackKind::kWorker).slice("dot", 40_us, 10_us, SliceKind::kExecute, OpId{2});
  builder.op(OpId{1}, "copy", {0_us, 0_us, 0_us, 30_us}, {.execute_track = "cpu 0"});
  builder.op(OpId{2}, "dot", {5_us, 30_us, 40_us, 50_us}, {.execute_track = "cpu 1"});
  const trace::Trace trace = builder.build();
  const SliceRef copy{builder.track_id("cpu 0"), 0, 0}, dot{builder.track_id("cpu 1"), 0, 0};
  EXPECT_EQ(made_ready_by(trace, dot), copy);
  EXPECT_EQ(made_ready_by(trace, copy), std::nullopt) << "it was ready when it was enqueued";
}

// Op 1 ends at 30 us. Ops 2 to 4 depend on it and become ready then. Op 3 starts before op 2. Op 4 has not
// started. Op 5 depends on op 1, but waits for another op.
TraceBuilder one_before_many() {
  TraceBuilder builder;
  builder.track("cpu 0", trace::TrackKind::kWorker)
      .slice("copy", 0_us, 30_us, SliceKind::kCopyToDevice, OpId{1})
      .slice("dot", 60_us, 10_us, SliceKind::kExecute, OpId{2});
  builder.track("cpu 1", trace::TrackKind::kWorker)
      .slice("relu", 35_us, 10_us, SliceKind::kExecute, OpId{3})
      .slice("add", 50_us, 10_us, SliceKind::kExecute, OpId{5});
  builder.op(OpId{1}, "copy", {0_us, 0_us, 0_us, 30_us}, {.execute_track = "cpu 0"});
  builder.op(OpId{2}, "dot", {5_us, 30_us, 60_us, 70_us}, {.execute_track = "cpu 0"});
  builder.op(OpId{3}, "relu", {6_us, 30_us, 35_us, 45_us}, {.execute_track = "cpu 1"});
  builder.op(OpId{4}, "tanh", {7_us, 30_us, {}, {}});
  builder.op(OpId{5}, "add", {8_us, 45_us, 50_us, 60_us}, {.execute_track = "cpu 1"});
  for (const std::uint64_t later : {2, 3, 4, 5}) builder.depends(OpId{later}, OpId{1});
  builder.depends(OpId{2}, OpId{1},
                  trace::DependencyKind::kWriteAfterRead);  // a second edge of the same pair
  return builder;
}

TEST(MadeReady, AreTheDependentsThatBecameReadyAtTheEndOfTheOp) {
  const TraceBuilder builder = one_before_many();
  const trace::Trace trace = builder.build();
  const SliceRef copy{builder.track_id("cpu 0"), 0, 0}, dot{builder.track_id("cpu 0"), 0, 1},
      relu{builder.track_id("cpu 1"), 0, 0};
  const MadeReady ready = made_ready(trace, copy);
  EXPECT_EQ(ready.ops, (std::vector<MadeReady::Op>{{relu, 5_us}, {dot, 30_us}}));
  EXPECT_EQ(ready.omitted, 1u) << "op 4 has not started";
  EXPECT_TRUE(ready.all);
  for (const MadeReady::Op& op : ready.ops) EXPECT_EQ(made_ready_by(trace, op.slice), copy);
  EXPECT_TRUE(made_ready(trace, dot).ops.empty());
}

TEST(MadeReady, ListsAFewAndCountsTheOthers) {
  const TraceBuilder builder = one_before_many();
  const MadeReady ready = made_ready(builder.build(), {builder.track_id("cpu 0"), 0, 0}, 1);
  ASSERT_EQ(ready.ops.size(), 1u);
  EXPECT_EQ(ready.ops[0].started, 5_us);
  EXPECT_EQ(ready.omitted, 2u);
}

TEST(MadeReady, IsUpdatedForAnotherSlice) {
  const TraceBuilder builder = one_before_many();
  const trace::Trace trace = builder.build();
  MadeReady ready;
  update_made_ready(trace, {builder.track_id("cpu 0"), 0, 0}, ready);
  EXPECT_EQ(ready.ops.size(), 2u);
  update_made_ready(trace, {builder.track_id("cpu 0"), 0, 1}, ready);
  EXPECT_TRUE(ready.ops.empty());
}

TEST(OpParts, AreTheTimesBetweenItsFourMoments) {
  trace::OpRow op{.enqueued = timestamp_from_ns(0),
                  .ready = timestamp_from_ns(30),
                  .started = timestamp_from_ns(40),
                  .ended = timestamp_from_ns(90)};
  std::vector<OpPart> parts = op_parts(op);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].name, Text::kOpPartInputs);
  EXPECT_EQ(parts[0].duration, Duration{30});
  EXPECT_EQ(parts[1].duration, Duration{10});
  EXPECT_EQ(parts[2].duration, Duration{50});
  op.ready = trace::kNever;
  parts = op_parts(op);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, Text::kOpPartQueued);
  EXPECT_EQ(parts[0].duration, Duration{40});
  op.started = op.ended = trace::kNever;
  EXPECT_TRUE(op_parts(op).empty());
}

TEST(SliceTouching, OfTwoNeighboursAStartBelongsToTheSecond) {
  TraceBuilder builder;
  builder.track("cpu 0").slice("a", 0_us, 10_us).slice("b", 10_us, 10_us);
  const trace::Trace trace = builder.build();
  EXPECT_EQ(slice_touching(trace, builder.track_id("cpu 0"), timestamp_from_ns(10'000))->row, 1u);
  EXPECT_EQ(slice_touching(trace, builder.track_id("cpu 0"), timestamp_from_ns(20'000))->row, 1u);
  EXPECT_EQ(slice_touching(trace, builder.track_id("cpu 0"), timestamp_from_ns(9'000))->row, 0u);
  EXPECT_FALSE(slice_touching(trace, builder.track_id("cpu 0"), timestamp_from_ns(30'000)).has_value());
  EXPECT_FALSE(slice_touching(trace, TrackId{99}, timestamp_from_ns(0)).has_value());
}

}  // namespace
}  // namespace runahead::gui
