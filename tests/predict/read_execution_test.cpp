// Programs that are read from traces of other tools, and what is predicted for them. The traces are small, so
// all times can be worked out by hand.
#include "instrumentation/predict/read_execution.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>

#include "instrumentation/predict/prediction.h"
#include "tests/causes/gpu_trace.h"
#include "tests/causes/random_gpu_trace.h"
#include "tests/support/random.h"

namespace runahead::predict {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

// Replays a trace, also with changes.
class ReplayOf {
 public:
  explicit ReplayOf(const TraceBuilder& builder) : trace_(builder.build()), replay_(Replay::of(trace_)) {
    EXPECT_TRUE(replay_.ok()) << (replay_.ok() ? "" : replay_.error().message);
  }
  [[nodiscard]] const Replay& replay() const { return *replay_; }
  [[nodiscard]] Duration length() const { return replay_->replayed().length; }
  [[nodiscard]] Outcome with(std::string_view change) const {
    Result<Prediction> prediction = predict(change);
    EXPECT_TRUE(prediction.ok()) << (prediction.ok() ? "" : prediction.error().message);
    return prediction.ok() ? prediction->outcome : Outcome{};
  }
  [[nodiscard]] std::string refusal(std::string_view change) const {
    const Result<Prediction> prediction = predict(change);
    return prediction.ok() ? "" : prediction.error().message;
  }

 private:
  [[nodiscard]] Result<Prediction> predict(std::string_view text) const {
    const Result<Change> change = parse_change(text);
    if (!change) return change.error();
    return replay_->predict({*change}, true);
  }
  Trace trace_;
  Result<Replay> replay_;
};

TEST(ReadExecution, WorkThatWaitsForItsLaunch) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 5_us, 10_us);
  launch(builder, "b", 20_us, "stream 7", 25_us, 10_us);
  launch(builder, "c", 40_us, "stream 7", 45_us, 10_us);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 55_us);
  EXPECT_EQ(run.replay().drift(), 0);
  EXPECT_EQ(run.with("op:a=0.5").length, 55_us);  // nobody waited for it
  // b ends at 55; c follows it after the usual gap of 1 us
  EXPECT_EQ(run.with("op:b=3").length, 66_us);
  EXPECT_EQ(run.with("frontend=0.5").length, 37_us);  // b and c follow after 1 us
}

TEST(ReadExecution, WorkThatWaitsForTheWorkBeforeIt) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 5_us, 100_us);
  launch(builder, "b", 10_us, "stream 7", 107_us, 100_us);
  launch(builder, "c", 20_us, "stream 7", 209_us, 100_us);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 309_us);
  EXPECT_EQ(run.with("op:b=0.5").length, 259_us);
  EXPECT_EQ(run.with("frontend=0.5").length, 309_us);
  EXPECT_EQ(run.with("op:*=0.5").length, 159_us);
}

// The first launch took 5 ms, as when a module is loaded. All others were launched long before they began.
TEST(ReadExecution, TheFirstLaunchDoesNotSayHowLongLaunchesTake) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 20", 5'000_us, 100_us);
  for (int i = 1; i <= 10; ++i) launch(builder, "b", 10_us * i, "stream 20", 5'000_us + 100_us * i, 100_us);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 6'100_us);
  EXPECT_EQ(run.with("op:a=0").length, 6'000_us);
  EXPECT_EQ(run.with("op:*=0").length, 5'000_us);
}

// No stream of CUDA does this, but workers do that are written as streams: b was launched after a, and ran
// before it. The run ends with every barrier.
TEST(ReadExecution, WorkThatRanAfterWorkThatWasLaunchedLater) {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 6; ++step)
    builder.on("main").slice("ProfilerStep#" + std::to_string(step), 20_us * step, 20_us, SliceKind::kStep);
  for (int step = 0; step < 6; ++step) {
    launch(builder, "a", 20_us * step + 1_us, "stream 20", 1'000_us - 100_us * step, 100_us);
    launch(builder, "b", 20_us * step + 8_us, "stream 20", 1'100_us + 50_us * step, 50_us);
  }
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 1'400_us);
  EXPECT_FALSE(run.with("barrier=window:1").stuck);
  EXPECT_FALSE(run.with("barrier=ops:2").stuck);
  ASSERT_EQ(run.replay().run().notes.size(), 1U);
  EXPECT_NE(run.replay().run().notes[0].find("contradict the order of launches"), std::string::npos);
}

TEST(ReadExecution, AStreamThatWaitsForAnEventOfAnotherOne) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 5_us, 100_us);
  builder.on("main").slice("cudaEventRecord", 10_us, 2_us).slice("cudaStreamWaitEvent", 20_us, 2_us);
  launch(builder, "b", 30_us, "stream 20", 107_us, 50_us);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 157_us);
  EXPECT_EQ(run.with("op:a=0.5").length, 107_us);
  EXPECT_EQ(run.with("op:a=0").length, 5_us + 30_us + 50_us);  // b waits for its launch
}

TEST(ReadExecution, WorkOfOneStreamMayOverlap) {
  TraceBuilder builder = two_streams();
  builder.on("main")
      .slice("cudaGraphLaunch", 0_us, 8_us, SliceKind::kEnqueue)
      .arg("correlation", std::int64_t{1});
  for (const auto& [name, begin, duration] :
       {std::tuple{"a", 10_us, 20_us}, {"b", 31_us, 40_us}, {"c", 32_us, 50_us}, {"d", 83_us, 10_us}})
    builder.on("stream 7")
        .slice(name, begin, duration, SliceKind::kExecute)
        .arg("correlation", std::int64_t{1});
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 93_us);
  EXPECT_EQ(run.with("op:a=0.5").length, 83_us);
  EXPECT_EQ(run.with("op:c=0.5").length, 82_us);  // d waits for b then, which ends at 71, and 1 us
  EXPECT_EQ(run.with("op:b=0.5").length, 93_us);
}

// b is launched after a synchronisation for a.
TraceBuilder with_synchronisation() {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 5_us, 100_us);
  builder.on("main").slice("cudaDeviceSynchronize", 10_us, 100_us, SliceKind::kWait);
  launch(builder, "b", 110_us, "stream 7", 115_us, 100_us);
  return builder;
}

TEST(ReadExecution, ASynchronisationThatIsDropped) {
  const ReplayOf run(with_synchronisation());
  EXPECT_EQ(run.length(), 215_us);
  EXPECT_EQ(run.replay().replayed().blocked, 100_us);
  EXPECT_EQ(run.replay().run().measured.blocked, 100_us);
  // b is launched at 10, and begins 1 us after a
  for (const char* change :
       {"sync:cudaDeviceSynchronize=drop", "sync:cudaDeviceSynchronize@=drop", "barrier=none"}) {
    EXPECT_EQ(run.with(change).length, 206_us) << change;
    EXPECT_EQ(run.with(change).blocked, 0_us) << change;
  }
  // a ends at 55, the call returns at 60, b is launched at 60
  EXPECT_EQ(run.with("op:a=0.5").length, 165_us);
}

TEST(ReadExecution, ASynchronisationWaitsForWhatIsLastInTheSimulation) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 100_us);
  launch(builder, "b", 5_us, "stream 20", 10_us, 60_us);
  builder.on("main").slice("cudaDeviceSynchronize", 10_us, 105_us, SliceKind::kWait);
  launch(builder, "c", 120_us, "stream 7", 125_us, 10_us);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 135_us);
  // a ends at 60 now, and b at 70. The call returns 5 us later, and c is launched 5 us after that.
  EXPECT_EQ(run.with("op:a=0.5").length, 70_us + 5_us + 5_us + 5_us + 10_us);
}

TEST(ReadExecution, ACallForWorkThatHadEndedMayHaveToWaitWithAChange) {
  TraceBuilder builder = with_synchronisation();
  builder.on("main").slice("cudaStreamSynchronize", 230_us, 10_us, SliceKind::kWait);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 240_us);  // everything had ended: the call takes its own time
  EXPECT_EQ(run.with("op:b=2").length, 320_us);
}

// Two steps of 150 us, each with a synchronisation for its first kernel.
TraceBuilder two_steps() {
  TraceBuilder builder = two_streams();
  for (const Duration at : {0_us, 150_us}) {
    builder.on("main").slice(at == 0_us ? "ProfilerStep#1" : "ProfilerStep#2", at, 150_us, SliceKind::kStep);
    launch(builder, "a", at, "stream 7", at + 5_us, 100_us);
    builder.on("main").slice("cudaDeviceSynchronize", at + 10_us, 100_us, SliceKind::kWait);
    launch(builder, "b", at + 120_us, "stream 7", at + 125_us, 20_us);
  }
  return builder;
}

TEST(ReadExecution, ASynchronisationMovesToTheEndOfItsStep) {
  const ReplayOf run(two_steps());
  EXPECT_EQ(run.length(), 300_us);
  EXPECT_EQ(run.replay().replayed().steps, 2);
  EXPECT_EQ(run.replay().run().measured.max_steps, 1);
  // b is launched at 20, begins at 106 and ends at 126. The wait at the end of the step returns at 131.
  const Outcome moved = run.with("sync:cudaDeviceSynchronize=end");
  EXPECT_EQ(moved.length, 2 * 131_us);
  EXPECT_EQ(moved.blocked, 2 * (131_us - 50_us));
  EXPECT_EQ(moved.max_steps, 1);
}

TEST(ReadExecution, ABarrierTakesThePlaceOfTheProgramsOwnSynchronisations) {
  const ReplayOf run(two_steps());
  // Without waits: a 5..105, b 106..126, a 127..227, b 228..248; the host needs 2 * 50 us.
  const Outcome none = run.with("barrier=none");
  EXPECT_EQ(none.length, 248_us);
  EXPECT_EQ(none.max_steps, 2);
  for (const char* barrier : {"barrier=wait_to_read", "barrier=waitall", "barrier=window:1"}) {
    const Outcome held = run.with(barrier);
    EXPECT_EQ(held.max_steps, 1) << barrier;
    EXPECT_GT(held.length, none.length) << barrier;
  }
}

TEST(ReadExecution, ACopyThatHoldsTheThread) {
  TraceBuilder builder = two_streams();
  builder.on("main").slice("cudaMemcpy", 0_us, 50_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("Memcpy HtoD (Pageable -> Device)", 10_us, 38_us, SliceKind::kCopyToDevice);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", 0_us, "stream 7", 10_us);
  launch(builder, "k", 55_us, "stream 7", 60_us, 20_us);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 80_us);
  // 1 us, and half of the other 37: the copy ends at 29.5, the call at 31.5, k is launched at 36.5
  EXPECT_EQ(run.with("bandwidth=2").length, 61'500_ns);
  // The copy stays: k is launched at 10, and follows the copy after 1 us.
  EXPECT_EQ(run.with("sync:cudaMemcpy=drop").length, 69_us);
  EXPECT_NE(run.refusal("pinned=1").find("no copy of pinned memory"), std::string::npos);
}

TEST(ReadExecution, PinnedMemory) {
  TraceBuilder builder = two_streams();
  builder.on("main").slice("cudaMemcpyAsync", 0_us, 45_us, SliceKind::kEnqueue);
  builder.on("stream 7")
      .slice("Memcpy HtoD (Pageable -> Device)", 4_us, 40_us, SliceKind::kCopyToDevice)
      .bytes(20'000);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", 0_us, "stream 7", 4_us);
  launch(builder, "Memcpy HtoD (Pinned -> Device)", 50_us, "stream 7", 60_us, 10_us,
         SliceKind::kCopyToDevice);
  builder.on("stream 7").bytes(10'000);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 70_us);
  // 1 us + 20 us: until 25. The other copy is launched at 10, and begins 1 us after the first one.
  EXPECT_EQ(run.with("pinned=1").length, 36_us);
  EXPECT_LT(run.with("pinned=1000G").length, 36_us);
  EXPECT_NE(run.refusal("pinned=fast").find("a rate in bytes per second"), std::string::npos);
}

// The main thread waits for a, forks a thread that launches b, joins it, and launches c.
TEST(ReadExecution, AThreadStartsWhenItsParentComesToThatPoint) {
  TraceBuilder builder = two_streams();
  builder.track("autograd").numbers(100, 101);
  launch(builder, "a", 0_us, "stream 7", 5_us, 35_us);
  builder.on("main")
      .slice("cudaDeviceSynchronize", 10_us, 35_us, SliceKind::kWait)
      .slice("forward", 45_us, 5_us);
  builder.on("autograd").slice("backward", 60_us, 90_us);
  builder.on("autograd").slice("cudaLaunchKernel", 70_us, 5_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("b", 75_us, 20_us, SliceKind::kExecute);
  builder.flow(trace::FlowKind::kLaunchToDevice, "autograd", 70_us, "stream 7", 75_us);
  builder.on("main").slice("optimizer", 155_us, 10_us);
  launch(builder, "c", 160_us, "stream 7", 165_us, 10_us);
  const ReplayOf run(builder);
  EXPECT_EQ(run.length(), 175_us);
  EXPECT_EQ(run.replay().run().program.signals, 2u);
  // All of the host is 35 us earlier: b is launched at 35 and begins at 41, 1 us after a; c is launched at
  // 125.
  const Outcome dropped = run.with("sync:cudaDeviceSynchronize=drop");
  EXPECT_EQ(dropped.length, 140_us);
  EXPECT_EQ(dropped.timeline.ops[1].enqueued, 35_us);
  EXPECT_EQ(dropped.timeline.ops[1].started, 41_us);
}

TEST(ReadExecution, WorkWithoutALaunchBeginsWhenItDid) {
  TraceBuilder builder = two_streams();
  builder.on("stream 7").slice("before", 0_us, 30_us, SliceKind::kExecute);
  launch(builder, "a", 10_us, "stream 7", 40_us, 10_us);
  builder.on("stream 20").slice("elsewhere", 20_us, 10_us, SliceKind::kExecute);
  const ReplayOf run(builder);
  EXPECT_EQ(run.replay().drift(), 0);
  EXPECT_EQ(run.replay().run().program.frontends.size(), 2u);
  EXPECT_EQ(run.with("op:before=0.5").length, run.length() - 15_us);
  EXPECT_NE(run.replay().run().notes.size(), 0u);
}

// Two steps, which load data for 20 us and launch two kernels.
TraceBuilder with_steps() {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 2; ++step) {
    const Duration begin = step * 100_us;
    builder.on("main").slice("ProfilerStep#" + std::to_string(step), begin, 100_us, SliceKind::kStep);
    builder.on("main").slice("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin + 10_us,
                             20_us);
    launch(builder, "a", begin + 40_us, "stream 7", begin + 45_us, 5_us);
    launch(builder, "b", begin + 60_us, "stream 7", begin + 65_us, 5_us);
  }
  return builder;
}

TEST(ReadExecution, AStepAsAGraph) {
  const ReplayOf run(with_steps());
  EXPECT_EQ(run.replay().drift(), 0);
  const Outcome graph = run.with("graph=1");
  EXPECT_EQ(graph.timeline.ops[0].started, 45_us);
  EXPECT_EQ(graph.timeline.ops[1].started, 51_us);  // the usual gap is 1 us
  EXPECT_EQ(graph.timeline.ops[2].started, 125_us);
  EXPECT_EQ(graph.length, 160_us);
}

// The frontend waits for the first batch, from 0 to 20 us. The second one is ready before its step begins.
TEST(ReadExecution, DataIsLoadedAhead) {
  const ReplayOf run(with_steps());
  const Outcome ahead = run.with("loading=ahead");
  EXPECT_EQ(ahead.timeline.ops[0].started, 45_us);
  EXPECT_EQ(ahead.timeline.ops[2].started, 125_us);
  EXPECT_EQ(ahead.length, 180_us);
}

TEST(ReadExecution, SaysWhatCannotBeChanged) {
  const ReplayOf run(with_synchronisation());
  EXPECT_TRUE(run.replay().run().program.memories.empty());
  EXPECT_NE(run.refusal("sync:nowhere=drop").find("'cudaDeviceSynchronize@'"), std::string::npos);
  EXPECT_NE(run.refusal("sync:cudaDeviceSynchronize=later").find("drop or end"), std::string::npos);
  for (const char* change :
       {"alloc=execute", "order=oldest", "workers=2", "limit_bytes=1M", "barrier=bytes:1M", "bandwidth=2",
        "pinned=1", "op:x=2", "op:x*=2", "bandwidth=0"})
    EXPECT_NE(run.refusal(change), "") << change;
}

TEST(ReadExecution, NeedsWorkOfADevice) {
  TraceBuilder builder = two_streams();
  builder.on("main").slice("main", 0_us, 10_us);
  const Trace trace = builder.build();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_FALSE(replay.ok());
  EXPECT_NE(replay.error().message.find("no work of a device"), std::string::npos);
}

// In a damaged trace, calls of a thread may overlap, and a thread may seem to do two things at once. Such a
// run cannot be replayed exactly.
TEST(ReadExecution, AnyTraceIsReplayedToItsEnd) {
  Random random;
  int replayed = 0, exact = 0;
  for (int i = 0; i < 300; ++i) {
    const Trace trace = random_gpu_trace(random);
    const Result<RunToReplay> run = read_execution(trace);
    if (!run.ok()) continue;
    ++replayed;
    const Outcome outcome = simulate(run->program);
    EXPECT_FALSE(outcome.stuck) << i;
    EXPECT_EQ(outcome.ops_run, run->program.ops.size()) << i;
    // Calls may return 1 us before what they waited for has ended: clocks differ.
    const Duration tolerance = std::chrono::microseconds(run->program.wait_sets.count());
    const Duration difference = outcome.length - run->measured.length;
    if (difference <= tolerance && -difference <= tolerance) ++exact;
  }
  EXPECT_GT(replayed, 100);
  EXPECT_GT(exact, replayed * 9 / 10);
}

}  // namespace
}  // namespace runahead::predict
