#include "instrumentation/causes/idle_time.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/causes/gpu_trace.h"
#include "tests/causes/simulated_program.h"
#include "tests/support/random.h"

namespace runahead::causes {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

IdleReport report_of(const Trace& trace, TimeRange range) {
  const Execution execution(trace);
  return IdleTimes(execution, find_steps(execution)).of_device(0, range, 100);
}
TimeRange until(Duration end) { return {Timestamp{}, Timestamp{end}}; }

TEST(IdleTime, BeforeTheLaunchTheSlicesOfTheHostSayWhatItDid) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 5_us, 10_us);
  builder.on("main").slice("train.py(3): step", 16_us, 100_us);
  builder.slice("aten::add", 30_us, 40_us);
  launch(builder, "b", 60_us, "stream 7", 70_us, 10_us);
  const Trace trace = builder.build();
  const IdleReport report = report_of(trace, until(80_us));
  EXPECT_EQ(report.busy, 20_us);
  ASSERT_EQ(report.gaps.size(), 2U);
  const IdleGap& gap = report.gaps[0];
  EXPECT_EQ(gap.range.duration(), 55_us);
  EXPECT_EQ(gap.parts.of(IdleCause::kHost), 1_us);
  EXPECT_EQ(gap.parts.of(IdleCause::kPython), 14_us);
  EXPECT_EQ(gap.parts.of(IdleCause::kOperator), 30_us);
  EXPECT_EQ(gap.parts.of(IdleCause::kLaunchCall), 5_us);
  EXPECT_EQ(gap.parts.of(IdleCause::kLaunchLatency), 5_us);
  EXPECT_EQ(gap.parts.total(), 55_us);
  EXPECT_EQ(gap.parts.main_cause(), IdleCause::kOperator);
}

TEST(IdleTime, DataLoadingAndWaitsAreCausesOfTheirOwn) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 5_us, 10_us);
  builder.on("main").slice("cudaDeviceSynchronize", 10_us, 10_us, SliceKind::kWait);
  builder.slice("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 20_us, 30_us);
  builder.slice("aten::stack", 25_us, 20_us);
  launch(builder, "b", 50_us, "stream 7", 60_us, 10_us);
  const Trace trace = builder.build();
  const IdleReport report = report_of(trace, until(75_us));
  EXPECT_EQ(report.idle.of(IdleCause::kSynchronisation), 5_us);
  EXPECT_EQ(report.idle.of(IdleCause::kDataLoading), 30_us);
  EXPECT_EQ(report.idle.of(IdleCause::kNoMoreWork), 5_us);
}

TEST(IdleTime, AStreamThatWaitsForAnotherSaysSo) {
  TraceBuilder builder = two_streams();
  launch(builder, "copy", 0_us, "stream 20", 10_us, 50_us, SliceKind::kCopyToDevice);
  builder.on("main").slice("cudaEventRecord", 6_us, 1_us).slice("cudaStreamWaitEvent", 8_us, 1_us);
  launch(builder, "kernel", 10_us, "stream 7", 63_us, 10_us);
  const Trace trace = builder.build();
  const Execution execution(trace);
  const IdleReport report = IdleTimes(execution, {}).of_stream(0, until(73_us), 10);
  EXPECT_EQ(report.idle.of(IdleCause::kCopy), 45_us);
  EXPECT_EQ(report.idle.of(IdleCause::kLaunchLatency), 3_us);
}

TEST(IdleTime, ALaunchThatReturnsAfterItsWorkWasBusyUntilTheWorkBegan) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 5_us, 10_us);
  builder.on("main").slice("cudaLaunchKernel", 15_us, 985_us, SliceKind::kEnqueue);  // loads a module
  builder.on("stream 7").slice("b", 990_us, 5_us, SliceKind::kExecute);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", 15_us, "stream 7", 990_us);
  const Trace trace = builder.build();
  const IdleReport report = report_of(trace, until(995_us));
  EXPECT_EQ(report.idle.of(IdleCause::kLaunchCall), 980_us);  // 5 us of a, and from 15 us to 990 us
  EXPECT_EQ(report.idle.of(IdleCause::kQueued), 0_us);
}

TEST(IdleTime, ABlockingCopyThatWaitedForAnotherStreamDidNotPrepareUntilThen) {
  TraceBuilder builder = two_streams();
  launch(builder, "kernel", 0_us, "stream 20", 10_us, 500_us);
  builder.on("main").slice("cudaEventRecord", 6_us, 1_us).slice("cudaStreamWaitEvent", 8_us, 1_us);
  builder.on("main").slice("cudaMemcpyAsync", 10_us, 540_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("copy", 512_us, 30_us, SliceKind::kCopyToHost);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", 10_us, "stream 7", 512_us);
  const Trace trace = builder.build();
  const Execution execution(trace);
  const IdleReport report = IdleTimes(execution, {}).of_stream(0, until(542_us), 10);
  EXPECT_EQ(report.idle.of(IdleCause::kOtherStream), 500_us);
  EXPECT_EQ(report.idle.of(IdleCause::kLaunchLatency), 2_us);
}

TEST(IdleTime, WorkWithoutALaunchHasAnUnknownCause) {
  TraceBuilder builder = two_streams();
  builder.on("stream 7")
      .slice("a", 10_us, 10_us, SliceKind::kExecute)
      .slice("b", 50_us, 10_us, SliceKind::kExecute);
  const Trace trace = builder.build();
  const IdleReport report = report_of(trace, until(60_us));
  EXPECT_EQ(report.idle.of(IdleCause::kUnknown), 40_us);
}

TEST(IdleTime, ATransferOfADeviceThatStatesNoneOfTheirLaunchesWasLaunchedWhenItBegan) {
  const auto report_if_copies_are_launched = [](bool launched) {
    TraceBuilder builder = two_streams();
    launch(builder, "fc", 0_us, "stream 7", 5_us, 10_us);
    builder.on("main").slice("aten::copy_", 20_us, 40_us);
    builder.on("stream 7").slice("dma_request", 55_us, 3_us, SliceKind::kCopyToDevice);
    launch(builder, "fc", 58_us, "stream 7", 65_us, 10_us);
    if (launched) launch(builder, "Memcpy HtoD", 66_us, "stream 7", 80_us, 5_us, SliceKind::kCopyToDevice);
    const Trace trace = builder.build();
    return report_of(trace, until(75_us));
  };
  EXPECT_EQ(report_if_copies_are_launched(false).idle.of(IdleCause::kOperator), 35_us);
  EXPECT_EQ(report_if_copies_are_launched(false).idle.of(IdleCause::kUnknown), 0_us);
  EXPECT_EQ(report_if_copies_are_launched(true).idle.of(IdleCause::kUnknown), 40_us)
      << "this copy may have waited in the queue";
}

TEST(IdleTime, TheMainThreadIsAskedWhileTheLaunchingThreadShowsNothing) {
  TraceBuilder builder = two_streams();
  builder.track("autograd").numbers(100, 101);
  launch(builder, "a", 0_us, "stream 7", 5_us, 10_us);
  launch(builder, "b", 10_us, "stream 20", 15_us, 5_us);
  builder.on("main").slice("train.py(3): backward", 20_us, 80_us);
  builder.on("autograd").slice("cudaLaunchKernel", 60_us, 5_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("c", 65_us, 10_us, SliceKind::kExecute);
  builder.flow(trace::FlowKind::kLaunchToDevice, "autograd", 60_us, "stream 7", 65_us);
  const Trace trace = builder.build();
  const IdleReport report = report_of(trace, until(75_us));
  EXPECT_EQ(report.idle.of(IdleCause::kPython), 40_us);
}

TEST(IdleTime, TheLongestGapsAreKeptAndAllAreAddedUp) {
  TraceBuilder builder = two_streams();
  for (int i = 0; i < 300; ++i) {
    const Duration begin = i * 20_us + i * 10_ns;
    launch(builder, "a", begin, "stream 7", begin + 5_us, 5_us);
  }
  const Trace trace = builder.build();
  const Execution execution(trace);
  const IdleReport report = IdleTimes(execution, {}).of_device(0, until(6'000_us), 3);
  ASSERT_EQ(report.gaps.size(), 3U);
  EXPECT_EQ(report.gap_count, 301U);  // also before the first kernel and after the last
  EXPECT_EQ(report.busy + report.idle.total(), 6'000_us);
  EXPECT_GE(report.gaps[0].range.duration(), report.gaps[1].range.duration());
}

TEST(IdleTime, AGapOverTheEndOfAStepIsSplitBetweenTheSteps) {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 3; ++step)
    builder.on("main").slice("ProfilerStep#" + std::to_string(step), step * 100_us, 100_us, SliceKind::kStep);
  launch(builder, "a", 0_us, "stream 7", 10_us, 50_us);
  builder.on("main").slice("enumerate(DataLoader)#next", 100_us, 30_us);
  launch(builder, "b", 150_us, "stream 7", 160_us, 140_us);
  const Trace trace = builder.build();
  const Execution execution(trace);
  const Steps steps = find_steps(execution);
  const IdleReport report = IdleTimes(execution, steps).of_device(0, until(300_us), 10);
  ASSERT_EQ(report.steps.size(), 3U);
  EXPECT_EQ(report.steps[0].of(IdleCause::kHost), 40_us);
  EXPECT_EQ(report.steps[0].total(), 50_us);
  EXPECT_EQ(report.steps[1].of(IdleCause::kDataLoading), 30_us);
  EXPECT_EQ(report.steps[1].of(IdleCause::kHost), 20_us);
  EXPECT_EQ(report.steps[1].of(IdleCause::kLaunchCall), 5_us);
  EXPECT_EQ(report.steps[1].of(IdleCause::kLaunchLatency), 5_us);
  EXPECT_EQ(report.steps[1].total(), 60_us);
  EXPECT_EQ(report.steps[2].total(), Duration{});
  IdleParts sum;
  for (const IdleParts& step : report.steps) sum.add(step);
  EXPECT_EQ(sum.times, report.idle.times);
}

// The search for the work after each gap must find the same for one stream and for many.
TEST(IdleTime, AGapOfADeviceWithManyStreamsEndsWithItsOwnWork) {
  TraceBuilder builder;
  builder.track("main").numbers(100, 100);
  for (int i = 0; i < 40; ++i)
    builder.track("stream " + std::to_string(i), TrackKind::kStream)
        .device("gpu 0", false)
        .numbers(0, 100 + i);
  for (int i = 0; i < 400; ++i) {
    const std::string stream = "stream " + std::to_string(i * 17 % 40);
    launch(builder, "k", i * 50_us, stream, i * 50_us + 10_us, 20_us);
  }
  const Trace trace = builder.build();
  const Execution execution(trace);
  const IdleReport report = IdleTimes(execution, {}).of_device(0, until(400 * 50_us), 1000);
  EXPECT_EQ(report.gap_count, 401U);
  for (const IdleGap& gap : report.gaps) {
    if (gap.range.end == at(400 * 50_us)) continue;
    ASSERT_NE(gap.next, kNone);
    EXPECT_EQ(execution.works()[gap.next].begin, gap.range.end);
  }
  EXPECT_EQ(report.idle.of(IdleCause::kUnknown), Duration{});
}

// Long times of the host are summed in cells. The sum over short gaps does not use them.
TEST(IdleTime, ALongGapHasTheSameCausesAsItsPieces) {
  Random random;
  TraceBuilder builder = two_streams();
  builder.track("autograd").numbers(100, 101);
  constexpr std::array<const char*, 4> kNames{"aten::add", "train.py(3): step", "DataLoader", "range"};
  for (const char* thread : {"main", "autograd"}) {
    std::int64_t now = 0;
    while (now < 1'000'000) {
      const std::int64_t begin = now + random.integer(0, 900), length = random.integer(1, 900);
      const auto kind = random.chance(0.3) ? SliceKind::kEnqueue : SliceKind::kZone;
      builder.on(thread).slice(kNames[static_cast<std::size_t>(random.integer(0, 3))], Duration{begin},
                               Duration{length}, kind);
      now = begin + length;
    }
  }
  // one kernel of stream 20 at the end: its gap is the whole run; each step is a piece of it
  builder.on("autograd").slice("cudaLaunchKernel", 1'100_us, 2_us, SliceKind::kEnqueue);
  builder.on("stream 20").slice("k", 1'105_us, 10_us, SliceKind::kExecute);
  builder.flow(trace::FlowKind::kLaunchToDevice, "autograd", 1'100_us, "stream 20", 1'105_us);
  const Trace trace = builder.build();
  const Execution execution(trace);
  const Steps steps{.thread = builder.track_id("main"), .ranges = {}};
  const TimeRange all{at(0_us), at(1'115_us)};
  const IdleReport whole = IdleTimes(execution, steps).of_device(0, all, 10);
  Steps pieces = steps;
  for (Duration begin{}; begin < 1'115_us; begin += 5_us)
    pieces.ranges.push_back({at(begin), at(begin + 5_us)});
  IdleParts sum;
  for (const IdleParts& piece : IdleTimes(execution, pieces).of_device(0, all, 10).steps) sum.add(piece);
  EXPECT_EQ(sum.times, whole.idle.times);
  EXPECT_GT(whole.idle.of(IdleCause::kDataLoading), Duration{});
}

TEST(IdleTime, TheCausesOfASimulatedProgramAddUpToItsIdleTime) {
  const SimulatedProgram program = simulate_program({.seed = test_seed()});
  const Execution execution(program.trace);
  const Steps steps = find_steps(execution);
  const TimeRange range = explained_range(execution, steps);
  const IdleTimes idle(execution, steps);
  for (StreamIndex at = 0; at < execution.streams().size(); ++at) {
    const IdleReport report = idle.of_stream(at, range, 10);
    EXPECT_EQ(report.busy + report.idle.total(), range.duration());
    EXPECT_EQ(report.idle.of(IdleCause::kUnknown), Duration{});
  }
}

}  // namespace
}  // namespace runahead::causes
