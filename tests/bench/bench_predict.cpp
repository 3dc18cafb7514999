// How long it takes to replay a program: steps of 20 ops, each of which depends on the op before it and on
// one of the step before, with a block of memory for each op. And how long the forecasts take that the window
// shows while a run goes on: a part of a long run is read, and simulated with nine barriers.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "instrumentation/predict/forecast.h"
#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/predict/timeline/predicted_trace.h"
#include "tests/predict/program_builder.h"

namespace runahead::predict {
namespace {

Program make_program(std::int64_t ops) {
  constexpr std::int64_t kOfStep = 20;
  ProgramBuilder b({1, 1});
  OpIndex last = kNone;
  for (std::int64_t i = 0; i < ops; ++i) {
    if (i % kOfStep == 0) b.event(Action::kBeginStep);
    ProgramBuilder::NewOp op{.duration_us = 3 + i % 7, .queue = i % kOfStep == 0 ? 1U : 0U, .bytes = 4096};
    if (last != kNone) op.after.push_back(last);
    if (last != kNone && last > kOfStep) op.after.push_back(last - kOfStep);
    const OpIndex before = last;
    last = b.op(op);
    if (before != kNone) b.drop(before);
    if (i % kOfStep != kOfStep - 1) continue;
    b.event(Action::kBarrier, last, 1);  // later than the enqueue: a trace has no order at the same time
    b.event(Action::kEndStep);
  }
  return b.program();
}

void replay(benchmark::State& state) {
  Program program = make_program(state.range(0) * 1000);
  program.settings.barrier = {.kind = static_cast<BarrierKind>(state.range(1)), .k = 4};
  std::uint64_t ran = 0;
  for (auto _ : state) ran = simulate(program).ops_run;
  if (ran != program.ops.size()) state.SkipWithError("not all ops ran");
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * ran));
}
BENCHMARK(replay)
    ->ArgNames({"thousand_ops", "barrier"})
    ->Args({1000, static_cast<int>(BarrierKind::kNone)})
    ->Args({1000, static_cast<int>(BarrierKind::kWaitToRead)})
    ->Args({1000, static_cast<int>(BarrierKind::kWindow)})
    ->Args({20, static_cast<int>(BarrierKind::kWindow)})
    ->Unit(benchmark::kMillisecond);

// The recording of a run of 400,000 ops, of which 50,000 are in its last 5 s. `far_ahead`: the frontend was a
// third of the run ahead.
trace::Trace long_run(bool far_ahead) {
  Program program = make_program(400'000);
  for (Op& op : program.ops) op.duration *= 16;
  program.settings.barrier = *parse_barrier(far_ahead ? "none" : "wait_to_read");
  program.settings.limit_ops = 100'000;
  return predicted_trace(program, simulate(program, {.keep_times = true}), nullptr, "");
}

void forecast_nine_barriers(benchmark::State& state) {
  const trace::Trace trace = long_run(state.range(1) != 0);
  std::vector<BarrierPolicy> policies;
  for (const char* text :
       {"none", "wait_to_read", "waitall", "item", "asnumpy", "print", "window:4", "ops:64", "bytes:64M"})
    policies.push_back(*parse_barrier(text));
  const ReadOptions options{.most = std::chrono::seconds(5),
                            .most_ops = static_cast<std::size_t>(state.range(0))};
  std::size_t ops = 0;
  for (auto _ : state) {
    const Result<Replay> replay = Replay::of(trace, options);
    if (!replay || !replay->trusted()) return state.SkipWithError("the part cannot be predicted");
    benchmark::DoNotOptimize(forecast(*replay, policies));
    ops = replay->run().program.ops.size();
  }
  state.counters["ops"] = static_cast<double>(ops);
}
BENCHMARK(forecast_nine_barriers)
    ->ArgNames({"most_ops", "far_ahead"})
    ->ArgsProduct({{0, 8000}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runahead::predict

BENCHMARK_MAIN();
