// Tests Decoder: how CUPTI's records become rows of the timeline.
#include "instrumentation/cupti/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>

#include "tests/cupti/decoded.h"

namespace runahead::cupti {
namespace {

using namespace runahead::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using trace::LossCause;

constexpr const char* kCalls = "thread 4242: CUDA calls";

TEST(Decoder, AKernelIsASliceOfItsStreamWithItsSizesAndAnArrowFromItsLaunch) {
  Decoded decoded;
  decoded.call("cudaLaunchKernel", 10_us, 14_us, 11);
  decoded.kernel(decoded.work(20_us, 50_us, 11), "_Z4gemmPfi");
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: gemm(float*, int) 20..50\n");
  EXPECT_EQ(decoded.capture.slices(kCalls), "0: cudaLaunchKernel 10..14\n");
  EXPECT_EQ(decoded.capture.flows(), "launch->device thread 4242: CUDA calls@10 stream 7@20 op 0\n");
  EXPECT_EQ(decoded.args("gemm(float*, int)"),
            "grid=[64, 2, 1]; block=[32, 1, 1]; registers per thread=40; shared memory=1536; device=0; "
            "context=1; stream=7; ");
  const trace::Track& stream = *decoded.capture.track("stream 7");
  EXPECT_EQ(stream.info.kind, trace::TrackKind::kStream);
  EXPECT_EQ(stream.info.device, "cuda:0");
  EXPECT_FALSE(stream.info.simulated);
  EXPECT_EQ(stream.lanes[0].slice(0).kind, trace::SliceKind::kExecute);
  EXPECT_TRUE(decoded.capture.trace.losses().none());
}

TEST(Decoder, TheTwoSidesOfACorrelationMeetInWhateverOrderAndDeliveryTheyCome) {
  Decoded decoded;
  decoded.kernel(decoded.work(20_us, 50_us, 11));
  decoded.deliver();
  EXPECT_EQ(decoded.capture.flows(), "");
  decoded.call("cudaLaunchKernel", 10_us, 14_us, 11);
  decoded.deliver();
  decoded.close();
  EXPECT_EQ(decoded.capture.flows(), "launch->device thread 4242: CUDA calls@10 stream 7@20 op 0\n");
  EXPECT_TRUE(decoded.capture.trace.losses().none());
}

TEST(Decoder, WorkWhoseCallNeverComesIsCounted) {
  Decoded decoded;
  decoded.call("cudaLaunchKernel", 10_us, 14_us, 1);  // a graph captures this launch
  decoded.kernel(decoded.work(20_us, 50_us, 2));      // this call never comes
  decoded.call("cudaLaunchKernel", 15_us, 16_us, 3);
  decoded.kernel(decoded.work(50_us, 60_us, 3));
  decoded.call("cudaMalloc", 60_us, 61_us, 4);           // this call launches nothing
  decoded.call("cudaLaunchKernel", 62_us, 63_us, 5, 9);  // this call failed
  decoded.call("cudaLaunchHostFunc", 64_us, 65_us, 6);   // this function runs on the host
  decoded.close();
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 1u);
  EXPECT_THAT(decoded.capture.slices(kCalls), HasSubstr("cudaLaunchKernel 62..63 failed"));
  EXPECT_EQ(decoded.args("cudaMalloc"), "");
}

TEST(Decoder, CorrelationsThatWaitAreBounded) {
  Decoded decoded({.correlations = 4});
  for (std::uint32_t i = 21; i <= 30; ++i)
    decoded.kernel(decoded.work(Duration{1000 * i}, Duration{1000 * i + 500}, i, 9));
  decoded.deliver();
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 6u);
  for (std::uint32_t i = 1; i <= 10; ++i) decoded.call("cudaLaunchKernel", 10_us, 14_us, i);
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 6u);
  decoded.kernel(decoded.work(20_us, 50_us, 10));
  decoded.kernel(decoded.work(50_us, 60_us, 1));  // the decoder has already forgotten correlation 1
  decoded.deliver();
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 10u);
  EXPECT_EQ(decoded.capture.flows(), "launch->device thread 4242: CUDA calls@10 stream 7@20 op 0\n");
}

TEST(Decoder, WithoutTimesAPieceOfWorkIsALossOfItsOwnCauseAndItsCallIsNotALossToo) {
  Decoded decoded;
  decoded.call("cudaLaunchKernel", 10_us, 14_us, 1);
  Work none = decoded.work(0_us, 0_us, 1);
  none.begin_ns = none.end_ns = 0;
  decoded.kernel(none);
  decoded.close();
  EXPECT_EQ(decoded.capture.lost(LossCause::kDeviceNoTimes), 1u);
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 0u);
  EXPECT_EQ(decoded.capture.track("stream 7"), nullptr);
}

TEST(Decoder, KernelsThatOverlapOnAStreamAreAllShownEachOnALaneOfItsOwn) {
  Decoded decoded;
  decoded.kernel(decoded.work(10_us, 50_us, 0), "a");
  decoded.kernel(decoded.work(20_us, 30_us, 0), "b");
  decoded.kernel(decoded.work(25_us, 60_us, 0), "c");
  decoded.kernel(decoded.work(60_us, 70_us, 0), "d");
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: a 10..50\n0: d 60..70\n1: b 20..30\n2: c 25..60\n");
  EXPECT_TRUE(decoded.capture.trace.losses().none());
}

TEST(Decoder, RecordsThatWereDroppedAreCounted) {
  Decoded decoded;
  decoded.decoder.lose_records(17);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.lost(LossCause::kDeviceRecords), 17u);
}

TEST(Decoder, AGraphsKernelsHaveOneArrowForEachStreamAndSayTheirNode) {
  Decoded decoded;
  decoded.call("cudaGraphLaunch", 10_us, 14_us, 5);
  for (std::uint32_t i = 0; i < 3; ++i) {
    Work work = decoded.work(20_us + i * 10_us, 30_us + i * 10_us, 5, i == 2 ? 8 : 7);
    work.graph = 3;
    work.graph_node = 100 + i;
    decoded.kernel(work, i == 0 ? "first" : "later");
  }
  decoded.deliver();
  EXPECT_EQ(decoded.capture.flows(),
            "launch->device thread 4242: CUDA calls@10 stream 7@20 op 0\n"
            "launch->device thread 4242: CUDA calls@10 stream 8@40 op 0\n");
  EXPECT_THAT(decoded.args("first"), HasSubstr("graph id=3; graph node id=100; "));
}

TEST(Decoder, WorkSaysTheNameOfItsDevice) {
  Decoded decoded;
  Record device{.kind = RecordKind::kDevice, .kernel = {}};
  device.device = {0, "NVIDIA H100"};
  decoded.add(device);
  decoded.kernel(decoded.work(10_us, 20_us, 0));
  decoded.deliver();
  EXPECT_THAT(decoded.args("gemm"), HasSubstr("device=0; device name=NVIDIA H100; "));
}

TEST(Decoder, AGraphAsAWholeIsASlice) {
  Decoded decoded;
  Record record{.kind = RecordKind::kGraph, .kernel = {}};
  record.graph = {decoded.work(10_us, 90_us, 5)};
  record.graph.work.graph = 3;
  decoded.call("cudaGraphLaunch", 1_us, 2_us, 5);
  decoded.add(record);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: graph 10..90\n");
  EXPECT_THAT(decoded.capture.flows(), HasSubstr("stream 7@10"));
}

TEST(Decoder, ACopySaysItsDirectionItsMemoriesAndItsBytesAndIsInTheBandwidth) {
  Decoded decoded;
  decoded.copy(decoded.work(10_us, 20_us, 0), 40'000, CopyKind::kToDevice, MemoryKind::kPinned,
               MemoryKind::kDevice);
  decoded.capture.wait_until(20_us);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: Memcpy HtoD (Pinned -> Device) 10..20 40000 B\n");
  EXPECT_EQ(decoded.capture.track("stream 7")->lanes[0].slice(0).kind, trace::SliceKind::kCopyToDevice);
  EXPECT_THAT(decoded.args("Memcpy HtoD (Pinned -> Device)"), HasSubstr("asynchronous=yes; "));
  EXPECT_EQ(decoded.capture.samples("copy bandwidth"), "10: 4e+09, 20: 0");
}

TEST(Decoder, AnAsynchronousCopyOfPageableMemorySaysThatItWaits) {
  Decoded decoded;
  decoded.copy(decoded.work(10_us, 20_us, 0), 1, CopyKind::kToHost, MemoryKind::kDevice,
               MemoryKind::kPageable);
  decoded.deliver();
  EXPECT_THAT(decoded.args("Memcpy DtoH (Device -> Pageable)"),
              HasSubstr("asynchronous=asked for, but pageable memory makes it wait; "));
}

TEST(Decoder, ACopyBetweenDevicesNamesBoth) {
  Decoded decoded;
  decoded.copy(decoded.work(10_us, 20_us, 0), 8, CopyKind::kBetweenDevices, MemoryKind::kDevice,
               MemoryKind::kDevice);
  decoded.deliver();
  EXPECT_THAT(decoded.args("Memcpy PtoP (Device -> Device)"), HasSubstr("from device=0; to device=1; "));
  EXPECT_EQ(decoded.capture.track("stream 7")->lanes[0].slice(0).kind, trace::SliceKind::kCopyOnDevice);
}

TEST(Decoder, AMemsetIsASliceWithItsBytes) {
  Decoded decoded;
  Record record{.kind = RecordKind::kMemset, .kernel = {}};
  record.memset = {decoded.work(10_us, 20_us, 0), 256, 7, MemoryKind::kDevice, true};
  decoded.add(record);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: Memset (Device) 10..20 256 B\n");
}

TEST(Decoder, AnOpIsTiedToItsCallAndItsKernelAndTheWaitThatItReleased) {
  Decoded decoded;
  decoded.op(11, 5);
  decoded.call("cudaLaunchKernel", 10_us, 14_us, 11);
  decoded.kernel(decoded.work(20_us, 50_us, 11));
  decoded.call("cudaStreamSynchronize", 15_us, 54_us, 12);
  decoded.synchronization(SynchronizationKind::kStream, 16_us, 53_us, 12);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: gemm 20..50 op 5\n");
  EXPECT_EQ(decoded.capture.slices(kCalls),
            "0: cudaLaunchKernel 10..14 op 5\n0: cudaStreamSynchronize 15..54\n"
            "1: wait for a stream 16..53 op 5\n");
  EXPECT_EQ(decoded.capture.flows(),
            "launch->device thread 4242: CUDA calls@10 stream 7@20 op 5\n"
            "execute->wait stream 7@50 thread 4242: CUDA calls@53 op 5\n");
}

TEST(Decoder, AnOpThatIsToldAfterItsKernelStillReachesIt) {
  Decoded decoded;
  // Once one op has been reported, the decoder must expect that every kernel has an op, which may be reported
  // later. Therefore the decoder holds the kernel back while the kernel's op is unknown.
  decoded.op(1, 1);
  decoded.kernel(decoded.work(20_us, 50_us, 11));
  decoded.deliver();
  EXPECT_EQ(decoded.capture.track("stream 7"), nullptr);
  decoded.op(11, 5);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: gemm 20..50 op 5\n");
}

TEST(Decoder, AKernelWhoseOpNeverComesWaitsForTwoMoreDeliveriesAlone) {
  Decoded decoded;
  decoded.op(1, 1);
  decoded.kernel(decoded.work(20_us, 50_us, 11));
  decoded.deliver();
  decoded.deliver();
  EXPECT_EQ(decoded.capture.track("stream 7"), nullptr);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: gemm 20..50\n");
  EXPECT_THAT(decoded.args("gemm"), HasSubstr("grid=[64, 2, 1]; block=[32, 1, 1]; "));
}

TEST(Decoder, AThreadsOwnTrackHasAnArrowToTheCallOfItsOp) {
  Decoded decoded;
  std::int64_t tid = 0;
  on_thread(trace::TrackKind::kWorker, "cuda worker", [&] {
    static constexpr record::Site kOp{"dot", trace::SliceKind::kExecute, "", 0};
    record::op_started(testing::op(5), kOp, decoded.capture.ticks(5_us), decoded.capture.ticks(5_us));
    record::op_ended(testing::op(5), decoded.capture.ticks(18_us));
    decoded.capture.settle();
    tid = decoded.capture.track("cuda worker")->info.tid;
    decoded.op(11, 5);
    decoded.call("cudaLaunchKernel", 10_us, 14_us, 11, 0, tid);
    decoded.deliver();
  });
  EXPECT_EQ(decoded.capture.slices("cuda worker: CUDA calls"), "0: cudaLaunchKernel 10..14 op 5\n");
  EXPECT_THAT(decoded.capture.flows(), HasSubstr("other cuda worker@10 cuda worker: CUDA calls@10 op 5\n"));
}

TEST(Decoder, CallsOfAThreadThatRecordsNothingAreUnderTheNameThatItHas) {
  Decoded decoded;
  const auto call_of = [&](const std::function<void()>& name_it) {
    std::thread([&] {
      name_it();
      decoded.call("cudaLaunchKernel", 10_us, 14_us, 0, 0, ::gettid());
      decoded.deliver();
    }).join();
  };
  call_of([] { record::name_thread(trace::TrackKind::kThread, "cuda:0 compute"); });
  EXPECT_EQ(decoded.capture.slices("cuda:0 compute: CUDA calls"), "0: cudaLaunchKernel 10..14\n");
  std::string name;
  call_of([&] {
    ::pthread_setname_np(::pthread_self(), "their pool");
    name = "their pool " + std::to_string(::gettid()) + ": CUDA calls";
  });
  EXPECT_EQ(decoded.capture.slices(name), "0: cudaLaunchKernel 10..14\n");
}

TEST(Decoder, AnOpWhoseThreadRecordsNothingHasAnArrowFromItsEnqueueToItsCall) {
  Decoded decoded;
  static constexpr record::Site kOp{"dot", trace::SliceKind::kExecute, "", 0};
  on_thread(trace::TrackKind::kFrontend, "main", [&] {
    record::op_enqueued({.site = &kOp, .op = testing::op(5)}, decoded.capture.ticks(1_us),
                        decoded.capture.ticks(2_us));
  });
  decoded.op(11, 5);
  decoded.call("cudaLaunchKernel", 10_us, 14_us, 11);
  decoded.kernel(decoded.work(20_us, 50_us, 11));
  decoded.deliver();
  EXPECT_THAT(decoded.capture.flows(), HasSubstr("other main@1 thread 4242: CUDA calls@10 op 5\n"));
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 0u);
}

TEST(Decoder, ACopyOfAnOpIsAPartOfItAndCountsWithItAlone) {
  Decoded decoded;
  decoded.op(11, 5);
  decoded.call("cudaMemcpyAsync", 1_us, 2_us, 11);
  decoded.copy(decoded.work(10_us, 20_us, 11), 40'000, CopyKind::kToDevice, MemoryKind::kPinned,
               MemoryKind::kDevice);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.track("stream 7")->lanes[0].slice(0).flags, trace::kSlicePartOfOp);
  EXPECT_EQ(decoded.capture.samples("copy bandwidth"), "no counter");
}

TEST(Decoder, AWaitThatDidNotHaveToWaitHasNoArrow) {
  Decoded decoded;
  decoded.kernel(decoded.work(20_us, 50_us, 0));
  decoded.call("cudaDeviceSynchronize", 60_us, 62_us, 12);
  decoded.synchronization(SynchronizationKind::kContext, 60_us, 61_us, 12, kNoStream);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.flows(), "");
  EXPECT_THAT(decoded.capture.slices(kCalls), HasSubstr("wait for the device 60..61"));
}

TEST(Decoder, ADeviceWaitIsReleasedByTheLastOfAllStreams) {
  Decoded decoded;
  decoded.kernel(decoded.work(20_us, 50_us, 0, 7));
  decoded.kernel(decoded.work(20_us, 58_us, 0, 8));
  decoded.kernel(decoded.work(61_us, 70_us, 0, 8));  // begins only after the synchronisation has ended
  decoded.call("cudaDeviceSynchronize", 30_us, 60_us, 12);
  decoded.synchronization(SynchronizationKind::kContext, 30_us, 60_us, 12, kNoStream);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.flows(), "execute->wait stream 8@58 thread 4242: CUDA calls@60 op 0\n");
}

TEST(Decoder, AQueryMakesNeitherAWaitNorALoss) {
  Decoded decoded;
  decoded.kernel(decoded.work(20_us, 50_us, 0));
  decoded.synchronization(SynchronizationKind::kEvent, 52_us, 53_us, 12);
  decoded.synchronization(SynchronizationKind::kStream, 54_us, 55_us, 13);
  decoded.close();
  EXPECT_TRUE(decoded.capture.trace.losses().none());
  EXPECT_EQ(decoded.capture.slices(kCalls), "");
}

TEST(Decoder, TheNameOfACallHasNoVersion) {
  Decoded decoded;
  decoded.call("cudaMemcpyAsync_ptsz_v7000", 10_us, 14_us, 0);
  decoded.call("cuMemAlloc_v2", 15_us, 16_us, 0);
  decoded.call("cuLaunchKernel_ptsz", 17_us, 18_us, 0);
  decoded.call("their_v2x", 19_us, 20_us, 0);
  decoded.deliver();
  EXPECT_EQ(
      decoded.capture.slices(kCalls),
      "0: cudaMemcpyAsync 10..14\n0: cuMemAlloc 15..16\n0: cuLaunchKernel 17..18\n0: their_v2x 19..20\n");
}

TEST(Decoder, ASynchronisationWhoseCallNeverComesIsCounted) {
  Decoded decoded;
  decoded.synchronization(SynchronizationKind::kContext, 16_us, 53_us, 12, kNoStream);
  decoded.deliver();
  decoded.deliver();
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 0u);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 1u);
}

TEST(Decoder, TheProfilersOwnTimeIsATrackOfItsOwn) {
  Decoded decoded;
  Record record{.kind = RecordKind::kOverhead, .kernel = {}};
  record.overhead = {decoded.ns(10_us), decoded.ns(30_us), "buffer flush", 0};
  decoded.add(record);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("the profiler's own time"), "0: buffer flush 10..30\n");
}

TEST(Decoder, RangesAreSlicesBesideTheirThreadAndWhatIsOpenAtTheEndIsUnfinished) {
  Decoded decoded;
  decoded.marker(MarkerKind::kBegin, 10_us, 1, "epoch");
  decoded.marker(MarkerKind::kBegin, 11_us, 2, "step", "torch");
  decoded.marker(MarkerKind::kInstant, 12_us, 3, "now");
  decoded.marker(MarkerKind::kEnd, 20_us, 2, nullptr);
  decoded.marker(MarkerKind::kEnd, 21_us, 9, nullptr);
  decoded.close(90_us);
  EXPECT_EQ(decoded.capture.slices("thread 4242: NVTX"),
            "0: epoch 10..90 unfinished\n1: torch: step 11..20\n");
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnmatchedEnd), 1u);
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnfinishedSlice), 1u);
  ASSERT_EQ(decoded.capture.trace.instant_count(), 1u);
}

TEST(Decoder, AGraphsArrowLeadsToItsFirstKernelThoughALaterOneArrivesBefore) {
  Decoded decoded;
  decoded.call("cudaGraphLaunch", 10_us, 14_us, 5);
  for (const Duration begin : {40_us, 20_us, 30_us}) decoded.kernel(decoded.work(begin, begin + 10_us, 5));
  decoded.deliver(15_us);
  EXPECT_EQ(decoded.capture.flows(), "");  // an earlier kernel may still come
  decoded.deliver();
  EXPECT_EQ(decoded.capture.flows(), "launch->device thread 4242: CUDA calls@10 stream 7@20 op 0\n");
}

// NCCL lets streams wait for events, on which nothing runs for long.
TEST(Decoder, AStreamThatOnlyWaitsForEventsIsShown) {
  Decoded decoded;
  decoded.synchronization(SynchronizationKind::kStreamWaitsForEvent, 10_us, 11_us, 3, 22);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.track("stream 22"), nullptr);  // the device of the context is not known yet
  Record context{.kind = RecordKind::kContext, .kernel = {}};
  context.context = {1, 0, 7};
  decoded.add(context);
  decoded.deliver();
  ASSERT_EQ(decoded.capture.trace.instant_count(), 1u);
  const trace::Instant wait = decoded.capture.trace.instant(0);
  EXPECT_EQ(decoded.capture.trace.track(wait.track).info.name, "stream 22");
  EXPECT_EQ(decoded.capture.trace.string(wait.name), "waits for an event");
  EXPECT_TRUE(decoded.capture.trace.losses().none());
}

TEST(Decoder, AWaitOfAStreamWhoseDeviceIsNeverKnownIsCounted) {
  Decoded decoded;
  decoded.synchronization(SynchronizationKind::kStreamWaitsForEvent, 10_us, 11_us, 3, 22);
  decoded.synchronization(SynchronizationKind::kStreamWaitsForEvent, 12_us, 13_us, 4, kNoStream);
  decoded.close();
  EXPECT_EQ(decoded.capture.trace.instant_count(), 0u);
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnboundFlow), 2u);
}

// Its begin and its end may be in different buffers, of which CUPTI gives the later one first.
TEST(Decoder, ARangeWhoseEndArrivesBeforeItsBeginIsWhole) {
  Decoded decoded;
  decoded.marker(MarkerKind::kEnd, 20_us, 2, nullptr);
  decoded.deliver(15_us);
  decoded.marker(MarkerKind::kBegin, 10_us, 2, "step");
  decoded.deliver();
  decoded.close();
  EXPECT_EQ(decoded.capture.slices("thread 4242: NVTX"), "0: step 10..20\n");
  EXPECT_TRUE(decoded.capture.trace.losses().none());
}

TEST(Decoder, AnEndWhoseBeginCannotComeAnyMoreIsCountedOnce) {
  Decoded decoded;
  decoded.marker(MarkerKind::kEnd, 20_us, 2, nullptr);
  decoded.deliver(20_us);
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnmatchedEnd), 0u);
  decoded.deliver(21_us);
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnmatchedEnd), 1u);
  decoded.close();
  EXPECT_EQ(decoded.capture.lost(LossCause::kUnmatchedEnd), 1u);
}

TEST(Decoder, ARangeLongerThanADeliveryIsShownAsRunningAndAroundItsInnerRanges) {
  Decoded decoded;
  decoded.marker(MarkerKind::kBegin, 10_us, 1, "epoch");
  decoded.marker(MarkerKind::kBegin, 10_us, 2, "step");
  decoded.marker(MarkerKind::kBegin, 11_us, 3, "inner");
  decoded.marker(MarkerKind::kEnd, 20_us, 3, nullptr);
  decoded.capture.wait_until(30_us);
  decoded.deliver(30_us);
  EXPECT_EQ(decoded.capture.open_slices("thread 4242: NVTX"), "0: epoch 10..\n1: step 10..\n");
  EXPECT_EQ(decoded.capture.slices("thread 4242: NVTX"), "2: inner 11..20\n");
  decoded.marker(MarkerKind::kEnd, 50_us, 2, nullptr);
  decoded.marker(MarkerKind::kBegin, 60_us, 4, "step");
  decoded.marker(MarkerKind::kEnd, 70_us, 4, nullptr);
  decoded.marker(MarkerKind::kEnd, 80_us, 1, nullptr);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.open_slices("thread 4242: NVTX"), "");
  EXPECT_EQ(decoded.capture.slices("thread 4242: NVTX"),
            "0: epoch 10..80\n1: step 10..50\n1: step 60..70\n2: inner 11..20\n");
  EXPECT_TRUE(decoded.capture.trace.losses().none());
}

TEST(Decoder, OfRangesThatBeginTogetherTheLongestIsOutside) {
  Decoded decoded;
  decoded.marker(MarkerKind::kBegin, 10_us, 1, "outer");
  decoded.marker(MarkerKind::kBegin, 10_us, 2, "inner");
  decoded.marker(MarkerKind::kEnd, 20_us, 2, nullptr);
  decoded.marker(MarkerKind::kEnd, 30_us, 1, nullptr);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("thread 4242: NVTX"), "0: outer 10..30\n1: inner 10..20\n");
}

TEST(Decoder, MoreOpenRangesThanCanBeShownAsRunningAreShownWhenTheyEnd) {
  Decoded decoded;
  constexpr std::uint32_t kRanges = 100;
  for (std::uint32_t i = 1; i <= kRanges; ++i)
    decoded.marker(MarkerKind::kBegin, Duration{1000 * i}, i, "range");
  decoded.deliver();
  for (std::uint32_t i = kRanges; i >= 1; --i)
    decoded.marker(MarkerKind::kEnd, Duration{1000 * (300 - i)}, i, nullptr);
  decoded.deliver();
  const std::string shown = decoded.capture.slices("thread 4242: NVTX");
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), kRanges);
  EXPECT_TRUE(decoded.capture.trace.losses().none());
}

// The ids have another order than the begins.
TEST(Decoder, OfTooManyOpenRangesTheFirstAreShownAsRunningAndTheOthersInOrderAtTheEnd) {
  Decoded decoded;
  constexpr std::uint32_t kRanges = 100, kShown = 64;
  std::string running, ended;
  for (std::uint32_t i = 0; i < kRanges; ++i) {
    decoded.marker(MarkerKind::kBegin, Duration{1000 * (i + 1)}, i * 37 % 101 + 1, "range");
    const std::string line = std::to_string(i) + ": range " + std::to_string(i + 1) + "..";
    if (i < kShown) running += line + "\n";
    ended += line + "900 unfinished\n";
  }
  decoded.deliver();
  EXPECT_EQ(decoded.capture.open_slices("thread 4242: NVTX"), running);
  decoded.close(900_us);
  EXPECT_EQ(decoded.capture.slices("thread 4242: NVTX"), ended);
}

TEST(Decoder, MemoryIsACounterAndAFreeOfWhatWasAllocatedBeforeChangesNothing) {
  Decoded decoded;
  decoded.memory(false, 5_us, 0xdead, 64);
  decoded.memory(true, 10_us, 0x1000, 256);
  decoded.memory(true, 20_us, 0x2000, 1024);
  decoded.memory(false, 30_us, 0x1000, 256);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.samples("memory allocated"), "10: 256, 20: 1280, 30: 1024");
}

TEST(Decoder, MemoryRecordsOfSeveralThreadsAreCountedInTheOrderOfTheirTimes) {
  Decoded decoded;
  decoded.memory(true, 10_us, 0x1000, 256);
  decoded.memory(true, 30_us, 0x2000, 1024);
  decoded.deliver(20_us);
  EXPECT_EQ(decoded.capture.samples("memory allocated"), "10: 256");
  decoded.memory(false, 25_us, 0x1000, 256);  // from the buffer of another thread
  decoded.deliver(100_us);
  EXPECT_EQ(decoded.capture.samples("memory allocated"), "10: 256, 25: 0, 30: 1024");
  decoded.memory(true, 200_us, 0x3000, 8);
  decoded.close();
  EXPECT_EQ(decoded.capture.samples("memory allocated"), "10: 256, 25: 0, 30: 1024, 200: 1032");
  EXPECT_EQ(decoded.capture.lost(LossCause::kLateRow), 0u);
}

TEST(Decoder, AKernelThatSeemsToStartBeforeItsLaunchIsAnErrorOfTheClocksThatIsShown) {
  Decoded decoded;
  decoded.call("cudaLaunchKernel", 10_us, 14_us, 11);
  decoded.kernel(decoded.work(7_us, 50_us, 11));
  decoded.decoder.note_clock_error(2'000);
  decoded.deliver();
  EXPECT_EQ(decoded.decoder.clock_error_ns(), 3'000);
  EXPECT_EQ(decoded.capture.samples("clock error, at least"), "1000: 3000");
}

TEST(Decoder, AStreamIsCalledAsItsOwnerSaysAndTheDefaultOneSo) {
  Decoded decoded;
  Record context{.kind = RecordKind::kContext, .kernel = {}};
  context.context = {1, 0, 7};
  decoded.add(context);
  decoded.decoder.name_stream(0, 13, "compute");
  decoded.decoder.name_stream(1, 7, "of another device");
  decoded.kernel(decoded.work(20_us, 50_us, 0, 13));
  decoded.kernel(decoded.work(20_us, 50_us, 0, 7));
  Work elsewhere = decoded.work(20_us, 50_us, 0, 7);
  elsewhere.context = 2;
  decoded.kernel(elsewhere);
  decoded.deliver();
  EXPECT_NE(decoded.capture.track("compute"), nullptr);
  EXPECT_NE(decoded.capture.track("stream 7, the default one"), nullptr);
  EXPECT_NE(decoded.capture.track("stream 7 of context 2"), nullptr);
}

TEST(Decoder, AKernelNameWhoseMemoryIsUsedAgainIsNotTakenForTheOneBefore) {
  Decoded decoded;
  char name[] = "alpha";
  decoded.kernel(decoded.work(20_us, 30_us, 0), name);
  name[0] = 'b';
  decoded.kernel(decoded.work(30_us, 40_us, 0), name);
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: alpha 20..30\n0: blpha 30..40\n");
}

TEST(Decoder, WhatEndedBeforeTheRecordingBeganIsNotInIt) {
  Decoded decoded;
  Work before = decoded.work(0_us, 0_us, 0);
  before.begin_ns -= 20'000;
  before.end_ns -= 10'000;
  decoded.kernel(before, "before");
  decoded.kernel(decoded.work(5_us, 6_us, 0), "after");
  decoded.deliver();
  EXPECT_EQ(decoded.capture.slices("stream 7"), "0: after 5..6\n");
}

}  // namespace
}  // namespace runahead::cupti
