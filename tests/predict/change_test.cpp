// Changes of programs, with outcomes that can be worked out by hand.
#include "instrumentation/predict/changes/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/predict/simulation/simulate.h"
#include "tests/predict/program_builder.h"

namespace runahead::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Duration at_us(std::int64_t count) { return ProgramBuilder::us(count); }

// Applies the changes in the order of a prediction. Returns the refusal; empty: none.
std::string apply_all(Program& program, const std::vector<std::string_view>& texts) {
  std::vector<Change> changes;
  for (const std::string_view text : texts) changes.push_back(parse_change(text).value());
  for (const Change& change : in_order(changes)) {
    if (const Status status = apply(change, trace::Trace(), program); !status) return status.error().message;
  }
  return "";
}

Outcome outcome_with(Program program, const std::vector<std::string_view>& texts) {
  EXPECT_EQ(apply_all(program, texts), "");
  const Outcome outcome = simulate(program, {.keep_times = true});
  EXPECT_FALSE(outcome.stuck);
  return outcome;
}

std::vector<Duration> starts(const Outcome& outcome) {
  std::vector<Duration> out;
  for (const OpTimes& op : outcome.timeline.ops) out.push_back(op.started);
  return out;
}

// ---- graph=1 ----------------------------------------------------------------------------------------------

// Makes programs as read_execution() does: an op follows the one before on its queue.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::size_t frontends = 1) : builder({1, 1}, frontends) {
    Settings& settings = builder.program().settings;
    settings.of_graph = true;
    settings.limit_ops = settings.limit_bytes = 0;
  }
  void begin_step() { builder.event(Action::kBeginStep, launched()); }
  void end_step(std::int64_t before_us = 0) { builder.event(Action::kEndStep, launched(), before_us); }
  // A kernel of 4 us, which begins 5 us after its launch, and 3 us after the kernel before it on its queue.
  OpIndex launch(std::int64_t before_us, QueueIndex queue = 0, std::size_t frontend = 0) {
    std::vector<OpIndex> after;
    for (OpIndex op = 0; op < launched(); ++op) {
      if (builder.program().ops[op].queue == queue) after = {op};
    }
    const OpIndex op = builder.op(
        {.duration_us = 4, .after = after, .queue = queue, .before_us = before_us, .frontend = frontend});
    builder.program().ops[op].enqueue_delay = at_us(5);
    builder.program().ops[op].ready_delay = at_us(3);
    return op;
  }
  // A wait for an op, by a call at a place.
  void wait(OpIndex op, std::string call, std::size_t frontend = 0) {
    Program& program = builder.program();
    program.wait_sets.items.push_back(op);
    program.wait_sets.first.push_back(static_cast<std::uint32_t>(program.wait_sets.items.size()));
    program.recorded_waits.push_back(
        {.place = static_cast<std::uint32_t>(program.sync_places.size()), .role = causes::call_role(call)});
    program.sync_places.push_back({std::move(call), "aten::item"});
    builder.event(Action::kWaitSet, static_cast<std::uint32_t>(program.wait_sets.count() - 1), 0, frontend);
  }
  void signal(std::uint32_t number, std::size_t frontend) {
    builder.program().signals = std::max(builder.program().signals, number + 1);
    builder.event(Action::kSignal, number, 0, frontend);
  }
  void await(std::uint32_t number, std::size_t frontend) {
    builder.event(Action::kAwait, number, 0, frontend);
  }
  [[nodiscard]] OpIndex launched() { return static_cast<OpIndex>(builder.program().ops.size()); }
  [[nodiscard]] Program& program() { return builder.program(); }

  ProgramBuilder builder;
};

// Two steps of three kernels. The thread needs 10 us before each launch, and 2 us after the last.
TEST(GraphChange, AStepIsLaunchedAtOnce) {
  GraphBuilder b;
  for (int step = 0; step < 2; ++step) {
    b.begin_step();
    for (int i = 0; i < 3; ++i) b.launch(10);
    b.end_step(2);
  }
  EXPECT_THAT(starts(simulate(b.program(), {.keep_times = true})),
              ElementsAre(at_us(15), at_us(25), at_us(35), at_us(47), at_us(57), at_us(67)));
  const Outcome graph = outcome_with(b.program(), {"graph=1"});
  // Launched at 10 and 22. The kernels follow each other after 1 us, instead of 3 us.
  EXPECT_THAT(starts(graph), ElementsAre(at_us(15), at_us(20), at_us(25), at_us(32), at_us(37), at_us(42)));
  EXPECT_EQ(graph.length, at_us(46));
  EXPECT_EQ(graph.steps, 2);
  EXPECT_EQ(graph.timeline.events[0].back().end, at_us(24));
}

TEST(GraphChange, TheGapIsTheMedianOfTheRunIfThatIsSmaller) {
  GraphBuilder b;
  b.begin_step();
  for (int i = 0; i < 3; ++i) b.launch(10);
  b.end_step();
  for (Op& op : b.program().ops) op.ready_delay = Duration(200);
  EXPECT_THAT(starts(outcome_with(b.program(), {"graph=1"})),
              ElementsAre(at_us(15), at_us(19) + Duration(200), at_us(23) + Duration(400)));
}

TEST(GraphChange, AllStreamsBeginAfterTheLaunch) {
  GraphBuilder b;
  b.begin_step();
  b.launch(10, 0);
  b.launch(10, 1);
  b.launch(10, 0);
  b.end_step();
  EXPECT_THAT(starts(outcome_with(b.program(), {"graph=1"})), ElementsAre(at_us(15), at_us(15), at_us(20)));
}

// The backward pass has a thread of its own, for which the first thread waits.
TEST(GraphChange, LaunchesOfSeveralThreadsAreOneGraph) {
  GraphBuilder b(2);
  b.begin_step();
  b.launch(10);
  b.signal(0, 0);
  b.await(0, 1);
  b.launch(7, 0, 1);
  b.launch(10, 0, 1);
  b.signal(1, 1);
  b.await(1, 0);
  b.launch(10);
  b.end_step(2);
  b.wait(3, "cudaDeviceSynchronize");
  EXPECT_THAT(starts(simulate(b.program(), {.keep_times = true})),
              ElementsAre(at_us(15), at_us(22), at_us(32), at_us(42)));
  const Outcome graph = outcome_with(b.program(), {"graph=1"});
  EXPECT_THAT(starts(graph), ElementsAre(at_us(15), at_us(20), at_us(25), at_us(30)));
  // The second thread still needs 7 us until its first launch.
  EXPECT_EQ(graph.timeline.events[0].back().end, at_us(34));
}

TEST(GraphChange, AWaitBetweenTwoLaunchesIsRefused) {
  GraphBuilder b;
  b.begin_step();
  b.launch(10);
  b.wait(0, "cudaStreamSynchronize");
  b.launch(10);
  b.end_step();
  EXPECT_THAT(apply_all(b.program(), {"graph=1"}), HasSubstr("'sync:cudaStreamSynchronize@aten::item=drop'"));
  // in any order
  const Outcome outcome =
      outcome_with(b.program(), {"graph=1", "sync:cudaStreamSynchronize@aten::item=drop"});
  EXPECT_THAT(starts(outcome), ElementsAre(at_us(15), at_us(20)));
}

TEST(GraphChange, AWaitBeforeOrAfterTheLaunchesOfAStepStays) {
  GraphBuilder b;
  OpIndex last = kNone;
  for (int step = 0; step < 2; ++step) {
    b.begin_step();
    if (step > 0) b.wait(last, "cudaEventSynchronize");
    b.launch(10);
    last = b.launch(10);
    b.wait(last, "cudaStreamSynchronize");
    b.end_step();
  }
  // Launched at 10, ended at 24; launched again at 34.
  EXPECT_THAT(starts(outcome_with(b.program(), {"graph=1"})),
              ElementsAre(at_us(15), at_us(20), at_us(39), at_us(44)));
}

// The second thread has not been awaited: the wait comes before its launches are known to be over.
TEST(GraphChange, AWaitDuringTheLaunchesOfAnotherThreadIsRefused) {
  GraphBuilder b(2);
  b.begin_step();
  b.launch(10);
  b.signal(0, 0);
  b.await(0, 1);
  b.launch(10, 0, 1);
  b.wait(0, "cudaStreamSynchronize");
  b.end_step();
  EXPECT_THAT(apply_all(b.program(), {"graph=1"}), HasSubstr("cudaStreamSynchronize@aten::item"));
}

// The queue was full. A graph is one launch.
TEST(GraphChange, ALaunchThatWaitedForAPlaceDoesNotWait) {
  GraphBuilder b;
  b.begin_step();
  b.launch(10);
  b.wait(0, "cudaLaunchKernel");
  b.launch(10);
  b.end_step();
  const Outcome outcome = outcome_with(b.program(), {"graph=1"});
  EXPECT_THAT(starts(outcome), ElementsAre(at_us(15), at_us(20)));
  EXPECT_EQ(outcome.blocked, Duration{});
}

TEST(GraphChange, WhatIsNoGraphIsRefused) {
  GraphBuilder one;
  one.begin_step();
  one.launch(10);
  one.end_step();
  EXPECT_THAT(apply_all(one.program(), {"graph=1"}), HasSubstr("no step launches more than one"));
  EXPECT_THAT(apply_all(one.program(), {"graph=2"}), HasSubstr("must be 1"));
  EXPECT_THAT(apply_all(one.program(), {"graph=1", "barrier=ops:2"}), HasSubstr("one launch"));
  GraphBuilder elsewhere;
  elsewhere.begin_step();
  elsewhere.launch(10);
  elsewhere.launch(10);
  elsewhere.end_step();
  elsewhere.program().frontends[0].name = "launched elsewhere";
  EXPECT_THAT(apply_all(elsewhere.program(), {"graph=1"}), HasSubstr("does not say when"));
  ProgramBuilder engine;
  engine.op({});
  EXPECT_THAT(apply_all(engine.program(), {"graph=1"}), HasSubstr("another tool"));
}

// ---- bulk=N -----------------------------------------------------------------------------------------------

// A chain of five ops of 10 us in a step, each of which starts 2 us after it is ready. The thread needs 1 us
// before each enqueue. Each op writes a block of 100 bytes, which the thread drops at once.
ProgramBuilder chain_of_five() {
  ProgramBuilder b;
  b.event(Action::kBeginStep);
  OpIndex last = kNone;
  for (int i = 0; i < 5; ++i) {
    const std::vector<OpIndex> after = last == kNone ? std::vector<OpIndex>{} : std::vector{last};
    const OpIndex op = b.op({.duration_us = 10, .after = after, .bytes = 100});
    b.program().ops[op].start_delay = at_us(2);
    if (last != kNone) b.drop(last);
    last = op;
  }
  b.event(Action::kEndStep);
  b.program().queues[0].start_delays.median.fill(at_us(2));
  return b;
}

TEST(BulkChange, SuccessiveOpsAreOne) {
  EXPECT_EQ(simulate(chain_of_five().program()).length, at_us(1 + 5 * 12));
  const Outcome two = outcome_with(chain_of_five().program(), {"bulk=2"});
  // enqueued at 2 and 4; the end of the step closes the third bulk, with one member, at 5
  EXPECT_THAT(starts(two), ElementsAre(at_us(4), at_us(26), at_us(48)));
  EXPECT_EQ(two.length, at_us(58));
  EXPECT_EQ(two.max_ops, 3);
  EXPECT_EQ(two.max_bytes, 500);
  EXPECT_EQ(two.steps, 1);
  const Outcome all = outcome_with(chain_of_five().program(), {"bulk=100"});
  EXPECT_THAT(starts(all), ElementsAre(at_us(7)));
  EXPECT_EQ(all.length, at_us(57));
  EXPECT_EQ(all.total_peak_bytes(), 500);
}

// Each op uses its block and that of the op before. So two blocks are live at a time.
TEST(BulkChange, AMemberAllocatesWhenItBegins) {
  Program program = chain_of_five().program();
  program.settings.allocates_at_execution = true;
  EXPECT_EQ(simulate(program).total_peak_bytes(), 200);
  const Outcome all = outcome_with(program, {"bulk=100"});
  EXPECT_EQ(all.total_peak_bytes(), 200);
  const BlockTimes& second = all.timeline.blocks[1];
  EXPECT_EQ(second.begin, at_us(17));  // the bulk begins at 7
  EXPECT_EQ(second.end, at_us(37));    // with the third member
}

TEST(BulkChange, AWaitClosesABulkAndWaitsForAllOfIt) {
  ProgramBuilder b;
  const OpIndex first = b.op({.duration_us = 10});
  b.op({.duration_us = 10});
  b.event(Action::kWaitOp, first);
  b.op({.duration_us = 10});
  const Outcome outcome = outcome_with(b.program(), {"bulk=4"});
  EXPECT_EQ(outcome.timeline.events[0][3].end, at_us(22));  // after two joins and the enqueue
  EXPECT_EQ(outcome.length, at_us(33));
  EXPECT_EQ(outcome.blocked, at_us(20));
}

// What depends on a member waits for all members, and a bulk for all that its members depend on.
TEST(BulkChange, ABulkHasTheDependenciesOfItsMembers) {
  ProgramBuilder b({1, 1});
  b.program().queues[0].name = "virtual:0 compute";
  b.program().queues[1].name = "virtual:0 copy to host";
  for (Queue& queue : b.program().queues) queue.device = "virtual:0";
  const OpIndex copy = b.op({.duration_us = 20, .queue = 1});
  const OpIndex free = b.op({.duration_us = 10});
  b.op({.duration_us = 10, .after = {copy}});
  b.op({.duration_us = 5, .after = {free}, .queue = 1});
  b.op({.duration_us = 5, .queue = 1});
  const Outcome outcome = outcome_with(b.program(), {"bulk=4"});
  // the copies are alone; the bulk begins when the first copy has ended
  EXPECT_THAT(starts(outcome), ElementsAre(at_us(1), at_us(21), at_us(41), at_us(21)));
}

TEST(BulkChange, WhatHasNoBulksIsRefused) {
  ProgramBuilder waits;
  for (int i = 0; i < 3; ++i) waits.event(Action::kWaitOp, waits.op({}));
  EXPECT_THAT(apply_all(waits.program(), {"bulk=8"}), HasSubstr("no two ops"));
  EXPECT_THAT(apply_all(waits.program(), {"bulk=1"}), HasSubstr("above 1"));
  ProgramBuilder simulated = chain_of_five();
  simulated.program().queues[0].simulated = true;
  EXPECT_THAT(apply_all(simulated.program(), {"bulk=8"}), HasSubstr("simulated device"));
  ProgramBuilder two({1}, 2);
  two.op({});
  two.op({.frontend = 1});
  EXPECT_THAT(apply_all(two.program(), {"bulk=8"}), HasSubstr("several threads"));
  EXPECT_THAT(apply_all(GraphBuilder().program(), {"bulk=8"}), HasSubstr("our engine"));
}

// ---- streams=N, device=+N ---------------------------------------------------------------------------------

// Four independent ops of 10 us on a stream that computes, each followed by a copy of 10 us.
ProgramBuilder four_with_copies() {
  ProgramBuilder b({1, 1});
  b.program().queues[0].name = "virtual:0 compute";
  b.program().queues[1].name = "virtual:0 copy to host";
  for (Queue& queue : b.program().queues) queue.device = "virtual:0";
  for (int i = 0; i < 4; ++i) {
    const OpIndex op = b.op({.duration_us = 10, .before_us = 0});
    b.op({.duration_us = 10, .after = {op}, .queue = 1, .before_us = 0});
  }
  return b;
}

TEST(DeviceChange, OpsAreSpreadOverStreams) {
  EXPECT_EQ(simulate(four_with_copies().program()).length, at_us(50));
  // the copies still follow each other
  EXPECT_EQ(outcome_with(four_with_copies().program(), {"streams=2"}).length, at_us(50));
  Program program = four_with_copies().program();
  for (OpIndex op = 1; op < program.ops.size(); op += 2) program.ops[op].duration = at_us(1);
  EXPECT_EQ(simulate(program).length, at_us(41));
  EXPECT_EQ(outcome_with(program, {"streams=2"}).length, at_us(22));
  EXPECT_EQ(outcome_with(program, {"streams=4"}).length, at_us(14));
}

TEST(DeviceChange, AnotherDeviceHasStreamsForCopiesToo) {
  EXPECT_EQ(outcome_with(four_with_copies().program(), {"device=+1"}).length, at_us(30));
  EXPECT_EQ(outcome_with(four_with_copies().program(), {"device=+3"}).length, at_us(20));
}

TEST(DeviceChange, DependentOpsGainNothing) {
  ProgramBuilder b = chain_of_five();
  const Duration length = simulate(b.program()).length;
  EXPECT_EQ(outcome_with(b.program(), {"streams=8"}).length, length);
  EXPECT_EQ(outcome_with(b.program(), {"device=+7"}).length, length);
}

TEST(DeviceChange, AnUpperBoundSaysSo) {
  Program program = four_with_copies().program();
  EXPECT_EQ(apply_all(program, {"streams=2", "device=+1"}), "");
  ASSERT_EQ(program.notes.size(), 2U);
  EXPECT_THAT(program.notes[0], HasSubstr("upper bound"));
  EXPECT_THAT(program.notes[1], HasSubstr("upper bound"));
}

TEST(DeviceChange, WhatHasNoStreamsIsRefused) {
  ProgramBuilder cpu;
  cpu.op({});
  cpu.program().queues[0].workers = true;
  EXPECT_THAT(apply_all(cpu.program(), {"streams=2"}), HasSubstr("no device of the run has streams"));
  EXPECT_THAT(apply_all(cpu.program(), {"device=+1"}), HasSubstr("no device of the run has streams"));
  EXPECT_THAT(apply_all(GraphBuilder().program(), {"streams=2"}), HasSubstr("depend on each other"));
  Program program = four_with_copies().program();
  EXPECT_THAT(apply_all(program, {"streams=0"}), HasSubstr("from 1 to 64"));
  EXPECT_THAT(apply_all(program, {"device=1"}), HasSubstr("+1, +2"));
  EXPECT_THAT(apply_all(program, {"device=+60", "device=+60", "device=+60"}), HasSubstr("in all"));
}

// ---- loading=ahead ----------------------------------------------------------------------------------------

// Steps in which the thread loads for `load_us`, then enqueues an op of 10 us, and waits for it.
Program with_loading(std::int64_t load_us, int steps) {
  ProgramBuilder b;
  for (int step = 0; step < steps; ++step) {
    b.event(Action::kBeginStep);
    const OpIndex op = b.op({.duration_us = 10, .before_us = load_us + 2});
    b.program().frontends[0].events.back().load = at_us(load_us);
    b.event(Action::kWaitOp, op);
    b.event(Action::kEndStep);
  }
  return b.program();
}

TEST(LoadingChange, TheNextBatchIsLoadedDuringTheStep) {
  EXPECT_EQ(simulate(with_loading(6, 4)).length, at_us(4 * 18));
  // The first batch is awaited. The others are ready when their steps begin.
  const Outcome ahead = outcome_with(with_loading(6, 4), {"loading=ahead"});
  EXPECT_EQ(ahead.length, at_us(6 + 4 * 12));
  EXPECT_EQ(ahead.blocked, at_us(4 * 10));
  EXPECT_EQ(ahead.steps, 4);
}

TEST(LoadingChange, ASlowLoaderLimitsTheRate) {
  // A batch is ready every 30 us.
  EXPECT_EQ(outcome_with(with_loading(30, 4), {"loading=ahead"}).length, at_us(4 * 30 + 12));
  EXPECT_EQ(outcome_with(with_loading(30, 4), {"loading=ahead", "frontend=0.5"}).length, at_us(4 * 15 + 11));
}

// It does not load a batch before the one before was taken: when step 1 begins late, batch 2 is late too.
TEST(LoadingChange, ItLoadsOneStepAhead) {
  Program program = with_loading(30, 3);
  program.ops[0].duration = at_us(100);
  // The batches are taken at 30, 132 and 162.
  EXPECT_EQ(outcome_with(program, {"loading=ahead"}).length, at_us(30 + 102 + 30 + 12));
}

TEST(LoadingChange, WhatLoadsNothingIsRefused) {
  Program program = with_loading(0, 3), once = with_loading(5, 1);
  EXPECT_THAT(apply_all(program, {"loading=ahead"}), HasSubstr("no thread of the run loads data"));
  EXPECT_THAT(apply_all(once, {"loading=ahead"}), HasSubstr("no thread of the run loads data"));
  EXPECT_THAT(apply_all(program, {"loading=now"}), HasSubstr("must be ahead"));
}

}  // namespace
}  // namespace runahead::predict
