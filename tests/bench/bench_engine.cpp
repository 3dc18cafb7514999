// The cost of an op, with recording off and on: the cost of the enqueue, and the cost from enqueue to end.
// The ops are those of the programs in op_shapes.h. The peer engines (peer_engines.h) are measured with the
// same programs. One worker runs in addition to the frontend. The ops are empty. One item of Google Benchmark
// is one op. The counter enqueue_ns is the frontend's time to enqueue an op, in ns.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "instrumentation/base/spin_pause.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/collector.h"
#include "instrumentation/record/hooks/recorder.h"
#include "tests/bench/op_shapes.h"
#if RUNAHEAD_HAVE_TBB
#include "tests/bench/peer_engines.h"
#endif

namespace runahead::engine {
namespace {

using namespace bench;

constexpr std::uint32_t kOps = 1'000'000;
// Number of ops per iteration if recording is on. During an iteration nobody takes batches from the
// collector. Therefore the number is so small that the collector's queue can hold the rows of all these ops.
constexpr std::uint32_t kRecordedOps = 100'000;
const record::Site kOp{"op", trace::SliceKind::kExecute};
const record::Site kWait{"wait_to_read", trace::SliceKind::kWait};

// kHooks: measures only the hooks (the recorder's functions that the engine calls). The collector runs
// outside the measured time, as if it had a separate core.
enum class Recording { kOff, kOn, kHooks };

// An engine. With recording on, also a recorder and its collector.
class Bench {
 public:
  Bench(EngineOptions options, Recording recording) {
    if (recording != Recording::kOff) {
      recorder_.emplace(record::RecorderOptions{.events_per_thread = 1u << 21});
      recorder_->start();
      record::CollectorOptions collecting;
      collecting.sample_rss = false;
      collecting.run_thread = recording == Recording::kOn;
      collector_.emplace(*recorder_, collecting);
    }
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
  // Drops the events recorded so far. The benchmarks call this while their clock is paused.
  void discard_trace() {
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

// In each iteration, calls renew() while the clock is paused, then enqueues `ops` ops by next(i), then calls
// wait(), which waits for all of them. Reports the enqueue time and the total time per op.
template <typename Renew, typename Next, typename Wait>
void measure(benchmark::State& state, std::uint32_t ops, Renew renew, Next next, Wait wait) {
  const TickClock& clock = TickClock::get();
  double enqueue_ns = 0;
  for (auto _ : state) {
    state.PauseTiming();
    renew();
    state.ResumeTiming();
    const std::int64_t begin = clock.now_ns();
    for (std::uint32_t i = 0; i < ops; ++i) next(i);
    enqueue_ns += static_cast<double>(clock.now_ns() - begin);
    wait();
  }
  const double all = static_cast<double>(state.iterations()) * ops;
  state.SetItemsProcessed(static_cast<std::int64_t>(all));
  state.counters["enqueue_ns"] = enqueue_ns / all;
  // Time per op in ns, from enqueue to end. The aims in scripts/lab/aims.json have the same unit.
  state.counters["op_ns"] =
      benchmark::Counter(all / 1e9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

using MakeProgram = Program (*)(std::uint32_t);

// An op with the Vars that the program names, prepared before the clock starts.
struct PreparedOp {
  std::vector<Var> reads;
  Var write;
};
std::vector<PreparedOp> prepare(const Program& program, Engine& engine) {
  std::vector<Var> vars;
  for (std::uint32_t i = 0; i < program.vars; ++i) vars.push_back(engine.new_var());
  std::vector<PreparedOp> ops;
  ops.reserve(program.ops.size());
  for (const ShapedOp& op : program.ops) {
    PreparedOp& prepared = ops.emplace_back();
    for (std::uint32_t r = 0; r < op.read_count; ++r) prepared.reads.push_back(vars[op.reads[r]]);
    prepared.write = vars[op.write];
  }
  return ops;
}

void run_program(benchmark::State& state, MakeProgram make) {
  const auto recording = static_cast<Recording>(state.range(0));
  const std::uint32_t count = recording != Recording::kOff ? kRecordedOps : kOps;
  Bench engine(options_of(state), recording);
  const std::vector<PreparedOp> ops = prepare(make(count), *engine.engine);
  measure(
      state, count, [&] { engine.discard_trace(); },
      [&](std::uint32_t op) {
        engine.enqueue(ops[op].reads, {&ops[op].write, 1});
      },
      [&] { engine.wait_all(); });
  state.counters["lost"] = static_cast<double>(engine.lost());
  // The largest number of ops in flight shows how far the worker was behind the frontend. The more ops are in
  // flight, the fewer of them fit into the caches.
  state.counters["most_ahead"] = static_cast<double>(engine.engine->stats().max_in_flight_ops);
}

// Ops that read and write no Var: the cost of an op itself.
void BM_WithoutVars(benchmark::State& state) {
  Bench engine(options_of(state), static_cast<Recording>(state.range(0)));
  measure(
      state, kOps, [] {}, [&](std::uint32_t) { engine.enqueue({}, {}); }, [&] { engine.wait_all(); });
}

void BM_SyncRoundTrip(benchmark::State& state) {
  Bench engine(options_of(state), static_cast<Recording>(state.range(0)));
  const Var x = engine.engine->new_var("x");
  for (auto _ : state) {
    engine.enqueue({}, {&x, 1});
    benchmark::DoNotOptimize(engine.engine->wait_to_read(x, kWait).ok());
  }
  state.counters["lost"] = static_cast<double>(engine.lost());
}

// Two threads pass a cache line back and forth. Their time is a lower bound for any round trip between
// threads on this machine.
void BM_LineRoundTrip(benchmark::State& state) {
  struct alignas(128) Line {
    std::atomic<std::uint64_t> round{0};
  };
  constexpr std::uint64_t kEnd = ~std::uint64_t{0};
  Line there, back;
  std::thread other([&] {
    for (std::uint64_t round = 0; round != kEnd;) {
      std::uint64_t seen = round;
      while ((seen = there.round.load(std::memory_order_acquire)) == round) spin_pause();
      back.round.store(round = seen, std::memory_order_release);
    }
  });
  std::uint64_t round = 0;
  for (auto _ : state) {
    there.round.store(++round, std::memory_order_release);
    while (back.round.load(std::memory_order_acquire) != round) spin_pause();
  }
  there.round.store(kEnd, std::memory_order_release);
  other.join();
}

// The number of bytes that malloc has allocated and that are not freed.
double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// Memory per queued op. The queued ops are independent of each other. All of them wait for an op that does
// not end during the measurement.
void BM_QueuedOpBytes(benchmark::State& state) {
  Bench engine({.limit_ops = 2 * std::int64_t{kOps}}, Recording::kOff);
  const std::vector<PreparedOp> ops = prepare(independent(kOps), *engine.engine);
  for (auto _ : state) {
    std::mutex held;
    held.lock();
    OpSpec spec{.site = &kOp, .device = engine.device};
    const Var gate = engine.engine->new_var();
    spec.writes = {&gate, 1};
    benchmark::DoNotOptimize(engine.engine->enqueue(spec, [&held](OpContext&) { held.lock(); }).ok());
    const double before = heap_bytes();
    for (const PreparedOp& op : ops) engine.enqueue(op.reads, {&op.write, 1});
    state.counters["bytes"] = (heap_bytes() - before) / kOps;
    held.unlock();
    engine.wait_all();
  }
}

// The arguments of the benchmarks. record: a value of Recording. engine: 0 = threaded, 1 = naive, 2 =
// threaded with the oldest op first.
void shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"record", "engine"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const int recording : {0, 1, 2}) bench->Args({recording, 0});
  bench->Args({0, 1})->Args({0, 2});
}
BENCHMARK_CAPTURE(run_program, chain, chain)->Apply(shapes);
BENCHMARK_CAPTURE(run_program, independent, independent)->Apply(shapes);
BENCHMARK_CAPTURE(run_program, dag, dag)->Apply(shapes);
BENCHMARK(BM_WithoutVars)
    ->ArgNames({"record", "engine"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->Args({0, 0})
    ->Args({0, 1})
    ->Args({0, 2});
BENCHMARK(BM_SyncRoundTrip)
    ->ArgNames({"record", "engine"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({0, 1})
    ->UseRealTime();
BENCHMARK(BM_LineRoundTrip)->UseRealTime();
BENCHMARK(BM_QueuedOpBytes)->Iterations(1);

#if RUNAHEAD_HAVE_TBB

template <typename Peer>
void run_peer(benchmark::State& state, MakeProgram make) {
  const Program program = make(kOps);
  std::unique_ptr<Peer> peer;
  measure(
      state, kOps,
      [&] {
        peer.reset();
        peer = std::make_unique<Peer>(program);
      },
      [&](std::uint32_t i) { peer->enqueue(i); }, [&] { peer->wait(); });
}
void task_group(benchmark::State& state, MakeProgram make) {
  run_peer<TrackedOps<TaskGroupPool>>(state, make);
}
void mutex_pool(benchmark::State& state, MakeProgram make) { run_peer<TrackedOps<MutexPool>>(state, make); }
void flow_graph(benchmark::State& state, MakeProgram make) { run_peer<FlowGraph>(state, make); }

void peers(benchmark::internal::Benchmark* bench) { bench->UseRealTime()->Unit(benchmark::kMillisecond); }
BENCHMARK_CAPTURE(task_group, chain, chain)->Apply(peers);
BENCHMARK_CAPTURE(task_group, independent, independent)->Apply(peers);
BENCHMARK_CAPTURE(task_group, dag, dag)->Apply(peers);
BENCHMARK_CAPTURE(mutex_pool, chain, chain)->Apply(peers);
BENCHMARK_CAPTURE(mutex_pool, independent, independent)->Apply(peers);
BENCHMARK_CAPTURE(mutex_pool, dag, dag)->Apply(peers);
BENCHMARK_CAPTURE(flow_graph, chain, chain)->Apply(peers);
BENCHMARK_CAPTURE(flow_graph, independent, independent)->Apply(peers);
BENCHMARK_CAPTURE(flow_graph, dag, dag)->Apply(peers);

template <typename Peer>
void peer_round_trip(benchmark::State& state) {
  const Program program = chain(kOps);
  std::unique_ptr<Peer> peer;
  std::uint32_t i = kOps;
  for (auto _ : state) {
    if (i == kOps) {
      state.PauseTiming();
      peer.reset();
      peer = std::make_unique<Peer>(program);
      i = 0;
      state.ResumeTiming();
    }
    peer->enqueue(i++);
    peer->wait();
  }
}
BENCHMARK(peer_round_trip<TrackedOps<TaskGroupPool>>)->UseRealTime();
BENCHMARK(peer_round_trip<TrackedOps<MutexPool>>)->UseRealTime();

#endif

}  // namespace
}  // namespace runahead::engine

BENCHMARK_MAIN();
