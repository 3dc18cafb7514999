// Measures the cost of recording. Each iteration makes a pair of runs, one directly after the other: the same
// increments (y = x + 1) with the recorder off and with the recorder on. If the machine slows down, both runs
// of the pair are slower, and their ratio hardly changes. The result is the median of the ratios.
//
//   bench_increment             async: one wait at the end; sync: a wait after each increment
//
// Counters in each line of the output: off_us and on_us (us per increment), ratio (on / off), lost (number of
// lost events; expected: 0).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/array/blas.h"
#include "engine/array/operators.h"
#include "instrumentation/base/check.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/collector.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/recorder.h"

namespace {

using namespace runahead;

constexpr record::Site kWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr int kIncrements = 10'000;

enum class Wait { kAtEnd, kAfterEach };

// Runs kIncrements increments on a new engine. Returns the time in seconds.
double run_once(Wait wait) {
  const std::unique_ptr<engine::Engine> engine = engine::Engine::create({});
  const engine::Context context{engine.get(), engine->device("cpu").value()};
  const engine::Array x = engine::ones(context, {1, 2});
  RUNAHEAD_CHECK(x.wait_to_read().ok());
  const std::int64_t begin_ns = TickClock::get().now_ns();
  for (int i = 0; i < kIncrements; ++i) {
    const engine::Array y = x + 1.0f;
    if (wait == Wait::kAfterEach) RUNAHEAD_CHECK(y.wait_to_read().ok());
  }
  RUNAHEAD_CHECK(engine->wait_all(kWaitAll).ok());
  return static_cast<double>(TickClock::get().now_ns() - begin_ns) * 1e-9;
}

struct Recorded {
  double seconds = 0;
  std::uint64_t events = 0, lost = 0;
};

// Calls run_once() and records it like a live run: a collector drains the buffers, and the collector's owner
// takes the batches.
Recorded run_recorded(Wait wait) {
  record::Recorder recorder;
  recorder.start();
  Recorded recorded;
  {
    record::Collector collector(recorder);
    record::name_thread(trace::TrackKind::kFrontend, "main");
    recorded.seconds = run_once(wait);
    collector.flush();
    while (collector.take()) {
    }
    recorded.events = recorder.stats().events;
    for (int cause = 0; cause < trace::kLossCauseCount; ++cause) {
      recorded.lost += collector.stats().losses.of(static_cast<trace::LossCause>(cause));
    }
    recorded.lost = std::max(recorded.lost, recorder.stats().lost);
  }
  recorder.stop();
  return recorded;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void increment(benchmark::State& state) {
  // OpenBLAS uses one thread, as it does by default in a run. More threads would compete for the cores.
  engine::set_blas_threads(1);
  const Wait wait = static_cast<Wait>(state.range(0));
  std::vector<double> off_s, on_s, ratios;
  std::uint64_t lost = 0, events = 0;
  bool off_first = true;
  for (auto _ : state) {
    double off = 0;
    if (off_first) off = run_once(wait);
    const Recorded on = run_recorded(wait);
    if (!off_first) off = run_once(wait);
    // The order alternates. Otherwise the run with the recorder on would always be the second of its pair,
    // and would always find a warm cache.
    off_first = !off_first;
    off_s.push_back(off);
    on_s.push_back(on.seconds);
    ratios.push_back(on.seconds / off);
    events = on.events;
    lost += on.lost;
  }
  state.counters["off_us"] = median(off_s) * 1e6 / kIncrements;
  state.counters["on_us"] = median(on_s) * 1e6 / kIncrements;
  state.counters["ratio"] = median(ratios);
  state.counters["events"] = static_cast<double>(events);
  state.counters["lost"] = static_cast<double>(lost);
}
BENCHMARK(increment)
    ->Name("increment/async")
    ->Arg(static_cast<int>(Wait::kAtEnd))
    ->Iterations(41)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(increment)
    ->Name("increment/sync")
    ->Arg(static_cast<int>(Wait::kAfterEach))
    ->Iterations(11)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
