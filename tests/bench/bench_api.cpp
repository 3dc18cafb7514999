// The cost of the public API for a program that calls the shared library: a zone and an asynchronous slice,
// with recording off and on. A zone and a slice each need at least two clock reads. The clock reads are
// measured for comparison. The recording is a file in the folder for temporary files.
#include <benchmark/benchmark.h>
#include <runahead/runahead.h>
#include <x86intrin.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace {

std::unique_ptr<runahead::Recording> the_recording;
std::uint64_t lost = 0;

std::string path() {
  return (std::filesystem::temp_directory_path() / "runahead_bench_api.runahead").string();
}

void set_up(const benchmark::State&) {
  the_recording = std::make_unique<runahead::Recording>(path());
  if (!the_recording->ok()) {
    std::fprintf(stderr, "%s\n", the_recording->error().c_str());
    std::exit(1);
  }
}
void tear_down(const benchmark::State&) {
  the_recording->stop();
  lost = the_recording->lost();
  the_recording.reset();
  std::filesystem::remove(path());
}

void two_clock_reads(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(__rdtsc());
    benchmark::DoNotOptimize(__rdtsc());
  }
}

void zone(benchmark::State& state) {
  for (auto _ : state) {
    RUNAHEAD_ZONE("zone");
    benchmark::ClobberMemory();
  }
  if (the_recording) state.counters["lost"] = static_cast<double>(the_recording->lost());
}

void async_slice(benchmark::State& state) {
  static const runahead::Track track("Bench", "requests");
  for (auto _ : state) {
    const runahead::AsyncSlice slice(track, RUNAHEAD_SITE("request"));
    benchmark::ClobberMemory();
  }
  if (the_recording) state.counters["lost"] = static_cast<double>(the_recording->lost());
}

// The number of zones is small, so that all zones fit into the thread's buffer. With more zones, the
// collector would have to empty the buffer during the measurement. If the collector ran on the same core, the
// collector's time would be measured too.
constexpr int kZones = 100'000;

BENCHMARK(two_clock_reads)->Iterations(kZones);
BENCHMARK(zone)->Name("zone/off");
BENCHMARK(async_slice)->Name("async_slice/off");
BENCHMARK(zone)->Name("zone/on")->Iterations(kZones)->Setup(set_up)->Teardown(tear_down);
BENCHMARK(async_slice)->Name("async_slice/on")->Iterations(kZones)->Setup(set_up)->Teardown(tear_down);

}  // namespace

BENCHMARK_MAIN();
