// memory_hierarchy: what a byte costs, depending on how it is read. Each step makes one of these
// measurements, in turn: reading a block in order, with a stride, or as single words at random; two threads
// that add to counters in one cache line, or in two; copying bytes to the device in one copy, or in a
// thousand small copies; copies of several sizes, whose times give a latency and a bandwidth. A read of host
// memory is an op that times itself, so the frontend does not have to wait for it. A copy is timed by the
// frontend, which waits for the copy.
//
// Result (medians over the steps; a measurement that no step made is missing):
//   run_ns_per_byte            reading a block in order
//   random_ns_per_byte         reading 4-byte words in random lines; each word says where the next is
//   random_over_run            their ratio
//   stride_N_ns_per_byte       reading one 4-byte word every N bytes; per byte used, N = 4 ... 1024
//   one_line_ns, two_lines_ns  time of one increment by each of two threads. one_line: their counters share a
//                              cache line; two_lines: they do not
//   sharing_ratio              their ratio
//   copy_large_ns_per_byte     copying all bytes to the device in 1 copy
//   copy_small_ns_per_byte     copying the same bytes in 1000 copies
//   latency_us, bytes_per_s    of a copy, fitted over sizes from 4 KiB: time = latency + bytes / bandwidth
//   model_latency_us, model_bytes_per_s:
//                              the same figures, from the model of a simulated device
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/array/operators.h"
#include "engine/device/virtual_device.h"
#include "instrumentation/base/median.h"
#include "samples/clock.h"
#include "samples/line_fit.h"
#include "samples/parameters.h"
#include "samples/workloads/memory_patterns.h"
#include "samples/workloads/touch_memory.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

using engine::Array;
using trace::SliceKind;
constexpr record::Site kHierarchyWaitAll{"waitall", SliceKind::kWait, __FILE__, __LINE__};
constexpr record::Site kChainSite{"write chain", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kRunSite{"read in order", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kRandomSite{"read at random", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kStrideSite{"read with stride", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kOneLineSite{"two threads, one line", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kTwoLinesSite{"two threads, two lines", SliceKind::kExecute, __FILE__, __LINE__};

constexpr std::int64_t kSmallCopies = 1000;
constexpr std::int64_t kSmallestFitted_bytes = 4096;
constexpr std::int64_t kMostCopies = 256;  // the most copies of one size in a step
// maximum number of measurements that are kept per pattern; later ones are dropped
constexpr std::size_t kMostKept = 1000;

const WorkloadSpec& memory_hierarchy_spec() {
  static const WorkloadSpec spec{
      .name = "memory_hierarchy",
      .title = "Memory hierarchy",
      .question =
          "Reading a byte: how much more can it cost, depending only on how the bytes around it are used?",
      .look_for =
          "The same block is read in order, with strides, and at random. From a stride of one cache line "
          "upwards every word costs a whole line. Two threads that share a line but no value slow each other "
          "down. A thousand small copies take far longer than one large copy: each pays the latency.",
      .published = "The first random read costs about 500 times as much as a burst read",
      .published_figures = {{"Cost of a byte",
                             {{"first random read over burst read", 500, "x", "random_over_run"}}}},
      .results =
          {{.title = "Reading a byte",
            .rows = {{.label = "in order", .figures = {"run_ns_per_byte"}, .unit = ResultUnit::kNanoseconds},
                     {.label = "words at random places",
                      .figures = {"random_ns_per_byte"},
                      .unit = ResultUnit::kNanoseconds},
                     {.label = "the second over the first",
                      .figures = {"random_over_run"},
                      .unit = ResultUnit::kRatio}}},
           {.title = "Reading with a stride, per byte used",
            .rows = {{.label = "every word, 4 B",
                      .figures = {"stride_4_ns_per_byte"},
                      .unit = ResultUnit::kNanoseconds},
                     {.label = "every 16 B",
                      .figures = {"stride_16_ns_per_byte"},
                      .unit = ResultUnit::kNanoseconds},
                     {.label = "every 64 B",
                      .figures = {"stride_64_ns_per_byte"},
                      .unit = ResultUnit::kNanoseconds},
                     {.label = "every 256 B",
                      .figures = {"stride_256_ns_per_byte"},
                      .unit = ResultUnit::kNanoseconds},
                     {.label = "every 1024 B",
                      .figures = {"stride_1024_ns_per_byte"},
                      .unit = ResultUnit::kNanoseconds}}},
           {.title = "An increment by each of two threads",
            .rows =
                {{.label = "on one cache line", .figures = {"one_line_ns"}, .unit = ResultUnit::kNanoseconds},
                 {.label = "on two cache lines",
                  .figures = {"two_lines_ns"},
                  .unit = ResultUnit::kNanoseconds},
                 {.label = "the first over the second",
                  .figures = {"sharing_ratio"},
                  .unit = ResultUnit::kRatio}}},
           {.title = "A byte copied to the device",
            .rows = {{.label = "in one copy",
                      .figures = {"copy_large_ns_per_byte"},
                      .unit = ResultUnit::kNanoseconds},
                     {.label = "in a thousand",
                      .figures = {"copy_small_ns_per_byte"},
                      .unit = ResultUnit::kNanoseconds}}},
           {.title = "A copy, fitted over sizes",
            .columns = {"fitted", "model"},
            .rows = {{.label = "latency",
                      .figures = {"latency_us", "model_latency_us"},
                      .unit = ResultUnit::kMicroseconds},
                     {.label = "bandwidth",
                      .figures = {"bytes_per_s", "model_bytes_per_s"},
                      .unit = ResultUnit::kBytesPerSecond}}}},
      .parameters = with_common_parameters(
          {{"block_mib", "Block, MiB",
            "Size of the block that is read, in MiB; if it fits the caches, the caches are measured", 64, 256,
            1, 1024, true},
           count_parameter("random_reads", "Random reads", "Words read at random", 20000, 1000000, 1e8),
           count_parameter("increments", "Increments", "Increments of each of two threads", 200000, 1000000,
                           1e8),
           {"copy_kib", "Copy, KiB", "Bytes copied to the device, at once or in a thousand parts, in KiB",
            4000, 64000, 16, 1e6, true},
           switch_parameter("pageable", "Pageable memory",
                            "1: copies go through host memory that is not pinned", 0)},
          {.class_steps = 51,
           .published_steps = 51,
           .steps_help = "Number of measurements; the kinds take turns"}),
      .default_device = "virtual:0",
      .counters = {trace::CounterRole::kCopyBandwidth},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kWindow,
                   BarrierKind::kOps, BarrierKind::kBytes},
      .tiny_settings = {{"steps", "15"},
                        {"block_mib", "1"},
                        {"random_reads", "100"},
                        {"increments", "100"},
                        {"copy_kib", "64"}},
  };
  return spec;
}

// One kind of measurement that a step makes.
struct Pattern {
  enum class Kind { kRun, kRandom, kStride, kOneLine, kTwoLines, kCopies };
  Kind kind = Kind::kRun;
  std::string name;  // name of the result without the unit; empty for a copy that is only used for the fit
  // kStride: distance between two words that are read, in bytes; kCopies: size of one copy
  std::int64_t size_bytes = 0;
  std::int64_t count = 1;        // kCopies: number of copies
  std::vector<Array> measured;   // {ns per byte or increment, a checksum}, on the cpu
  std::vector<double> copied_s;  // kCopies: seconds of one copy
};

class MemoryHierarchy final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return memory_hierarchy_spec(); }

  Status run(RunContext& run) override {
    list_patterns(run);
    make_memory(run);
    if (Status made = run.engine->wait_all(kHierarchyWaitAll); !made.ok()) return made;
    while (const std::optional<std::int64_t> step = run.control->next_step()) {
      Pattern& pattern = patterns_[static_cast<std::size_t>(*step) % patterns_.size()];
      Array last;
      const Status measured = measure(run, pattern, last);
      const Status held = run.control->end_step(last);
      if (!measured.ok()) return measured;
      if (!held.ok()) return held;
    }
    return Ok{};
  }

  Status conclude(RunContext& run) override {
    block_ = turn_ = {};
    sources_.clear();
    for (Pattern& pattern : patterns_) {
      if (Status reported = report(run, pattern); !reported.ok()) return reported;
    }
    const auto ratio = [&](const char* name, const char* a, const char* b) {
      if (run.result.count(a) != 0 && run.result.count(b) != 0)
        run.result[name] = run.result.at(a) / run.result.at(b);
    };
    ratio("random_over_run", "random_ns_per_byte", "run_ns_per_byte");
    ratio("sharing_ratio", "one_line_ns", "two_lines_ns");
    report_fit(run);
    report_model(run);
    return Ok{};
  }

 private:
  using Kind = Pattern::Kind;

  void list_patterns(const RunContext& run) {
    copy_bytes_ = 1024 * static_cast<std::int64_t>(run.parameter("copy_kib"));
    patterns_ = {{.kind = Kind::kRun, .name = "run"}, {.kind = Kind::kRandom, .name = "random"}};
    for (const std::int64_t stride : {4, 16, 64, 256, 1024}) {
      patterns_.push_back(
          {.kind = Kind::kStride, .name = "stride_" + std::to_string(stride), .size_bytes = stride});
    }
    patterns_.push_back({.kind = Kind::kOneLine, .name = "one_line"});
    patterns_.push_back({.kind = Kind::kTwoLines, .name = "two_lines"});
    patterns_.push_back({.kind = Kind::kCopies, .name = "copy_large", .size_bytes = copy_bytes_});
    patterns_.push_back({.kind = Kind::kCopies,
                         .name = "copy_small",
                         .size_bytes = std::max<std::int64_t>(4, copy_bytes_ / kSmallCopies / 4 * 4),
                         .count = kSmallCopies});
    for (std::int64_t size = kSmallestFitted_bytes; size <= copy_bytes_; size *= 4) {
      const std::int64_t count = std::clamp<std::int64_t>(copy_bytes_ / size, 1, kMostCopies);
      patterns_.push_back({.kind = Kind::kCopies, .size_bytes = size, .count = count});
    }
  }

  void make_memory(RunContext& run) {
    const std::int64_t words =
        (std::int64_t{1} << 18) * static_cast<std::int64_t>(run.parameter("block_mib"));
    const std::uint64_t seed = static_cast<std::uint64_t>(run.parameter("seed"));
    random_reads_ = static_cast<std::int64_t>(run.parameter("random_reads"));
    increments_ = static_cast<std::int64_t>(run.parameter("increments"));
    host_memory_ =
        run.parameter("pageable") != 0 ? engine::HostMemory::kPageable : engine::HostMemory::kPinned;
    host_ = {run.engine, run.cpu};
    block_ = engine::uniform(host_, {words}, {seed, 0});
    turn_ = engine::zeros(host_, {1});
    engine::ArrayOp chain{.site = &kChainSite, .in_place = {block_}};
    (void)engine::apply(host_, std::move(chain), [words, seed](const engine::Values& values) {
      write_chain({values.out[0], static_cast<std::size_t>(words)}, seed);
    });
    run.params_bytes = static_cast<double>(block_.size_bytes());
    run.step_bytes = static_cast<double>(copy_bytes_);
    for (const Pattern& pattern : patterns_) {
      if (pattern.kind != Kind::kCopies || sources_.count(pattern.size_bytes) != 0) continue;
      const Array source = engine::ones(host_, {pattern.size_bytes / 4});
      sources_[pattern.size_bytes] = source;
      run.params_bytes += static_cast<double>(source.size_bytes());
      touch_memory(run, *run.devices.front(), pattern.count, static_cast<std::size_t>(pattern.size_bytes));
    }
  }

  // Makes one measurement. Sets `last` to the array that the step waits for.
  Status measure(RunContext& run, Pattern& pattern, Array& last) {
    if (pattern.kind == Kind::kCopies) return measure_copies(run, pattern, last);
    last = pattern.kind == Kind::kOneLine || pattern.kind == Kind::kTwoLines ? measure_sharing(pattern.kind)
                                                                             : measure_reads(pattern);
    if (!run.control->endless() && pattern.measured.size() < kMostKept) pattern.measured.push_back(last);
    return Ok{};
  }

  // Enqueues an op that measures its own time. The op calls `pass` with the block and with turn_. turn_ has
  // the number of the cache line at which the next random reads start (follow_chain()). `pass` returns a
  // checksum of the words that it read. The measured time is divided by `unit_count`. All these ops write
  // turn_, so they run one after the other. Otherwise two workers could run two of these ops at the same
  // time, and disturb the times.
  template <typename Pass>
  Array self_timed(const record::Site& site, double unit_count, Pass pass) const {
    engine::ArrayOp op{.site = &site, .inputs = {block_}, .in_place = {turn_}, .shapes = {{2}}};
    return engine::apply(host_, std::move(op),
                         [pass, unit_count,
                          words = static_cast<std::size_t>(block_.size())](const engine::Values& values) {
                           const Stopwatch whole;
                           const std::uint64_t sum = pass(std::span(values.in[0], words), values.out[1][0]);
                           values.out[0][0] = static_cast<float>(whole.elapsed_s() * 1e9 / unit_count);
                           values.out[0][1] = static_cast<float>(sum & 0xFFFFFF);
                         })
        .front();
  }

  [[nodiscard]] Array measure_reads(const Pattern& pattern) const {
    const double block_bytes = static_cast<double>(block_.size_bytes());
    if (pattern.kind == Kind::kRun)
      return self_timed(kRunSite, block_bytes,
                        [](std::span<const float> block, float&) { return read_in_order(block); });
    if (pattern.kind == Kind::kRandom) {
      return self_timed(kRandomSite, 4.0 * static_cast<double>(random_reads_),
                        [count = random_reads_](std::span<const float> block, float& line) {
                          const std::int64_t end =
                              follow_chain(block, static_cast<std::int64_t>(line), count);
                          line = static_cast<float>(end);
                          return static_cast<std::uint64_t>(end);
                        });
    }
    const std::int64_t stride_words = pattern.size_bytes / 4;
    return self_timed(
        kStrideSite, block_bytes / static_cast<double>(stride_words),
        [stride_words](std::span<const float> block, float&) { return read_strided(block, stride_words); });
  }

  // The op measures the time of its two threads, from the moment when both run.
  [[nodiscard]] Array measure_sharing(Kind kind) const {
    const bool one_line = kind == Kind::kOneLine;
    engine::ArrayOp op{
        .site = one_line ? &kOneLineSite : &kTwoLinesSite, .in_place = {turn_}, .shapes = {{2}}};
    return engine::apply(host_, std::move(op),
                         [one_line, count = increments_](const engine::Values& values) {
                           const double seconds = count_on_two_threads(one_line, count);
                           values.out[0][0] = static_cast<float>(seconds * 1e9 / static_cast<double>(count));
                           values.out[0][1] = 0;
                         })
        .front();
  }

  Status measure_copies(RunContext& run, Pattern& pattern, Array& last) {
    const Array& source = sources_.at(pattern.size_bytes);
    last = source;
    if (Status idle = run.engine->wait_all(kHierarchyWaitAll); !idle.ok()) return idle;
    std::vector<Array> copies;
    copies.reserve(static_cast<std::size_t>(pattern.count));
    const Stopwatch whole;
    for (std::int64_t i = 0; i < pattern.count && !run.control->stopping(); ++i)
      copies.push_back(engine::copy_to(source, run.context(), host_memory_));
    if (!copies.empty()) last = copies.back();
    if (Status done = run.engine->wait_all(kHierarchyWaitAll); !done.ok()) return done;
    if (!run.control->endless() && pattern.copied_s.size() < kMostKept)
      pattern.copied_s.push_back(whole.elapsed_s() / static_cast<double>(pattern.count));
    return Ok{};
  }

  static Status report(RunContext& run, Pattern& pattern) {
    std::vector<double> ns;
    for (const Array& array : std::exchange(pattern.measured, {})) {
      const Result<std::vector<float>> values = array.asnumpy();
      if (!values.ok()) return values.error();
      ns.push_back(static_cast<double>(values->front()));
    }
    if (!pattern.name.empty()) {
      for (const double seconds : pattern.copied_s)
        ns.push_back(seconds * 1e9 / static_cast<double>(pattern.size_bytes));
    }
    const bool increments = pattern.kind == Kind::kOneLine || pattern.kind == Kind::kTwoLines;
    if (!ns.empty()) run.result[pattern.name + (increments ? "_ns" : "_ns_per_byte")] = median(std::move(ns));
    return Ok{};
  }

  void report_fit(RunContext& run) const {
    std::vector<Measured> points;
    for (const Pattern& pattern : patterns_) {
      if (pattern.kind != Kind::kCopies || !pattern.name.empty() || pattern.copied_s.empty()) continue;
      points.push_back({static_cast<double>(pattern.size_bytes), median(pattern.copied_s)});
    }
    if (points.size() < 2) return;
    const Line line = fit_line(points);
    run.result["latency_us"] = line.intercept * 1e6;
    if (line.slope > 0) run.result["bytes_per_s"] = 1 / line.slope;
  }

  void report_model(RunContext& run) const {
    const engine::Device& device = *run.devices.front();
    if (!device.simulated()) return;
    for (const engine::VirtualModel& model : engine::virtual_presets()) {
      if (engine::describe(model) != device.description()) continue;
      run.result["model_latency_us"] = static_cast<double>(model.copy_latency.count()) / 1000;
      run.result["model_bytes_per_s"] = host_memory_ == engine::HostMemory::kPageable
                                            ? model.pageable_bytes_per_s
                                            : model.pinned_bytes_per_s;
    }
  }

  std::int64_t copy_bytes_ = 0, random_reads_ = 0, increments_ = 0;
  engine::HostMemory host_memory_ = engine::HostMemory::kPinned;
  engine::Context host_;
  Array block_, turn_;                     // turn_: one number: the line at which the next random reads start
  std::map<std::int64_t, Array> sources_;  // the arrays that are copied, by size
  std::vector<Pattern> patterns_;
};

Lesson memory_hierarchy_lesson() {
  return {.number = 12,
          .workload = "memory_hierarchy",
          .parts = {one_run("A block read in order, with strides and at random; large and small copies")},
          .predictions = {{.question = "Words are read in order, then at random places of the same block. By "
                                       "what factor does a byte cost more at random?",
                           .formula = "run.random_over_run",
                           .close = 3},
                          {.question = "The same bytes go to the device in one copy, then in a thousand "
                                       "copies. Compared with the one copy, the thousand take",
                           .formula = "run.copy_small_ns_per_byte / run.copy_large_ns_per_byte",
                           .choices = {{.words = "about as long", .below = 1.5},
                                       {.words = "several times as long", .from = 1.5, .below = 20},
                                       {.words = "20 times as long, or more", .from = 20}}}},
          .figures = {{"in_order", "run.run_ns_per_byte", ResultUnit::kNanoseconds},
                      {"random", "run.random_ns_per_byte", ResultUnit::kNanoseconds},
                      {"ratio", "run.random_over_run", ResultUnit::kRatio},
                      {"one_line", "run.one_line_ns", ResultUnit::kNanoseconds},
                      {"two_lines", "run.two_lines_ns", ResultUnit::kNanoseconds},
                      {"latency", "run.latency_us", ResultUnit::kMicroseconds},
                      {"bandwidth", "run.bytes_per_s", ResultUnit::kBytesPerSecond}},
          .explanation = {
              "In order a byte cost {in_order}, at random {random}: {ratio}. Memory is read in lines, and "
              "the next lines are prefetched. A word at a random place uses only 4 bytes of its line, and "
              "this line was not prefetched.",
              "Two threads add to two numbers. With both numbers on one line an addition took {one_line}, on "
              "two lines {two_lines}: the shared line moves back and forth between the cores.",
              "A copy to the device first takes the latency, {latency}, and then runs at {bandwidth}. Most "
              "of the time of a small copy is the latency.",
              "Published: the first random read costs about 500 times as much as a burst read."}};
}

}  // namespace

extern const WorkloadEntry kMemoryHierarchy;
constexpr WorkloadEntry kMemoryHierarchy{make_workload_of<MemoryHierarchy>, memory_hierarchy_lesson};

}  // namespace runahead::samples
