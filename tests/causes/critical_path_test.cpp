#include "instrumentation/causes/critical_path.h"

#include <gtest/gtest.h>

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
}

}  // namespace
}  // namespace runahead::causes
