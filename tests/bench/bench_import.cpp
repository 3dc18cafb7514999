// Imports Chrome trace JSON: a million complete events, about 106 MB, in the form that VizTracer and Kineto
// write. Also measures the memory that the import needs in addition to the file's bytes.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "instrumentation/import/chrome/chrome_import.h"
#include "instrumentation/import/chrome/event_scanner.h"
#include "instrumentation/import/chrome/text_stream.h"

namespace runahead::recordings {
using namespace trace;
using namespace files;
using namespace importers;
namespace {

constexpr std::int64_t kEvents = 1'000'000;

// Returns a trace with ops of eight threads. Each op has a child slice. Each event has one argument, and one
// of forty names.
const std::string& million_events() {
  static const std::string file = [] {
    std::string out = "{\"traceEvents\":[\n";
    char line[256];
    for (std::int64_t i = 0; i < kEvents; ++i) {
      const long long step = i / 2, inner = i % 2;
      const long long ts_ns = step * 10'000 + inner * 2'500, dur_ns = inner != 0 ? 5'125 : 9'750;
      const int size =
          std::snprintf(line, sizeof line,
                        "%s{\"ph\":\"X\",\"cat\":\"op\",\"name\":\"op_%02d\",\"pid\":4515,\"tid\":%"
                        "d,\"ts\":%lld.%03lld,"
                        "\"dur\":%lld.%03lld,\"args\":{\"id\":%lld}}",
                        i == 0 ? "" : ",\n", static_cast<int>(i % 40), static_cast<int>(4515 + step % 8),
                        ts_ns / 1000, ts_ns % 1000, dur_ns / 1000, dur_ns % 1000, static_cast<long long>(i));
      out.append(line, static_cast<std::size_t>(size));
    }
    return out + "\n]}\n";
  }();
  return file;
}

std::int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kilobytes = 0;
    if (word == key + ":" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void import_million_events(benchmark::State& state) {
  const std::string& file = million_events();
  double peak_ratio = 0, kept_ratio = 0;
  for (auto _ : state) {
    std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak of the resident memory
    const std::int64_t before = status_bytes("VmRSS");
    MemorySource source(file);
    const Result<Trace> trace = import_chrome_json(source);
    if (!trace || trace->counts().slices != static_cast<std::uint64_t>(kEvents)) {
      state.SkipWithError("the import lost slices");
      return;
    }
    const auto size = static_cast<double>(file.size());
    peak_ratio = static_cast<double>(status_bytes("VmHWM") - before) / size;
    kept_ratio = static_cast<double>(trace->size_bytes()) / size;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
  state.SetItemsProcessed(state.iterations() * kEvents);
  state.counters["file_MB"] = static_cast<double>(file.size()) / 1e6;
  // The bytes by which the import raises the peak of the resident memory, divided by the size of the file.
  // The file's text does not count, because it is in memory before the import.
  state.counters["peak_per_file"] = peak_ratio;
  state.counters["trace_per_file"] = kept_ratio;
}
BENCHMARK(import_million_events)->Unit(benchmark::kMillisecond);

// Measures only the EventScanner: the part of the import that finds where each event begins and ends.
void scan_million_events(benchmark::State& state) {
  const std::string& file = million_events();
  for (auto _ : state) {
    MemorySource source(file);
    const auto stream = open_text_stream(source);
    EventScanner scanner(**stream);
    std::int64_t count = 0;
    while (scanner.next()) ++count;
    if (count != kEvents) state.SkipWithError("the scanner lost events");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
}
BENCHMARK(scan_million_events)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runahead::recordings

BENCHMARK_MAIN();
