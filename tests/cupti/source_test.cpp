// Tests Source with a fake module, and with the real CUPTI module if that module is built. Without a GPU,
// Source reports why it cannot record.
#include "instrumentation/cupti/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "instrumentation/record/hooks/device_activity.h"
#include "tests/record/capture.h"

namespace runahead::cupti {
namespace {

using namespace runahead::testing;
using ::testing::HasSubstr;

// The state of the fake module. This module behaves like the real module on a machine with a GPU. A test
// delivers the module's records, one at a time.
struct Fake {
  RunaheadCuptiSink sink{};
  RunaheadCuptiOptions options{};
  int starts = 0, stops = 0;
  std::vector<std::uint64_t> pushed;
  bool refuse = false;
};
Fake fake;

const RunaheadCuptiModule& fake_module() {
  static constexpr RunaheadCuptiModule kModule{
      .module_version = kRunaheadCuptiModuleVersion,
      .probe = [](const RunaheadCuptiOptions*, RunaheadCuptiStatus* out) { *out = {}; },
      .start =
          [](const RunaheadCuptiSink* sink, const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out) {
            *out = {};
            if (fake.refuse) {
              std::snprintf(out->reason, sizeof out->reason, "another profiler is attached");
              return 0;
            }
            fake.sink = *sink;
            fake.options = *options;
            ++fake.starts;
            return 1;
          },
      .stop =
          [] {
            fake.sink.delivered(fake.sink.user, 2, INT64_MAX / 2);
            ++fake.stops;
          },
      .status =
          [](RunaheadCuptiStatus* out) {
            *out = {};
            out->clock_error_ns = 1500;
          },
      .push_op = [](std::uint64_t op) { fake.pushed.push_back(op); },
      .pop_op = [] {},
      .find_stream =
          [](void*, RunaheadCuptiStream* out) {
            *out = {0, 9};
            return 1;
          }};
  return kModule;
}

class SourceTest : public ::testing::Test {
 protected:
  SourceTest() { fake = {}; }
  void kernel(Duration begin, Duration end, std::uint32_t stream = 7) {
    Record record{.kind = RecordKind::kKernel, .kernel = {}};
    record.kernel.work = {.begin_ns = TickClock::get().ns_from_ticks(capture_.ticks(begin)),
                          .end_ns = TickClock::get().ns_from_ticks(capture_.ticks(end)),
                          .device = 0,
                          .context = 1,
                          .stream = stream};
    record.kernel.name = "gemm";
    fake.sink.take(fake.sink.user, &record);
  }
  void deliver(std::uint64_t lost = 0) {
    fake.sink.delivered(fake.sink.user, lost, TickClock::get().now_ns());
    capture_.settle();
  }
  Capture capture_;
};

TEST_F(SourceTest, ItMayBeStoppedAndStartedAgain) {
  for (int turn = 1; turn <= 2; ++turn) {
    auto source = Source::start(capture_.recorder, fake_module());
    ASSERT_TRUE(source) << source.error().message;
    kernel(turn * 10_us, turn * 10_us + 5_us);
    (*source)->stop();
    capture_.settle();
    EXPECT_EQ(fake.starts, turn);
    EXPECT_EQ(fake.stops, turn);
  }
  EXPECT_EQ(capture_.slices("stream 7"), "0: gemm 10..15\n0: gemm 20..25\n");
  EXPECT_EQ(capture_.lost(trace::LossCause::kDeviceRecords), 4u);
}

TEST_F(SourceTest, OnlyOneRunsAtATime) {
  const auto source = Source::start(capture_.recorder, fake_module());
  ASSERT_TRUE(source);
  const auto second = Source::start(capture_.recorder, fake_module());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("already"));
}

TEST_F(SourceTest, ARefusalIsTheModulesReasonAndLeavesNothingOn) {
  fake.refuse = true;
  const auto refused = Source::start(capture_.recorder, fake_module());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "another profiler is attached");
  fake.refuse = false;
  EXPECT_TRUE(Source::start(capture_.recorder, fake_module()));
}

TEST_F(SourceTest, ModuleReadsOurClock) {
  const auto source = Source::start(capture_.recorder, fake_module());
  const std::int64_t before = TickClock::get().now_ns();
  const auto said = static_cast<std::int64_t>(fake.options.now_ns());
  EXPECT_LE(before, said);
  EXPECT_LE(said, TickClock::get().now_ns());
  EXPECT_GE(fake.options.buffer_bytes, 64u << 10);
  EXPECT_LE(fake.options.buffer_bytes, 256u << 10);
  EXPECT_LE(fake.options.flush_period_ms, 100u);
}

TEST_F(SourceTest, LossesAndTheClocksErrorAreShown) {
  const auto source = Source::start(capture_.recorder, fake_module());
  kernel(1_us, 2_us);
  deliver(5);
  EXPECT_EQ((*source)->status().lost, 5u);
  EXPECT_EQ((*source)->status().clock_error, Duration{1500});
  EXPECT_EQ(capture_.lost(trace::LossCause::kDeviceRecords), 5u);
}

TEST_F(SourceTest, RowsThatNobodyTakesAreBoundedAndTheOthersCounted) {
  SourceOptions options;
  options.most_rows = 3;
  const auto source = Source::start(capture_.recorder, fake_module(), options);
  for (int i = 0; i < 3; ++i) kernel(i * 10_us, i * 10_us + 1_us);
  fake.sink.delivered(fake.sink.user, 0, 0);
  for (int i = 3; i < 8; ++i) kernel(i * 10_us, i * 10_us + 1_us);
  deliver();
  EXPECT_EQ(capture_.slices("stream 7"), "0: gemm 0..1\n0: gemm 10..11\n0: gemm 20..21\n");
  EXPECT_EQ(capture_.lost(trace::LossCause::kDeviceRecords), 5u);
}

TEST_F(SourceTest, TheEnginesHooksLeadToTheSourceThatRunsAndNowhereElse) {
  record::device_activity().push_op(1);
  record::device_activity().name_stream(nullptr, "nobody");
  {
    const auto source = Source::start(capture_.recorder, fake_module());
    record::device_activity().push_op(42);
    record::device_activity().pop_op();
    record::device_activity().name_stream(nullptr, "compute");
    kernel(1_us, 2_us, 9);
    deliver();
  }
  record::device_activity().push_op(3);
  EXPECT_EQ(fake.pushed, (std::vector<std::uint64_t>{42}));
  // The program named the stream while the first source was recording. The next source must use this name
  // too.
  {
    const auto source = Source::start(capture_.recorder, fake_module());
    kernel(3_us, 4_us, 9);
    deliver();
  }
  EXPECT_EQ(capture_.slices("compute"), "0: gemm 1..2\n0: gemm 3..4\n");
}

TEST_F(SourceTest, RecordsMayComeWhileTheCollectorTakesThem) {
  const auto source = Source::start(capture_.recorder, fake_module());
  std::thread module([&] {
    for (int i = 0; i < 2000; ++i) {
      kernel(i * 10_us, i * 10_us + 5_us);
      if (i % 50 == 49) fake.sink.delivered(fake.sink.user, 0, TickClock::get().now_ns());
    }
  });
  for (int i = 0; i < 50; ++i) capture_.settle();
  module.join();
  (*source)->stop();  // the times of some kernels may still lie ahead
  capture_.settle();
  const trace::Track* const stream = capture_.track("stream 7");
  ASSERT_NE(stream, nullptr);
  std::uint64_t rows = 0;
  for (const trace::Lane& lane : stream->lanes) rows += lane.end_row();
  EXPECT_EQ(rows, 2000u);
}

TEST(RealModule, WhereCuptiCannotRecordItSaysWhyAndWhatToDo) {
  const Availability here = availability();
  if (here.available) GTEST_SKIP() << "CUPTI records here";
  EXPECT_THAT(here.reason, ::testing::AnyOf(HasSubstr("install"), HasSubstr("check"), HasSubstr("see "),
                                            HasSubstr("run ")));
  EXPECT_EQ(here.reason.find('\n'), std::string::npos);
  Capture capture;
  const auto refused = Source::start(capture.recorder);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, here.reason);
  const auto again = Source::start(capture.recorder);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, here.reason);
}

}  // namespace
}  // namespace runahead::cupti
