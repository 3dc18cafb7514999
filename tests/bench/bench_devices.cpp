// Measures ops on the devices of this machine: cpu, virtual:0, and cuda:0 and opencl:0 if they are here. One
// item is one op, y = x + 1 with one element.
//
//   bench_devices                                  all devices
//   bench_devices --benchmark_filter=opencl        one kind of device
//
// ahead: the frontend enqueues 1000 ops and then waits for all. Counter enqueue_us: the frontend's time for
// an enqueue, in us. The time of an item is from its enqueue to its end, if nothing waits. each: the frontend
// waits after each op.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>

#include "engine/array/operators.h"
#include "engine/device/device_registry.h"
#include "instrumentation/base/check.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/hooks.h"

namespace {

using namespace runahead;

constexpr record::Site kWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr int kOps = 1000;

struct Place {
  explicit Place(const std::string& name)
      : engine(engine::Engine::create({})),
        context{engine.get(), engine->device(name).value()},
        x(engine::ones(context, {1})) {
    RUNAHEAD_CHECK(x.wait_to_read().ok());
  }
  std::unique_ptr<engine::Engine> engine;
  engine::Context context;
  engine::Array x;
};

void ahead(benchmark::State& state, const std::string& name) {
  const Place place(name);
  std::int64_t enqueue_ns = 0;
  for (auto _ : state) {
    const std::int64_t begin_ns = TickClock::get().now_ns();
    for (int i = 0; i < kOps; ++i) benchmark::DoNotOptimize(place.x + 1.0f);
    enqueue_ns += TickClock::get().now_ns() - begin_ns;
    RUNAHEAD_CHECK(place.engine->wait_all(kWaitAll).ok());
  }
  state.SetItemsProcessed(state.iterations() * kOps);
  state.counters["enqueue_us"] =
      static_cast<double>(enqueue_ns) * 1e-3 / kOps / static_cast<double>(state.iterations());
}

void each(benchmark::State& state, const std::string& name) {
  const Place place(name);
  for (auto _ : state) {
    const engine::Array y = place.x + 1.0f;
    RUNAHEAD_CHECK(y.wait_to_read().ok());
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"cpu", "virtual:0", "cuda:0", "opencl:0"}) {
    if (!engine::check_device(name).ok()) continue;
    benchmark::RegisterBenchmark((std::string("ahead/") + name).c_str(), ahead, name)->UseRealTime();
    benchmark::RegisterBenchmark((std::string("each/") + name).c_str(), each, name)->UseRealTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
