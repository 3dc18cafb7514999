// Measures how fast a large recording opens, and how fast frames of it are built. first_scene measures the
// time from the start of opening to the first scene. Then the view pans over the whole recording and zooms
// from the whole recording to 10 us, at 60 frames a second. Meanwhile a second thread loads the blocks of the
// file that a frame needs and does not find in memory.
//   RUNAHEAD_BENCH_RECORDING=FILE   the recording; by default 10 M slices on 200 tracks are generated
//   RUNAHEAD_BENCH_KEEP=MIB         memory limit of the loaded blocks in MiB; default 256
// Counters: settled_ms is the time until the scene is settled, which means that loading more blocks no longer
// refines the scene. blurred is the number of pixel columns of counter tracks that are not exact in the
// settled scene. median_us and p99_us are the median and the 99th percentile of the time to build a frame.
// loaded_mb is the memory of the loaded blocks. rss_mb is the memory of the process.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>
#include <vector>

#include "gui/background/block_loader.h"
#include "gui/timeline/overview.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/recording/recording.h"
#include "tests/bench/recording_generator.h"
#include "tests/bench/view_sweep.h"

namespace runahead::gui {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kFramePeriod{16'667};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

const std::filesystem::path& recording() {
  static const std::filesystem::path path = [] {
    if (const char* given = std::getenv("RUNAHEAD_BENCH_RECORDING")) return std::filesystem::path(given);
    const auto made = std::filesystem::temp_directory_path() / "runahead_bench_open.runahead";
    const auto facts = bench::generate_recording({.slices = 10'000'000, .tracks = 200}, made);
    if (!facts.ok()) std::cerr << facts.error().message << "\n";
    return made;
  }();
  return path;
}

recordings::OpenOptions options() {
  recordings::OpenOptions out;
  if (const char* given = std::getenv("RUNAHEAD_BENCH_KEEP")) out.memory_bytes = std::stoull(given) << 20;
  return out;
}

// An opened recording: its trace, and the thread that loads the blocks that a frame needs and does not find
// in memory.
struct Opened {
  Opened() : trace(recordings::open_recording(recording(), {}, options()).value()) {
    if (trace.store() != nullptr) loader.emplace(trace.store(), [] {});
  }
  void draw(TimeRange view) {
    if (loader) loader->begin_view();
    const TimelineState timeline{.view = view};
    build_scene(trace, timeline, kScreen, scene);
    update_overview(trace, timeline, kScreen.width_px, 1, overview);
    if (loader) loader->end_view();
  }
  void settle(TimeRange view) {
    for (draw(view); scene.counters_refine || (loader && (loader->take_progress() || loader->busy()));
         draw(view)) {
      std::this_thread::sleep_for(kFramePeriod);
    }
  }
  trace::Trace trace;
  std::optional<BlockLoader> loader;
  Scene scene;
  Overview overview;
};

// The number of pixel columns of counter tracks that are not exact yet. They would become exact if more
// blocks were loaded.
double blurred(const Scene& scene) {
  std::int64_t count = 0;
  for (const SceneCounter& counter : scene.counters) {
    if (counter.columns.empty()) continue;
    const std::int64_t end = counter.first_column + counter.columns.back().x_px + 1;
    count += end - counter.first_column - (std::min(end, counter.exact_end) - counter.exact_begin);
  }
  return static_cast<double>(count);
}

void report(benchmark::State& state, const Opened& opened) {
  state.counters["slices"] = static_cast<double>(opened.trace.counts().slices);
  state.counters["boxes"] = static_cast<double>(opened.scene.boxes.size());
  if (const auto store = opened.trace.store()) {
    state.counters["loaded_mb"] = static_cast<double>(store->stats().used_bytes) / 1e6;
  }
  state.counters["rss_mb"] = resident_mb();
}

void first_scene(benchmark::State& state) {
  (void)recording();
  double settled_ms = 0;
  for (auto _ : state) {
    const Clock::time_point begin = Clock::now();
    Opened opened;
    opened.draw(opened.trace.extent());
    state.SetIterationTime(ms_since(begin) / 1e3);
    opened.settle(opened.trace.extent());
    settled_ms = ms_since(begin);
    state.counters["blurred"] = blurred(opened.scene);
    double cols = 0;
    for (auto& c : opened.scene.counters) cols += c.columns.size();
    state.counters["cols"] = cols;
    report(state, opened);
  }
  state.counters["settled_ms"] = settled_ms;
}

template <typename ViewOf>
void sweep(benchmark::State& state, ViewOf view_of) {
  Opened opened;
  std::vector<double> costs_ms;
  for (auto _ : state) {
    opened.settle(opened.trace.extent());
    Clock::time_point next = Clock::now();
    for (int frame = 0; frame < kFrames; ++frame) {
      const TimeRange view = view_of(opened.trace.extent(), frame);
      const Clock::time_point begin = Clock::now();
      opened.draw(view);
      costs_ms.push_back(ms_since(begin));
      std::this_thread::sleep_until(next += kFramePeriod);
    }
  }
  std::sort(costs_ms.begin(), costs_ms.end());
  state.counters["median_us"] = costs_ms[costs_ms.size() / 2] * 1e3;
  state.counters["p99_us"] = costs_ms[costs_ms.size() * 99 / 100] * 1e3;
  state.counters["max_us"] = costs_ms.back() * 1e3;
  report(state, opened);
}

void pan(benchmark::State& state) { sweep(state, panned); }
void zoom(benchmark::State& state) { sweep(state, zoomed); }

BENCHMARK(first_scene)->Unit(benchmark::kMillisecond)->Iterations(3)->UseManualTime();
BENCHMARK(pan)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK(zoom)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace runahead::gui

BENCHMARK_MAIN();
