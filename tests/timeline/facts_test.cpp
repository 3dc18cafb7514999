#include "gui/timeline/facts.h"

#include <gtest/gtest.h>

#include "gui/timeline/lookup.h"
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
