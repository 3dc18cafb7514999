#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "instrumentation/causes/critical_path.h"
#include "tests/causes/gpu_trace.h"

namespace runahead::causes {
namespace {

using namespace testing;
using trace::FlowKind;
using trace::SliceKind;
using trace::Trace;
using Kind = ThreadEdge::Kind;

std::size_t count_of(const Execution& execution, Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(execution.thread_edges(), kind, &ThreadEdge::kind));
}

CriticalPath path_of_run(const Trace& trace) {
  const Execution execution(trace);
  const Steps steps = find_steps(execution);
  return critical_path(execution, find_synchronisations(execution), steps, explained_range(execution, steps));
}
Duration time_of_name(const CriticalPath& path, std::string_view name) {
  const auto found = std::ranges::find(path.names, name, &PathName::name);
  return found == path.names.end() ? Duration{} : found->time;
}

// A step of 300 us: forward on the main thread until 50 us, backward on the thread "autograd" from 60 us to
// 240 us, optimizer on the main thread from 250 us.
TraceBuilder forward_and_backward() {
  TraceBuilder builder = two_streams();
  builder.track("autograd").numbers(100, 101);
  builder.on("main").slice("ProfilerStep#1", 0_us, 300_us, SliceKind::kStep);
  builder.slice("aten::linear", 10_us, 40_us).arg("Sequence number", std::int64_t{7});
  builder.arg("Fwd thread id", std::int64_t{0});
  builder.on("autograd").slice("LinearBackward", 60_us, 100_us).arg("Sequence number", std::int64_t{7});
  builder.arg("Fwd thread id", std::int64_t{1});
  builder.slice("AccumulateGrad", 190_us, 50_us);
  builder.on("main").slice("Optimizer.step", 250_us, 50_us);
  launch(builder, "update", 280_us, "stream 7", 290_us, 10_us);
  return builder;
}

TEST(ThreadEdges, AnArrowFromForwardToBackwardIsRecorded) {
  TraceBuilder builder = forward_and_backward();
  builder.flow(FlowKind::kOther, "main", 10_us, "autograd", 60_us, kNoOp, "fwdbwd");
  const Trace trace = builder.build();
  const Execution execution(trace);
  EXPECT_EQ(count_of(execution, Kind::kFlow), 1U);
  EXPECT_EQ(count_of(execution, Kind::kSequence), 0U);  // the arrow says it
  const auto edges = execution.thread_edges_to(builder.track_id("autograd"), {at(0_us), at(100_us)});
  ASSERT_FALSE(edges.empty());
  EXPECT_EQ(edges[0].from, builder.track_id("main"));
  EXPECT_EQ(edges[0].from_time, at(10_us));
  EXPECT_EQ(edges[0].evidence, Evidence::kRecorded);
}

TEST(ThreadEdges, EqualSequenceNumbersJoinForwardAndBackward) {
  TraceBuilder builder = forward_and_backward();
  const Trace trace = builder.build();
  const Execution execution(trace);
  ASSERT_EQ(count_of(execution, Kind::kSequence), 1U);
  const auto edge = std::ranges::find(execution.thread_edges(), Kind::kSequence, &ThreadEdge::kind);
  EXPECT_EQ(edge->from, builder.track_id("main"));
  EXPECT_EQ(edge->from_time, at(50_us));
  EXPECT_EQ(edge->to, builder.track_id("autograd"));
  EXPECT_EQ(edge->to_time, at(60_us));
  EXPECT_EQ(edge->evidence, Evidence::kInferred);
}

TEST(ThreadEdges, AThreadThatWorksWhileItsParentShowsNothingWasStartedAndAwaited) {
  TraceBuilder builder = forward_and_backward();
  const Trace trace = builder.build();
  const Execution execution(trace);
  EXPECT_EQ(execution.parent_of(builder.track_id("autograd")), builder.track_id("main"));
  EXPECT_EQ(execution.parent_of(builder.track_id("main")), kNoTrack);
  ASSERT_EQ(count_of(execution, Kind::kFork), 1U);
  ASSERT_EQ(count_of(execution, Kind::kJoin), 1U);
  const auto fork = std::ranges::find(execution.thread_edges(), Kind::kFork, &ThreadEdge::kind);
  EXPECT_EQ(fork->to_time, at(60_us));
  EXPECT_EQ(fork->until, at(240_us));
  const auto join = std::ranges::find(execution.thread_edges(), Kind::kJoin, &ThreadEdge::kind);
  EXPECT_EQ(join->from_time, at(240_us));
  EXPECT_EQ(join->to, builder.track_id("main"));
  EXPECT_EQ(join->to_time, at(250_us));
}

TEST(ThreadEdges, AThreadThatGoesOnBesideItsParentWasNotAwaited) {
  TraceBuilder builder = forward_and_backward();
  builder.on("autograd").slice("more", 245_us, 30_us);
  const Trace trace = builder.build();
  EXPECT_EQ(count_of(Execution(trace), Kind::kJoin), 0U);
}

TEST(ThreadEdges, ABriefActivityIsNotWhatTheParentWaitedFor) {
  TraceBuilder builder = two_streams();
  builder.track("helper").numbers(100, 101);
  builder.on("main").slice("range", 0_us, 300_us).slice("a", 10_us, 10_us).slice("b", 250_us, 10_us);
  builder.on("helper").slice("log", 100_us, 20_us);
  const Trace trace = builder.build();
  EXPECT_TRUE(Execution(trace).thread_edges().empty());
}

TEST(ThreadEdges, AParentInACallOfTheRuntimeWaitsForTheDevice) {
  TraceBuilder builder = two_streams();
  builder.track("helper").numbers(100, 101);
  launch(builder, "kernel", 0_us, "stream 7", 10_us, 200_us);
  builder.on("main").slice("cudaDeviceSynchronize", 20_us, 195_us, SliceKind::kWait);
  builder.slice("after", 220_us, 5_us);
  builder.on("helper").slice("work", 50_us, 150_us);
  const Trace trace = builder.build();
  EXPECT_TRUE(Execution(trace).thread_edges().empty());
}

TEST(ThreadEdges, ThreadsOfDifferentProcessesDoNotStartEachOther) {
  TraceBuilder builder = two_streams();
  builder.track("other process").numbers(200, 200);
  builder.on("main").slice("range", 0_us, 300_us).slice("a", 10_us, 10_us).slice("b", 250_us, 10_us);
  builder.on("other process").slice("work", 60_us, 180_us);
  const Trace trace = builder.build();
  EXPECT_TRUE(Execution(trace).thread_edges().empty());
}

TEST(ThreadEdges, TheCriticalPathGoesThroughTheThreadThatWasAwaited) {
  TraceBuilder builder = forward_and_backward();
  const Trace trace = builder.build();
  const CriticalPath path = path_of_run(trace);
  EXPECT_EQ(path.of(PathClass::kHost), 280_us);
  EXPECT_EQ(time_of_name(path, "aten::linear"), 40_us);
  EXPECT_EQ(time_of_name(path, "LinearBackward"), 100_us);
  EXPECT_EQ(time_of_name(path, "AccumulateGrad"), 50_us);
  EXPECT_EQ(time_of_name(path, "Optimizer.step"), 30_us);
  // before forward, around backward, and the 30 us in which the thread of backward showed nothing
  EXPECT_EQ(time_of_name(path, "thread main"), 60_us);
}

TEST(ThreadEdges, TheCriticalPathFollowsAnArrowToTheThreadThatProvidedTheInput) {
  TraceBuilder builder = two_streams();
  builder.track("loader").numbers(100, 101);
  builder.track("consumer").numbers(100, 102);
  for (int i = 0; i < 3; ++i) launch(builder, "warm-up", i * 10_us, "stream 7", i * 10_us + 6_us, 2_us);
  builder.on("loader").slice("load", 40_us, 60_us);
  builder.on("main").slice("idle", 40_us, 200_us);
  builder.on("consumer")
      .slice("consume", 110_us, 40_us)
      .slice("cudaLaunchKernel", 130_us, 5_us, SliceKind::kEnqueue);
  builder.flow(FlowKind::kOther, "loader", 100_us, "consumer", 110_us, kNoOp, "queue");
  builder.on("stream 20").slice("kernel", 140_us, 60_us, SliceKind::kExecute);
  builder.flow(FlowKind::kLaunchToDevice, "consumer", 130_us, "stream 20", 140_us);
  const Trace trace = builder.build();
  const CriticalPath path = path_of_run(trace);
  EXPECT_EQ(path.of(PathClass::kKernel), 60_us);
  EXPECT_EQ(time_of_name(path, "consume"), 20_us);
  EXPECT_EQ(path.of(PathClass::kWaiting), 10_us);  // from the end of the load
  EXPECT_EQ(time_of_name(path, "load"), 60_us);
}

}  // namespace
}  // namespace runahead::causes
