// Measures the time of build_scene(), which finds what a frame of the timeline draws. The view has 1920 x
// 1080 pixels. The trace has 1 or 200 tracks, and 1 or 10 million slices in total. The benchmark `pan` moves
// the view over the whole trace. The benchmark `zoom` narrows the view from the whole trace to 10 us. Both
// report the median and the 99th percentile of the time of one call in us, and the largest number of boxes
// that a frame draws. The benchmarks `pan_found` and `zoom_found` do the same while a search has found a
// ninth of the slices. `pan_causes` and `zoom_causes` do the same while 100 000 idle gaps of a device and 100
// 000 pieces of the critical path are shown.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gui/timeline/overview.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/slice_search.h"
#include "tests/bench/view_sweep.h"

namespace runahead::gui {
namespace {

using Clock = std::chrono::steady_clock;
using trace::SliceKind;

constexpr std::uint64_t kRowsPerBatch = 1u << 16;

// The slices take 0.3 to 1.2 us, with some gaps between them. They have nine names and nine kinds. Every call
// makes the same slices.
trace::Trace make_trace(std::uint64_t tracks, std::uint64_t slices) {
  trace::Trace trace;
  trace::Batch batch;
  for (int i = 0; i < trace::kSliceKindCount; ++i) batch.strings.push_back("operator " + std::to_string(i));
  for (std::uint64_t i = 0; i < tracks; ++i) {
    batch.tracks.push_back({.id = TrackId{static_cast<std::uint32_t>(i)},
                            .kind = trace::TrackKind::kWorker,
                            .name = "cpu " + std::to_string(i)});
  }
  trace.append(std::move(batch));
  for (std::uint64_t i = 0; i < tracks; ++i) {
    std::int64_t ns = 0;
    std::uint64_t random = i + 1;
    for (std::uint64_t done = 0; done < slices / tracks; done += kRowsPerBatch) {
      trace::Batch rows;
      rows.lanes.push_back({TrackId{static_cast<std::uint32_t>(i)}, 0, {}});
      for (std::uint64_t k = done; k < std::min(done + kRowsPerBatch, slices / tracks); ++k) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const auto which = static_cast<std::uint32_t>(random >> 33);
        const std::int64_t length = 300 + which % 900;
        rows.lanes[0].rows.push_back({.begin = timestamp_from_ns(ns),
                                      .end = timestamp_from_ns(ns + length),
                                      .name = StringId{1 + which % trace::kSliceKindCount},
                                      .kind = static_cast<SliceKind>(which / 64 % trace::kSliceKindCount)});
        ns += length + (which % 16 == 0 ? 2'000 : 0);
      }
      rows.watermark = timestamp_from_ns(ns);
      trace.append(std::move(rows));
    }
  }
  return trace;
}

void report(benchmark::State& state, std::vector<double>& costs_us, std::size_t most_boxes) {
  std::sort(costs_us.begin(), costs_us.end());
  state.counters["median_us"] = costs_us[costs_us.size() / 2];
  state.counters["p99_us"] = costs_us[costs_us.size() * 99 / 100];
  state.counters["max_boxes"] = static_cast<double>(most_boxes);
}

std::shared_ptr<const analysis::FoundRows> found_rows(const trace::Trace& trace) {
  const analysis::SliceSearch search{.name = "operator 3"};
  const std::atomic<bool> cancel{false};
  return analysis::find_slices(trace, search, trace.extent(), analysis::FoundOrder::kByTime, 0, cancel).rows;
}

// Gaps of the first track's device, and a path that alternates between two tracks.
std::shared_ptr<const CauseMarks> cause_marks(const trace::Trace& trace) {
  constexpr std::int64_t kMarks = 100'000;
  CauseMarks marks;
  marks.trace = trace.identity();
  std::vector<PathPiece>& path = marks.paths.emplace_back();
  IdleDevice device;
  device.name = "gpu 0";
  device.tracks = {TrackId{0}};
  for (const std::uint32_t track : {0U, trace.tracks().size() > 1 ? 1U : 0U})
    marks.path_tracks.emplace_back(TrackId{track});
  const Duration each = trace.extent().duration() / kMarks;
  for (std::int64_t i = 0; i < kMarks; ++i) {
    const Timestamp begin = trace.extent().begin + i * each;
    device.gaps.push_back(
        {.range = {begin, begin + each / 3},
         .cause = static_cast<causes::IdleCause>(i % std::int64_t{causes::kIdleCauseCount})});
    const auto track = static_cast<std::uint32_t>(i % 2);
    path.push_back({{begin, begin + each}, causes::PathClass::kKernel, track});
    marks.path_tracks[track].add({begin, begin + each});
  }
  device.parts.resize(device.gaps.size());
  device.gap_count = device.gaps.size();
  marks.devices.push_back(std::move(device));
  return std::make_shared<const CauseMarks>(std::move(marks));
}

enum class Shown { kSlices, kFound, kCauses };

template <typename ViewOf>
void sweep(benchmark::State& state, ViewOf view_of, Shown shown = Shown::kSlices) {
  const trace::Trace trace = make_trace(static_cast<std::uint64_t>(state.range(0)),
                                        static_cast<std::uint64_t>(state.range(1)) * 1'000'000);
  const auto found = shown == Shown::kFound ? found_rows(trace) : nullptr;
  const auto causes = shown == Shown::kCauses ? cause_marks(trace) : nullptr;
  std::vector<double> costs_us;
  std::size_t most_boxes = 0;
  Scene scene;
  int frame = 0;
  for (auto _ : state) {
    TimelineState timeline{.view = view_of(trace.extent(), frame++ % kFrames)};
    timeline.found = found;
    timeline.causes = causes;
    timeline.shows_idle = timeline.shows_path = true;
    const Clock::time_point begin = Clock::now();
    build_scene(trace, timeline, kScreen, scene);
    costs_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    most_boxes = std::max(most_boxes, scene.boxes.size());
  }
  report(state, costs_us, most_boxes);
}

void pan(benchmark::State& state) { sweep(state, panned); }
void zoom(benchmark::State& state) { sweep(state, zoomed); }
void pan_found(benchmark::State& state) { sweep(state, panned, Shown::kFound); }
void zoom_found(benchmark::State& state) { sweep(state, zoomed, Shown::kFound); }
void pan_causes(benchmark::State& state) { sweep(state, panned, Shown::kCauses); }
void zoom_causes(benchmark::State& state) { sweep(state, zoomed, Shown::kCauses); }

void overview(benchmark::State& state) {
  const trace::Trace trace = make_trace(static_cast<std::uint64_t>(state.range(0)),
                                        static_cast<std::uint64_t>(state.range(1)) * 1'000'000);
  for (auto _ : state) {
    Overview strip;
    update_overview(trace, {.view = trace.extent()}, kScreen.width_px, 1, strip);
    benchmark::DoNotOptimize(strip.columns.data());
  }
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"tracks", "million_slices"});
  for (const int tracks : {1, 200}) {
    for (const int millions : {1, 10}) bench->Args({tracks, millions});
  }
  bench->Unit(benchmark::kMicrosecond)->Iterations(2 * kFrames);
}

BENCHMARK(pan)->Apply(sizes);
BENCHMARK(zoom)->Apply(sizes);
BENCHMARK(pan_found)->Apply(sizes);
BENCHMARK(zoom_found)->Apply(sizes);
BENCHMARK(pan_causes)->Apply(sizes);
BENCHMARK(zoom_causes)->Apply(sizes);
// One overview of 10 M slices takes 0.1 s.
BENCHMARK(overview)->Apply(sizes)->Iterations(10);

}  // namespace
}  // namespace runahead::gui

BENCHMARK_MAIN();
