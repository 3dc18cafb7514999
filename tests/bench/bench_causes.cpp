// How long it takes to explain a trace, per slice. The trace is like one of PyTorch's profiler: operators
// that launch kernels on two streams or on 2000, and a synchronisation after every 100 launches.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "instrumentation/causes/explanation.h"
#include "instrumentation/trace/trace.h"

namespace runahead::causes {
namespace {

using trace::Batch;
using trace::Slice;
using trace::SliceKind;
using trace::TrackKind;

enum : std::uint32_t { kEmpty, kGpu, kOperator, kLaunch, kKernel, kWait };
constexpr TrackId kMain{0};
TrackId stream_track(std::int64_t stream) { return TrackId{static_cast<std::uint32_t>(stream + 1)}; }

Batch definitions(std::int64_t streams) {
  Batch batch;
  batch.strings = {"", "gpu 0", "aten::add", "cudaLaunchKernel", "kernel", "cudaStreamSynchronize"};
  batch.tracks = {{.id = kMain, .pid = 1, .tid = 1, .name = "main"}};
  for (std::int64_t i = 0; i < streams; ++i)
    batch.tracks.push_back({.id = stream_track(i),
                            .kind = TrackKind::kStream,
                            .tid = i + 20,
                            .name = "stream",
                            .device = "gpu 0"});
  return batch;
}

Slice slice(std::uint32_t name, SliceKind kind, std::int64_t begin, std::int64_t end) {
  return {
      .begin = timestamp_from_ns(begin), .end = timestamp_from_ns(end), .name = StringId{name}, .kind = kind};
}

// Each launch makes three slices and a flow.
trace::Trace make_trace(std::int64_t launches, std::int64_t streams) {
  trace::Trace out;
  out.append(definitions(streams));
  std::int64_t now = 0, last_end = 0;
  std::vector<std::int64_t> free_at(static_cast<std::size_t>(streams));
  for (std::int64_t first = 0; first < launches; first += 10'000) {
    Batch batch;
    batch.lanes = {{.track = kMain, .depth = 0, .rows = {}}, {.track = kMain, .depth = 1, .rows = {}}};
    for (std::int64_t i = 0; i < streams; ++i)
      batch.lanes.push_back({.track = stream_track(i), .depth = 0, .rows = {}});
    for (std::int64_t i = first; i < std::min(launches, first + 10'000); ++i) {
      const std::int64_t stream = i % streams, call = now + 2'000;
      std::int64_t& stream_free_at = free_at[static_cast<std::size_t>(stream)];
      const std::int64_t begin = std::max(stream_free_at, call + 4'000);
      batch.lanes[0].rows.push_back(slice(kOperator, SliceKind::kZone, now, now + 7'000));
      batch.lanes[1].rows.push_back(slice(kLaunch, SliceKind::kEnqueue, call, call + 3'000));
      batch.lanes[static_cast<std::size_t>(2 + stream)].rows.push_back(
          slice(kKernel, SliceKind::kExecute, begin, begin + 5'000 + i * 7'919 % 9'000));
      batch.flows.push_back({.kind = trace::FlowKind::kLaunchToDevice,
                             .from_track = kMain,
                             .to_track = stream_track(stream),
                             .from_time = timestamp_from_ns(call),
                             .to_time = timestamp_from_ns(begin)});
      stream_free_at = begin + 5'000 + i * 7'919 % 9'000 + 500;
      last_end = std::max(last_end, stream_free_at);
      now += 8'000;
      if (i % 100 != 99) continue;
      const std::int64_t end = std::max(now, last_end) + 2'000;
      batch.lanes[0].rows.push_back(slice(kWait, SliceKind::kWait, now, end));
      now = end + 1'000;
    }
    batch.watermark = timestamp_from_ns(now);
    out.append(std::move(batch));
  }
  return out;
}

void explain_trace(benchmark::State& state) {
  const trace::Trace trace = make_trace(state.range(0) * 1'000'000 / 3, state.range(1));
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
