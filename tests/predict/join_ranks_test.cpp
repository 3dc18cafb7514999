// Ranks of a distributed run that are replayed together. The traces are small, so all times can be worked out
// by hand.
#include "instrumentation/predict/join_ranks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "instrumentation/predict/prediction.h"
#include "instrumentation/predict/timeline/predicted_trace.h"
#include "tests/support/trace_builder.h"

namespace runahead::predict {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

constexpr int kStepsOfRanks = 8;
constexpr Duration kStepOfRanks = 200_us;
constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32";

// The tracks of a rank, and its entry in the metadata of a joined trace.
void add_rank(TraceBuilder& builder, int rank) {
  const std::string number = std::to_string(rank), key = "process." + number + ".";
  builder.end_group().group("rank " + number).numbers(100 + rank, 0);
  builder.metadata(key + "track", std::to_string(raw(builder.last_track())));
  builder.metadata(key + "name", "train.py").metadata(key + "rank", number);
  builder.metadata(key + "clock", "collectives");
  builder.track("main " + number).numbers(100 + rank, 100 + rank);
  builder.track("stream " + number, TrackKind::kStream).device("gpu " + number, false).numbers(100 + rank, 7);
}

void launch_on(TraceBuilder& builder, int rank, const char* name, Duration call, Duration begin,
               Duration end) {
  const std::string main = "main " + std::to_string(rank), stream = "stream " + std::to_string(rank);
  builder.on(main).slice("cudaLaunchKernel", call, 2_us, SliceKind::kEnqueue);
  builder.on(stream).slice(name, begin, end - begin, SliceKind::kExecute);
  builder.flow(trace::FlowKind::kLaunchToDevice, main, call, stream, begin);
}

// In each step of 200 us, each of two ranks computes and then reduces: the kernel of rank 0 takes 20 us, that
// of rank 1 takes 60 us. The reduction takes 20 us once both have arrived. Both threads wait for it, and then
// work for 108 us. `later`: rank 1 does its own part so much later, and rank 0 waits for it.
TraceBuilder two_ranks(Duration later = {}) {
  TraceBuilder builder;
  builder.metadata("processes", "2");
  for (int rank = 0; rank < 2; ++rank) {
    add_rank(builder, rank);
    for (int step = 0; step < kStepsOfRanks; ++step) {
      const Duration reduced = kStepOfRanks * step + 90_us + later;
      const Duration at = kStepOfRanks * step + (rank == 0 ? 0_us : later);
      const Duration computed = at + (rank == 0 ? 30_us : 70_us);
      const std::string main = "main " + std::to_string(rank);
      builder.on(main).slice("ProfilerStep#" + std::to_string(step), at, kStepOfRanks, SliceKind::kStep);
      launch_on(builder, rank, rank == 0 ? "quick" : "slow", at, at + 10_us, computed);
      launch_on(builder, rank, kAllReduce, at + 3_us, computed, reduced);
      builder.on(main).slice("cudaDeviceSynchronize", at + 8_us, reduced - at - 6_us, SliceKind::kWait);
    }
  }
  return builder;
}

Duration length_with(const Replay& replay, const std::vector<Change>& changes) {
  const Result<Prediction> prediction = replay.predict(changes);
  EXPECT_TRUE(prediction.ok()) << (prediction.ok() ? "" : prediction.error().message);
  return prediction.ok() ? prediction->outcome.length : Duration{};
}

TEST(JoinRanks, TheReplayIsTheRun) {
  const Trace trace = two_ranks().build();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_EQ(replay->drift(), 0);
  EXPECT_EQ(replay->replayed().length, kStepOfRanks * kStepsOfRanks);
  EXPECT_EQ(replay->replayed().steps, kStepsOfRanks) << "those of rank 0";
  ASSERT_FALSE(replay->run().notes.empty());
  EXPECT_EQ(
      replay->run().notes.front(),
      "the 2 ranks are replayed together, and the steps are those of rank 0: in 8 collectives, they wait "
      "for one another");
}

TEST(JoinRanks, ARankWaitsForAnother) {
  const Trace trace = two_ranks().build();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  // Rank 1 arrives 30 us earlier, still after rank 0.
  EXPECT_EQ(length_with(*replay, {{"op:slow", "0.5"}}), (kStepOfRanks - 30_us) * kStepsOfRanks);
  // Rank 0 comes last: 40 us earlier than rank 1 did.
  EXPECT_EQ(length_with(*replay, {{"op:slow", "0.1"}}), (kStepOfRanks - 40_us) * kStepsOfRanks);
  EXPECT_EQ(length_with(*replay, {{"op:quick", "0.5"}}), kStepOfRanks * kStepsOfRanks);
  // Only the transfer gets faster, not the wait for the other rank.
  EXPECT_EQ(length_with(*replay, {{std::string("op:") + kAllReduce, "0.5"}}),
            (kStepOfRanks - 10_us) * kStepsOfRanks);
}

// Rank 1 begins 50 us after rank 0. Its thread is no slower because of that, and no faster frontend makes it
// begin earlier.
TEST(JoinRanks, ARankThatBeginsLaterStaysLater) {
  const Trace trace = two_ranks(50_us).build();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  const std::vector<Frontend>& frontends = replay->run().program.frontends;
  ASSERT_EQ(frontends.size(), 2U);
  EXPECT_EQ(frontends[0].begin, 0_us);
  EXPECT_EQ(frontends[1].begin, 50_us);
  const Result<Prediction> prediction = replay->predict({{"frontend", "0.5"}});
  ASSERT_TRUE(prediction.ok()) << prediction.error().message;
  EXPECT_EQ(prediction->program.frontends[1].begin, 50_us);
}

// The timeline has one slice for each kernel, on the tracks of the recording.
TEST(JoinRanks, APredictedTimelineHasTheKernelsOfTheRun) {
  const Trace trace = two_ranks().build();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  const Result<Prediction> same = replay->predict({{"frontend", "1"}}, true);
  ASSERT_TRUE(same.ok()) << same.error().message;
  const Trace predicted = predicted_trace(same->program, same->outcome, &trace, "");
  int streams = 0;
  for (const trace::Track& track : predicted.tracks()) {
    if (track.info.kind != TrackKind::kStream) continue;
    ++streams;
    EXPECT_TRUE(track.info.name == "stream 0" || track.info.name == "stream 1") << track.info.name;
    ASSERT_EQ(track.lanes.size(), 1U);
    EXPECT_EQ(track.lanes[0].end_row() - track.lanes[0].first_row(), 2U * kStepsOfRanks);
  }
  EXPECT_EQ(streams, 2);
  EXPECT_EQ(predicted.op_count(), 4U * kStepsOfRanks);
}

TEST(JoinRanks, ALimitWouldCountTheOpsOfAllRanks) {
  const Trace trace = two_ranks().build();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  for (const Change& change :
       {Change{"limit_ops", "4"}, Change{"barrier", "ops:4"}, Change{"barrier", "waitall"}}) {
    const Result<Prediction> prediction = replay->predict({change});
    ASSERT_FALSE(prediction.ok());
    EXPECT_NE(prediction.error().message.find("it would count the ops of all ranks"), std::string::npos);
  }
}

// A rank whose clock nobody knows is not replayed with the others.
TEST(JoinRanks, AnUnknownClockIsRefused) {
  TraceBuilder builder = two_ranks();
  builder.metadata("process.1.clock", "unknown");
  const Trace trace = builder.build();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_FALSE(replay.ok());
  EXPECT_EQ(replay.error().message,
            "how the clock of rank 1 relates to the others is not known: give the trace of one process");
}

// The trace of one rank does not say how long a collective waited.
TEST(JoinRanks, OneRankAloneKeepsTheTimeOfItsCollectives) {
  TraceBuilder builder = two_ranks();
  builder.metadata("processes", "0");
  const Trace both = builder.build();
  const Result<Replay> replay = Replay::of(both);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  bool said = false;
  for (const std::string& note : replay->run().notes)
    said = said || note.starts_with("the trace has one rank of a distributed run: its 16 collectives keep");
  EXPECT_TRUE(said);
}

// Each process of our engine has steps, limits and a barrier of its own.
TEST(JoinRanks, RecordingsOfSeveralEnginesAreRefused) {
  TraceBuilder builder;
  builder.metadata("processes", "2");
  for (int rank = 0; rank < 2; ++rank) {
    const std::string number = std::to_string(rank), key = "process." + number + ".";
    builder.end_group().group("program " + number);
    builder.metadata(key + "track", std::to_string(raw(builder.last_track())));
    builder.metadata(key + "name", "program " + number).metadata(key + "clock", "shared");
    builder.track("main " + number, TrackKind::kFrontend).track("cpu " + number, TrackKind::kWorker);
    const auto op = static_cast<OpId>(rank + 1);
    builder.on("main " + number).slice("dense", 0_us, 1_us, SliceKind::kEnqueue, op);
    builder.on("cpu " + number).slice("dense", 2_us, 5_us, SliceKind::kExecute, op);
    builder.op(op, "dense", {1_us, 1_us, 2_us, 7_us},
               {.enqueue_track = "main " + number, .execute_track = "cpu " + number});
  }
  const Trace trace = builder.build();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_FALSE(replay.ok());
  EXPECT_EQ(replay.error().message,
            "it joins 2 processes with ops of an engine: give the recording of one of them");
}

}  // namespace
}  // namespace runahead::predict
