// Measures the trace store: the time to append rows, the bytes per slice, the time of a snapshot, and the
// time to fold ten million slices to a screen's width (slices on the same pixel are drawn together).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/fold.h"
#include "instrumentation/trace/trace.h"
#include "tests/support/random.h"

namespace runahead::trace {
namespace {

using testing::Random;

constexpr int kWidthPx = 1920;
constexpr std::int64_t kFoldRows = 10'000'000;

// The slices of a worker: ops of 1 to 60 us with small gaps. The ops have thirty names. The op numbers are
// nearly in order.
std::vector<Slice> worker_slices(Random& random, std::int64_t count, Timestamp begin = {}) {
  std::vector<Slice> out;
  out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    Slice slice{.begin = begin + Duration{random.integer(200, 3'000)}};
    slice.end = slice.begin + Duration{random.integer(1'000, 60'000)};
    slice.name = StringId(static_cast<std::uint32_t>(random.integer(1, 30)));
    slice.kind = SliceKind::kExecute;
    slice.op = OpId((std::uint64_t{1} << 48) + static_cast<std::uint64_t>(2 * i + random.integer(0, 100)));
    out.push_back(slice);
    begin = slice.end;
  }
  return out;
}

const Lane& large_lane() {
  static const auto lane = [] {
    Random random(1);
    auto out = std::make_unique<Lane>();
    Timestamp begin{};
    for (std::int64_t rows = 0; rows < kFoldRows; rows += 100'000) {
      const std::vector<Slice> slices = worker_slices(random, 100'000, begin);
      out->append(slices);
      begin = slices.back().end;
    }
    return out;
  }();
  return *lane;
}

void append_slices(benchmark::State& state) {
  Random random(1);
  const std::vector<Slice> rows = worker_slices(random, 1'000'000);
  std::size_t size_bytes = 0;
  for (auto _ : state) {
    Lane lane;
    for (std::size_t i = 0; i < rows.size(); i += 1000) lane.append({rows.data() + i, 1000});
    size_bytes = lane.size_bytes();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.size()));
  state.counters["bytes_per_slice"] = static_cast<double>(size_bytes) / static_cast<double>(rows.size());
}
BENCHMARK(append_slices)->Unit(benchmark::kMillisecond);

// Makes all rows of `count` ops. Each op has an enqueue slice, an execution slice and a life slice, an op
// row, a flow and four counter samples.
Batch ops_batch(Random& random, std::int64_t first, std::int64_t count) {
  Batch batch;
  for (std::uint32_t track = 0; track < 3; ++track) batch.lanes.push_back({TrackId{track}, 0, {}});
  batch.counters = {{TrackId{3}, {}}, {TrackId{4}, {}}};
  for (std::int64_t i = first; i < first + count; ++i) {
    const Timestamp begin = timestamp_from_ns(i * 20'000 + random.integer(0, 2'000));
    const auto op = OpId((std::uint64_t{1} << 48) + static_cast<std::uint64_t>(i + 1));
    const auto name = StringId(static_cast<std::uint32_t>(random.integer(1, 30)));
    const Duration length{random.integer(1'000, 17'000)};
    const Slice slice{
        .begin = begin, .end = begin + length, .name = name, .kind = SliceKind::kExecute, .op = op};
    for (LaneRows& lane : batch.lanes) lane.rows.push_back(slice);
    for (CounterRows& counter : batch.counters) {
      counter.rows.push_back({begin, static_cast<double>(i % 500 + 1)});
      counter.rows.push_back({slice.end, static_cast<double>(i % 500)});
    }
    batch.ops.push_back({.id = op,
                         .name = name,
                         .step = i / 50,
                         .enqueued = begin - Duration{900'000},
                         .ready = begin,
                         .started = begin,
                         .ended = slice.end,
                         .enqueue_track = TrackId{0},
                         .execute_track = TrackId{1},
                         .output_bytes = 4096});
    batch.flows.push_back({.kind = FlowKind::kEnqueueToExecute,
                           .from_track = TrackId{0},
                           .to_track = TrackId{1},
                           .from_time = begin - Duration{900'000},
                           .to_time = begin,
                           .op = op});
  }
  return batch;
}

Trace trace_of_ops(std::int64_t ops) {
  Random random(1);
  Trace trace;
  Batch definitions;
  definitions.strings.assign(31, "op");
  definitions.tracks = {{.id = TrackId{0}, .kind = TrackKind::kFrontend, .name = "main"},
                        {.id = TrackId{1}, .kind = TrackKind::kStream, .name = "compute"},
                        {.id = TrackId{2}, .kind = TrackKind::kQueue, .name = "op lives"},
                        {.id = TrackId{3}, .kind = TrackKind::kCounter, .name = "run-ahead"},
                        {.id = TrackId{4}, .kind = TrackKind::kCounter, .name = "live"}};
  trace.append(std::move(definitions));
  for (std::int64_t i = 0; i < ops; i += 1000) trace.append(ops_batch(random, i, 1000));
  return trace;
}

void append_ops(benchmark::State& state) {
  constexpr std::int64_t kOps = 100'000;
  double bytes = 0;
  for (auto _ : state) bytes = static_cast<double>(trace_of_ops(kOps).size_bytes());
  state.SetItemsProcessed(state.iterations() * kOps);
  state.counters["bytes_per_op"] = bytes / static_cast<double>(kOps);
}
BENCHMARK(append_ops)->Unit(benchmark::kMillisecond);

// state.range(0) is n: the view shows 1/n of the lane.
void fold_slices(benchmark::State& state) {
  const Lane& lane = large_lane();
  const Duration whole = lane.end(lane.end_row() - 1) - lane.begin(0);
  const Timestamp begin = lane.begin(0) + whole / 3;
  const TimeRange view = state.range(0) == 1 ? TimeRange{lane.begin(0), lane.begin(0) + whole}
                                             : TimeRange{begin, begin + whole / state.range(0)};
  std::vector<Run> runs;
  for (auto _ : state) {
    fold_lane(lane, view, kWidthPx, 1, runs);
    benchmark::DoNotOptimize(runs.data());
  }
  state.counters["runs"] = static_cast<double>(runs.size());
}
BENCHMARK(fold_slices)->Arg(1)->Arg(10)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

void fold_samples(benchmark::State& state) {
  Random random(1);
  CounterSeries series;
  Timestamp t{};
  for (int i = 0; i < 2'000'000; ++i) {
    t += Duration{random.integer(100, 20'000)};
    const CounterSample sample{t, static_cast<double>(random.integer(0, 100'000))};
    series.append({&sample, 1});
  }
  std::vector<CounterColumn> columns;
  for (auto _ : state) {
    fold_counter(series, {Timestamp{}, t}, kWidthPx, columns);
    benchmark::DoNotOptimize(columns.data());
  }
  state.counters["bytes_per_sample"] = static_cast<double>(series.size_bytes()) / 2e6;
}
BENCHMARK(fold_samples)->Unit(benchmark::kMicrosecond);

void snapshot(benchmark::State& state) {
  const Trace trace = trace_of_ops(1'000'000);
  for (auto _ : state) benchmark::DoNotOptimize(trace.snapshot().version());
}
BENCHMARK(snapshot)->Unit(benchmark::kMicrosecond);

void find_op(benchmark::State& state) {
  const Trace trace = trace_of_ops(1'000'000);
  Random random(2);
  for (auto _ : state) {
    const auto op = OpId((std::uint64_t{1} << 48) + static_cast<std::uint64_t>(random.integer(1, 1'000'000)));
    benchmark::DoNotOptimize(trace.op(op));
  }
}
BENCHMARK(find_op);

void segment_of_a_million_ops(benchmark::State& state) {
  const Trace trace = trace_of_ops(1'000'000);
  for (auto _ : state) benchmark::DoNotOptimize(analysis::segment_figures(trace, trace.extent()).ops);
}
BENCHMARK(segment_of_a_million_ops)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runahead::trace

BENCHMARK_MAIN();
