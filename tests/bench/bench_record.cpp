// Measures the cost of recording events: the time of a hook on the calling thread, and the number of events
// that the collector takes per second. Compare only values of the same run of this program. A zone needs at
// least two clock reads; x_two_rdtsc is the zone's cost divided by the cost of two clock reads.
//   build/release/.../runahead_bench_record --benchmark_repetitions=5 --benchmark_report_aggregates_only
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <x86intrin.h>

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "instrumentation/record/collector.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/recorder.h"
#include "instrumentation/trace/trace.h"
#include "tests/bench/slice_shapes.h"

namespace runahead::record {
namespace {

using trace::SliceKind;
using trace::TrackKind;

constexpr Site kSite{"zone", SliceKind::kZone, __FILE__, __LINE__};

const TrackDesc& stream() {
  static const TrackDesc& desc = intern_track(
      {.kind = TrackKind::kStream, .group = "virtual:0", .name = "compute", .device = "virtual:0"});
  return desc;
}
const TrackDesc& queue() {
  static const TrackDesc& desc = intern_track({.kind = TrackKind::kCounter,
                                               .group = "Queue",
                                               .name = "run-ahead cpu",
                                               .device = "cpu",
                                               .role = trace::CounterRole::kRunAheadOps});
  return desc;
}

void two_clock_reads(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(__rdtsc());
    benchmark::DoNotOptimize(__rdtsc());
  }
}

void zone_off(benchmark::State& state) {
  for (auto _ : state) {
    const Zone zone(kSite);
    benchmark::ClobberMemory();
  }
}

// The buffers are large enough that no event of a benchmark is lost (the counter "lost" shows it). Therefore
// the measured hook always records its event, and never drops it.
struct Recording {
  Recording() : recorder({.events_per_thread = std::size_t{1} << 24, .total_bytes = std::size_t{6} << 30}) {
    recorder.start();
  }
  Recorder recorder;
};
std::optional<Recording> recording_now;
std::optional<Collector> collector_now;

// These functions set up and tear down a benchmark. Google Benchmark calls each function once, also for a
// benchmark with several threads. Google Benchmark has a barrier before and after the timed loop. Therefore
// thread 0 can report after the loop: all threads have then left the loop.
void set_up_drained(const benchmark::State&) {
  recording_now.emplace();
  CollectorOptions options;
  // No code in this benchmark takes the collector's batches. With the two limits below, the collector's queue
  // keeps almost no rows. The collector drops the other rows, but only after it has done all its work on
  // them.
  options.queue_batches = 1;
  options.queue_bytes = 1;
  options.sample_rss = false;
  collector_now.emplace(recording_now->recorder, options);
}
void set_up_undrained(const benchmark::State&) { recording_now.emplace(); }
void tear_down(const benchmark::State&) {
  collector_now.reset();
  recording_now.reset();
}

// Fills the buffer once and waits until it is drained. Afterwards all memory of the buffer has been touched,
// as in a thread that has recorded for a while.
void warm_up(const benchmark::State& state) {
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(state.max_iterations); ++i) const Zone zone(kSite);
  if (collector_now) collector_now->flush();
}

void report_lost(benchmark::State& state) {
  if (state.thread_index() == 0) {
    state.counters["lost"] = static_cast<double>(recording_now->recorder.stats().lost);
  }
}

// The CPU time of the calling thread.
double thread_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Counter "x_two_rdtsc": the CPU time of the loop since `began`, divided by the CPU time of the same number
// of pairs of clock reads. This thread makes these clock reads directly after the loop, so that the load of
// the machine is the same.
void report_ratio(benchmark::State& state, double began) {
  const double loop = thread_ns() - began;
  const double pairs_began = thread_ns();
  for (benchmark::IterationCount i = 0; i < state.max_iterations; ++i) {
    benchmark::DoNotOptimize(__rdtsc());
    benchmark::DoNotOptimize(__rdtsc());
  }
  const double ratio = loop / (thread_ns() - pairs_began);
  state.counters["x_two_rdtsc"] = benchmark::Counter(ratio, benchmark::Counter::kAvgThreads);
}

void zone_on(benchmark::State& state) {
  warm_up(state);
  const double began = thread_ns();
  for (auto _ : state) {
    const Zone zone(kSite);
    benchmark::ClobberMemory();
  }
  report_ratio(state, began);
  report_lost(state);
}

void async_slice_on(benchmark::State& state) {
  warm_up(state);
  const double began = thread_ns();
  for (auto _ : state) {
    const std::uint64_t begin = now_ticks();
    async_slice({.site = &kSite, .track = &stream(), .begin_ticks = begin, .end_ticks = now_ticks()});
  }
  report_ratio(state, began);
  report_lost(state);
}

// Calls the hooks that record an op. Makes the same clock reads as the engine: at the begin and at the end of
// the enqueue, at the op's start and at its end.
void op_hooks(benchmark::State& state) {
  warm_up(state);
  std::uint64_t number = (std::uint64_t{1} << 48) | (std::uint64_t{1} << 40);
  for (auto _ : state) {
    const OpId op{++number};
    const std::uint64_t begin = now_ticks();
    const std::uint64_t enqueued = now_ticks();
    op_enqueued({.site = &kSite, .queue = &queue(), .op = op}, begin, enqueued);
    const std::uint64_t started = now_ticks();
    op_started(op, kSite, enqueued, started);
    op_ended(op, now_ticks());
  }
  report_lost(state);
}

// Calls the same hooks as op_hooks(), but without the clock reads. Measures only the cost that the hooks add.
void op_hooks_without_clock(benchmark::State& state) {
  warm_up(state);
  std::uint64_t number = (std::uint64_t{1} << 48) | (std::uint64_t{2} << 40);
  const std::uint64_t now = now_ticks();
  for (auto _ : state) {
    const OpId op{++number};
    op_enqueued({.site = &kSite, .queue = &queue(), .op = op}, now, now);
    op_started(op, kSite, now, now);
    op_ended(op, now);
  }
  report_lost(state);
}

// Measures the rate at which a collector turns events into batches. Before each drain, the benchmark calls
// emit() `count` times. `count` is about the number of calls that a thread at full speed makes between two
// drains.
template <typename Emit>
void intake(benchmark::State& state, int count, Emit emit) {
  Recorder recorder({.events_per_thread = std::size_t{1} << 22});
  recorder.start();
  CollectorOptions options;
  options.run_thread = false;
  options.sample_rss = false;
  Collector collector(recorder, options);
  for (auto _ : state) {
    state.PauseTiming();
    for (int i = 0; i < count; ++i) emit();
    state.ResumeTiming();
    collector.flush();
    state.PauseTiming();
    while (collector.take()) {
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["lost"] = static_cast<double>(recorder.stats().lost);
}

// Measures how many slices of a shape the collector takes per second of its CPU time.
template <typename Shape>
void collector_intake(benchmark::State& state) {
  intake(state, (1 << 18) / Shape::kSlices, [shape = Shape()]() mutable { shape.emit(); });
  state.SetItemsProcessed(state.items_processed() * Shape::kSlices);
}

// A temporary file, removed at the end.
class ScratchFile {
 public:
  ScratchFile() { ::close(::mkstemp(path_.data())); }
  ~ScratchFile() { ::unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "runahead-bench-XXXXXX").string();
};

// Reports for a shape: bytes per slice in memory (of the complete trace), bytes per slice on disk (of the
// complete file), and the entropy of its columns (slice_shapes.h). Records a million slices, in 100 batches.
template <typename Shape>
void bytes_per_slice(benchmark::State& state) {
  constexpr int kBatches = 100, kAtOnce = 10'000 / Shape::kSlices;
  for (auto _ : state) {
    Recorder recorder;
    recorder.start();
    Collector collector(recorder, {.run_thread = false, .sample_rss = false});
    const ScratchFile file;
    trace::Trace trace;
    Shape shape;
    bool good = collector.start_file(file.path(), {}).ok();
    for (int batch = 0; batch < kBatches; ++batch) {
      for (int i = 0; i < kAtOnce; ++i) shape.emit();
      collector.flush();
      while (auto taken = collector.take()) trace.append(std::move(*taken));
    }
    recorder.stop();
    good = collector.stop_file().ok() && good;
    while (auto taken = collector.take()) trace.append(std::move(*taken));
    if (!good || !trace.losses().none()) state.SkipWithError("rows were lost");
    const auto slices = static_cast<double>(trace.counts().slices);
    state.counters["memory"] = static_cast<double>(trace.size_bytes()) / slices;
    state.counters["file"] = static_cast<double>(std::filesystem::file_size(file.path())) / slices;
    state.counters["entropy"] = bench::entropy_bytes_per_slice(trace);
  }
}
// Measures how many ops the collector takes per second. For each op the collector makes three slices
// (enqueue, execution, life), the op's row, an arrow and samples of counters. An item in the output is an op.
// In each pass `ahead` ops are enqueued, and then all of them run. `ahead` is 1 for a frontend that waits for
// each op, and large for a frontend that runs ahead.
void collector_intake_ops(benchmark::State& state) {
  const auto ahead = static_cast<std::uint64_t>(state.range(0));
  constexpr int kOps = 1 << 16;
  intake(state, kOps / static_cast<int>(ahead), [ahead, number = std::uint64_t{3} << 48]() mutable {
    const std::uint64_t begin = now_ticks();
    for (std::uint64_t i = 1; i <= ahead; ++i) {
      const std::uint64_t enqueued = now_ticks();
      op_enqueued({.site = &kSite, .queue = &queue(), .op = OpId{number + i}}, enqueued, now_ticks());
    }
    for (std::uint64_t i = 1; i <= ahead; ++i) {
      const std::uint64_t started = now_ticks();
      op_started(OpId{number + i}, kSite, begin, started);
      op_ended(OpId{number + i}, now_ticks());
    }
    number += ahead;
  });
  state.SetItemsProcessed(state.iterations() * kOps);
}

BENCHMARK(two_clock_reads);
BENCHMARK(zone_off)->Threads(1)->Threads(2)->Threads(8);
// The number of iterations is fixed, so that all events fit into the buffers at any speed.
BENCHMARK(zone_on)
    ->Name("zone_on_fresh_memory")
    ->Iterations(1 << 18)
    ->Setup(set_up_undrained)
    ->Teardown(tear_down);
BENCHMARK(zone_on)
    ->Iterations(1 << 18)
    ->Threads(1)
    ->Threads(2)
    ->Threads(8)
    ->Setup(set_up_drained)
    ->Teardown(tear_down);
BENCHMARK(async_slice_on)->Iterations(1 << 18)->Setup(set_up_drained)->Teardown(tear_down);
BENCHMARK(op_hooks)->Iterations(1 << 18)->Setup(set_up_drained)->Teardown(tear_down);
BENCHMARK(op_hooks_without_clock)->Iterations(1 << 18)->Setup(set_up_drained)->Teardown(tear_down);
BENCHMARK_TEMPLATE(collector_intake, bench::Repetitive);
BENCHMARK_TEMPLATE(collector_intake, bench::Nested);
BENCHMARK_TEMPLATE(collector_intake, bench::Varied);
BENCHMARK(collector_intake_ops)->ArgName("ahead")->Arg(1)->Arg(1 << 16);
BENCHMARK_TEMPLATE(bytes_per_slice, bench::Repetitive)->Iterations(1);
BENCHMARK_TEMPLATE(bytes_per_slice, bench::Nested)->Iterations(1);
BENCHMARK_TEMPLATE(bytes_per_slice, bench::Varied)->Iterations(1);

}  // namespace
}  // namespace runahead::record

BENCHMARK_MAIN();
