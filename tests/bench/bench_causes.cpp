// How long it takes to explain a trace, per slice. The trace is like one of PyTorch's profiler: operators
// that launch kernels on two streams or on 2000 (launch_trace.h).
#include <benchmark/benchmark.h>

#include <cstdint>

#include "instrumentation/causes/explanation.h"
#include "instrumentation/trace/trace.h"
#include "tests/bench/launch_trace.h"

namespace runahead::causes {
namespace {

void explain_trace(benchmark::State& state) {
  trace::Trace trace;
  bench::LaunchTraceSource source({.launches = state.range(0) * 1'000'000 / 3, .streams = state.range(1)});
  while (!source.ended()) trace.append(source.next());
  std::size_t groups = 0;
  for (auto _ : state) groups = explain(trace).synchronisations.size();
  if (groups == 0) state.SkipWithError("no synchronisation was found");
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * trace.counts().slices));
}
BENCHMARK(explain_trace)
    ->ArgNames({"million_slices", "streams"})
    ->Args({1, 2})
    ->Args({10, 2})
    ->Args({10, 2000})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runahead::causes

BENCHMARK_MAIN();
