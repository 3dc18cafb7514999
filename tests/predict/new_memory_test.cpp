// New memory: which blocks of a recording are new, what time they took, and which blocks a simulated pool
// takes from the system.
#include "instrumentation/predict/new_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "instrumentation/predict/prediction.h"
#include "instrumentation/predict/read_program.h"
#include "instrumentation/predict/simulation/simulate.h"
#include "tests/predict/program_builder.h"
#include "tests/support/trace_builder.h"

namespace runahead::predict {
namespace {

using namespace runahead::testing;
using ::testing::Each;
using trace::CounterRole;
using trace::SliceKind;
using trace::TrackKind;
using trace::Unit;

constexpr std::int64_t kBlockBytes = (4 << 20) - 100, kClassBytes = 4 << 20;

struct StepOfRun {
  bool is_new = false;
  Duration time;
};

// Steps of one op on a worker, 200 us each. Each op writes a block, which is free when the op has ended.
trace::Trace recorded_steps(const std::vector<StepOfRun>& steps, double reserved_before = 0) {
  TraceBuilder builder;
  builder.counter("live cpu", CounterRole::kLiveBytes, Unit::kBytes).device("cpu", false);
  builder.counter("reserved cpu", CounterRole::kReservedBytes, Unit::kBytes).device("cpu", false);
  builder.track("main", TrackKind::kFrontend).track("cpu 0", TrackKind::kWorker);
  double reserved = reserved_before;
  builder.on("reserved cpu").sample(0_us, reserved);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Duration at = 200_us * static_cast<std::int64_t>(i) + 10_us, end = at + 5_us + steps[i].time;
    const auto id = static_cast<OpId>(i + 1);
    builder.on("main").slice("step", at, 9_us, SliceKind::kStep);
    builder.slice("fill", at + 2_us, 2_us, SliceKind::kEnqueue, id);
    builder.on("cpu 0").slice("fill", at + 5_us, steps[i].time, SliceKind::kExecute, id);
    builder.op(id, "fill", {at + 3_us, at + 3_us, at + 5_us, end},
               {.step = static_cast<std::int64_t>(i),
                .output_bytes = kBlockBytes,
                .enqueue_track = "main",
                .execute_track = "cpu 0"});
    builder.on("live cpu").sample(at + 2_us, kBlockBytes).sample(end, 0);
    builder.allocation({.name = "fill", .op = id, .size_bytes = kBlockBytes}, at + 2_us, end);
    if (steps[i].is_new) reserved += kClassBytes;
    builder.on("reserved cpu").sample(at + 2_us, reserved);
  }
  return builder.build();
}

std::vector<StepOfRun> steps_of(std::size_t count, bool is_new, Duration time) {
  return std::vector<StepOfRun>(count, StepOfRun{is_new, time});
}

std::vector<StepOfRun> joined(std::vector<StepOfRun> first, const std::vector<StepOfRun>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

TEST(NewMemory, HasTheSizeClassesOfTheEngine) {
  EXPECT_EQ(pool_class_bytes(0), 64);
  EXPECT_EQ(pool_class_bytes(65), 128);
  EXPECT_EQ(pool_class_bytes(1025), 1152);
  EXPECT_EQ(pool_class_bytes(440'320), 458'752);
  EXPECT_EQ(pool_class_bytes(kBlockBytes), kClassBytes);
}

TEST(NewMemory, IsFoundByTheReservedBytesAndTimedByOpsWithoutIt) {
  const auto run =
      read_program(recorded_steps(joined(steps_of(10, true, 130_us), steps_of(20, false, 100_us))));
  ASSERT_TRUE(run.ok()) << run.error().message;
  const Program& program = run->program;
  ASSERT_EQ(program.ops.size(), 30U);
  for (OpIndex i = 0; i < 30; ++i) {
    EXPECT_EQ(program.blocks[program.allocates.of(i).front()].is_new, i < 10) << i;
    EXPECT_EQ(program.ops[i].new_time, i < 10 ? 30_us : 0_us) << i;
  }
  ASSERT_EQ(program.pool_classes.size(), 1U);
  EXPECT_EQ(program.pool_classes[0].size_bytes, kClassBytes);
  EXPECT_FALSE(program.pool_classes[0].uses_spare);
  const double own = 10.0 * kBlockBytes;
  EXPECT_DOUBLE_EQ(program.queues[0].new_ns_per_byte,
                   (300'000 + kUsualNewNsPerByte * kUsualNewBytes) / (own + kUsualNewBytes));
}

// A page is larger than a block: one block of four has to wait for it.
TEST(NewMemory, OfLargePagesTakesTheTimeOfFewOps) {
  std::vector<StepOfRun> steps;
  for (int i = 0; i < 16; ++i) steps.push_back({true, i % 4 == 0 ? 190_us : 100_us + Duration(i)});
  for (int i = 0; i < 16; ++i) steps.push_back({false, 100_us + Duration(i)});
  const auto run = read_program(recorded_steps(steps));
  ASSERT_TRUE(run.ok()) << run.error().message;
  for (OpIndex i = 0; i < 16; ++i) {
    const Duration time = run->program.ops[i].new_time;
    if (i % 4 == 0) {
      EXPECT_GT(time, 89_us) << i;
    } else {
      EXPECT_LT(time, 1_us) << i;
    }
  }
}

TEST(NewMemory, TakesTheUsualTimeWithoutExamplesAndAtMostHalf) {
  const auto run = read_program(recorded_steps({{true, 120_us}, {true, 100_us}, {true, 101_us}}));
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->program.ops[0].new_time, 20_us) << "the fastest op needs 100 us";
  EXPECT_EQ(run->program.ops[1].new_time, 0_us);
  EXPECT_EQ(run->program.ops[2].new_time, 1_us);
  const auto slow = read_program(recorded_steps({{true, 180_us}, {true, 10_us}}));
  ASSERT_TRUE(slow.ok()) << slow.error().message;
  EXPECT_EQ(slow->program.ops[0].new_time, 90_us) << "half";
}

TEST(NewMemory, APoolThatHadMemoryLetsOtherOpsUseIt) {
  const auto run = read_program(recorded_steps(steps_of(20, false, 100_us), 5 * kClassBytes));
  ASSERT_TRUE(run.ok()) << run.error().message;
  const Program& program = run->program;
  ASSERT_EQ(program.pool_classes.size(), 1U);
  EXPECT_EQ(program.pool_classes[0].free_blocks, 1) << "one block, used again and again";
  EXPECT_TRUE(program.pool_classes[0].uses_spare);
  EXPECT_EQ(program.memories[0].spare_bytes, 4 * kClassBytes);
}

TEST(NewMemory, DoesNotChangeTheUnchangedReplay) {
  const trace::Trace trace = recorded_steps(joined(steps_of(10, true, 130_us), steps_of(20, false, 100_us)));
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_LT(replay->drift(), 0.0001);
  Program without = replay->run().program;
  without.pool_classes.clear();
  for (Block& block : without.blocks) block.pool_class = kNone;
  EXPECT_EQ(replay->replayed().length, simulate(without).length);
}

TEST(NewMemory, APartOfARunKnowsNoTimeForMoreOfIt) {
  const trace::Trace trace = recorded_steps(joined(steps_of(20, false, 100_us), steps_of(10, true, 130_us)));
  const auto run = read_program(trace, {.most_ops = 25});
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE(run->from_middle.has_value());
  const std::vector<Op>& ops = run->program.ops;
  EXPECT_EQ(ops.front().new_time, 0_us);
  EXPECT_EQ(ops.back().new_time, 30_us) << "less of it is possible";
  EXPECT_EQ(run->program.queues[0].new_ns_per_byte, 0);
  EXPECT_TRUE(run->from_middle->pool_classes.empty());
}

TEST(NewMemory, ADamagedCounterSaysNothingAboutThePool) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {kNan, -1e300, 1e300}) {
    trace::Trace trace = recorded_steps(steps_of(4, false, 100_us), value);
    const auto run = read_program(trace);
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_EQ(run->program.memories[0].spare_bytes, 0) << value;
  }
}

// ---- the simulation ---------------------------------------------------------------------------------------

constexpr std::int64_t kSteps = 6;

// Each step enqueues an op of 10 us, and 4 us more if its block is new, and drops the block at once.
Program small_blocks(std::int64_t new_blocks) {
  ProgramBuilder b;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    b.event(Action::kBeginStep);
    const OpIndex op =
        b.op({.duration_us = i < new_blocks ? 14 : 10, .bytes = 100, .before_us = i == 0 ? 0 : 1});
    b.drop(op);
    b.event(Action::kEndStep);
  }
  Program out = b.program();
  out.pool_classes.push_back({.size_bytes = 100});
  out.queues[0].new_ns_per_byte = 40;
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    out.blocks[i].pool_class = 0;
    out.blocks[i].is_new = i < new_blocks;
    if (i < new_blocks) out.ops[i].new_time = 4_us;
  }
  return out;
}

std::vector<Duration> times_of(Program program, const std::string& barrier) {
  program.settings.barrier = *parse_barrier(barrier);
  std::vector<Duration> out;
  for (const OpTimes& op : simulate(program, {.keep_times = true}).timeline.ops)
    out.push_back(op.ended - op.started);
  return out;
}

TEST(SimulatedPool, AProgramThatRunsFarAheadNeedsNewMemoryForEachBlock) {
  EXPECT_THAT(times_of(small_blocks(kSteps), "none"), Each(14_us)) << "as recorded";
  EXPECT_THAT(times_of(small_blocks(1), "none"), Each(14_us)) << "recorded with window:1";
}

TEST(SimulatedPool, AProgramThatWaitsUsesMemoryAgain) {
  const std::vector<Duration> expected{14_us, 10_us, 10_us, 10_us, 10_us, 10_us};
  EXPECT_EQ(times_of(small_blocks(1), "window:1"), expected) << "as recorded";
  EXPECT_EQ(times_of(small_blocks(kSteps), "window:1"), expected) << "recorded with none";
}

TEST(SimulatedPool, FreeAndSpareMemoryIsUsedBeforeTheSystemGivesMore) {
  Program program = small_blocks(0);
  program.pool_classes[0].free_blocks = 1;
  program.memories[0].spare_bytes = 250;
  const std::vector<Duration> expected{10_us, 10_us, 10_us, 14_us, 14_us, 14_us};
  EXPECT_EQ(times_of(program, "none"), expected);
  program.pool_classes[0].uses_spare = false;
  EXPECT_EQ(times_of(program, "none")[1], 14_us);
}

TEST(SimulatedPool, OpsThatAllocateWhenTheyBeginUseOneBlock) {
  Program program = small_blocks(kSteps);
  program.settings.allocates_at_execution = true;
  EXPECT_EQ(times_of(program, "none"), (std::vector<Duration>{14_us, 10_us, 10_us, 10_us, 10_us, 10_us}));
}

// One block is free, so the second output of the op is new, in the recording and in its replay.
TEST(SimulatedPool, TwoOutputsOfAnOpDoNotTakeTheSameBlock) {
  ProgramBuilder b;
  const OpIndex op = b.op({.duration_us = 14, .bytes = 100, .before_us = 0});
  Program program = b.program();
  program.blocks.push_back(program.blocks[0]);
  program.allocates.items.push_back(1);
  program.allocates.first.back() = 2;
  program.uses.items.push_back(1);
  program.uses.first.back() = 2;
  program.pool_classes.push_back({.size_bytes = 100, .free_blocks = 1, .uses_spare = false});
  for (Block& block : program.blocks) block.pool_class = 0;
  program.blocks[1].is_new = true;
  program.ops[op].new_time = 4_us;
  program.queues[0].new_ns_per_byte = 40;
  for (const bool at_execution : {false, true}) {
    program.settings.allocates_at_execution = at_execution;
    EXPECT_THAT(times_of(program, "none"), Each(14_us)) << at_execution;
  }
}

// The recorded order of a free and an allocation was another one: the third block was new, not the first.
TEST(SimulatedPool, NewMemoryOfAnotherOpTakesItsTimeAlong) {
  Program program = small_blocks(0);
  program.pool_classes[0].free_blocks = kSteps - 1;
  program.blocks[2].is_new = true;
  program.ops[2].duration = 19_us;
  program.ops[2].new_time = 9_us;
  EXPECT_EQ(times_of(program, "none"), (std::vector<Duration>{10_us, 10_us, 10_us, 10_us, 10_us, 19_us}));
}

TEST(SimulatedPool, BlocksOfOtherMemoryKeepTheirTime) {
  Program program = small_blocks(kSteps);
  program.pool_classes.clear();
  for (Block& block : program.blocks) block.pool_class = kNone;
  EXPECT_THAT(times_of(program, "window:1"), Each(14_us));
}

}  // namespace
}  // namespace runahead::predict
