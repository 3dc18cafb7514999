// What an op costs: enqueue and end to end, for the shapes that peers are measured on, recording off and on.
// One worker beside the frontend; the ops are empty. Items are ops; the counter enqueue_ns is the frontend's
// part of an op, in ns.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "engine/engine.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/collector.h"
#include "instrumentation/record/recorder.h"

namespace runahead::engine {
namespace {

constexpr int kOps = 100'000;
const record::Site kOp{"op", trace::SliceKind::kExecute};
const record::Site kWait{"wait_to_read", trace::SliceKind::kWait};

// An engine, and a recorder with its collector if recording.
class Bench {
 public:
  Bench(EngineOptions options, bool recording) {
    if (recording) {
      recorder_.emplace(record::RecorderOptions{.events_per_thread = 1u << 21});
      recorder_->start();
      record::CollectorOptions collecting;
      collecting.sample_rss = false;
      collector_.emplace(*recorder_, collecting);
    }
    options.limit_ops = 2 * kOps;
    engine = Engine::create(options);
    device = engine->device("cpu").value();
  }
  ~Bench() {
    engine.reset();
    if (recorder_) recorder_->stop();
  }
  OpHandle enqueue(std::span<const Var> reads, std::span<const Var> writes) const {
    OpSpec spec;
    spec.site = &kOp;
    spec.device = device;
    spec.reads = reads;
    spec.writes = writes;
    return engine->enqueue(spec, [](OpContext&) {}).value();
  }
  void wait_all() const { benchmark::DoNotOptimize(engine->wait_all(kWait).ok()); }
  // The trace so far is let go, outside the measured time.
  void settle() {
    if (!collector_) return;
    collector_->flush();
    while (collector_->take()) {
    }
  }
  [[nodiscard]] std::uint64_t lost() const { return recorder_ ? recorder_->stats().lost : 0; }

  std::unique_ptr<Engine> engine;
  Device* device = nullptr;

 private:
  std::optional<record::Recorder> recorder_;
  std::optional<record::Collector> collector_;
};

EngineOptions options_of(const benchmark::State& state) {
  return {.kind = state.range(1) == 1 ? EngineKind::kNaive : EngineKind::kThreaded,
          .order = state.range(1) == 2 ? ReadyOrder::kOldest : ReadyOrder::kFifo};
}

// Enqueues kOps ops by `next(i)`, waits for all of them, and reports both times.
template <typename Next>
void measure(benchmark::State& state, Bench& bench, Next next) {
  const TickClock& clock = TickClock::get();
  double enqueue_ns = 0;
  for (auto _ : state) {
    const std::int64_t begin = clock.now_ns();
    for (int i = 0; i < kOps; ++i) next(i);
    enqueue_ns += static_cast<double>(clock.now_ns() - begin);
    bench.wait_all();
    state.PauseTiming();
    bench.settle();
    state.ResumeTiming();
  }
  const double ops = static_cast<double>(state.iterations()) * kOps;
  state.SetItemsProcessed(static_cast<std::int64_t>(ops));
  state.counters["enqueue_ns"] = enqueue_ns / ops;
  state.counters["lost"] = static_cast<double>(bench.lost());
}

void BM_Chain(benchmark::State& state) {
  Bench bench(options_of(state), state.range(0) != 0);
  const Var x = bench.engine->new_var("x");
  measure(state, bench, [&](int) { bench.enqueue({}, {&x, 1}); });
}

void BM_Independent(benchmark::State& state) {
  Bench bench(options_of(state), state.range(0) != 0);
  std::vector<Var> vars;
  for (int i = 0; i < kOps; ++i) vars.push_back(bench.engine->new_var());
  measure(state, bench, [&](int i) { bench.enqueue({}, {&vars[static_cast<std::size_t>(i)], 1}); });
}

void BM_Dag(benchmark::State& state) {  // 2 reads and 1 write over 1000 vars
  Bench bench(options_of(state), state.range(0) != 0);
  std::vector<Var> vars;
  for (int i = 0; i < 1000; ++i) vars.push_back(bench.engine->new_var());
  struct Pick {
    Var reads[2], write;
  };
  std::vector<Pick> picks;
  std::mt19937 random(1);
  while (picks.size() < kOps) {
    const auto a = random() % 1000, b = random() % 1000, c = random() % 1000;
    if (a != b && b != c && a != c) picks.push_back({{vars[a], vars[b]}, vars[c]});
  }
  measure(state, bench, [&](int i) {
    const Pick& pick = picks[static_cast<std::size_t>(i)];
    bench.enqueue(pick.reads, {&pick.write, 1});
  });
}

void BM_SyncRoundTrip(benchmark::State& state) {
  Bench bench(options_of(state), state.range(0) != 0);
  const Var x = bench.engine->new_var("x");
  for (auto _ : state) {
    bench.enqueue({}, {&x, 1});
    benchmark::DoNotOptimize(bench.engine->wait_to_read(x, kWait).ok());
  }
  state.counters["lost"] = static_cast<double>(bench.lost());
}

// record: 0, 1; engine: 0 threaded, 1 naive, 2 threaded with the oldest first.
void shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"record", "engine"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const int recording : {0, 1}) bench->Args({recording, 0});
  bench->Args({0, 1})->Args({0, 2});
}
BENCHMARK(BM_Chain)->Apply(shapes);
BENCHMARK(BM_Independent)->Apply(shapes);
BENCHMARK(BM_Dag)->Apply(shapes);
BENCHMARK(BM_SyncRoundTrip)
    ->ArgNames({"record", "engine"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({0, 1})
    ->UseRealTime();

}  // namespace
}  // namespace runahead::engine

BENCHMARK_MAIN();
