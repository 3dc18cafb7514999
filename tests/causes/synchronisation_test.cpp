#include "instrumentation/causes/synchronisation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/trace/rows/cuda_calls.h"
#include "tests/causes/gpu_trace.h"
#include "tests/causes/simulated_program.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::causes {
namespace {

using namespace testing;
using trace::FlowKind;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

struct Found {
  explicit Found(const Trace& trace) : execution(trace), all(find_synchronisations(execution)) {}
  [[nodiscard]] std::string awaited(std::size_t i) const {
    if (all[i].awaited == kNone) return {};
    return std::string(execution.trace().string(execution.works()[all[i].awaited].name));
  }
  Execution execution;
  std::vector<Synchronisation> all;
};

TEST(Synchronisations, TheLatestEndingWorkThatWasLaunchedBeforeIsWhatADeviceWaitWaitedFor) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 50_us);
  launch(builder, "b", 10_us, "stream 20", 20_us, 80_us);
  builder.on("main").slice("cudaDeviceSynchronize", 40_us, 65_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "b");
  EXPECT_EQ(found.all[0].evidence, Evidence::kInferred);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kRunning), 60_us);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kWakeUp), 5_us);
}

TEST(Synchronisations, TheTimeIsSplitAlongTheStream) {
  TraceBuilder builder = two_streams();
  launch(builder, "copy", 0_us, "stream 7", 20_us, 30_us, SliceKind::kCopyToDevice);
  launch(builder, "kernel", 10_us, "stream 7", 60_us, 40_us);
  builder.on("main").slice("cudaStreamSynchronize", 15_us, 90_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  const SyncParts& parts = found.all[0].parts;
  EXPECT_EQ(parts.of(SyncPart::kQueued), 5_us + 10_us);
  EXPECT_EQ(parts.of(SyncPart::kCopying), 30_us);
  EXPECT_EQ(parts.of(SyncPart::kRunning), 40_us);
  EXPECT_EQ(parts.of(SyncPart::kWakeUp), 5_us);
  EXPECT_EQ(parts.total(), 90_us);
}

TEST(Synchronisations, ARecordedStreamIsBelievedAgainstTheRule) {
  TraceBuilder builder = two_streams();
  builder.track("PyTorch Profiler");  // a track without a process
  launch(builder, "mine", 0_us, "stream 7", 10_us, 50_us);
  launch(builder, "other", 10_us, "stream 20", 20_us, 41_us);
  builder.on("main")
      .slice("cudaStreamSynchronize", 40_us, 23_us, SliceKind::kWait)
      .arg("correlation", std::int64_t{9});
  builder.on("stream 7")
      .slice("Stream Sync", 40_us, 23_us, SliceKind::kWait)
      .arg("correlation", std::int64_t{9})
      .arg("stream", std::int64_t{7});
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "mine");
  EXPECT_EQ(found.all[0].evidence, Evidence::kRecorded);
}

TEST(Synchronisations, ItemWaitsForItsOwnCopyAlthoughOtherWorkEndedLater) {
  for (const bool in_operator : {true, false}) {
    TraceBuilder builder = two_streams();
    if (in_operator) builder.on("main").slice("aten::_local_scalar_dense", 9_us, 100_us);
    launch(builder, "other", 0_us, "stream 20", 10_us, 95_us);
    launch(builder, "Memcpy DtoH", 10_us, "stream 7", 20_us, 80_us, SliceKind::kCopyToHost);
    builder.on("main").slice("cudaStreamSynchronize", 16_us, 91_us, SliceKind::kWait);
    const Trace trace = builder.build();
    const Found found(trace);
    ASSERT_EQ(found.all.size(), 1U);
    // Without an operator around both, the copy and the call need not belong together.
    EXPECT_EQ(found.awaited(0), in_operator ? "Memcpy DtoH" : "other");
    EXPECT_EQ(found.all[0].evidence, Evidence::kInferred);
  }
}

TEST(Synchronisations, AWaitOfAStreamIsForTheEventThatExplainsWhenItsWorkBegan) {
  TraceBuilder builder = two_streams();
  builder.track("stream 24", TrackKind::kStream).device("gpu 0", false).numbers(0, 24);
  const auto record_event = [&](Duration at) { builder.on("main").slice("cudaEventRecord", at, 1_us); };
  launch(builder, "a", 0_us, "stream 20", 10_us, 200_us);
  record_event(6_us);
  launch(builder, "b", 10_us, "stream 24", 20_us, 10_us);
  record_event(16_us);
  launch(builder, "c", 20_us, "stream 20", 210_us, 100_us);
  record_event(26_us);
  builder.on("main").slice("cudaStreamWaitEvent", 28_us, 1_us);
  launch(builder, "d", 30_us, "stream 24", 212_us, 50_us);
  builder.on("main").slice("cudaEventSynchronize", 40_us, 225_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Found found(trace);
  // When d began, c (of the last event) had not ended, and b (of the event before) is of the stream of d.
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "d");
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kRunning), 170_us + 50_us);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kQueued), 2_us);
}

TEST(Synchronisations, ARecordNamesAStreamOfItsOwnDevice) {
  TraceBuilder builder = two_streams();
  builder.track("stream 20 of gpu 1", TrackKind::kStream).device("gpu 1", false).numbers(1, 20);
  launch(builder, "mine", 0_us, "stream 20 of gpu 1", 10_us, 50_us);
  launch(builder, "other", 10_us, "stream 20", 20_us, 41_us);
  builder.on("main")
      .slice("cudaStreamSynchronize", 40_us, 23_us, SliceKind::kWait)
      .arg("correlation", std::int64_t{9});
  builder.on("stream 20 of gpu 1")
      .slice("Stream Sync", 61_us, 1_us, SliceKind::kWait)
      .arg("correlation", std::int64_t{9})
      .arg("stream", std::int64_t{20});
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "mine");
}

TEST(Synchronisations, TheArrowOfARecordWithinACopyDoesNotChangeTheLaunchOfTheCopy) {
  TraceBuilder builder = two_streams();
  builder.on("main")
      .slice("cudaMemcpyAsync", 0_us, 50_us, SliceKind::kEnqueue)
      .arg("correlation", std::int64_t{3});
  builder.on("stream 7")
      .slice("Memcpy DtoH", 10_us, 39_us, SliceKind::kCopyToHost)
      .arg("correlation", std::int64_t{3});
  builder.slice("Stream Sync", 45_us, 1_us, SliceKind::kWait).arg("correlation", std::int64_t{4});
  builder.flow(FlowKind::kLaunchToDevice, "main", 0_us, "stream 7", 10_us);
  builder.flow(FlowKind::kLaunchToDevice, "main", 51_us, "stream 7", 45_us);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "Memcpy DtoH");
}

TEST(Synchronisations, ACallAfterTheLastWorkWaitedForNothing) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 20_us);
  builder.on("main").slice("cudaDeviceSynchronize", 40_us, 3_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kFinished), 3_us);
}

TEST(Synchronisations, WithoutWorkInTheTraceTheCauseIsUnknown) {
  TraceBuilder builder = two_streams();
  builder.on("main").slice("cudaDeviceSynchronize", 40_us, 3_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kUnknown), 3_us);
}

TEST(Synchronisations, WorkThatEndedLongBeforeIsNotNamedIfTheCauseIsUnknown) {
  TraceBuilder builder = two_streams();
  builder.on("stream 7").slice("old", 10_us, 20_us, SliceKind::kExecute);  // its launch is not in the trace
  builder.on("main").slice("cudaDeviceSynchronize", 40_us, 3_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kUnknown), 3_us);
  EXPECT_EQ(found.awaited(0), "");
  EXPECT_EQ(group_by_place(found.execution, found.all)[0].awaited, "");
}

TEST(Synchronisations, ACopyThatReturnsAfterItsCopyWaited) {
  TraceBuilder builder = two_streams();
  launch(builder, "kernel", 0_us, "stream 7", 10_us, 40_us);
  builder.on("main").slice("cudaMemcpyAsync", 20_us, 45_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("Memcpy DtoH (Device -> Pageable)", 52_us, 8_us, SliceKind::kCopyToHost);
  builder.flow(FlowKind::kLaunchToDevice, "main", 20_us, "stream 7", 52_us);
  // this one returns at once
  launch(builder, "Memcpy HtoD (Pinned -> Device)", 70_us, "stream 7", 90_us, 20_us,
         SliceKind::kCopyToDevice);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.all[0].evidence, Evidence::kRecorded);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kRunning), 30_us);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kQueued), 2_us);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kCopying), 8_us);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kWakeUp), 5_us);
  EXPECT_EQ(found.all[0].idle_after, 30_us);
}

TEST(Synchronisations, ACopyCallWaitedOnlyIfItReturnedAfterTheCopyAndTheMemoryIsNotPinned) {
  const auto waits = [](std::string_view name, Duration end, std::string_view call = "cudaMemcpyAsync") {
    TraceBuilder builder = two_streams();
    builder.on("main").slice(call, 20_us, 40_us, SliceKind::kEnqueue);
    builder.on("stream 7").slice(name, 50_us, end - 50_us, SliceKind::kCopyToHost);
    builder.flow(FlowKind::kLaunchToDevice, "main", 20_us, "stream 7", 50_us);
    const Trace trace = builder.build();
    return Found(trace).all.size() == 1;
  };
  EXPECT_TRUE(waits("Memcpy DtoH (Device -> Pageable)", 60_us));
  EXPECT_FALSE(waits("Memcpy HtoD (Pageable -> Device)", 65_us)) << "it was staged, and ended later";
  EXPECT_FALSE(waits("Memcpy DtoH (Device -> Pinned)", 55_us));
  EXPECT_TRUE(waits("Memcpy DtoH (Device -> Pinned)", 55_us, "cudaMemcpy"));
}

TEST(Synchronisations, AnAsynchronousCopyOfPinnedMemoryIsNotWaitedFor) {
  for (const bool pinned : {true, false}) {
    TraceBuilder builder = two_streams();
    launch(builder, "a", 0_us, "stream 7", 10_us, 1200_us);
    builder.on("main").slice("cudaMemcpyAsync", 20_us, 1500_us, SliceKind::kEnqueue);
    builder.on("stream 20")
        .slice(pinned ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy HtoD (Pageable -> Device)", 30_us, 1400_us,
               SliceKind::kCopyToDevice);
    builder.flow(FlowKind::kLaunchToDevice, "main", 20_us, "stream 20", 30_us);
    const Trace trace = builder.build();
    EXPECT_EQ(Found(trace).all.size(), pinned ? 0U : 1U);
  }
}

TEST(Synchronisations, AFreeWaitsForTheDeviceAndAnAllocationMayNot) {
  TraceBuilder builder = two_streams();
  launch(builder, "kernel", 0_us, "stream 7", 10_us, 40_us);
  builder.on("main").slice("cudaMalloc", 6_us, 4_us, SliceKind::kAllocation);  // the kernel still runs
  builder.on("main").slice("cudaFree", 20_us, 35_us, SliceKind::kAllocation);
  builder.on("main").slice("cudaFree", 80_us, 35_us, SliceKind::kAllocation);  // nothing runs
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.execution.calls()[found.all[0].call].begin, timestamp_from_ns(20'000));
}

TEST(Synchronisations, ASlowLaunchWaitedOnlyIfTheQueueOfLaunchedWorkWasFull) {
  const auto slow_launch_after = [](int launches) {
    TraceBuilder builder = two_streams();
    for (int i = 0; i < launches; ++i)
      launch(builder, "kernel", i * 6_us, "stream 7", 10_us + i * 100_us, 100_us);
    const Duration call = launches * 6_us;
    builder.on("main").slice("cudaLaunchKernel", call, 1'005_us, SliceKind::kEnqueue);
    const Trace trace = builder.build();
    const Found found(trace);
    return found.all.size() == 1 ? found.all[0].parts.of(SyncPart::kRunning) : Duration{};
  };
  EXPECT_EQ(slow_launch_after(500), 0_us);
  EXPECT_GT(slow_launch_after(1000), 900_us);
}

TEST(Synchronisations, ALaunchThatReturnsWhenItsWorkHasEndedWaitedForIt) {
  TraceBuilder builder = two_streams();
  builder.on("main").slice("cudaLaunchKernel", 0_us, 200_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("blocks", 20_us, 170_us, SliceKind::kExecute);
  builder.flow(FlowKind::kLaunchToDevice, "main", 0_us, "stream 7", 20_us);
  // this call was slow for another reason: its kernel was short
  builder.on("main").slice("cudaLaunchKernel", 300_us, 200_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("loads its module", 490_us, 5_us, SliceKind::kExecute);
  builder.flow(FlowKind::kLaunchToDevice, "main", 300_us, "stream 7", 490_us);
  // this one returned before its kernel had ended
  builder.on("main").slice("cudaLaunchKernel", 600_us, 200_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("runs on", 620_us, 300_us, SliceKind::kExecute);
  builder.flow(FlowKind::kLaunchToDevice, "main", 600_us, "stream 7", 620_us);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "blocks");
  EXPECT_EQ(found.all[0].evidence, Evidence::kRecorded);
  EXPECT_TRUE(waited_for_own_work(found.execution, found.all[0]));
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kRunning), 170_us);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kWakeUp), 10_us);
  EXPECT_EQ(found.all[0].idle_after, 300_us);
}

TEST(Synchronisations, MtiasLaunchWaitsForItsWork) {
  TraceBuilder builder = two_streams();
  builder.on("main").slice("runFunction - job_prep_and_submit_for_execution", 0_us, 900_us,
                           SliceKind::kEnqueue);
  builder.on("stream 7").slice("fc-dtype_Float", 300_us, 580_us, SliceKind::kExecute);
  builder.flow(FlowKind::kLaunchToDevice, "main", 0_us, "stream 7", 300_us);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "fc-dtype_Float");
}

TEST(Synchronisations, ARecordOfADeviceSaysThatAllStreamsWereWaitedFor) {
  TraceBuilder builder = two_streams();
  builder.track("stream -1", TrackKind::kStream).device("gpu 0", false).numbers(0, -1);
  launch(builder, "a", 0_us, "stream 7", 10_us, 50_us);
  launch(builder, "b", 10_us, "stream 20", 20_us, 60_us);
  builder.on("main").slice("cudaDeviceSynchronize", 40_us, 45_us, SliceKind::kWait);
  builder.arg("correlation", std::int64_t{9});
  builder.on("stream -1").slice("Context Sync", 41_us, 43_us, SliceKind::kWait);
  builder.arg("correlation", std::int64_t{9}).arg("stream", std::int64_t{-1});
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "b");
  EXPECT_EQ(found.all[0].evidence, Evidence::kRecorded);
}

TEST(Synchronisations, ARecordedStreamWaitWithoutItsEventConcernsTheLastWorkBeforeIt) {
  const auto edges_if_record_call_is = [](std::int64_t record_call) {
    TraceBuilder builder = two_streams();
    launch(builder, "before", 0_us, "stream 7", 10_us, 20_us);
    builder.on("main").slice("cudaStreamWaitEvent", 10_us, 1_us).arg("correlation", std::int64_t{5});
    builder.on("stream 20").slice("Stream Wait Event", 11_us, 1_us, SliceKind::kWait);
    builder.arg("correlation", std::int64_t{5}).arg("stream", std::int64_t{20});
    builder.arg("wait_on_stream", std::int64_t{7});
    if (record_call >= 0) builder.arg("wait_on_cuda_event_record_corr_id", record_call);
    launch(builder, "later", 15_us, "stream 7", 30_us, 5_us);
    launch(builder, "after", 25_us, "stream 20", 60_us, 20_us);
    const Trace trace = builder.build();
    const Execution execution(trace);
    std::vector<std::string> edges;
    for (const StreamEdge& edge : execution.stream_edges())
      edges.emplace_back(std::string(trace.string(execution.works()[edge.before].name)) +
                         (edge.evidence == Evidence::kInferred ? " inferred" : " recorded"));
    return edges;
  };
  EXPECT_EQ(edges_if_record_call_is(-1), std::vector<std::string>{"before inferred"});
  EXPECT_EQ(edges_if_record_call_is(4), std::vector<std::string>{})
      << "the event was recorded before the trace";
}

TEST(CallRoles, TheNamesOfOtherRuntimesHaveTheirRoles) {
  using enum CallRole;
  const std::vector<std::pair<std::string_view, CallRole>> names{
      {"urEnqueueKernelLaunch", kLaunch},
      {"urEnqueueKernelLaunchWithArgsExp", kLaunch},
      {"zeCommandListAppendLaunchKernel", kLaunch},
      {"zeCommandQueueExecuteCommandLists", kLaunch},
      {"urEnqueueCommandBufferExp", kGraphLaunch},
      {"urEnqueueUSMMemcpy", kAsyncCopy},
      {"zeCommandListAppendMemoryCopy", kAsyncCopy},
      {"urEnqueueMemBufferRead", kAsyncCopy},
      {"urEnqueueUSMFill", kMemset},
      {"zeCommandListAppendMemoryFill", kMemset},
      {"urUSMDeviceAlloc", kAllocate},
      {"zeMemAllocDevice", kAllocate},
      {"urUSMFree", kFree},
      {"urEnqueueEventsWaitWithBarrier", kStreamWait},
      {"zeCommandListAppendWaitOnEvents", kStreamWait},
      {"zeCommandListAppendSignalEvent", kEventRecord},
      {"urEventWait", kEventSync},
      {"zeEventHostSynchronize", kEventSync},
      {"zeFenceHostSynchronize", kEventSync},
      {"urQueueFinish", kStreamSync},
      {"zeCommandQueueSynchronize", kStreamSync},
      {"zeCommandListHostSynchronize", kStreamSync},
      {"runFunction - job_prep_and_submit_for_execution", kLaunch},
      {"runFunction - stream_synchronize", kStreamSync},
      {"cnrtWaitNotifier", kEventSync},
      {"cnrtQueueWaitNotifier", kStreamWait},
      {"cnrtPlaceNotifier", kEventRecord},
      {"cnrtQueueSync", kStreamSync},
      {"aclrtSynchronizeStream", kStreamSync},
      {"aclrtSynchronizeEvent", kEventSync},
      {"aclrtSynchronizeDevice", kDeviceSync},
      {"aclrtRecordEvent", kEventRecord},
      {"cudaEventQuery", kOther},
      {"zeEventQueryStatus", kOther},
      {"cudaMallocAsync", kOther}};
  for (const auto& [name, role] : names) {
    EXPECT_EQ(call_role(name), role) << name;
    // a call that waits is a wait in the timeline too
    EXPECT_EQ(is_synchronisation(role), trace::kind_of_call(name) == SliceKind::kWait) << name;
  }
}

TEST(Synchronisations, TheKernelsOfOneGraphDoNotFillTheQueue) {
  TraceBuilder builder = two_streams();
  builder.on("main").slice("cudaGraphLaunch", 0_us, 20_us, SliceKind::kEnqueue);
  for (int i = 0; i < 1200; ++i) {
    builder.on("stream 7").slice("node", 30_us + i * 10_us, 9_us, SliceKind::kExecute);
    builder.flow(FlowKind::kLaunchToDevice, "main", 0_us, "stream 7", 30_us + i * 10_us);
  }
  builder.on("main").slice("cudaGraphLaunch", 100_us, 300_us, SliceKind::kEnqueue);
  const Trace trace = builder.build();
  EXPECT_TRUE(Found(trace).all.empty());
}

TEST(Synchronisations, WhatAProcessWithoutWorkInTheTraceWaitedForIsUnknown) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 20_us);
  builder.track("other process").numbers(200, 200);
  builder.slice("cudaDeviceSynchronize", 40_us, 3_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kUnknown), 3_us);
}

TEST(Synchronisations, SeveralInOneGapShareItsIdleTime) {
  TraceBuilder builder = two_streams();
  launch(builder, "a", 0_us, "stream 7", 10_us, 20_us);
  for (int i = 0; i < 3; ++i)
    builder.on("main").slice("cudaDeviceSynchronize", 40_us + i * 10_us, 3_us, SliceKind::kWait);
  launch(builder, "b", 80_us, "stream 7", 90_us, 20_us);
  const Trace trace = builder.build();
  const Found found(trace);
  Duration idle{};
  for (const Synchronisation& sync : found.all) idle += sync.idle_after;
  EXPECT_EQ(idle, 50_us);
}

TEST(Synchronisations, WorkOfAnotherProcessIsNotWaitedFor) {
  TraceBuilder builder;
  builder.track("one").numbers(100, 100);
  builder.track("two").numbers(200, 200);
  builder.track("stream of one", TrackKind::kStream).device("gpu 0", false).numbers(100, 7);
  builder.track("stream of two", TrackKind::kStream).device("gpu 0", false).numbers(200, 7);
  builder.on("stream of one").slice("mine", 10_us, 30_us, SliceKind::kExecute);
  builder.on("stream of two").slice("theirs", 10_us, 38_us, SliceKind::kExecute);
  builder.on("one").slice("cudaDeviceSynchronize", 20_us, 30_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "mine");
}

TEST(Synchronisations, AreGroupedByThePlaceOfTheCall) {
  TraceBuilder builder = two_streams();
  builder.on("main")
      .slice("train.py(12): step", 0_us, 200_us)
      .slice("torch/tensor.py(9): item", 1_us, 198_us);
  builder.slice("aten::item", 2_us, 90_us).slice("aten::_local_scalar_dense", 3_us, 80_us);
  builder.slice("cudaStreamSynchronize", 50_us, 10_us, SliceKind::kWait);
  builder.slice("cudaStreamSynchronize", 100_us, 30_us, SliceKind::kWait);
  const Trace trace = builder.build();
  const Execution execution(trace);
  const std::vector<SyncGroup> groups = group_by_place(execution, find_synchronisations(execution));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].place, "train.py(12): step");
  EXPECT_TRUE(groups[0].is_explicit);
  EXPECT_EQ(groups[1].place, "aten::item in train.py(12): step");
  EXPECT_FALSE(groups[1].is_explicit);
}

TEST(Synchronisations, AWaitOfOurEngineStatesItsOp) {
  TraceBuilder builder;
  builder.track("main", TrackKind::kFrontend).track("cpu 0", TrackKind::kWorker).device("cpu", false);
  builder.on("cpu 0").slice("matmul", 10_us, 20_us, SliceKind::kExecute, OpId{1});
  builder.slice("add", 30_us, 20_us, SliceKind::kExecute, OpId{2});
  builder.op(OpId{1}, "matmul", {1_us, 1_us, 10_us, 30_us},
             {.enqueue_track = "main", .execute_track = "cpu 0"});
  builder.op(OpId{2}, "add", {2_us, 30_us, 30_us, 50_us},
             {.enqueue_track = "main", .execute_track = "cpu 0"});
  builder.on("main").slice("wait_to_read", 15_us, 40_us, SliceKind::kWait, OpId{1});
  const Trace trace = builder.build();
  const Found found(trace);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.awaited(0), "matmul");
  EXPECT_EQ(found.all[0].evidence, Evidence::kRecorded);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kRunning), 15_us);
  EXPECT_EQ(found.all[0].parts.of(SyncPart::kWakeUp), 25_us);
}

TEST(Synchronisations, ASearchFromAnyGuessFindsTheSame) {
  const SimulatedProgram program = simulate_program({.seed = test_seed()});
  const Execution execution(program.trace);
  Random random;
  for (int i = 0; i < 2'000; ++i) {
    const auto stream = static_cast<StreamIndex>(
        random.integer(0, static_cast<std::int64_t>(execution.streams().size()) - 1));
    const Timestamp t{Duration{random.integer(-1'000, 6'000'000)}};
    WorkIndex near = static_cast<WorkIndex>(random.integer(0, 600));
    EXPECT_EQ(execution.last_launched_before(stream, t, near),
              execution.last_on_stream_launched_before(stream, t));
    near = static_cast<WorkIndex>(random.integer(0, 600));
    EXPECT_EQ(execution.last_ended_by(stream, t, near), execution.last_ended(stream, Timestamp::max(), t));
    if (::testing::Test::HasFailure()) break;
  }
}

// ---- against programs of which the test knows all causes --------------------------------------------------

struct Agreement {
  double same = 0, all = 0;  // ns of waits whose part is the same
  std::size_t waits = 0, awaited = 0;
};

// Compares what was found with what the simulated program knows.
Agreement compare(const SimulatedProgram& program) {
  Agreement out;
  const Found found(program.trace);
  std::size_t at = 0;
  for (const SimulatedWait& wait : program.waits) {
    while (at < found.all.size() && ns_from(found.execution.calls()[found.all[at].call].begin) < wait.begin)
      ++at;
    out.all += static_cast<double>(wait.end - wait.begin);
    ++out.waits;
    if (at == found.all.size() || ns_from(found.execution.calls()[found.all[at].call].begin) != wait.begin)
      continue;
    const Synchronisation& sync = found.all[at];
    EXPECT_EQ(ns_from(sync.parts.total()), wait.end - wait.begin);
    const std::pair<SyncPart, std::int64_t> truth[] = {{SyncPart::kRunning, wait.running},
                                                       {SyncPart::kCopying, wait.copying},
                                                       {SyncPart::kQueued, wait.queued},
                                                       {SyncPart::kFinished, wait.finished},
                                                       {SyncPart::kWakeUp, wait.wake_up}};
    for (const auto& [part, ns] : truth)
      out.same += static_cast<double>(std::min(ns, ns_from(sync.parts.of(part))));
    if (wait.awaited < 0) {
      out.awaited += sync.parts.of(SyncPart::kFinished) == sync.parts.total() ? 1 : 0;
    } else if (sync.awaited != kNone) {
      const SimulatedWork& work = program.works[static_cast<std::size_t>(wait.awaited)];
      out.awaited += ns_from(found.execution.works()[sync.awaited].end) == work.end ? 1 : 0;
    }
  }
  EXPECT_EQ(found.all.size(), program.waits.size());
  return out;
}

Agreement compare_random_programs(bool with_records) {
  Agreement sum;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Agreement one = compare(simulate_program({.seed = test_seed() + i, .with_records = with_records}));
    sum.same += one.same;
    sum.all += one.all;
    sum.waits += one.waits;
    sum.awaited += one.awaited;
  }
  EXPECT_GT(sum.waits, 500U);
  ::testing::Test::RecordProperty("same_time", std::to_string(sum.same / sum.all));
  ::testing::Test::RecordProperty(
      "same_work", std::to_string(static_cast<double>(sum.awaited) / static_cast<double>(sum.waits)));
  return sum;
}

TEST(SimulatedPrograms, WithRecordsEveryWaitHasItsTrueCause) {
  const Agreement found = compare_random_programs(true);
  EXPECT_EQ(found.awaited, found.waits);
  EXPECT_GE(found.same, 0.998 * found.all);
}

TEST(SimulatedPrograms, WithoutRecordsNearlyAllTimeHasItsTrueCause) {
  const Agreement found = compare_random_programs(false);
  EXPECT_GE(static_cast<double>(found.awaited), 0.9 * static_cast<double>(found.waits));
  EXPECT_GE(found.same, 0.97 * found.all);
}

}  // namespace
}  // namespace runahead::causes
