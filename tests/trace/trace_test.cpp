#include "instrumentation/trace/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::trace {
namespace {

using testing::at;
using testing::Random;
using testing::range;
using testing::TraceBuilder;
using namespace testing;  // NOLINT: for literals such as 1_ms

TEST(Trace, IsEmptyAtFirstAndKnowsTheEmptyString) {
  const Trace trace;
  EXPECT_TRUE(trace.tracks().empty());
  EXPECT_TRUE(trace.extent().empty());
  EXPECT_EQ(trace.string(kEmptyString), "");
  EXPECT_EQ(trace.string_count(), 1u);
  EXPECT_TRUE(trace.args(kNoArgs).empty());
  EXPECT_EQ(trace.op(kNoOp), std::nullopt);
}

TEST(Trace, GivesBackWhatABatchBrought) {
  const Trace trace = TraceBuilder{}
                          .group("Workers")
                          .track("w0", TrackKind::kWorker)
                          .slice("outer", 10_ns, 90_ns)
                          .slice("inner", 20_ns, 10_ns, SliceKind::kExecute, OpId{7})
                          .bytes(64)
                          .arg("rows", std::int64_t{3})
                          .arg("of", "matrix")
                          .end_group()
                          .counter("live", CounterRole::kLiveBytes, Unit::kBytes)
                          .sample(5_ns, 1.5)
                          .watermark(200_ns)
                          .build();
  ASSERT_EQ(trace.tracks().size(), 3u);
  const Track& worker = trace.track(TrackId{1});
  EXPECT_EQ(worker.info.parent, TrackId{0});
  ASSERT_EQ(worker.lanes.size(), 2u);
  const Slice inner = worker.lanes[1].slice(0);
  EXPECT_EQ(trace.string(inner.name), "inner");
  EXPECT_EQ(inner.op, OpId{7});
  EXPECT_EQ(inner.size_bytes, 64);
  const auto args = trace.args(inner.args);
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(trace.string(args[0].key), "rows");
  EXPECT_EQ(std::get<std::int64_t>(args[0].value), 3);
  EXPECT_EQ(trace.string(std::get<StringId>(args[1].value)), "matrix");
  EXPECT_EQ(trace.track(TrackId{2}).counter.sample(0), (CounterSample{at(5_ns), 1.5}));
  EXPECT_EQ(trace.extent(), range(5_ns, 200_ns));
  EXPECT_EQ(trace.find_string("inner"), inner.name);
  EXPECT_EQ(trace.find_string("absent"), std::nullopt);
  const TraceCounts counts = trace.counts();
  EXPECT_EQ(counts.tracks, 3u);
  EXPECT_EQ(counts.slices, 2u);
  EXPECT_EQ(counts.counters, 1u);
  EXPECT_EQ(counts.counter_samples, 1u);
}

TEST(Trace, TakesStringsWithOrWithoutTheEmptyOneInFront) {
  Batch with, without;
  with.strings = {"", "a"};
  without.strings = {"a"};
  Trace first, second;
  first.append(std::move(with));
  second.append(std::move(without));
  EXPECT_EQ(first.string(StringId{1}), "a");
  EXPECT_EQ(second.string(StringId{1}), "a");
}

TEST(Trace, ATrackDefinedAgainHasItsNewFactsAndKeepsItsRows) {
  Trace trace = TraceBuilder{}.track("thread 12").slice("x", 0_ns, 5_ns).build();
  Batch batch;
  batch.tracks.push_back({.id = TrackId{0}, .kind = TrackKind::kFrontend, .name = "main"});
  trace.append(std::move(batch));
  EXPECT_EQ(trace.tracks().size(), 1u);
  EXPECT_EQ(trace.track(TrackId{0}).info.name, "main");
  EXPECT_EQ(trace.track(TrackId{0}).info.kind, TrackKind::kFrontend);
  EXPECT_EQ(trace.track(TrackId{0}).lanes.at(0).size(), 1u);
}

TEST(Trace, OpenSlicesAndOpsAreReplacedByEachBatch) {
  Trace trace = TraceBuilder{}
                    .track("w0")
                    .open_slice("running", 3_ns, SliceKind::kExecute, OpId{1})
                    .op(OpId{1}, "running", {.enqueued = 1_ns})
                    .build();
  ASSERT_EQ(trace.open_slices().size(), 1u);
  EXPECT_EQ(trace.op(OpId{1})->ended, kNever);
  Batch batch;
  batch.ops.push_back({.id = OpId{1}, .enqueued = at(1_ns), .ended = at(9_ns)});
  trace.append(std::move(batch));
  EXPECT_TRUE(trace.open_slices().empty());
  EXPECT_TRUE(trace.open_ops().empty());
  EXPECT_EQ(trace.op(OpId{1})->ended, at(9_ns));
}

TEST(Trace, TheVersionGrowsWithEachAppendAndTheWatermarkNeverFalls) {
  Trace trace;
  const auto version = trace.version();
  Batch late, early;
  late.watermark = at(10_ns);
  early.watermark = at(5_ns);
  trace.append(std::move(late));
  trace.append(std::move(early));
  EXPECT_EQ(trace.version(), version + 2);
  EXPECT_EQ(trace.watermark(), at(10_ns));
}

TEST(Trace, ASnapshotDoesNotSeeWhatIsAppendedLaterAndOutlivesTheTrace) {
  auto trace = std::make_unique<Trace>(TraceBuilder{}.track("w0").slice("first", 0_ns, 5_ns).build());
  const Trace snapshot = trace->snapshot();
  const std::string_view name = snapshot.string(StringId{1});
  Batch batch;
  batch.strings = {"second"};
  batch.lanes.push_back({TrackId{0}, 0, {{.begin = at(5_ns), .end = at(6_ns), .name = StringId{2}}}});
  trace->append(std::move(batch));
  EXPECT_EQ(trace->track(TrackId{0}).lanes[0].size(), 2u);
  trace.reset();
  EXPECT_EQ(snapshot.track(TrackId{0}).lanes[0].size(), 1u);
  EXPECT_EQ(snapshot.string_count(), 2u);
  EXPECT_EQ(name, "first");
}

TEST(Trace, ASnapshotMayItselfBeAppendedToWithoutTouchingTheOriginal) {
  Trace trace = TraceBuilder{}.track("w0").slice("first", 0_ns, 5_ns).build();
  Trace branch = trace.snapshot();
  const auto append = [](Trace& to, const char* name, Duration end) {
    Batch batch;
    batch.strings = {name};
    batch.lanes.push_back({TrackId{0}, 0, {{.begin = at(5_ns), .end = at(end), .name = StringId{2}}}});
    to.append(std::move(batch));
  };
  append(branch, "branch", 7_ns);
  append(trace, "trunk", 9_ns);
  EXPECT_EQ(trace.track(TrackId{0}).lanes[0].end(1), at(9_ns));
  EXPECT_EQ(branch.track(TrackId{0}).lanes[0].end(1), at(7_ns));
  EXPECT_EQ(trace.string(StringId{2}), "trunk");
  EXPECT_EQ(branch.string(StringId{2}), "branch");
}

}  // namespace
}  // namespace runahead::trace
