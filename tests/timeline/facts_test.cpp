#include <gtest/gtest.h>

#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"
#include "gui/timeline/wait_facts.h"
#include "tests/timeline/golden.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;

std::string text_of(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text += name + ": " + value + "\n";
  return text;
}

TEST(SliceFacts, OfEachKindAreAsReviewed) {
  const trace::Trace trace = sample_run();
  std::string text;
  for (const SliceRef& ref :
       {SliceRef{kTracks.main, 1, 0}, SliceRef{kTracks.main, 1, 3}, SliceRef{kTracks.compute, 0, 1},
        SliceRef{kTracks.copy_out, 0, 0}, SliceRef{kTracks.main, 0, 700'000, true}}) {
    text += text_of(slice_facts(trace, ref)) + "\n";
  }
  expect_golden("timeline_slice_facts", text);
}

TEST(SliceFacts, TellMomentsThatHaveNotHappened) {
  TraceBuilder builder;
  builder.track("main", trace::TrackKind::kFrontend)
      .slice("dot", 0_us, 5_us, trace::SliceKind::kEnqueue, kMatmul);
  builder.op(kMatmul, "dot", {5_us, 5_us, std::nullopt, std::nullopt}, {.enqueue_track = "main"});
  const std::string text = text_of(slice_facts(builder.build(), {TrackId{0}, 0, 0}));
  EXPECT_NE(text.find("Started: not yet\nEnded: not yet\n"), std::string::npos) << text;
}

TEST(SliceFacts, TellWhatTheDriverOfADeviceSaysAboutTheOp) {
  TraceBuilder b;
  b.group("opencl:0");
  b.track("compute", trace::TrackKind::kStream)
      .slice("dot", 50_us, 10_us, trace::SliceKind::kExecute, kMatmul);
  b.track("compute, queue of the driver", trace::TrackKind::kQueue)
      .slice("given to the device", 30_us, 10_us, trace::SliceKind::kZone, kCopy)
      .slice("queued by the driver", 20_us, 5_us, trace::SliceKind::kZone, kMatmul)
      .slice("given to the device", 25_us, 25_us, trace::SliceKind::kZone, kMatmul);
  b.counter("clock error, at most", trace::CounterRole::kOther, trace::Unit::kNanoseconds)
      .sample(1_us, 3000)
      .sample(70_us, 9000);
  b.op(kMatmul, "dot", {5_us, 6_us, 50_us, 60_us}, {.execute_track = "compute"});
  const std::string text = text_of(slice_facts(b.build(), {b.track_id("compute"), 0, 0}));
  EXPECT_NE(text.find("To driver: 20 \u00b5s (+15.0 \u00b5s)\n"
                      "To device: 25 \u00b5s (+5.00 \u00b5s)\n"
                      "Clock error: \u00b1 3.00 \u00b5s\nStarted:"),
            std::string::npos)
      << text;
}

TEST(SliceFacts, HoldTheArguments) {
  TraceBuilder builder;
  builder.track("main").slice("zone", 0_us, 5_us).arg("rows", std::int64_t{512}).arg("face", "north");
  const std::string text = text_of(slice_facts(builder.build(), {TrackId{0}, 0, 0}));
  EXPECT_NE(text.find("rows: 512\nface: north\n"), std::string::npos) << text;
}

TEST(SliceFacts, OfASliceThatIsNotHereAreNone) {
  const trace::Trace trace = sample_run();
  EXPECT_TRUE(slice_facts(trace, {kTracks.main, 1, 99}).empty());
  EXPECT_TRUE(slice_facts(trace, {kTracks.main, 7, 0}).empty());
  EXPECT_TRUE(slice_facts(trace, {TrackId{99}, 0, 0}).empty());
  EXPECT_TRUE(slice_facts(trace, {kTracks.main, 0, 1, true}).empty());
}

// main waits for 100 us: first for a product, then for a copy of the product's result. The wait ends 4 us
// after the copy. These 4 us are the wait's own cost.
trace::Trace waited_for_two() {
  TraceBuilder b;
  b.track("main", trace::TrackKind::kFrontend).slice("print", 100_us, 100_us, trace::SliceKind::kWait, kCopy);
  b.track("cpu 0", trace::TrackKind::kWorker);
  b.slice("matmul", 50_us, 130_us, trace::SliceKind::kExecute, kMatmul);
  b.slice("copy", 180_us, 16_us, trace::SliceKind::kCopyToHost, kCopy);
  b.op(kMatmul, "matmul", {10_us, 10_us, 50_us, 180_us}, {.enqueue_track = "main", .execute_track = "cpu 0"});
  b.op(kCopy, "copy", {20_us, 180_us, 180_us, 196_us}, {.enqueue_track = "main", .execute_track = "cpu 0"});
  return b.build();
}

TEST(SliceFacts, OfAWaitTellWhatItsTimeWentTo) {
  const std::string text = text_of(slice_facts(waited_for_two(), {TrackId{0}, 0, 0}));
  EXPECT_NE(text.find("Waited for: op 2 copy and 1 op before it\nMost of it: op 1 matmul, 80.0 µs\n"
                      "Executing: 80.0 µs (80 %)\nCopying: 16.0 µs (16 %)\nWake-up: 4.00 µs (4.0 %)\n"),
            std::string::npos)
      << text;
}

TEST(SliceFacts, LeaveTheSplitOutWhereItIsShownOtherwise) {
  const std::string text = text_of(slice_facts(waited_for_two(), {TrackId{0}, 0, 0}, WaitParts::kLeftOut));
  EXPECT_NE(text.find("Waited for: op 2 copy and 1 op before it\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Executing"), std::string::npos) << text;
}

TEST(SliceFacts, OfAWaitForAllNameTheOpThatReleasedIt) {
  TraceBuilder b;
  b.track("main", trace::TrackKind::kFrontend).slice("waitall", 10_us, 20_us, trace::SliceKind::kWait);
  b.track("cpu 0", trace::TrackKind::kWorker)
      .slice("matmul", 5_us, 20_us, trace::SliceKind::kExecute, kMatmul);
  b.op(kMatmul, "matmul", {4_us, 4_us, 5_us, 25_us}, {.enqueue_track = "main", .execute_track = "cpu 0"});
  const std::string text = text_of(slice_facts(b.build(), {TrackId{0}, 0, 0}));
  EXPECT_NE(text.find("Waited for: op 1 matmul\n"), std::string::npos) << text;
}

TEST(WaitShares, OfAWaitOfNoTimeAreNone) { EXPECT_TRUE(wait_shares({}).empty()); }

TEST(OpsBeforeText, SaysWhenThereAreMoreThanWereFollowed) {
  EXPECT_EQ(ops_before_text({.op_count = 1}), "");
  EXPECT_EQ(ops_before_text({.op_count = 2}), " and 1 op before it");
  EXPECT_EQ(ops_before_text({.op_count = 8}), " and 7 ops before it");
  EXPECT_EQ(ops_before_text({.op_count = 8, .whole = false}), " and 7 or more ops before it");
}

TEST(CounterFacts, TellTheValueAndItsExtremesWithinThePixel) {
  EXPECT_EQ(text_of(counter_facts(sample_run(), kTracks.run_ahead, range(100_us, 700_us))),
            "Track: run-ahead virtual:0 (simulated)\nValue: 0\nmin: 0\nmax: 3\n");
}

TEST(TrackLabel, SaysThatADeviceIsSimulated) {
  const trace::Trace trace = sample_run();
  EXPECT_EQ(track_label(trace, kTracks.compute), "virtual:0 compute (simulated)");
  EXPECT_EQ(track_label(trace, kTracks.device_group), "virtual:0 (simulated)");
  EXPECT_EQ(track_label(trace, kTracks.main), "main");
}

TEST(SliceLabel, SaysWhenTheLimitHoldsTheFrontendBack) {
  const trace::Trace trace = sample_run();
  trace::Slice slice{.kind = trace::SliceKind::kWait, .flags = trace::kSliceHeldByLimit, .op = kRelu};
  EXPECT_EQ(slice_label(trace, slice, false), "held by the limit: op 3 relu");
}

TEST(SlicesOfOp, AreFoundFromItsMomentsAndFlows) {
  EXPECT_EQ(slices_of_op(sample_run(), kCopy),
            (std::vector<SliceRef>{{kTracks.main, 1, 1}, {kTracks.main, 1, 3}, {kTracks.copy_out, 0, 0}}));
}

TEST(SliceNear, PrefersTheOpsOwnSliceThatEndsThere) {
  const trace::Trace trace = sample_run();
  EXPECT_EQ(slice_near(trace, kTracks.main, at(60_us), kMatmul), (SliceRef{kTracks.main, 1, 0}));
  EXPECT_EQ(slice_near(trace, kTracks.main, at(60_us), kCopy), (SliceRef{kTracks.main, 1, 1}));
}

TEST(SliceNear, WithoutAnOpIsTheDeepestThatHoldsTheTime) {
  const trace::Trace trace = sample_run();
  EXPECT_EQ(slice_near(trace, kTracks.main, at(30_us), kNoOp), (SliceRef{kTracks.main, 1, 0}));
  EXPECT_EQ(slice_near(trace, kTracks.main, at(200_us), kNoOp), (SliceRef{kTracks.main, 0, 0}));
  EXPECT_EQ(slice_near(trace, kTracks.main, at(5_us), kNoOp), std::nullopt);
}

TEST(FlowsOfSlice, AreThoseThatLeaveItOrEnterIt) {
  const SliceFlows flows = flows_of_slice(sample_run(), {kTracks.copy_out, 0, 0}, 10);
  ASSERT_EQ(flows.in.size(), 1u);
  EXPECT_EQ(flows.in[0].kind, trace::FlowKind::kEnqueueToExecute);
  ASSERT_EQ(flows.out.size(), 1u);
  EXPECT_EQ(flows.out[0].kind, trace::FlowKind::kExecuteToWait);
}

}  // namespace
}  // namespace runahead::gui
