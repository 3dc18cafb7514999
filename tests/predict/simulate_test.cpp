// The rules of the simulation, on programs whose times can be worked out by hand.
#include "instrumentation/predict/simulation/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "instrumentation/predict/learn_delays.h"
#include "instrumentation/predict/op_reader.h"
#include "instrumentation/predict/wake_times.h"
#include "tests/predict/program_builder.h"
#include "tests/support/trace_builder.h"

namespace runahead::predict {
namespace {

using ::testing::ElementsAre;

Duration us(std::int64_t count) { return ProgramBuilder::us(count); }

TEST(Simulate, AnEmptyProgramTakesNoTime) {
  const Outcome outcome = simulate(Program{});
  EXPECT_EQ(outcome.length, Duration{});
  EXPECT_EQ(outcome.steps_per_s(), 0);
  EXPECT_FALSE(outcome.stuck);
}

TEST(Simulate, TheFiguresOfStepsLeaveOutWhatIsBeforeAndAfter) {
  ProgramBuilder b;
  const OpIndex before = b.op({.duration_us = 100, .bytes = 1000});
  b.drop(before);
  b.event(Action::kWaitAll);
  for (int i = 0; i < 2; ++i) {
    b.event(Action::kBeginStep);
    const OpIndex op = b.op({.duration_us = 10, .bytes = 7});
    b.event(Action::kWaitAll);
    b.drop(op);
    b.event(Action::kEndStep);
  }
  b.op({.duration_us = 100, .bytes = 1000});
  b.event(Action::kWaitAll);
  const Outcome all = simulate(b.program());
  EXPECT_EQ(all.steps_time, all.length);
  EXPECT_EQ(all.total_peak_bytes(), 1000);
  EXPECT_EQ(all.blocked, us(2 * 100 + 2 * 10));
  EXPECT_EQ(all.busy[0], us(2 * 100 + 2 * 10));
  b.program().figures_of_steps = true;
  const Outcome alone = simulate(b.program());
  EXPECT_EQ(alone.length, all.length);
  EXPECT_EQ(alone.steps_time, alone.step_ends.back() - alone.step_begins.front().at);
  EXPECT_LT(alone.steps_time, us(50));
  EXPECT_DOUBLE_EQ(alone.steps_per_s(), rate_of(2, alone.steps_time));
  EXPECT_EQ(alone.total_peak_bytes(), 7);
  EXPECT_EQ(alone.blocked, us(2 * 10));
  EXPECT_EQ(alone.busy[0], us(2 * 10));
}

TEST(Simulate, TheFrontendRunsAheadOfAChain) {
  ProgramBuilder b;
  OpIndex last = b.op({.duration_us = 10});
  for (int i = 0; i < 3; ++i) last = b.op({.duration_us = 10, .after = {last}});
  const Outcome outcome = simulate(b.program(), {.keep_times = true});
  EXPECT_EQ(outcome.timeline.ops[3].enqueued, us(4));
  EXPECT_EQ(outcome.timeline.ops[0].started, us(1));
  EXPECT_EQ(outcome.timeline.ops[3].ready, us(31));
  EXPECT_EQ(outcome.length, us(41));
  EXPECT_EQ(outcome.max_ops, 4);
  EXPECT_THAT(outcome.busy, ElementsAre(us(40)));
}

TEST(Simulate, TwoWorkersRunIndependentOpsAtOnce) {
  ProgramBuilder one({1}), two({2});
  for (int i = 0; i < 4; ++i) {
    one.op({.duration_us = 10, .before_us = 0});
    two.op({.duration_us = 10, .before_us = 0});
  }
  EXPECT_EQ(simulate(one.program()).length, us(40));
  EXPECT_EQ(simulate(two.program()).length, us(20));
}

// Op 2 becomes ready before op 1, which waits for the other queue.
TEST(Simulate, TheOpThatBecameReadyFirstGoesFirst) {
  const auto starts = [](bool oldest_first) {
    ProgramBuilder b({1, 1});
    const OpIndex slow = b.op({.duration_us = 20, .queue = 1, .before_us = 0});
    b.op({.duration_us = 30, .before_us = 0});                  // keeps queue 0 busy until 30
    b.op({.duration_us = 5, .after = {slow}, .before_us = 0});  // ready at 20
    b.op({.duration_us = 5, .before_us = 0});                   // ready at 0
    b.program().settings.oldest_first = oldest_first;
    const Outcome outcome = simulate(b.program(), {.keep_times = true});
    return std::pair(outcome.timeline.ops[2].started, outcome.timeline.ops[3].started);
  };
  EXPECT_EQ(starts(false), std::pair(us(35), us(30)));
  EXPECT_EQ(starts(true), std::pair(us(30), us(35)));
}

// Three steps of one op of 10 us; the frontend needs 2 us for each.
Program three_steps(BarrierPolicy barrier) {
  ProgramBuilder b;
  for (int i = 0; i < 3; ++i) {
    b.event(Action::kBeginStep);
    const OpIndex op = b.op({.duration_us = 10, .bytes = 100, .before_us = 2});
    b.drop(op);
    b.event(Action::kBarrier, op);
    b.event(Action::kEndStep);
  }
  b.program().settings.barrier = barrier;
  return b.program();
}

TEST(Simulate, ABarrierHoldsTheFrontendInEachStep) {
  const Outcome free = simulate(three_steps({BarrierKind::kNone}));
  EXPECT_EQ(free.length, us(32));
  EXPECT_EQ(free.blocked, Duration{});
  EXPECT_EQ(free.max_steps, 3);
  EXPECT_EQ(free.total_peak_bytes(), 300);
  EXPECT_EQ(free.steps, 3);
  for (const BarrierKind kind : {BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem}) {
    const Outcome held = simulate(three_steps({kind}));
    EXPECT_EQ(held.length, us(36));
    EXPECT_EQ(held.blocked, us(30));
    EXPECT_EQ(held.max_steps, 1);
    EXPECT_EQ(held.total_peak_bytes(), 100);
    EXPECT_EQ(held.steps, 3);
  }
}

TEST(Simulate, WaitsCostWhatTheProgramSays) {
  Program program = three_steps({BarrierKind::kItem});
  program.waits = {.wake_up = {{Duration{}, us(1), us(5)}}, .read_back = us(3)};
  EXPECT_EQ(simulate(program).length, us(36 + 3 * 4));
  EXPECT_EQ(simulate(program).blocked, us(30 + 3 * 4));
  program.settings.barrier.kind = BarrierKind::kWaitToRead;
  EXPECT_EQ(simulate(program).blocked, us(30 + 3));
}

TEST(Simulate, ReadingAnArrayTakesTimeForItsBytes) {
  Program program = three_steps({BarrierKind::kAsnumpy});
  program.waits.read_times = {{.copy_ns_per_byte = 50, .sum_ns_per_byte = 20}};
  EXPECT_EQ(simulate(program).length, us(36 + 3 * 5));
  program.settings.barrier.kind = BarrierKind::kItem;
  EXPECT_EQ(simulate(program).length, us(36 + 3 * 2));
  program.settings.barrier.kind = BarrierKind::kPrint;
  program.waits.read_times[0].copy = us(1);
  EXPECT_GT(simulate(program).length, us(36 + 3 * 6)) << "the text takes time too";
  program.waits.read_times[0].copy = {};
  program.settings.barrier.kind = BarrierKind::kItem;
  for (Op& op : program.ops) op.output_bytes = 4;
  EXPECT_EQ(simulate(program).length, us(36) + 3 * Duration(200)) << "one element is copied as it is";
  program.settings.barrier.kind = BarrierKind::kWaitToRead;
  for (Op& op : program.ops) op.output_bytes = 100;
  EXPECT_EQ(simulate(program).length, us(36));
}

TEST(Simulate, WhatTheRecordedPolicyDidTakesNoTimeUnderAnother) {
  ProgramBuilder b;
  const OpIndex op = b.op({.duration_us = 10});
  b.event(Action::kBarrier, op);
  b.set_policy(true);
  const OpIndex sum = b.op({.duration_us = 2, .after = {op}, .before_us = 30});
  b.event(Action::kWaitOp, sum, 5);
  b.set_policy(false);
  b.op({.duration_us = 10, .before_us = 4});
  b.program().settings.barrier = b.program().settings.recorded_barrier = {BarrierKind::kItem};
  EXPECT_EQ(simulate(b.program()).length, us(1 + 30 + 5 + 4 + 10));
  b.program().settings.barrier = {BarrierKind::kNone};
  EXPECT_EQ(simulate(b.program()).length, us(1 + 10 + 10)) << "the second op is enqueued at 5";
}

TEST(Simulate, ReadingTakesAsLongAsTheCopiesOfTheRun) {
  Program program;
  program.queues = {{.name = "virtual:0 compute", .device = "virtual:0"},
                    {.name = "virtual:0 copy to host", .device = "virtual:0"},
                    {.name = "virtual:1 compute", .device = "virtual:1"},
                    {.name = "cpu", .device = "cpu", .workers = true}};
  program.ops = {{.queue = 0, .duration = us(40), .output_bytes = 100'000},
                 {.queue = 0, .duration = us(30), .output_bytes = 100'000},
                 {.queue = 2, .duration = us(10), .output_bytes = 8},  // small: mostly the launch
                 {.queue = 3, .duration = us(1), .output_bytes = 100'000}};
  using trace::SliceKind;
  // ops that copy have no outputs: their bytes are those of their slices
  const trace::Trace trace = testing::TraceBuilder{}
                                 .track("copy to host", trace::TrackKind::kStream)
                                 .device("virtual:0")
                                 .slice("copy to host", us(0), us(200), SliceKind::kCopyToHost, OpId{7})
                                 .bytes(100'000)
                                 .slice("copy to host", us(300), us(10), SliceKind::kCopyToHost, OpId{8})
                                 .bytes(8)
                                 .track("main", trace::TrackKind::kFrontend)
                                 .slice("copy to host", us(0), us(20), SliceKind::kCopyToHost)
                                 .bytes(100'000)
                                 .build();
  const std::vector<ReadTimes> times =
      read_times_of(trace, {trace.extent().begin, trace.watermark()}, program);
  ASSERT_EQ(times.size(), 4u);
  EXPECT_DOUBLE_EQ(times[0].copy_ns_per_byte, 2);
  EXPECT_DOUBLE_EQ(times[0].sum_ns_per_byte, kUsualReadTimes.sum_ns_per_byte) << "no op of the run is a sum";
  EXPECT_DOUBLE_EQ(times[2].copy_ns_per_byte, kUsualReadTimes.copy_ns_per_byte);
  EXPECT_DOUBLE_EQ(times[2].sum_ns_per_byte, kUsualReadTimes.sum_ns_per_byte);
  EXPECT_EQ(times[0].copy, kUsualReadBack);
  EXPECT_EQ(times[3].copy, kUsualCopyOfHost);
  EXPECT_EQ(times[0].sum, kUsualReadBack);
  EXPECT_EQ(times[3].sum, kUsualSumOfHost);
  EXPECT_DOUBLE_EQ(times[3].copy_ns_per_byte, 0.2);
  EXPECT_DOUBLE_EQ(times[3].sum_ns_per_byte, kLeastSumOfHost) << "an op that fills memory is no sum";
}

TEST(Simulate, AWorkerThatWakesAFrontendNeedsTimeForIt) {
  ProgramBuilder b;
  const OpIndex first = b.op({.duration_us = 10, .before_us = 0});
  const OpIndex second = b.op({.duration_us = 10, .before_us = 0});
  b.event(Action::kBarrier, first);
  Program& program = b.program();
  program.queues[0].wake_times = {{Duration{}, us(3), us(5)}};
  program.settings.barrier.kind = BarrierKind::kNone;
  EXPECT_EQ(simulate(program).length, us(20)) << "nobody waits";
  program.settings.barrier.kind = BarrierKind::kWaitToRead;
  EXPECT_EQ(simulate(program).length, us(23)) << "the end of the first op wakes the frontend";
  program.ops[second].wakes = true;
  program.ops[second].wake_time = us(4);
  EXPECT_EQ(simulate(program).length, us(20)) << "the recorded time contains it";
  program.settings.barrier.kind = BarrierKind::kNone;
  EXPECT_EQ(simulate(program).length, us(16)) << "without it";
}

TEST(Simulate, AnOpGoesToTheWorkerThatSpinsOrHasSleptLongest) {
  ProgramBuilder b({2});
  b.op({.duration_us = 10, .before_us = 0});    // of the first server
  b.op({.duration_us = 10, .before_us = 70});   // both sleep: the second one has slept longer
  b.op({.duration_us = 10, .before_us = 20});   // the second one spins
  b.op({.duration_us = 10, .before_us = 100});  // both sleep
  const Outcome outcome = simulate(b.program(), {.keep_times = true});
  std::vector<std::uint32_t> servers;
  for (const OpTimes& op : outcome.timeline.ops) servers.push_back(op.server);
  EXPECT_THAT(servers, ElementsAre(0, 1, 1, 0));
}

// Two ops are alike; the end of an op before the slower one woke the frontend.
TEST(WakeTimes, AreFoundBetweenOpsThatAreAlike) {
  Program program;
  program.queues = {{.name = "cpu", .device = "cpu", .workers = true},
                    {.name = "virtual:0 compute", .device = "virtual:0", .simulated = true}};
  std::vector<trace::OpRow> rows;
  std::vector<FrontendWake> wakes;
  constexpr int kPairs = 40;
  Timestamp at{};
  const auto add = [&](QueueIndex queue, Duration duration) {
    const auto op = static_cast<OpIndex>(program.ops.size());
    program.ops.push_back(
        {.id = OpId{op}, .name = StringId{1}, .queue = queue, .duration = duration, .output_bytes = 64});
    rows.push_back({.id = OpId{op}, .started = at, .ended = at + duration, .execute_track = TrackId{queue}});
    at += duration;
    return op;
  };
  for (int i = 0; i < kPairs; ++i) {
    wakes.push_back({add(0, us(10)), Idle::kLong});
    add(0, us(10 + 25));
    add(0, us(10));
    wakes.push_back({add(1, us(10)), Idle::kLong});
    add(1, us(50));
  }
  find_wake_times(wakes, rows, program);
  EXPECT_EQ(program.queues[0].wake_times.of(Idle::kLong), us(25));
  EXPECT_EQ(program.queues[0].wake_times.of(Idle::kShort), kUsualWakeTimes.of(Idle::kShort)) << "no example";
  EXPECT_EQ(program.queues[1].wake_times.of(Idle::kLong), Duration{})
      << "the time of a simulated op is modelled";
  for (OpIndex op = 0; op < program.ops.size(); ++op) {
    EXPECT_EQ(program.ops[op].wakes, op % 5 == 1) << op;
    EXPECT_EQ(program.ops[op].wake_time, op % 5 == 1 ? us(25) : Duration{}) << op;
  }
}

// A frontend that waits for each op wakes a sleeping worker in three of four enqueues. In the fourth, the
// worker spins. It needs 5 us for a wake, and works for 1 us before it waits.
TEST(EnqueueWakes, AreFoundInTheRunAndLeftOutWhereTheWorkerIsBusy) {
  constexpr int kOps = 40;
  ProgramBuilder b;
  std::vector<trace::OpRow> rows;
  Program& program = b.program();
  program.queues[0].workers = true;
  program.queues[0].start_delays = {{us(0), us(3), us(3), us(3)}};
  const auto sleeps = [](int i) { return i % 4 != 3; };
  for (int i = 0; i < kOps; ++i) {
    const OpIndex op = b.op({.duration_us = 10, .before_us = 2});
    program.ops[op].start_idle = i == 0 ? Idle::kLong : Idle::kShort;
    program.ops[op].start_delay = sleeps(i) ? us(3) : us(0);
    b.event(Action::kWaitAll, kNone, sleeps(i) ? 1 + 5 : 1);
    rows.push_back({.id = OpId{op}});
  }
  const Duration recorded = simulate(program).length;
  EXPECT_EQ(recorded, us(kOps * (2 + 10) + kOps * 3 / 4 * 3));
  find_enqueue_wakes(program.frontends, Timestamp::min(), rows, program);
  const std::vector<Event>& events = program.frontends[0].events;
  for (int i = 0; i < kOps; ++i) {
    const auto enqueue = static_cast<std::size_t>(2 * i);
    EXPECT_EQ(events[enqueue].wake_time, sleeps(i) ? us(5) : us(0)) << i;
    EXPECT_EQ(events[enqueue + 1].before, us(1)) << i;
  }
  EXPECT_EQ(program.queues[0].enqueue_wakes.of(Idle::kShort), us(0)) << "of a frontend that does not wait";
  EXPECT_EQ(simulate(program).length, recorded);
  // The frontend runs ahead. The worker is busy after the first op, so nobody is woken.
  std::erase_if(program.frontends[0].events,
                [](const Event& event) { return event.action == Action::kWaitAll; });
  EXPECT_EQ(simulate(program).length, us(2 + 3 + kOps * 10));
  // The worker is idle for a short time before each op, and spins. But it slept before the first op, as in
  // the run.
  for (Op& op : program.ops) op.duration = us(1);
  program.queues[0].start_delays = {};
  EXPECT_EQ(simulate(program).length, us(5 + kOps * 2 + 1));
  // It sleeps, which takes the frontend the usual time.
  for (Event& event : program.frontends[0].events) event.before = us(300);
  const Duration usual = kUsualEnqueueWakes.of(Idle::kLong);
  EXPECT_EQ(simulate(program).length, us(5 + kOps * 300 + 1) + (kOps - 2) * usual);
}

// A frontend is 30 us slower until its next enqueue, after it slept for longer than 200 us.
TEST(SlowStart, IsFoundInTheRunAndAppliesOnlyAfterASleep) {
  ProgramBuilder b;
  for (int i = 0; i < 8; ++i) {
    b.op({.duration_us = 300, .before_us = 10});
    b.op({.duration_us = 300, .before_us = 10});
    b.event(Action::kWaitAll, kNone, 1);
  }
  std::vector<Event>& events = b.program().frontends[0].events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i % 3 == 2) events[i].blocked = Idle::kLong;
    if (i % 3 == 0 && i > 0) events[i].before += us(30);
  }
  Duration after_sleep{};
  find_slow_starts(b.program().frontends, b.program().ops, after_sleep);
  EXPECT_EQ(after_sleep, us(30));
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool slow = i % 3 == 0 && i > 0;
    EXPECT_EQ(events[i].slow_start, slow ? us(30) : Duration{}) << i;
    EXPECT_EQ(events[i].after_sleep, slow) << i;
  }
  const Duration recorded = simulate(b.program()).length;
  EXPECT_EQ(recorded, us(8 * (10 + 600) + 7 * 30));
  // No wait lasts: the frontend is as fast after it as always.
  for (Op& op : b.program().ops) op.duration = us(5);
  EXPECT_EQ(simulate(b.program()).length, us(8 * (20 + 5)));
  // A sleep of which the run has no example.
  for (Op& op : b.program().ops) op.duration = us(300);
  for (Event& event : events) {
    event.before -= std::exchange(event.slow_start, Duration{});
    event.after_sleep = false;
  }
  b.program().waits.slow_start = after_sleep;
  EXPECT_EQ(simulate(b.program()).length, recorded);
}

TEST(Delays, FewSamplesDoNotOutweighTheUsual) {
  const Delays usual{{us(1), us(2), us(10), us(30)}};
  std::array<std::vector<Duration>, kIdleCount> samples;
  std::vector<Duration>& of_long = samples[static_cast<std::size_t>(Idle::kLong)];
  of_long.assign(kUsualSamples - 1, us(100));
  EXPECT_EQ(delays_of(samples, usual).of(Idle::kLong), us(30));
  of_long.assign(kUsualSamples + 1, us(100));
  EXPECT_EQ(delays_of(samples, usual).of(Idle::kLong), us(100));
  EXPECT_EQ(delays_of(samples, usual).of(Idle::kNot), us(1));
}

// The output of an op with memory at execution is allocated when the op begins, not when its worker wakes up.
TEST(Simulate, MemoryAtExecutionIsAllocatedWhenTheOpBegins) {
  ProgramBuilder b({1, 1});
  const OpIndex first = b.op({.duration_us = 10, .bytes = 100, .before_us = 0});
  b.drop(first);
  const OpIndex second = b.op({.duration_us = 10, .queue = 1, .bytes = 100, .before_us = 0});
  b.drop(second);
  b.program().ops[second].start_delay = us(15);
  b.program().ops[second].start_idle = Idle::kLong;
  b.program().settings.allocates_at_execution = true;
  EXPECT_EQ(simulate(b.program()).total_peak_bytes(), 100);
  b.program().ops[second].start_delay = us(5);
  EXPECT_EQ(simulate(b.program()).total_peak_bytes(), 200);
}

// Memory that is allocated after its last user's end would never be freed.
TEST(Simulate, MemoryAtExecutionIsAllocatedBeforeTheOpEndsHoweverShortItIs) {
  for (const std::int64_t duration_us : {0, 1, 30}) {
    SCOPED_TRACE(duration_us);
    ProgramBuilder b;
    const OpIndex before = b.op({.duration_us = 5, .bytes = 100, .before_us = 0});
    const OpIndex op = b.op({.duration_us = duration_us, .bytes = 10, .before_us = 10});
    b.event(Action::kDrop, before, 3);
    b.program().settings.allocates_at_execution = true;
    const Outcome outcome = simulate(b.program(), {.keep_times = true});
    EXPECT_EQ(outcome.total_peak_bytes(), 110);
    EXPECT_EQ(outcome.timeline.blocks[op].begin, us(10));
    EXPECT_EQ(outcome.timeline.live_bytes[0].back().value, 10);
  }
}

// The host waited for new memory of the system. With less live memory, the op has memory that is there.
TEST(Simulate, AnOpThatWasLateByNewMemoryIsLateIfMuchMemoryHasBeenLive) {
  for (const std::int64_t own : {0, 100}) {  // an op in place has no block of its own
    SCOPED_TRACE(own);
    ProgramBuilder b;
    b.program().queues[0].device = "virtual:0";
    b.op({.duration_us = 10, .bytes = 100, .before_us = 0});
    const OpIndex late = b.op({.duration_us = 10, .bytes = own, .before_us = 0});
    const Duration in_time = simulate(b.program()).length;
    b.program().ops[late].lateness = us(5);
    b.program().ops[late].late_live_bytes = 200 + own;
    EXPECT_EQ(simulate(b.program()).length, in_time + us(5)) << "although no frontend runs";
    b.program().ops[late].late_live_bytes = 2 * (100 + own);
    EXPECT_EQ(simulate(b.program()).length, in_time + us(5)) << "half as much has been live";
    b.program().ops[late].late_live_bytes += 2;
    EXPECT_EQ(simulate(b.program()).length, in_time);
    b.program().queues[0].device = "virtual:1";
    EXPECT_EQ(simulate(b.program()).length, in_time + us(5)) << "the memory of virtual:1 is not known";
  }
}

TEST(FindLateness, SaysHowMuchWasLiveWhenThePoolGrew) {
  constexpr Duration kBegin = std::chrono::seconds(1);
  const trace::Trace trace = testing::TraceBuilder{}
                                 .counter("live", trace::CounterRole::kLiveBytes, trace::Unit::kBytes)
                                 .device("virtual:0")
                                 .sample(us(1), 900)
                                 .sample(us(2), 100)
                                 .sample(kBegin + us(1), 400)
                                 .sample(kBegin + us(2), 300)
                                 .counter("reserved", trace::CounterRole::kReservedBytes, trace::Unit::kBytes)
                                 .device("virtual:0")
                                 .sample(us(1), 256)
                                 .sample(kBegin + us(1), 512)
                                 .build();
  ProgramBuilder b;
  for (int i = 0; i < 4; ++i) b.op({.duration_us = i == 0 ? 10 : 15});
  Program& program = b.program();
  program.queues[0].device = "virtual:0";
  program.queues[0].simulated = true;
  const auto row = [](Duration started, Duration ended, std::uint8_t flags = trace::kSliceLate) {
    return trace::OpRow{.started = testing::at(started), .ended = testing::at(ended), .flags = flags};
  };
  const std::vector<trace::OpRow> rows{row(kBegin + us(3), kBegin + us(13), 0),
                                       row(kBegin + us(13), kBegin + us(28)),
                                       row(2 * kBegin, 2 * kBegin + us(15)), row(us(3), us(18))};
  const std::vector<std::vector<TimeRange>> waits{{{Timestamp::min(), Timestamp::max()}}};
  find_lateness(rows, waits, pools_of(trace, program), testing::at(kBegin), program);
  EXPECT_EQ(program.ops[1].late_live_bytes, 400) << "900 were live before the program began";
  EXPECT_EQ(program.ops[1].lateness, us(5));
  EXPECT_EQ(program.ops[1].duration, us(10));
  EXPECT_EQ(program.ops[2].late_live_bytes, 0) << "the pool had not grown for a second";
  EXPECT_EQ(program.ops[2].lateness, Duration{}) << "its frontend waited";
  EXPECT_EQ(program.ops[3].late_live_bytes, 0) << "what was reserved 10 ms before is not known";
}

// The engine learned late of the end of an op: until then, a barrier ops:k counts it as in flight.
TEST(Simulate, ABarrierHoldsAFrontendUntilTheEngineLearnsOfTheEnd) {
  ProgramBuilder b;
  const OpIndex first = b.op({.duration_us = 10, .before_us = 0});
  b.op({.duration_us = 10, .before_us = 12});
  Program& program = b.program();
  program.settings.barrier = program.settings.recorded_barrier = {BarrierKind::kOps, 1};
  program.ops[first].learn_delay = us(7);
  program.waits.wake_up = {{us(1), us(3), us(5)}};
  EXPECT_EQ(simulate(program).length, us(17 + 10)) << "it came after the end, before the engine knew of it";
  EXPECT_EQ(simulate(program).blocked, us(5));
  program.frontends[0].events[1].before = us(4);
  EXPECT_EQ(simulate(program).length, us(17 + 10)) << "the delay contains the time to wake the frontend";
  program.frontends[0].events[1].before = us(18);
  EXPECT_EQ(simulate(program).length, us(28));
  program.settings.barrier.k = 2;
  program.frontends[0].events[1].before = us(4);
  EXPECT_EQ(simulate(program).length, us(20));
  EXPECT_EQ(simulate(program).max_ops, 2);
}

TEST(Simulate, AWindowLetsStepsOverlap) {
  EXPECT_EQ(simulate(three_steps({BarrierKind::kWindow, 1})).length, us(36));
  const Outcome two = simulate(three_steps({BarrierKind::kWindow, 2}));
  EXPECT_EQ(two.length, us(32));
  EXPECT_EQ(two.max_steps, 2);
  EXPECT_EQ(two.total_peak_bytes(), 200);
}

TEST(Simulate, ALimitOnOpsOrBytesHoldsBeforeTheEnqueue) {
  const Outcome ops = simulate(three_steps({BarrierKind::kOps, 2}));
  EXPECT_EQ(ops.max_ops, 2);
  EXPECT_EQ(ops.length, us(32));
  EXPECT_EQ(ops.blocked, us(12 - 6));  // the third op is held from 6 until the first ends at 12
  EXPECT_EQ(simulate(three_steps({BarrierKind::kBytes, 100})).max_bytes, 100);
  // one op is larger than the bound: it runs alone
  EXPECT_EQ(simulate(three_steps({BarrierKind::kBytes, 50})).max_ops, 1);
}

// The safety limit lets the frontend go when a sixteenth of it is free: 30 of 32 ops or fewer.
TEST(Simulate, TheSafetyLimitHasAMargin) {
  ProgramBuilder b;
  for (int i = 0; i < 100; ++i) b.op({.duration_us = 10, .before_us = 0});
  b.program().settings.limit_ops = 32;
  const Outcome outcome = simulate(b.program(), {.keep_times = true});
  EXPECT_EQ(outcome.max_ops, 32);
  EXPECT_EQ(outcome.timeline.ops[31].enqueued, Duration{});
  EXPECT_EQ(outcome.timeline.ops[32].enqueued, us(30));  // 29 are left then: fewer than 30
  EXPECT_EQ(outcome.timeline.ops[34].enqueued, us(30));
  EXPECT_EQ(outcome.length, us(1000));
}

TEST(Simulate, MemoryIsFreedWhenTheLastUserEndsAndTheProgramHasDroppedIt) {
  ProgramBuilder b;
  const OpIndex input = b.op({.duration_us = 10, .bytes = 100, .before_us = 0});
  const OpIndex reader = b.op({.duration_us = 10, .after = {input}, .bytes = 10, .before_us = 0});
  b.drop(input);
  b.op({.duration_us = 10, .after = {reader}, .bytes = 1, .before_us = 0});
  EXPECT_EQ(simulate(b.program()).total_peak_bytes(), 111);
  b.program().settings.allocates_at_execution = true;
  EXPECT_EQ(simulate(b.program()).total_peak_bytes(), 110);  // the input is freed before the last op begins
}

TEST(Simulate, AnotherPolicyLeavesOutTheWaitsAndOpsOfTheRecordedOne) {
  ProgramBuilder b;
  for (int i = 0; i < 2; ++i) {
    b.event(Action::kBeginStep);
    const OpIndex op = b.op({.duration_us = 10, .before_us = 0});
    b.event(Action::kBarrier, op);
    b.set_policy(true);
    const OpIndex copy = b.op({.duration_us = 4, .after = {op}, .before_us = 0});
    b.event(Action::kWaitOp, copy);
    b.set_policy(false);
    b.event(Action::kEndStep);
  }
  b.program().settings.barrier = b.program().settings.recorded_barrier = {BarrierKind::kItem};
  EXPECT_EQ(simulate(b.program()).length, us(28));
  EXPECT_EQ(simulate(b.program()).blocked, us(28));
  b.program().settings.barrier = {BarrierKind::kNone};
  const Outcome none = simulate(b.program());
  EXPECT_EQ(none.length, us(20));
  EXPECT_EQ(none.blocked, Duration{});
  EXPECT_EQ(none.ops_run, 2u);
  EXPECT_EQ(none.steps, 2);
}

TEST(Simulate, AStartDelayDependsOnHowLongTheServerWasIdle) {
  ProgramBuilder b;
  b.program().queues[0].start_delays = {{us(1), us(2), us(15), us(40)}};
  const OpIndex first = b.op({.duration_us = 10, .before_us = 0});
  b.op({.duration_us = 10, .before_us = 0});
  b.op({.duration_us = 10, .before_us = 300});
  b.op({.duration_us = 10, .before_us = 110});
  for (Op& op : b.program().ops) op.start_idle = Idle::kLong;  // their own delay: 0
  const Outcome outcome = simulate(b.program(), {.keep_times = true});
  EXPECT_EQ(outcome.timeline.ops[first].started, us(0));  // idle since before the run: its own delay
  EXPECT_EQ(outcome.timeline.ops[1].started, us(11));     // not idle
  EXPECT_EQ(outcome.timeline.ops[2].started, us(300));    // idle for long, as in the run: its own delay
  EXPECT_EQ(outcome.timeline.ops[3].started, us(425));    // idle for 100 us: its processor still polled
}

TEST(Simulate, TwoFrontendsShareADevice) {
  ProgramBuilder b({1}, 2);
  for (std::size_t f = 0; f < 2; ++f) {
    b.event(Action::kBeginStep, kNone, 0, f);
    const OpIndex op = b.op({.duration_us = 10, .frontend = f});
    b.event(Action::kBarrier, op, 0, f);
    b.event(Action::kEndStep, kNone, 0, f);
  }
  b.program().settings.barrier = {BarrierKind::kWaitToRead};
  const Outcome outcome = simulate(b.program());
  EXPECT_EQ(outcome.length, us(21));
  EXPECT_EQ(outcome.blocked, us(20)) << "of the frontend that waited longest";
  EXPECT_EQ(outcome.steps, 2);
  EXPECT_EQ(outcome.max_steps, 2);
}

TEST(Simulate, AWaitThatNeverEndsIsSaid) {
  ProgramBuilder b;
  const OpIndex op = b.op({.duration_us = 10});
  b.event(Action::kWaitOp, op + 1);  // enqueued only after the wait for it
  b.op({.duration_us = 10});
  EXPECT_TRUE(simulate(b.program()).stuck);
}

// An op of another tool's trace is ready after its launch and its latency, and after the op before it and the
// gap, whichever is later.
TEST(Simulate, TheDelaysAfterTheLaunchAndAfterTheOpBeforeAreApart) {
  ProgramBuilder b;
  const OpIndex first = b.op({.duration_us = 20, .before_us = 0});
  const OpIndex second = b.op({.duration_us = 10, .after = {first}, .before_us = 1});
  const OpIndex third = b.op({.duration_us = 10, .after = {second}, .before_us = 49});
  for (Op& op : b.program().ops) op.enqueue_delay = us(5), op.ready_delay = us(2);
  b.program().settings.of_graph = true;
  const Outcome outcome = simulate(b.program(), {.keep_times = true});
  EXPECT_EQ(outcome.timeline.ops[first].started, us(5));
  EXPECT_EQ(outcome.timeline.ops[second].started, us(27));
  EXPECT_EQ(outcome.timeline.ops[third].started, us(55));
  b.program().settings.of_graph = false;  // of our engine: one delay, after whichever came last
  EXPECT_EQ(simulate(b.program(), {.keep_times = true}).timeline.ops[third].started, us(52));
}

TEST(Simulate, AWaitForASetEndsWithTheLastOfThem) {
  ProgramBuilder b({1, 1});
  const OpIndex slow = b.op({.duration_us = 30, .before_us = 0});
  const OpIndex fast = b.op({.duration_us = 10, .queue = 1, .before_us = 0});
  b.program().wait_sets = {.first = {0, 2, 2}, .items = {fast, slow}};
  b.event(Action::kWaitSet, 0);
  b.event(Action::kWaitSet, 1);  // of nothing
  b.op({.duration_us = 10, .before_us = 5});
  EXPECT_EQ(simulate(b.program()).length, us(45));
  EXPECT_EQ(simulate(b.program()).blocked, us(30));
}

TEST(Simulate, AFrontendAwaitsTheSignalOfAnother) {
  ProgramBuilder b({1}, 2);
  b.program().signals = 2;
  b.event(Action::kAwait, 0, 3, 1);  // it is there at 3, and waits until 20
  b.op({.duration_us = 10, .before_us = 5, .frontend = 1});
  b.event(Action::kSignal, 1, 10, 1);
  b.event(Action::kSignal, 0, 20);
  b.event(Action::kAwait, 1);
  const OpIndex last = b.op({.duration_us = 10, .before_us = 1});
  const Outcome outcome = simulate(b.program(), {.keep_times = true});
  EXPECT_EQ(outcome.timeline.ops[0].enqueued, us(25));
  EXPECT_EQ(outcome.timeline.ops[last].enqueued, us(36));
  EXPECT_EQ(outcome.blocked, Duration{});  // no device held them
  EXPECT_FALSE(outcome.stuck);
}

TEST(Simulate, FactorsStretchQueuesAndFrontends) {
  ProgramBuilder b;
  b.op({.duration_us = 10, .before_us = 4});
  const Outcome outcome = simulate(b.program(), {.queue_factors = {2}, .frontend_factors = {0.5}});
  EXPECT_EQ(outcome.length, us(22));
}

// The first step takes 40 us, the others 10 us. Each has a block, dropped at its end.
TEST(Simulate, TheSettledFiguresLeaveOutTheFirstQuarterOfTheSteps) {
  ProgramBuilder b;
  for (int step = 0; step < 4; ++step) {
    b.event(Action::kBeginStep);
    const OpIndex op =
        b.op({.duration_us = step == 0 ? 40 : 10, .bytes = step == 0 ? 1000 : 100, .before_us = 0});
    b.event(Action::kBarrier, op);
    b.drop(op);
    b.event(Action::kEndStep);
  }
  b.program().settings.barrier = *parse_barrier("wait_to_read");
  b.program().waits = {};
  const Outcome outcome = simulate(b.program());
  EXPECT_THAT(outcome.step_ends, ElementsAre(us(40), us(50), us(60), us(70)));
  EXPECT_DOUBLE_EQ(outcome.settled_steps_per_s, 100'000);
  EXPECT_EQ(outcome.settled_peak_bytes, 100);
  EXPECT_EQ(outcome.peak_bytes[0], 1000);
}

TEST(Simulate, AnOpThatEndedBeforeIsNotRun) {
  ProgramBuilder b;
  const OpIndex first = b.op({.duration_us = 50, .bytes = 100});
  b.op({.duration_us = 10, .after = {first}, .bytes = 100});
  b.event(Action::kWaitOp, first);
  b.program().done = {first};
  const Outcome outcome = simulate(b.program());
  EXPECT_EQ(outcome.length, us(12));
  EXPECT_EQ(outcome.ops_run, 1);
  EXPECT_EQ(outcome.peak_bytes[0], 100);
}

}  // namespace
}  // namespace runahead::predict
