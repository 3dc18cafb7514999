// The cost of decoding CUPTI's records, per launch. A launch has a record of the call, a record of its kernel
// and, with ops=1, a record that links it to its op. The benchmark makes the records itself and delivers
// those of 10,000 launches at once. decode_to_batches also measures the collector, which puts the rows into
// batches.
//   build/release/tests/bench/bench_cupti
#include <benchmark/benchmark.h>

#include <memory>

#include "instrumentation/base/tick_clock.h"
#include "instrumentation/cupti/decoder.h"
#include "instrumentation/record/collector.h"

namespace runahead::cupti {
namespace {

constexpr int kLaunches = 10'000;
constexpr const char* kNames[] = {"_Z4gemmPfi", "_Z4axpyPfi", "_Z7softmaxPfi", "_Z6reducePfi"};

class Launches {
 public:
  explicit Launches(bool with_ops) : with_ops_(with_ops) {}
  void deliver(Decoder& decoder) {
    for (int i = 0; i < kLaunches; ++i) launch(decoder);
    decoder.commit(now_ns_);
  }

 private:
  void launch(Decoder& decoder) {
    ++correlation_;
    now_ns_ += 5'000;
    Record record{.kind = RecordKind::kCall, .kernel = {}};
    record.call = {now_ns_, now_ns_ + 3'000, kCall, correlation_, 4242, 0, false};
    decoder.add(record);
    if (with_ops_) {
      record.kind = RecordKind::kExternalCorrelation;
      record.external = {correlation_, correlation_};
      decoder.add(record);
    }
    record.kind = RecordKind::kKernel;
    record.kernel = {.work = {.begin_ns = now_ns_ + 4'000,
                              .end_ns = now_ns_ + 8'000,
                              .device = 0,
                              .context = 1,
                              .stream = 7,
                              .correlation = correlation_,
                              .graph = 0,
                              .graph_node = 0},
                     .name = kNames[correlation_ % 4],
                     .grid = {static_cast<std::int32_t>(correlation_ % 64 + 1), 1, 1},
                     .block = {256, 1, 1},
                     .registers_per_thread = 40,
                     .static_shared_bytes = 1024};
    decoder.add(record);
  }

  static constexpr const char* kCall = "cudaLaunchKernel";
  const bool with_ops_;
  std::uint32_t correlation_ = 0;
  std::int64_t now_ns_ = TickClock::get().now_ns();
};

void decode(benchmark::State& state) {
  Decoder decoder;
  Launches launches(state.range(0) != 0);
  record::SourceRows rows;
  for (auto _ : state) {
    launches.deliver(decoder);
    decoder.take(rows);
    benchmark::DoNotOptimize(rows.slices.data());
  }
  state.SetItemsProcessed(state.iterations() * kLaunches);
}
BENCHMARK(decode)->ArgName("ops")->Arg(0)->Arg(1);

class Rows final : public record::RowSource {
 public:
  bool take(record::SourceRows& rows) override {
    decoder.take(rows);
    return true;
  }
  Decoder decoder;
};

void decode_to_batches(benchmark::State& state) {
  record::Recorder recorder;
  record::Collector collector(recorder, {.run_thread = false, .sample_rss = false});
  recorder.start();
  const auto rows = std::make_shared<Rows>();
  recorder.add(rows);
  Launches launches(state.range(0) != 0);
  for (auto _ : state) {
    launches.deliver(rows->decoder);
    collector.drain_now();
    while (const auto batch = collector.take()) benchmark::DoNotOptimize(batch->lanes.data());
  }
  state.SetItemsProcessed(state.iterations() * kLaunches);
}
BENCHMARK(decode_to_batches)->ArgName("ops")->Arg(0)->Arg(1);

}  // namespace
}  // namespace runahead::cupti

BENCHMARK_MAIN();
