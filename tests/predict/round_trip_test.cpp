// A random program is simulated, and its timeline is written as a recording. The program that is read from
// this recording does the same as the first one: unchanged, and with every other policy. So what
// read_program() reads does not depend on the policy under which the run was recorded.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "instrumentation/predict/op_reader.h"
#include "instrumentation/predict/prediction.h"
#include "instrumentation/predict/timeline/predicted_trace.h"
#include "tests/predict/program_builder.h"
#include "tests/support/random.h"

namespace runahead::predict {
namespace {

// Steps of a few ops on two queues, with blocks that the program drops in the step or in the next one. All
// times differ, so that the order of events does not depend on ties.
Program random_program(std::uint64_t seed) {
  testing::Random random(seed);
  const auto up_to = [&](std::int64_t most) { return random.integer(0, most); };
  ProgramBuilder b({1, 1 + static_cast<int>(up_to(1))});
  std::vector<OpIndex> earlier, to_drop;
  const std::int64_t steps = 2 + up_to(8);
  for (std::int64_t step = 0; step < steps; ++step) {
    b.event(Action::kBeginStep, kNone, 1 + up_to(20));
    std::vector<OpIndex> dropped_later;
    const std::int64_t ops = 1 + up_to(5);
    for (std::int64_t i = 0; i < ops; ++i) {
      ProgramBuilder::NewOp op{.duration_us = 10 + up_to(90),
                               .queue = static_cast<QueueIndex>(up_to(1)),
                               .bytes = 1 + up_to(1000),
                               .before_us = 1 + up_to(10)};
      for (int k = 0; k < 2 && !earlier.empty(); ++k)
        op.after.push_back(
            earlier[static_cast<std::size_t>(up_to(static_cast<std::int64_t>(earlier.size()) - 1))]);
      if (op.after.size() == 2 && op.after[0] == op.after[1]) op.after.pop_back();
      std::ranges::sort(op.after);
      const OpIndex made = b.op(op);
      earlier.push_back(made);
      (up_to(1) == 0 ? to_drop : dropped_later).push_back(made);
    }
    b.event(Action::kBarrier, earlier.back(), 1);
    for (const OpIndex op : to_drop) b.drop(op);
    to_drop = dropped_later;
    b.event(Action::kEndStep, kNone, 1);
    if (earlier.size() > 8) earlier.erase(earlier.begin(), earlier.end() - 8);
  }
  for (Op& op : b.program().ops) op.duration += Duration(random.integer(1, 999));
  // A stream of a real device would have other delays where a run has no example.
  for (Queue& queue : b.program().queues) queue.simulated = true;
  // What the reader takes for waits of which a run has no example.
  b.program().waits = {.wake_up = kUsualWakeUps, .read_back = kUsualReadBack};
  return b.program();
}

const char* const kPolicies[] = {"none",     "wait_to_read", "waitall",   "window:1",
                                 "window:3", "ops:4",        "bytes:1500"};

class RoundTrip : public ::testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, ARecordedPredictionPredictsTheSameAsTheProgram) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Program program = random_program(seed);
    program.settings.barrier = *parse_barrier(GetParam());
    const Outcome outcome = simulate(program, {.keep_times = true});
    ASSERT_FALSE(outcome.stuck);
    const trace::Trace recorded = predicted_trace(program, outcome, nullptr, "");
    const Result<Replay> replay = Replay::of(recorded);
    ASSERT_TRUE(replay.ok()) << replay.error().message;
    EXPECT_EQ(replay->replayed().length, outcome.length);
    EXPECT_EQ(replay->replayed().steps, outcome.steps);
    EXPECT_EQ(replay->replayed().blocked, outcome.blocked);
    EXPECT_EQ(replay->replayed().max_ops, outcome.max_ops);
    EXPECT_EQ(replay->replayed().peak_bytes, outcome.peak_bytes);
    EXPECT_EQ(replay->run().measured.length, outcome.length);
    EXPECT_EQ(replay->run().measured.blocked, outcome.blocked);
    EXPECT_EQ(replay->drift(), 0);
    for (const char* policy : kPolicies) {
      SCOPED_TRACE(policy);
      Program changed = program;
      changed.settings.barrier = *parse_barrier(policy);
      const Outcome truth = simulate(changed);
      const Result<Prediction> prediction = replay->predict({{"barrier", policy}});
      ASSERT_TRUE(prediction.ok());
      EXPECT_EQ(prediction->outcome.length, truth.length);
      EXPECT_EQ(prediction->outcome.blocked, truth.blocked);
      EXPECT_EQ(prediction->outcome.peak_bytes, truth.peak_bytes);
      EXPECT_EQ(prediction->outcome.max_steps, truth.max_steps);
      EXPECT_EQ(prediction->outcome.max_bytes, truth.max_bytes);
    }
  }
}

// Where the limit of a barrier held the frontend, it went on after another time each time. Medians of these
// times would make the replay shorter than the run.
TEST(RoundTripOfHolds, EachHoldKeepsWhatItCost) {
  for (const char* policy : {"ops:3", "bytes:1500", "window:2"}) {
    SCOPED_TRACE(policy);
    Program program = random_program(7);
    program.settings.barrier = *parse_barrier(policy);
    std::int64_t number = 0;
    for (Event& event : program.frontends[0].events) {
      if (event.action != Action::kEnqueue && event.action != Action::kBeginStep) continue;
      event.blocked = Idle::kShort;
      event.held_cost = Duration(++number % 4 == 0 ? 400'001 : 2'003);
    }
    const Outcome outcome = simulate(program, {.keep_times = true});
    const trace::Trace recorded = predicted_trace(program, outcome, nullptr, "");
    const Result<Replay> replay = Replay::of(recorded);
    ASSERT_TRUE(replay.ok()) << replay.error().message;
    EXPECT_EQ(replay->replayed().length, outcome.length);
    EXPECT_EQ(replay->drift(), 0);
  }
}

// The memory of an op is allocated when it begins. The program may drop it before. The recording says when,
// so other policies are predicted exactly, too.
TEST(RoundTripOfDrops, AnArrayThatIsDroppedBeforeItIsAllocatedIsReplayed) {
  int early = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Program program = random_program(seed);
    program.settings.allocates_at_execution = true;
    const Outcome outcome = simulate(program, {.keep_times = true});
    for (const BlockTimes& block : outcome.timeline.blocks) early += block.dropped < block.begin ? 1 : 0;
    const Result<Replay> replay = Replay::of(predicted_trace(program, outcome, nullptr, ""));
    ASSERT_TRUE(replay.ok()) << replay.error().message;
    EXPECT_EQ(replay->replayed().peak_bytes, outcome.peak_bytes);
    EXPECT_EQ(replay->run().measured.peak_bytes, outcome.total_peak_bytes());
    for (const char* policy : kPolicies) {
      SCOPED_TRACE(policy);
      Program changed = program;
      changed.settings.barrier = *parse_barrier(policy);
      const Result<Prediction> prediction = replay->predict({{"barrier", policy}});
      ASSERT_TRUE(prediction.ok());
      EXPECT_EQ(prediction->outcome.peak_bytes, simulate(changed).peak_bytes);
    }
  }
  EXPECT_GT(early, 0);
}

// Where the engine learned late of the end of an op, the barrier held the frontend although few enough ops
// were in flight by the times of the recording.
TEST(RoundTripOfHolds, TheReplayLearnsAsLateAsTheRun) {
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Program program = random_program(seed);
    program.settings.barrier = *parse_barrier("ops:1");
    for (OpIndex op = 0; op < program.ops.size(); ++op)
      program.ops[op].learn_delay = Duration(op % 3 * 8'001);
    const Outcome outcome = simulate(program, {.keep_times = true});
    const Result<Replay> replay = Replay::of(predicted_trace(program, outcome, nullptr, ""));
    ASSERT_TRUE(replay.ok()) << replay.error().message;
    EXPECT_EQ(replay->replayed().length, outcome.length);
    for (const Op& op : replay->run().program.ops) late += op.learn_delay > Duration{} ? 1 : 0;
  }
  EXPECT_GT(late, 0);
}

// An op that was late while the frontend ran is late again if the frontend runs, and not if it waits.
TEST(RoundTripOfLateOps, AnOpIsLateOnlyBesideAFrontendThatRuns) {
  constexpr Duration kLate = std::chrono::milliseconds(2);
  ProgramBuilder b;
  for (int i = 0; i < 40; ++i) {
    b.event(Action::kBeginStep);
    const OpIndex op = b.op({.duration_us = 20, .before_us = 100});
    b.event(Action::kBarrier, op, 1);
    b.event(Action::kEndStep);
  }
  Program& program = b.program();
  for (Queue& queue : program.queues) queue.simulated = true;
  program.waits = {.wake_up = kUsualWakeUps, .read_back = kUsualReadBack};
  const auto length_with = [&](const char* policy) {
    Program changed = program;
    changed.settings.barrier = *parse_barrier(policy);
    return simulate(changed).length;
  };
  const Duration in_time = length_with("none"), waits = length_with("waitall");
  // When op 39 ends, the frontend has ended.
  for (const OpIndex op : {3, 17, 39}) program.ops[op].lateness = kLate;
  EXPECT_EQ(length_with("waitall"), waits);
  EXPECT_GT(length_with("none"), in_time);
  program.settings.barrier = *parse_barrier("none");
  const Outcome outcome = simulate(program, {.keep_times = true});
  EXPECT_EQ(outcome.timeline.ops[3].late, true);
  EXPECT_EQ(outcome.timeline.ops[4].late, false);
  const trace::Trace recorded = predicted_trace(program, outcome, nullptr, "");
  const Result<Replay> replay = Replay::of(recorded);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_EQ(replay->replayed().length, outcome.length);
  EXPECT_EQ(replay->run().program.ops[3].lateness, kLate);
  EXPECT_EQ(replay->run().program.ops[4].lateness, Duration{});
  const Result<Prediction> waiting = replay->predict({{"barrier", "waitall"}});
  ASSERT_TRUE(waiting.ok());
  EXPECT_EQ(waiting->outcome.length, waits);
}

INSTANTIATE_TEST_SUITE_P(EachPolicy, RoundTrip, ::testing::ValuesIn(kPolicies));

}  // namespace
}  // namespace runahead::predict
