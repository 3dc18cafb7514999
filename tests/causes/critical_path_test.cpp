#include "instrumentation/causes/critical_path.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/causes/gpu_trace.h"
#include "tests/causes/simulated_program.h"
#include "tests/support/random.h"

namespace runahead::causes {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::Trace;

CriticalPath path_of(const Trace& trace) {
  const Execution execution(trace);
  const std::vector<Synchronisation> all = find_synchronisations(execution);
  const Steps steps = find_steps(execution);
  return critical_path(execution, all, steps, explained_range(execution, steps));
}

TEST(CriticalPath, GoesFromTheWaitToTheKernelAndToItsLaunch) {
  TraceBuilder builder = two_streams();
  launch(builder, "kernel", 0_us, "stream 7", 10_us, 40_us);
  builder.on("main").slice("cudaDeviceSynchronize", 20_us, 33_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  EXPECT_EQ(path.of(PathClass::kLaunch), 10_us);
  EXPECT_EQ(path.of(PathClass::kKernel), 40_us);
  EXPECT_EQ(path.of(PathClass::kWaiting), 3_us);
  EXPECT_EQ(path.of(PathClass::kHost), 0_us);
}

TEST(CriticalPath, ARunThatIsBoundByTheHostIsHostTime) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 5_us);
  launch(builder, "b", 50_us, "stream 7", 60_us, 5_us);
  launch(builder, "c", 100_us, "stream 7", 110_us, 5_us);
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  EXPECT_EQ(path.of(PathClass::kHost), 100_us);
  EXPECT_EQ(path.of(PathClass::kLaunch), 10_us);
  EXPECT_EQ(path.of(PathClass::kKernel), 5_us);
}

TEST(CriticalPath, ARunThatIsBoundByTheDeviceIsKernelTime) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 100_us);
  launch(builder, "b", 10_us, "stream 7", 111_us, 100_us);
  launch(builder, "ncclDevKernel_AllReduce", 20_us, "stream 7", 212_us, 100_us);
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  EXPECT_EQ(path.of(PathClass::kKernel), 200_us);
  EXPECT_EQ(path.of(PathClass::kCommunication), 100_us);
  EXPECT_EQ(path.of(PathClass::kWaiting), 2_us);
  EXPECT_EQ(path.of(PathClass::kLaunch), 10_us);
}

TEST(CriticalPath, FollowsAStreamWaitToTheOtherStream) {
  TraceBuilder builder = two_streams();
  launch(builder, "copy", 0_us, "stream 20", 10_us, 50_us, SliceKind::kCopyToDevice);
  builder.on("main").slice("cudaEventRecord", 6_us, 1_us).slice("cudaStreamWaitEvent", 8_us, 1_us);
  launch(builder, "kernel", 10_us, "stream 7", 63_us, 10_us);
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  EXPECT_EQ(path.of(PathClass::kKernel), 10_us);
  EXPECT_EQ(path.of(PathClass::kWaiting), 3_us);
  EXPECT_EQ(path.of(PathClass::kCopy), 50_us);
  EXPECT_EQ(path.of(PathClass::kLaunch), 10_us);
}

TEST(CriticalPath, GoesFromAThreadThatWasStartedToTheMainThread) {
  TraceBuilder builder = two_streams();
  builder.track("autograd").numbers(100, 101);
  for (int i = 0; i < 3; ++i) launch(builder, "a", i * 10_us, "stream 7", i * 10_us + 6_us, 4_us);
  builder.on("main").slice("backward", 30_us, 100_us);
  builder.on("autograd").slice("cudaLaunchKernel", 90_us, 5_us, SliceKind::kEnqueue);
  builder.on("stream 20").slice("b", 100_us, 10_us, SliceKind::kExecute);
  builder.flow(trace::FlowKind::kLaunchToDevice, "autograd", 90_us, "stream 20", 100_us);
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  EXPECT_EQ(path.of(PathClass::kUnknown), 0_us);
  EXPECT_EQ(path.of(PathClass::kHost), 90_us);
  EXPECT_EQ(path.of(PathClass::kKernel), 10_us);
}

TEST(CriticalPath, GoesThroughTheKernelForWhichABlockingCopyWaited) {
  TraceBuilder builder = two_streams();
  launch(builder, "kernel", 0_us, "stream 7", 10_us, 40_us);
  builder.on("main").slice("cudaMemcpyAsync", 20_us, 45_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("Memcpy DtoH (Device -> Pageable)", 52_us, 8_us, SliceKind::kCopyToHost);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", 20_us, "stream 7", 52_us);
  launch(builder, "next", 70_us, "stream 7", 75_us, 5_us);
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  EXPECT_EQ(path.of(PathClass::kKernel), 45_us);
  EXPECT_EQ(path.of(PathClass::kCopy), 8_us);
}

// "kernel gemm 40000 x2", one line for each name.
std::string names_text(const CriticalPath& path) {
  std::string out;
  for (const PathName& entry : path.names) {
    out += std::string(key_of(entry.path_class)) + " " + entry.name + " " +
           std::to_string(ns_from(entry.time) / 1000) + " x" + std::to_string(entry.count) + "\n";
  }
  return out;
}

TEST(CriticalPath, NamesTheWorkAndTheOutermostOperatorOfTheHost) {
  TraceBuilder builder = two_streams();
  launch(builder, "first", 0_us, "stream 7", 10_us, 5_us);
  builder.on("main").slice("train.py(7): step", 5_us, 60_us).slice("torch/nn.py(1): call", 6_us, 58_us);
  builder.slice("aten::linear", 10_us, 30_us).slice("aten::addmm", 12_us, 20_us);
  launch(builder, "gemm", 50_us, "stream 7", 60_us, 40_us);
  launch(builder, "gemm", 55_us, "stream 7", 101_us, 40_us);
  builder.on("main").slice("cudaDeviceSynchronize", 66_us, 77_us, SliceKind::kWait);
  const Trace trace = builder.build();
  EXPECT_EQ(names_text(path_of(trace)),
            "kernel gemm 80 x2\n"
            "host aten::linear 30 x1\n"
            "host train.py(7): step 15 x3\n"
            "launch gemm 10 x1\n"
            "host cudaLaunchKernel 5 x1\n"
            "waiting cudaDeviceSynchronize 2 x1\n"
            "waiting gemm 1 x1\n");
}

TEST(CriticalPath, HostTimeWithoutASliceIsNamedAfterTheThread) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 5_us);
  builder.on("main").slice("ProfilerStep#1", 0_us, 100_us, SliceKind::kStep);
  launch(builder, "b", 50_us, "stream 7", 60_us, 40_us);
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  ASSERT_FALSE(path.names.empty());
  EXPECT_EQ(path.names[0].name, "thread main");
  EXPECT_EQ(path.names[0].time, 45_us);
}

TEST(CriticalPath, EachStepHasItsOwnTimes) {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 3; ++step) {
    const Duration begin = step * 100_us;
    builder.on("main").slice("step " + std::to_string(step), begin, 100_us);
    launch(builder, "a", begin + 10_us, "stream 7", begin + 20_us, (step + 1) * 10_us);
    builder.on("main").slice("cudaDeviceSynchronize", begin + 16_us, 5_us + (step + 1) * 10_us,
                             SliceKind::kWait);
  }
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  ASSERT_EQ(path.steps.size(), 3U);
  for (std::size_t step = 0; step < 3; ++step) {
    EXPECT_EQ(path.steps[step].range.begin, at(step * 100_us));
    EXPECT_EQ(path.steps[step].of(PathClass::kKernel), (step + 1) * 10_us);
    EXPECT_EQ(path.steps[step].of(PathClass::kLaunch), 10_us);
    EXPECT_EQ(path.steps[step].of(PathClass::kWaiting), 1_us);
    EXPECT_EQ(path.steps[step].of(PathClass::kHost), 100_us - 11_us - (step + 1) * 10_us);
  }
}

TEST(CriticalPath, ManyNamesAreBoundedAndTheRestIsSummed) {
  TraceBuilder builder = two_streams();
  for (int i = 0; i < 300; ++i)
    launch(builder, "kernel " + std::to_string(i), i * 6_us, "stream 7", 100_us + i * 100_us, 100_us);
  const Trace trace = builder.build();
  const CriticalPath path = path_of(trace);
  EXPECT_EQ(path.names.size(), kMostPathNames);
  EXPECT_EQ(path.more_names, 201U);  // and the launch of the first
  Duration sum = path.more_time;
  for (const PathName& entry : path.names) sum += entry.time;
  EXPECT_EQ(sum, path.range.duration());
}

TEST(CriticalPath, CoversTheRangeWithoutOverlap) {
  const SimulatedProgram program = simulate_program({.seed = test_seed()});
  const CriticalPath path = path_of(program.trace);
  ASSERT_FALSE(path.segments.empty());
  Timestamp at = path.range.begin;
  for (const PathSegment& segment : path.segments) {
    EXPECT_EQ(segment.range.begin, at);
    at = segment.range.end;
  }
  EXPECT_EQ(at, path.range.end);
  EXPECT_EQ(path.of(PathClass::kUnknown), Duration{});
  Duration named = path.more_time;
  for (const PathName& entry : path.names) named += entry.time;
  EXPECT_EQ(named, path.range.duration());
}

}  // namespace
}  // namespace runahead::causes
