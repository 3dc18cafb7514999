// The part of a run that read_program() reads with ReadOptions::most, and the forecasts from it. A program
// that repeats its steps is simulated and written as a recording. What is read from its last steps must agree
// with the run itself, and predict what the whole program does under other barriers once it has settled.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/predict/forecast.h"
#include "instrumentation/predict/middle_of_run.h"
#include "instrumentation/predict/op_reader.h"
#include "instrumentation/predict/prediction.h"
#include "instrumentation/predict/timeline/predicted_trace.h"
#include "tests/predict/program_builder.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::predict {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// One step of a program: ops on two queues. Each op depends on the op before it, or on the last op of the
// step before.
struct StepShape {
  struct Work {
    std::int64_t duration_us = 0, before_us = 0, bytes = 0;
    QueueIndex queue = 0;
    bool chained = true;  // depends on the op before
  };
  std::vector<Work> ops;
};

// Steps of `shapes`, over and over. The program drops the outputs of a step at the end of the next one.
class RepeatedSteps {
 public:
  explicit RepeatedSteps(std::vector<StepShape> shapes) : shapes_(std::move(shapes)), b_({1, 1}) {}

  // With `waits`, the program itself waits for each step, as wait_to_read does.
  void add(int steps, bool waits = false) {
    for (int i = 0; i < steps; ++i, ++begun_) add_step(shapes_[begun_ % shapes_.size()], waits);
  }
  [[nodiscard]] Program program(const std::string& barrier) {
    Program& out = b_.program();
    out.settings.barrier = *parse_barrier(barrier);
    out.waits = {.wake_up = kUsualWakeUps, .read_back = kUsualReadBack};
    for (Queue& queue : out.queues) queue.simulated = true;  // else the delays have other defaults
    return out;
  }

 private:
  void add_step(const StepShape& shape, bool waits) {
    b_.event(Action::kBeginStep, kNone, 2);
    std::vector<OpIndex> made;
    for (const StepShape::Work& work : shape.ops) {
      ProgramBuilder::NewOp op{.duration_us = work.duration_us,
                               .queue = work.queue,
                               .bytes = work.bytes,
                               .before_us = work.before_us};
      if (!made.empty() && work.chained) op.after.push_back(made.back());
      if (made.empty() && !last_.empty()) op.after.push_back(last_.back());
      made.push_back(b_.op(op));
    }
    b_.event(Action::kBarrier, made.back(), 1);
    if (waits) b_.event(Action::kWaitOp, made.back());
    for (const OpIndex op : last_) b_.drop(op);
    b_.event(Action::kEndStep, kNone, 1);
    last_ = std::move(made);
  }

  std::vector<StepShape> shapes_;
  ProgramBuilder b_;
  std::size_t begun_ = 0;
  std::vector<OpIndex> last_;  // of the step before
};

std::vector<StepShape> random_shapes(std::uint64_t seed) {
  testing::Random random(seed);
  std::vector<StepShape> out(3);
  // Seeds differ in who is slower: the frontend or the devices.
  const std::int64_t work = random.integer(5, 60), own = random.integer(2, 40);
  for (StepShape& shape : out) {
    for (std::int64_t ops = random.integer(2, 5); ops > 0; --ops)
      shape.ops.push_back({.duration_us = work + random.integer(0, 9),
                           .before_us = own + random.integer(0, 5),
                           .bytes = random.integer(1, 1000),
                           .queue = static_cast<QueueIndex>(random.integer(0, 1)),
                           .chained = random.chance(0.7)});
  }
  return out;
}

// A step of one op, for which the device takes `device` times as long as the frontend.
std::vector<StepShape> even_steps(std::int64_t device) {
  return {StepShape{{{.duration_us = 10 * device, .before_us = 6, .bytes = 1000}}}};
}

trace::Trace recording_of(const Program& program) {
  return predicted_trace(program, simulate(program, {.keep_times = true}), nullptr, "");
}

const char* const kBarriers[] = {"none",     "wait_to_read", "waitall",   "window:1",
                                 "window:3", "ops:4",        "bytes:1500"};

std::vector<BarrierPolicy> all_barriers() {
  std::vector<BarrierPolicy> out;
  for (const char* barrier : kBarriers) out.push_back(*parse_barrier(barrier));
  return out;
}

double error_of(double value, double truth) { return std::abs(value - truth) / truth; }

class PartOfARun : public ::testing::TestWithParam<const char*> {};

// With twice as many steps, the program needs more memory.
bool grows_slowly(RepeatedSteps steps, const char* barrier, const Outcome& outcome) {
  steps.add(300);
  const Outcome longer = simulate(steps.program(barrier));
  return static_cast<double>(longer.settled_peak_bytes) >
         1.02 * static_cast<double>(outcome.settled_peak_bytes);
}

// Two ops run on two workers when the part begins, and a third is ready. All three are in flight at once:
// nothing wakes a worker between them.
TEST(StartInMiddle, OpsInFlightWakeNobody) {
  ProgramBuilder b({2});
  std::vector<trace::OpRow> rows;
  const Timestamp at = timestamp_from_ns(1'000'000);
  for (const int begun_us : {40, -1, 30}) {
    const OpIndex op = b.op({.duration_us = 100, .before_us = 1});
    const Timestamp started = begun_us < 0 ? at + microseconds(60) : at - microseconds(begun_us);
    rows.push_back({.id = OpId{op},
                    .enqueued = at - microseconds(50),
                    .ready = at - microseconds(50),
                    .started = started,
                    .ended = started + microseconds(100)});
  }
  Program& program = b.program();
  program.queues[0].workers = true;
  program.queues[0].enqueue_wakes.median.fill(microseconds(8));
  std::vector<Frontend> frontends = program.frontends;
  for (Event& event : frontends[0].events) {
    event.before = Duration{};
    event.from = event.to = at - microseconds(50);
  }
  const Outcome outcome = simulate(start_in_middle(program, {at, rows, {}, frontends}), {.keep_times = true});
  EXPECT_EQ(outcome.timeline.ops[0].ended, microseconds(60));
  EXPECT_EQ(outcome.timeline.ops[2].ended, microseconds(70));
  EXPECT_EQ(outcome.timeline.ops[1].started, microseconds(60));
  EXPECT_EQ(outcome.timeline.events[0][2].begin, Duration{});
}

// 4 %: the part has other steps than the whole run, and its frontend begins without a backlog.
TEST_P(PartOfARun, ForecastsWhatTheProgramDoesOnceItHasSettled) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    RepeatedSteps steps(random_shapes(seed));
    steps.add(300);
    const Program program = steps.program(GetParam());
    const trace::Trace recorded = recording_of(program);
    const Duration third = recorded.extent().duration() / 3;
    const Result<Replay> replay = Replay::of(recorded, {.most = third});
    ASSERT_TRUE(replay.ok()) << replay.error().message;
    EXPECT_LE(replay->drift(), 0.01);
    const std::vector<PolicyForecast> forecasts = forecast(*replay, all_barriers());
    for (std::size_t i = 0; i < forecasts.size(); ++i) {
      SCOPED_TRACE(kBarriers[i]);
      const Outcome truth = simulate(steps.program(kBarriers[i]));
      EXPECT_LE(error_of(forecasts[i].steps_per_s, truth.settled_steps_per_s), 0.04);
      if (forecasts[i].grows || grows_slowly(steps, kBarriers[i], truth)) continue;
      EXPECT_LE(error_of(static_cast<double>(forecasts[i].peak_bytes),
                         static_cast<double>(truth.settled_peak_bytes)),
                0.04);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(EachBarrier, PartOfARun, ::testing::ValuesIn(kBarriers));

// The frontend is so far ahead that it performed the steps of the part before the part's time began.
TEST(PartOfARun, IsReadFarBehindTheFrontend) {
  RepeatedSteps steps(even_steps(20));
  steps.add(400);
  const trace::Trace recorded = recording_of(steps.program("none"));
  const Result<Replay> replay = Replay::of(recorded, {.most = milliseconds(10)});
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_EQ(replay->run().measured.steps, 50) << "of 200 us each";
  EXPECT_EQ(replay->drift(), 0);
  // Which ops of the part use a block of the step before it is not known.
  EXPECT_NEAR(static_cast<double>(replay->replayed().peak_bytes[0]),
              static_cast<double>(replay->run().measured.peak_bytes), 1000);
}

TEST(PartOfARun, GrowsToTheLimit) {
  RepeatedSteps steps(even_steps(20));
  steps.add(300);
  Program program = steps.program("wait_to_read");
  program.settings.limit_ops = 250;
  const trace::Trace recorded = recording_of(program);
  const Result<Replay> replay = Replay::of(recorded, {.most = milliseconds(15)});
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  const BarrierPolicy none;
  const PolicyForecast of_none = forecast(*replay, {&none, 1}).front();
  EXPECT_TRUE(of_none.grows);
  program.settings.barrier = none;
  const Outcome truth = simulate(program);
  EXPECT_LE(error_of(static_cast<double>(of_none.max_steps), static_cast<double>(truth.max_steps)), 0.05);
  EXPECT_LE(error_of(static_cast<double>(of_none.peak_bytes), static_cast<double>(truth.total_peak_bytes())),
            0.05);
}

// ---- a barrier that changes -------------------------------------------------------------------------------

void mark_change(trace::Trace& trace, Timestamp at, const std::string& label) {
  trace::Batch batch;
  const auto first = static_cast<std::uint32_t>(trace.string_count());
  batch.strings.push_back(label);
  TrackId markers = kNoTrack;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind == trace::TrackKind::kMarkers && track.info.name == "barrier")
      markers = track.info.id;
  }
  batch.instants.push_back({at, markers, StringId{first}, kNoOp, kNoArgs});
  batch.watermark = trace.watermark();
  trace.append(std::move(batch));
}

// Without a barrier at first, so that a backlog grows. Then with wait_to_read.
class ChangedRun {
 public:
  ChangedRun(int before, int after) : steps_(even_steps(5)) {
    steps_.add(before);
    steps_.add(after, true);
    const Program program = steps_.program("none");
    const Outcome outcome = simulate(program, {.keep_times = true});
    trace_ = predicted_trace(program, outcome, nullptr, "");
    changed_at_ = Timestamp(outcome.step_begins[static_cast<std::size_t>(before)].at);
    mark_change(trace_, changed_at_, "none -> wait_to_read");
  }
  [[nodiscard]] const trace::Trace& trace() const { return trace_; }
  [[nodiscard]] Timestamp changed_at() const { return changed_at_; }

 private:
  RepeatedSteps steps_;
  trace::Trace trace_;
  Timestamp changed_at_{};
};

Outcome truth_of(const char* barrier) {
  RepeatedSteps steps(even_steps(5));
  steps.add(300);
  return simulate(steps.program(barrier));
}

TEST(ChangedBarrier, ThePartAfterItIsReadAndTheBacklogIsNotPartOfIt) {
  const ChangedRun run(100, 100);
  const Result<Replay> replay = Replay::of(run.trace(), {.most = std::chrono::seconds(1)});
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_EQ(replay->run().measured.steps, 100);
  EXPECT_GT(replay->run().range.begin, run.changed_at()) << "the backlog has drained";
  EXPECT_EQ(to_string(replay->run().program.settings.barrier), "wait_to_read");
  EXPECT_LE(replay->drift(), 0.001);
  EXPECT_EQ(replay->replayed().peak_bytes[0], replay->run().measured.peak_bytes);
  const std::vector<PolicyForecast> forecasts = forecast(*replay, all_barriers());
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    SCOPED_TRACE(kBarriers[i]);
    const Outcome truth = truth_of(kBarriers[i]);
    EXPECT_LE(error_of(forecasts[i].steps_per_s, truth.settled_steps_per_s), 0.01);
    if (!forecasts[i].grows) {
      EXPECT_EQ(forecasts[i].peak_bytes, truth.settled_peak_bytes);
    }
  }
}

TEST(ChangedBarrier, TheLongestPartIsReadWithoutALimit) {
  const ChangedRun run(30, 200);
  const Result<Replay> replay = Replay::of(run.trace());
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_EQ(replay->run().measured.steps, 200);
  ASSERT_FALSE(replay->run().notes.empty());
  EXPECT_EQ(replay->run().notes.front(),
            "the barrier changed during the run: this is the longest part with one barrier, 200 steps with "
            "wait_to_read");
  EXPECT_TRUE(replay->trusted());
  const ChangedRun other(2000, 20);
  const Result<Replay> before = Replay::of(other.trace());
  ASSERT_TRUE(before.ok()) << before.error().message;
  EXPECT_EQ(before->run().measured.steps, 2000);
  EXPECT_EQ(to_string(before->run().program.settings.barrier), "none");
  EXPECT_LE(before->drift(), 0.001);
}

TEST(ChangedBarrier, TooFewStepsAreRefused) {
  const ChangedRun run(100, 3);
  const Result<Replay> replay = Replay::of(run.trace(), {.most = std::chrono::seconds(1)});
  ASSERT_FALSE(replay.ok());
  EXPECT_EQ(replay.error().message,
            "the last 1.00 s have 3 finished steps with the barrier wait_to_read: a prediction needs 4");
}

TEST(PartOfARun, IsLimitedToANumberOfOps) {
  RepeatedSteps steps(even_steps(1));
  steps.add(500);
  const trace::Trace recorded = recording_of(steps.program("wait_to_read"));
  const Result<Replay> replay = Replay::of(recorded, {.most = std::chrono::seconds(9), .most_ops = 100});
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_EQ(replay->run().measured.steps, 100);
  const Result<Replay> least = Replay::of(recorded, {.most = std::chrono::seconds(9), .most_ops = 1});
  ASSERT_TRUE(least.ok()) << least.error().message;
  EXPECT_EQ(least->run().measured.steps, 4);
}

TEST(PartOfARun, NeedsStepsThatHaveFinished) {
  RepeatedSteps steps(even_steps(1));
  steps.add(100);
  const trace::Trace recorded = recording_of(steps.program("wait_to_read"));
  const Result<Replay> replay = Replay::of(recorded, {.most = microseconds(30)});
  ASSERT_FALSE(replay.ok());
  EXPECT_NE(replay.error().message.find("a prediction needs 4"), std::string::npos);
  EXPECT_FALSE(Replay::of(trace::Trace(), {.most = std::chrono::seconds(1)}).ok());
}

// The frontend begins a step each 2 us, and the device takes 10 us for its op. When `ran` steps have
// finished, the run is stopped: the other ops are cancelled, except a copy of the last step, which had ended.
// If `refuses`, the last step has only this copy, as its other ops were refused.
trace::Trace stopped_run(int begun, int ran, bool refuses = true) {
  testing::TraceBuilder builder;
  builder.track("main", trace::TrackKind::kFrontend);
  builder.track("copies", trace::TrackKind::kStream).device("virtual:0");
  builder.track("compute", trace::TrackKind::kStream).device("virtual:0");
  const microseconds stopped{10 * ran};
  const auto add_op = [&](int number, const char* track, microseconds enqueued, microseconds started,
                          microseconds duration, bool cancelled) {
    const auto id = static_cast<OpId>(number);
    builder.on("main").slice("op", enqueued, microseconds(1), trace::SliceKind::kEnqueue, id);
    if (cancelled) {
      builder.op(id, "op", {enqueued + microseconds(1), {}, {}, stopped}, {.enqueue_track = "main"});
      return;
    }
    builder.on(track).slice("op", started, duration, trace::SliceKind::kExecute, id);
    builder.op(id, "op",
               {enqueued + microseconds(1), enqueued + microseconds(1), started, started + duration},
               {.enqueue_track = "main", .execute_track = track});
  };
  for (int step = 0; step < begun; ++step) {
    const microseconds begin{2 * step};
    builder.on("main").slice("step", begin, microseconds(2), trace::SliceKind::kStep);
    const bool refused = refuses && ran < begun && step == begun - 1;
    if (!refused)
      add_op(step + 1, "compute", begin, std::max(microseconds(10 * step), begin + microseconds(1)),
             microseconds(step == 0 ? 9 : 10), step >= ran);
    if (refused)
      add_op(begun + 1, "copies", begin + microseconds(1), begin + microseconds(2), microseconds(1), false);
  }
  builder.on("main").slice("waitall", microseconds(2 * begun), stopped - microseconds(2 * begun),
                           trace::SliceKind::kWait);
  return builder.build();
}

TEST(StoppedRun, StepsWhoseOpsWereCancelledAreLeftOut) {
  const trace::Trace trace = stopped_run(40, 10);
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  const RunToReplay& run = replay->run();
  EXPECT_EQ(run.measured.steps, 10);
  EXPECT_EQ(run.measured.length, microseconds(100));
  EXPECT_EQ(run.program.ops.size(), 10U) << "without the copy of a cancelled step";
  EXPECT_EQ(replay->replayed().steps, 10);
  EXPECT_LE(replay->drift(), 0.02);
  ASSERT_FALSE(run.notes.empty());
  EXPECT_EQ(run.notes.front(),
            "the run was stopped: its last 30 steps were cancelled, and are not part of the prediction");
}

TEST(StoppedRun, OneCancelledStepIsCalledAStep) {
  const Result<RunToReplay> run = read_program(stopped_run(11, 10, false));
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_FALSE(run->notes.empty());
  EXPECT_EQ(run->notes.front(),
            "the run was stopped: its last step was cancelled, and is not part of the prediction");
}

TEST(StoppedRun, ARunToItsEndHasAllItsSteps) {
  const Result<RunToReplay> run = read_program(stopped_run(10, 10));
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->measured.steps, 10);
}

}  // namespace
}  // namespace runahead::predict
