// Random programs are simulated under one barrier, and written with the events that PyTorch's profiler has
// alone: launches, kernels, calls that wait and steps. What is predicted from this trace for another barrier
// is compared with the program, simulated under that barrier.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "instrumentation/base/median.h"
#include "instrumentation/predict/prediction.h"
#include "tests/predict/program_builder.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::predict {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::TrackKind;

// Steps of a few kernels on one stream. The barrier waits at the end of each step, for its last kernel.
Program program_of_steps(std::uint64_t seed) {
  testing::Random random(seed);
  ProgramBuilder b;
  for (int step = 0; step < 20; ++step) {
    b.event(Action::kBeginStep, kNone, 5);
    OpIndex last = kNone;
    for (std::int64_t i = random.integer(2, 6); i > 0; --i)
      last = b.op({.duration_us = random.integer(10, 60), .before_us = random.integer(5, 40)});
    b.event(Action::kBarrier, last, 3);
    b.event(Action::kEndStep, kNone, 1);
  }
  b.program().waits.wake_up = {{2_us, 5_us, 5_us}};
  return b.program();
}

trace::Trace as_kineto(const Program& program, const Timeline& timeline) {
  TraceBuilder builder;
  builder.track("main").numbers(100, 100);
  builder.track("stream 20", TrackKind::kStream).device("gpu 0", false).numbers(0, 20);
  const bool all = program.settings.barrier.kind == BarrierKind::kWaitAll;
  Duration step{};
  int steps = 0;
  for (std::size_t i = 0; i < program.frontends[0].events.size(); ++i) {
    const Event& event = program.frontends[0].events[i];
    const EventTimes at = timeline.events[0][i];
    if (event.action == Action::kEndStep)
      builder.on("main").slice("ProfilerStep#" + std::to_string(++steps), step, at.end - step,
                               SliceKind::kStep);
    if (event.action == Action::kBeginStep) step = at.begin;
    if (at.end > at.begin)
      builder.on("main").slice(all ? "cudaDeviceSynchronize" : "cudaEventSynchronize", at.begin,
                               at.end - at.begin, SliceKind::kWait);
    if (event.action != Action::kEnqueue) continue;
    const OpTimes& op = timeline.ops[event.target];
    builder.on("main").slice("cudaLaunchKernel", at.end, 1_us, SliceKind::kEnqueue);
    builder.on("stream 20").slice("kernel", op.started, op.ended - op.started, SliceKind::kExecute);
    builder.flow(trace::FlowKind::kLaunchToDevice, "main", at.end, "stream 20", op.started);
  }
  return builder.build();
}

// The errors of the length, for all seeds and for all barriers of the changed run.
std::vector<double> errors_from(const char* recorded) {
  std::vector<double> out;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Program program = program_of_steps(seed);
    program.settings.barrier = *parse_barrier(recorded);
    const Outcome run = simulate(program, {.keep_times = true});
    const trace::Trace trace = as_kineto(program, run.timeline);
    const Result<Replay> replay = Replay::of(trace);
    EXPECT_TRUE(replay.ok()) << (replay.ok() ? "" : replay.error().message);
    if (!replay.ok()) return out;
    EXPECT_LE(replay->drift(), 0.001);
    for (const char* barrier :
         {"none", "wait_to_read", "waitall", "window:1", "window:3", "ops:2", "ops:5"}) {
      program.settings.barrier = *parse_barrier(barrier);
      const Duration truth = simulate(program).length - program.frontends[0].events[0].before;
      const Result<Prediction> prediction = replay->predict({{"barrier", barrier}});
      EXPECT_TRUE(prediction.ok()) << barrier;
      if (!prediction.ok()) return out;
      const auto difference = static_cast<double>((prediction->outcome.length - truth).count());
      out.push_back(std::abs(difference) / static_cast<double>(truth.count()));
      EXPECT_LE(out.back(), 0.03) << recorded << " to " << barrier << ", seed " << seed;
    }
  }
  return out;
}

class Kineto : public ::testing::TestWithParam<const char*> {};

TEST_P(Kineto, ItsEventsAloneSayWhatAnotherBarrierWouldDo) {
  const std::vector<double> errors = errors_from(GetParam());
  ASSERT_FALSE(errors.empty());
  RecordProperty("median error", std::to_string(median(errors)));
  RecordProperty("largest error", std::to_string(*std::ranges::max_element(errors)));
  EXPECT_LE(median(errors), 0.005);
}

INSTANTIATE_TEST_SUITE_P(EachRecordedBarrier, Kineto,
                         ::testing::Values("none", "wait_to_read", "waitall", "window:1", "window:3", "ops:2",
                                           "ops:5"));

}  // namespace
}  // namespace runahead::predict
