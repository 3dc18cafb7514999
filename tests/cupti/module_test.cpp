// Tests the module that is linked with CUPTI. This program contains a fake CUPTI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "instrumentation/cupti/source.h"
#include "instrumentation/cupti/translate.h"
#include "instrumentation/record/hooks/device_activity.h"
#include "tests/cupti/fake_cupti.h"
#include "tests/record/capture.h"

namespace runahead::cupti {
namespace {

using namespace runahead::testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class ModuleTest : public ::testing::Test {
 protected:
  ModuleTest() { fake_cupti::reset(); }

  Result<std::unique_ptr<Source>> start() {
    SourceOptions options;
    options.flush_period = Duration{2'000'000};
    return Source::start(capture_.recorder, options);
  }
  // The time of CUPTI's clock at `since_start` after the start of the recording.
  std::uint64_t time(Duration since_start) const {
    return static_cast<std::uint64_t>(TickClock::get().ns_from_ticks(capture_.ticks(since_start)) +
                                      kClockShiftNs);
  }
  CUpti_ActivityKernel10 kernel(Duration begin, Duration end) const {
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.start = time(begin);
    kernel.end = time(end);
    kernel.contextId = 1;
    kernel.streamId = 7;
    kernel.correlationId = 3;
    kernel.gridX = kernel.gridY = kernel.gridZ = 1;
    kernel.blockX = 128;
    kernel.blockY = kernel.blockZ = 1;
    kernel.registersPerThread = 32;
    kernel.name = "_Z4gemmPfi";
    return kernel;
  }
  // Waits until the reader has delivered a slice of this track. If no slice is delivered, the time limit of
  // ctest ends the test.
  void wait_for_slice(const std::string& track) {
    while (capture_.slices(track).empty()) capture_.settle();
  }
  Capture capture_;
};

TEST_F(ModuleTest, WhatCuptiSaysIsOnTheTimelineWhileItRuns) {
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
  call.start = time(10_us);
  call.end = time(12_us);
  call.threadId = 4242;
  call.correlationId = 3;
  fake_cupti::happen(call);
  fake_cupti::happen(kernel(20_us, 50_us));
  wait_for_slice("stream 7");
  EXPECT_EQ(capture_.slices("stream 7"), "0: gemm(float*, int) 20..50\n");
  EXPECT_EQ(capture_.slices("thread 4242: CUDA calls"), "0: cudaLaunchKernel 10..12\n");
  EXPECT_EQ(capture_.flows(), "launch->device thread 4242: CUDA calls@10 stream 7@20 op 0\n");
}

// CUPTI keeps the buffer of a thread whose last kernel still runs. The buffers of other threads arrive
// earlier, with later kernels.
TEST_F(ModuleTest, AKernelInABufferThatCuptiStillFillsIsNotLate) {
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  fake_cupti::begin_buffer();
  const Duration now{TickClock::get().now_ns() - TickClock::get().ns_from_ticks(capture_.ticks(0_us))};
  fake_cupti::happen(kernel(now + 30_us, now + 40_us));
  const int before = fake_cupti::flushes();
  while (fake_cupti::flushes() < before + 3) capture_.settle();
  fake_cupti::end_buffer(kernel(now + 10_us, now + 20_us));
  (*source)->stop();
  capture_.settle();
  const trace::Track* const stream = capture_.track("stream 7");
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->lanes.size(), 1u);
  EXPECT_EQ(capture_.lost(trace::LossCause::kLateRow), 0u);
}

TEST_F(ModuleTest, AQueryThatFindsWorkUnfinishedMakesNoRecord) {
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_THAT(fake_cupti::calls(), Contains("all sync records 0"));
}

TEST_F(ModuleTest, ACopysKindsOfMemoryAreTold) {
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  copy.bytes = 4096;
  copy.start = time(10_us);
  copy.end = time(20_us);
  copy.contextId = 1;
  copy.streamId = 9;
  fake_cupti::happen(copy);
  wait_for_slice("stream 9");
  EXPECT_EQ(capture_.slices("stream 9"), "0: Memcpy HtoD (Pageable -> Device) 10..20 4096 B\n");
}

TEST_F(ModuleTest, AKernelWithoutTimesIsALossOfItsOwnCause) {
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  CUpti_ActivityKernel10 none = kernel(0_us, 0_us);
  none.start = none.end = 0;
  fake_cupti::happen(none);
  (*source)->stop();
  capture_.settle();
  EXPECT_EQ(capture_.lost(trace::LossCause::kDeviceNoTimes), 1u);
}

// The module sets CUPTI's clock once in the process, before it switches on any activity. Any test of this
// program may run first, so the clock may already be set when this test begins.
TEST_F(ModuleTest, TheClockIsToldOnceForTheProcess) {
  (void)start();
  const std::size_t before = static_cast<std::size_t>(std::ranges::count(fake_cupti::calls(), "clock"));
  const std::vector<std::string> first = fake_cupti::calls();
  if (before == 1) {
    EXPECT_LT(std::ranges::find(first, "clock") - first.begin(),
              std::ranges::find(first, "enable 10") - first.begin());
  }
  fake_cupti::reset();
  (void)start();
  EXPECT_THAT(fake_cupti::calls(), Not(Contains("clock")));
  EXPECT_THAT(fake_cupti::calls(), Contains("enable 10"));
  EXPECT_NEAR(static_cast<double>(fake_cupti::clock_ns()),
              static_cast<double>(TickClock::get().now_ns() + kClockShiftNs), 1e9);
}

TEST_F(ModuleTest, KernelsAreNeverMadeToRunOneByOneAndAllIsOffAfterwards) {
  auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_TRUE(fake_cupti::is_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  EXPECT_FALSE(fake_cupti::is_on(CUPTI_ACTIVITY_KIND_KERNEL));
  (*source)->stop();
  for (int kind = 0; kind < 60; ++kind)
    EXPECT_FALSE(fake_cupti::is_on(static_cast<CUpti_ActivityKind>(kind))) << kind;
}

TEST_F(ModuleTest, AKindThatIsRefusedIsSaidAndTheOthersAreRecorded) {
  fake_cupti::refuse(CUPTI_ACTIVITY_KIND_MARKER, CUPTI_ERROR_NOT_SUPPORTED);
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->status().refused, "NVTX ranges: a fake's refusal (CUPTI error 27)");
  fake_cupti::happen(kernel(20_us, 50_us));
  wait_for_slice("stream 7");
}

TEST_F(ModuleTest, WhereKernelsAreRefusedTheReasonSaysWhatToDoAndNothingStaysOn) {
  const struct {
    CUptiResult result;
    const char* words;
  } kCases[] = {{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "another profiler is attached"},
                {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "NVreg_RestrictProfilingToAdminUsers=0"}};
  for (const auto& one : kCases) {
    fake_cupti::refuse(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, one.result);
    const auto source = start();
    ASSERT_FALSE(source);
    EXPECT_THAT(source.error().message, HasSubstr(one.words));
    EXPECT_FALSE(fake_cupti::is_on(CUPTI_ACTIVITY_KIND_RUNTIME));
  }
  fake_cupti::reset();
  EXPECT_TRUE(start());
}

TEST_F(ModuleTest, AnOlderCuptiIsRefused) {
  fake_cupti::set_version(18);
  const auto source = start();
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().message, HasSubstr("is version 18, older than"));
}

TEST_F(ModuleTest, WhatCuptiDroppedIsCounted) {
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  fake_cupti::drop(12);
  (*source)->stop();
  capture_.settle();
  EXPECT_EQ(capture_.lost(trace::LossCause::kDeviceRecords), 12u);
  EXPECT_EQ((*source)->status().lost, 12u);
}

TEST_F(ModuleTest, HoweverManyBuffersCuptiFillsItGetsAnotherAndEachRecordIsShownOrCounted) {
  constexpr int kBuffers = 3000;  // the memory limit allows about a third of these buffers
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  fake_cupti::fill_buffers(kBuffers);  // each buffer has one kernel without times
  (*source)->stop();
  capture_.settle();
  EXPECT_EQ(fake_cupti::null_buffers(), 0);
  EXPECT_LE((*source)->status().buffer_bytes, SourceOptions{}.most_bytes);
  EXPECT_EQ(capture_.lost(trace::LossCause::kDeviceNoTimes) + capture_.lost(trace::LossCause::kDeviceRecords),
            std::uint64_t{kBuffers});
}

TEST_F(ModuleTest, TheHostClocksErrorIsMeasured) {
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  (*source)->stop();
  EXPECT_GT((*source)->status().clock_error, Duration{0});  // the clock of the fake CUPTI is 1 us ahead
  EXPECT_LE((*source)->status().clock_error, Duration{1000});
}

TEST_F(ModuleTest, AnEnginesOpsReachCupti) {
  const auto source = start();
  ASSERT_TRUE(source) << source.error().message;
  record::device_activity().push_op(77);
  record::device_activity().pop_op();
  EXPECT_THAT(fake_cupti::calls(), Contains("push 77"));
  EXPECT_THAT(fake_cupti::calls(), Contains("pop"));
}

}  // namespace
}  // namespace runahead::cupti
