#include "gui/panels/details/op_slices.h"

#include <gtest/gtest.h>

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

TEST(LinkedSlices, ASliceWithoutAnOpHasNone) {
  const TraceBuilder builder = one_op();
  EXPECT_TRUE(linked_slices(builder.build(), {builder.track_id("main"), 0, 0}, 16).empty());
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
