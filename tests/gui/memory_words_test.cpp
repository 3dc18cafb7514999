#include "gui/panels/memory/memory_words.h"

#include <gtest/gtest.h>

#include "gui/panels/memory/memory_panel.h"
#include "tests/support/literals.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;
using trace::CounterRole;
using trace::TrackKind;
using trace::Unit;

TraceBuilder two_devices() {
  TraceBuilder builder;
  builder.track("main", TrackKind::kFrontend)
      .slice("enqueue dense", 1_us, 1_us, trace::SliceKind::kEnqueue, OpId{1});
  builder.track("cpu 0", TrackKind::kWorker).slice("dense", 5_us, 4_us, trace::SliceKind::kExecute, OpId{1});
  builder.op(OpId{1}, "dense", {.enqueued = 1_us, .ready = 2_us, .started = 5_us, .ended = 9_us},
             {.enqueue_track = "main", .execute_track = "cpu 0"});
  builder.counter("live cpu", CounterRole::kLiveBytes, Unit::kBytes).device("cpu").sample(0_us, 10);
  builder.counter("live virtual:0", CounterRole::kLiveBytes, Unit::kBytes).device("virtual:0");
  builder.sample(0_us, 0).sample(10_us, 3'000'000).sample(20_us, 5'000'000).sample(30_us, 1'000'000);
  builder.allocation({"dense", "activations", OpId{1}, 3'000'000}, 10_us, 30_us);
  builder.allocation({"dense", "activations", OpId{1}, 1'000'000}, 20_us, std::nullopt);
  builder.allocation({"relu", "activations", OpId{7}, 1'000'000}, 20_us, 30_us);
  return builder;
}

MemoryAnswer answer_to(const trace::Trace& trace, const MemoryWanted& wanted,
                       std::optional<TimeRange> range = {}) {
  const TimeRange all{Timestamp{Duration::min()}, Timestamp{Duration::max()}};
  return *report_memory({wanted, trace.snapshot(), range.value_or(all)}, std::atomic<bool>{false});
}

TEST(MemoryWords, SayThePeakOfTheDeviceThatHadMost) {
  const trace::Trace trace = two_devices().build();
  const MemoryAnswer answer = answer_to(trace, {});
  ASSERT_EQ(answer.devices.size(), 2u);
  EXPECT_EQ(trace.track(answer.report.counter).info.device, "virtual:0");
  EXPECT_EQ(memory_summary(answer), "5.00 MB at 20 \u00b5s, the peak (3 blocks of 2 ops)");
  EXPECT_EQ(memory_caveat(answer), "");
  EXPECT_EQ(answer.report.holders[0].op, "dense");
  EXPECT_DOUBLE_EQ(share_of(answer.report, answer.report.holders[0].bytes), 0.8);
}

TEST(MemoryWords, SayAnotherMomentAndThePeakOfARange) {
  const trace::Trace trace = two_devices().build();
  EXPECT_EQ(memory_summary(answer_to(trace, {.at = at(12_us)})), "3.00 MB at 12 \u00b5s (1 blocks of 1 ops)");
  const MemoryAnswer in_range = answer_to(trace, {.in_range = true}, TimeRange{at(5_us), at(15_us)});
  EXPECT_EQ(in_range.peak, (analysis::MemoryPeak{at(10_us), 3e6}));
  const TrackId cpu = analysis::memory_counters(trace).front();
  EXPECT_EQ(answer_to(trace, {.counter = cpu}).report.counter, cpu);
}

TEST(MemoryWords, SayWhatIsNotKnown) {
  const trace::Trace of_cpu = two_devices().build();
  const TrackId cpu = analysis::memory_counters(of_cpu).front();
  EXPECT_NE(memory_caveat(answer_to(of_cpu, {.counter = cpu})).find("does not say which op"),
            std::string::npos);
  TraceBuilder less = two_devices();
  less.on("live virtual:0").sample(40_us, 900'000).sample(50_us, 1'200'000);
  const trace::Trace trace = less.build();
  EXPECT_NE(memory_caveat(answer_to(trace, {.at = at(50_us)})).find("200 kB are in unknown blocks"),
            std::string::npos);
  EXPECT_NE(memory_caveat(answer_to(trace, {.at = at(40_us)})).find("100 kB too much"), std::string::npos);
  EXPECT_EQ(answer_to(TraceBuilder{}.track("main").slice("a", 0_us, 1_us).build(), {}).report.counter,
            kNoTrack);
}

TEST(MemoryWords, AnOpIsWhereItExecutesAndElseWhereItWasEnqueued) {
  const trace::Trace trace = two_devices().build();
  EXPECT_EQ(place_of_op(trace, OpId{1}), (SliceRef{TrackId{1}, 0, 0, false}));
  EXPECT_EQ(place_of_op(trace, OpId{7}), std::nullopt);
  EXPECT_EQ(place_of_op(trace, kNoOp), std::nullopt);
}

}  // namespace
}  // namespace runahead::gui
