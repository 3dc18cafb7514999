// How long it takes to replay a program: steps of 20 ops, each of which depends on the op before it and on
// one of the step before, with a block of memory for each op.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "instrumentation/predict/simulate.h"
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
    b.event(Action::kBarrier, last);
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

}  // namespace
}  // namespace runahead::predict

BENCHMARK_MAIN();
