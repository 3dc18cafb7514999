// Measures the cost of recording which op allocated which memory. Measures the time of the hooks
// memory_allocated() and memory_freed(), and the time in which a memory pool allocates and releases a block,
// each with recording off and on. Also measures the size of the rows of a million memory blocks, and the time
// of the memory report on these blocks. The measured time of a hook or pool does not include the collector's
// work.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/device/memory/memory_pool.h"
#include "instrumentation/analysis/memory_report.h"
#include "instrumentation/record/collector.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/recorder.h"
#include "instrumentation/trace/allocation_table.h"

namespace runahead {
namespace {

// The collector drains the buffers after this number of blocks.
constexpr std::int64_t kBlocks = 200'000;
const record::Site kDense{"dense", trace::SliceKind::kExecute};

class Recording {
 public:
  explicit Recording(bool on) {
    if (!on) return;
    recorder_.emplace(record::RecorderOptions{.events_per_thread = 1u << 22});
    recorder_->start();
    collector_.emplace(*recorder_, record::CollectorOptions{.run_thread = false, .sample_rss = false});
  }
  void drain() {
    if (!collector_) return;
    collector_->flush();
    while (collector_->take()) continue;
  }
  [[nodiscard]] std::uint64_t lost() const { return recorder_ ? recorder_->stats().lost : 0; }

 private:
  std::optional<record::Recorder> recorder_;
  std::optional<record::Collector> collector_;
};

const record::TrackDesc& live_bytes() {
  return record::intern_track({.kind = trace::TrackKind::kCounter,
                               .group = "Memory",
                               .name = "live bench",
                               .device = "bench",
                               .unit = trace::Unit::kBytes,
                               .role = trace::CounterRole::kLiveBytes});
}

void hooks(benchmark::State& state) {
  Recording recording(state.range(0) != 0);
  const record::MemoryKind& kind = record::intern_memory({.live = &live_bytes(), .category = "bench"});
  std::uint64_t number = 0;
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kBlocks; ++i) {
      const record::MemoryBlock block{
          .kind = &kind, .site = &kDense, .op = OpId{1}, .number = ++number, .size_bytes = 64};
      const std::uint64_t ticks = record::now_ticks();
      record::memory_allocated(block, ticks);
      record::memory_freed(block, {ticks}, ticks);
    }
    state.PauseTiming();
    recording.drain();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kBlocks);
  state.counters["lost"] = static_cast<double>(recording.lost());
}
BENCHMARK(hooks)->ArgName("recording")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void allocate_and_release(benchmark::State& state) {
  Recording recording(state.range(0) != 0);
  engine::MemoryPool pool("bench", true, std::size_t{1} << 30, nullptr);
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kBlocks; ++i) {
      auto block = pool.allocate(4096, {engine::MemoryCategory::kActivation, &kDense, OpId{1}});
      benchmark::DoNotOptimize(block.ok());
    }
    state.PauseTiming();
    recording.drain();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kBlocks);
  state.counters["lost"] = static_cast<double>(recording.lost());
}
BENCHMARK(allocate_and_release)->ArgName("recording")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// A million blocks. A few hundred of them are live at a time.
trace::Trace million_blocks() {
  trace::Trace trace;
  trace::Batch batch;
  batch.strings = {"", "dense", "relu", "activations"};
  batch.tracks.push_back({.id = TrackId{0},
                          .kind = trace::TrackKind::kCounter,
                          .role = trace::CounterRole::kLiveBytes,
                          .name = "live",
                          .device = "bench"});
  batch.counters.push_back({TrackId{0}, {{Timestamp{}, 1e6}}});
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    const Timestamp begin = timestamp_from_ns(i * 1000);
    batch.allocations.push_back({.block = static_cast<std::uint64_t>(i + 1),
                                 .counter = TrackId{0},
                                 .category = StringId{3},
                                 .name = StringId{static_cast<std::uint32_t>(1 + i % 2)},
                                 .op = OpId{static_cast<std::uint64_t>(i + 1)},
                                 .size_bytes = 4096 + i % 7 * 512,
                                 .begin = begin,
                                 .end = begin + Duration{100'000 + i % 13 * 10'000}});
  }
  trace.append(std::move(batch));
  return trace;
}

void report(benchmark::State& state) {
  const trace::Trace trace = million_blocks();
  const Timestamp at = timestamp_from_ns(state.range(0) * 10'000'000);
  for (auto _ : state) benchmark::DoNotOptimize(analysis::memory_report(trace, TrackId{0}, at).named_bytes);
  state.counters["bytes_a_row"] = static_cast<double>(trace.allocations().size_bytes()) / 1e6;
}
BENCHMARK(report)->ArgName("percent")->Arg(1)->Arg(50)->Arg(99)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runahead

BENCHMARK_MAIN();
