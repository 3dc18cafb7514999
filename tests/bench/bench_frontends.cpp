// The cost of an op from enqueue to end on one engine with one worker, for 1, 2, 4 and 8 frontends. The total
// number of ops does not depend on the number of frontends, and the ops are empty. Shape 0: every op writes a
// separate Var. Shape 1: every frontend has a chain: all its ops write one Var, so they run one after the
// other. Shape 2: eight such chains are distributed over the frontends, and each frontend enqueues to its
// chains in turn.
#include <benchmark/benchmark.h>

#include <barrier>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "instrumentation/base/tick_clock.h"

namespace runahead::engine {
namespace {

constexpr std::int64_t kOps = 400'000;
const record::Site kOp{"op", trace::SliceKind::kExecute};
const record::Site kWait{"waitall", trace::SliceKind::kWait};

void enqueue(Engine& engine, Device* device, const Var& var) {
  OpSpec spec;
  spec.site = &kOp;
  spec.device = device;
  spec.writes = {&var, 1};
  benchmark::DoNotOptimize(engine.enqueue(spec, [](OpContext&) {}).ok());
}

void BM_Frontends(benchmark::State& state) {
  const std::int64_t frontends = state.range(0), each = kOps / frontends;
  const std::int64_t shape = state.range(1);
  const std::int64_t own_vars = shape == 0 ? each : (shape == 1 ? 1 : 8 / frontends);
  const std::unique_ptr<Engine> engine = Engine::create({.cpu_workers = 1, .limit_ops = 2 * kOps});
  Device* const device = engine->device("cpu").value();
  std::vector<std::vector<Var>> vars(static_cast<std::size_t>(frontends));
  for (std::vector<Var>& own : vars) {
    for (std::int64_t i = 0; i < own_vars; ++i) own.push_back(engine->new_var());
  }
  for (auto _ : state) {
    std::barrier start(frontends + 1);
    std::vector<std::jthread> threads;
    for (const std::vector<Var>& own : vars) {
      threads.emplace_back([&engine, device, &own, &start, each] {
        start.arrive_and_wait();
        const std::size_t count = own.size();
        for (std::int64_t i = 0; i < each; ++i)
          enqueue(*engine, device, own[static_cast<std::size_t>(i) % count]);
      });
    }
    const TickClock& clock = TickClock::get();
    start.arrive_and_wait();
    const std::int64_t begin = clock.now_ns();
    threads.clear();  // joins the threads
    benchmark::DoNotOptimize(engine->wait_all(kWait).ok());
    state.SetIterationTime(static_cast<double>(clock.now_ns() - begin) * 1e-9);
  }
  const double all = static_cast<double>(state.iterations()) * static_cast<double>(each * frontends);
  state.SetItemsProcessed(static_cast<std::int64_t>(all));
  state.counters["op_ns"] =
      benchmark::Counter(all / 1e9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Frontends)
    ->ArgNames({"frontends", "shape"})
    ->ArgsProduct({{1, 2, 4, 8}, {0, 1, 2}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runahead::engine

BENCHMARK_MAIN();
