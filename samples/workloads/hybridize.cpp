// hybridize: applies a small MLP to one row a thousand times, first op by op, then as a compiled graph. The
// graph is recorded once. Then each pass is one op, and its intermediate results share a few planned buffers.
//
// Result:
//   imperative_s, compiled_s:  time of all passes, op by op and compiled, with a wait at the end
//   ratio:                     imperative_s / compiled_s
//   imperative_enqueue_s, compiled_enqueue_s:
//                              part of imperative_s and compiled_s: the time until the last pass was
//                              enqueued, including the waits of the barrier
//   ops_per_pass:              number of ops of a pass that runs op by op; a compiled pass is one op
//   buffers_before, buffers_after, buffer_bytes_before, buffer_bytes_after:
//                              number and size of the buffers for the results within a pass. before: one
//                              buffer for each result. after: the planned buffers
//   values_equal:              1: both outputs have the same bits
//   loaded_values_equal:       1: the graph also gives these bits after it was saved to a file with its
//                              parameters, loaded, and run on the cpu
//   graph_bytes:               size of that file, which is removed at the end
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/array/compiled_graph.h"
#include "engine/array/graph_file.h"
#include "engine/array/operators.h"
#include "samples/clock.h"
#include "samples/own_work.h"
#include "samples/parameters.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

using engine::Array;
using engine::CompiledGraph;
using engine::Symbol;
constexpr const char* kOpByOp = "op by op";
constexpr const char* kCompiled = "compiled";
constexpr const char* kInTurn = "op by op and compiled in turn";
constexpr record::Site kHybridizeWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};

const WorkloadSpec& hybridize_spec() {
  static const WorkloadSpec spec{
      .name = "hybridize",
      .title = "Compiled graphs",
      .question = "A thousand passes of five operators: what does it save to enqueue each pass as one op?",
      .look_for =
          "Op by op, the frontend pays its cost five times per pass, and the worker waits for the frontend. "
          "Compiled, a pass is one slice and one allocation, with the same values. With frontend_us=0 the "
          "gain is the engine's own cost per op.",
      .published = "1000 passes: 0.8890 s op by op, 0.4335 s compiled; another article: 0.6364 s, 0.1622 s",
      .published_figures =
          {{"1000 passes",
            {{"compiled", 0.4335, "s", "compiled_s"}, {"op by op", 0.8890, "s", "imperative_s"}}},
           {"1000 passes, another article",
            {{"compiled", 0.1622, "s", "compiled_s"}, {"op by op", 0.6364, "s", "imperative_s"}}}},
      .results = {{.title = "All passes",
                   .columns = {"op by op", "compiled"},
                   .rows = {{.label = "until all are done", .figures = {"imperative_s", "compiled_s"}},
                            {.label = "until all are enqueued",
                             .figures = {"imperative_enqueue_s", "compiled_enqueue_s"}}}},
                  {.title = "Gain",
                   .rows = {{.label = "time op by op / time compiled",
                             .figures = {"ratio"},
                             .unit = ResultUnit::kRatio}}},
                  {.title = "One pass",
                   .columns = {"op by op", "compiled"},
                   .rows = {{.label = "ops", .figures = {"ops_per_pass", "1"}, .unit = ResultUnit::kNumber},
                            {.label = "buffers for the results",
                             .figures = {"buffers_before", "buffers_after"},
                             .unit = ResultUnit::kNumber},
                            {.label = "bytes in these buffers",
                             .figures = {"buffer_bytes_before", "buffer_bytes_after"},
                             .unit = ResultUnit::kBytes}}},
                  {.title = "Check",
                   .rows = {{.label = "both outputs have the same bits",
                             .figures = {"values_equal"},
                             .unit = ResultUnit::kYesOrNo},
                            {.label = "the saved and loaded graph too",
                             .figures = {"loaded_values_equal"},
                             .unit = ResultUnit::kYesOrNo},
                            {.label = "size of the saved file",
                             .figures = {"graph_bytes"},
                             .unit = ResultUnit::kBytes}}}},
      .parameters = with_common_parameters(
          {count_parameter("batch", "Batch size", "Rows of x", 1, 1, 65536),
           count_parameter("features", "Features", "Columns of x", 512, 512, 8192),
           count_parameter("hidden1", "Units, layer 1", "Units of the first hidden layer", 256, 256, 8192),
           count_parameter("hidden2", "Units, layer 2", "Units of the second hidden layer", 128, 128, 8192),
           count_parameter("outputs", "Outputs", "Units of the last layer", 2, 2, 8192),
           count_parameter("passes", "Passes per step", "Forward passes of a step", 50, 50, 1e6)},
          {.class_steps = 20,
           .published_steps = 20,
           .class_frontend_us = 20,
           .published_frontend_us = 20,
           .steps_help = "Steps of each half; an endless run alternates between op by op and compiled"}),
      .default_device = "cpu",
      .parts = {kOpByOp, kCompiled, kInTurn},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kWindow, BarrierKind::kOps, BarrierKind::kBytes},
      .tiny_settings = {{"steps", "3"},
                        {"batch", "2"},
                        {"features", "10"},
                        {"hidden1", "8"},
                        {"hidden2", "6"},
                        {"passes", "4"},
                        {"frontend_us", "0"}},
  };
  return spec;
}

// A call makes one forward pass. If `Value` is Array, it enqueues the ops of the pass. If `Value` is Symbol,
// it records the pass as a graph.
template <typename Value>
struct Mlp {
  std::array<Value, 3> weight, bias;

  [[nodiscard]] Value operator()(const Value& x) const {
    const Value hidden = relu(dense(x, weight[0], bias[0]));
    return dense(relu(dense(hidden, weight[1], bias[1])), weight[2], bias[2]);
  }
};

// A file with a unique name in the folder for temporary files. The destructor removes the file.
class TemporaryPath {
 public:
  TemporaryPath() {
    std::error_code code;
    std::filesystem::path folder = std::filesystem::temp_directory_path(code);
    if (code) folder = ".";
    std::string name = (folder / "runahead-graph-XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file >= 0) ::close(file);
    path_ = std::move(name);
  }
  ~TemporaryPath() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class Hybridize final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return hybridize_spec(); }

  Status run(RunContext& run) override {
    const auto whole = [&](const char* name) { return static_cast<std::int64_t>(run.parameter(name)); };
    passes_ = whole("passes");
    units_ = {whole("features"), whole("hidden1"), whole("hidden2"), whole("outputs")};
    const std::int64_t batch = whole("batch");
    make_network(run, batch, static_cast<std::uint64_t>(whole("seed")));
    {
      const OwnWork own(*run.control);
      if (Status compiled = compile_network(batch); !compiled.ok()) return compiled;
    }
    // step_bytes counts all results of op-by-op passes: two per hidden layer, and the output.
    run.step_bytes = sizeof(float) * static_cast<double>(passes_ * batch) *
                     static_cast<double>(2 * units_[1] + 2 * units_[2] + units_[3]);
    // Warm-up: wakes the worker threads and the BLAS library, and touches the memory of both variants.
    imperative_ = mlp_(x_);
    compiled_ = graph_.run(x_);
    if (Status made = run.engine->wait_all(kHybridizeWaitAll); !made.ok()) return made;
    return run.control->endless() ? take_turns(run) : measure(run);
  }

  Status conclude(RunContext& run) override {
    if (!run.devices.front()->holds_values()) return Ok{};
    const Result<std::vector<float>> imperative = imperative_.asnumpy(), compiled = compiled_.asnumpy();
    if (!imperative.ok()) return imperative.error();
    if (!compiled.ok()) return compiled.error();
    run.result["values_equal"] = same_bits(*imperative, *compiled) ? 1 : 0;
    return run_from_file(run, *compiled);
  }

 private:
  void make_network(RunContext& run, std::int64_t batch, std::uint64_t seed) {
    const engine::Context here = run.context();
    constexpr auto kParameter = engine::MemoryCategory::kParameter;
    for (std::size_t i = 0; i < mlp_.weight.size(); ++i) {
      mlp_.weight[i] =
          engine::uniform(here, {units_[i + 1], units_[i]}, {seed, 2 * i}, -0.07f, 0.07f, kParameter);
      mlp_.bias[i] = engine::uniform(here, {units_[i + 1]}, {seed, 2 * i + 1}, -0.07f, 0.07f, kParameter);
      run.params_bytes += static_cast<double>(mlp_.weight[i].size_bytes() + mlp_.bias[i].size_bytes());
    }
    x_ = engine::normal(here, {batch, units_[0]}, {seed, 16}, 0.0f, 1.0f, engine::MemoryCategory::kInput);
  }

  Status compile_network(std::int64_t batch) {
    engine::GraphRecorder recorder;
    Mlp<Symbol> symbols;
    std::vector<Array> parameters;
    for (std::size_t i = 0; i < mlp_.weight.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      symbols.weight[i] = recorder.parameter("weight" + number, mlp_.weight[i].shape());
      symbols.bias[i] = recorder.parameter("bias" + number, mlp_.bias[i].shape());
      parameters.push_back(mlp_.weight[i]);
      parameters.push_back(mlp_.bias[i]);
    }
    const Symbol x = recorder.input({batch, units_[0]});
    Result<CompiledGraph> compiled =
        CompiledGraph::compile(recorder.finish(symbols(x)), std::move(parameters));
    if (!compiled.ok()) return compiled.error();
    graph_ = std::move(compiled).value();
    return Ok{};
  }

  // Enqueues `passes_` passes. Returns the output of the last pass.
  template <typename Forward>
  [[nodiscard]] Array step(const Forward& forward) const {
    Array y;
    for (std::int64_t i = 0; i < passes_; ++i) y = forward(x_);
    return y;
  }
  [[nodiscard]] Array imperative_step() const { return step(mlp_); }
  [[nodiscard]] Array compiled_step() const {
    return step([this](const Array& x) { return graph_.run(x); });
  }

  Status measure(RunContext& run) {
    const std::int64_t steps = static_cast<std::int64_t>(run.parameter("steps"));
    run.control->begin_part(kOpByOp);
    const Stopwatch imperative;
    for (std::int64_t i = 0; i < steps && !run.control->stopping(); ++i) {
      imperative_ = imperative_step();
      if (Status held = run.control->wait_point(imperative_); !held.ok()) return held;
    }
    run.result["imperative_enqueue_s"] = imperative.elapsed_s();
    if (Status done = run.engine->wait_all(kHybridizeWaitAll); !done.ok()) return done;
    run.result["imperative_s"] = imperative.elapsed_s();
    run.control->begin_part(kCompiled);
    const Stopwatch compiled;
    while (run.control->next_step()) {
      compiled_ = compiled_step();
      if (Status held = run.control->end_step(compiled_); !held.ok()) return held;
    }
    run.result["compiled_enqueue_s"] = compiled.elapsed_s();
    if (Status done = run.engine->wait_all(kHybridizeWaitAll); !done.ok()) return done;
    run.result["compiled_s"] = compiled.elapsed_s();
    report(run);
    return Ok{};
  }

  Status take_turns(RunContext& run) {
    run.control->begin_part(kInTurn);
    while (const std::optional<std::int64_t> index = run.control->next_step()) {
      const Array y = *index % 2 == 0 ? imperative_step() : compiled_step();
      if (Status held = run.control->end_step(y); !held.ok()) return held;
    }
    return Ok{};
  }

  void report(RunContext& run) const {
    const engine::BufferPlan& plan = graph_.plan();
    run.result["ratio"] = run.result.at("imperative_s") / run.result.at("compiled_s");
    run.result["ops_per_pass"] = static_cast<double>(graph_.graph().op_count());
    run.result["buffers_before"] = static_cast<double>(plan.results);
    run.result["buffers_after"] = static_cast<double>(plan.buffer_sizes.size());
    run.result["buffer_bytes_before"] = sizeof(float) * static_cast<double>(plan.result_elements);
    run.result["buffer_bytes_after"] = sizeof(float) * static_cast<double>(plan.elements());
  }

  // Runs the graph on the cpu, from the graph's file alone.
  Status run_from_file(RunContext& run, const std::vector<float>& expected) const {
    const Result<engine::SavedGraph> saved = engine::saved_from(graph_);
    if (!saved.ok()) return saved.error();
    const TemporaryPath file;
    if (Status written = engine::save_graph(file.path(), *saved); !written.ok()) return written;
    std::error_code ignored;
    run.result["graph_bytes"] = static_cast<double>(std::filesystem::file_size(file.path(), ignored));
    const Result<engine::SavedGraph> loaded = engine::load_graph(file.path());
    if (!loaded.ok()) return loaded.error();
    const engine::Context host{run.engine, run.cpu};
    const Result<CompiledGraph> graph = engine::compile(host, *loaded);
    if (!graph.ok()) return graph.error();
    const Result<std::vector<float>> values =
        graph->run(run.context() == host ? x_ : engine::copy_to(x_, host)).asnumpy();
    if (!values.ok()) return values.error();
    run.result["loaded_values_equal"] = same_bits(*values, expected) ? 1 : 0;
    return Ok{};
  }

  std::int64_t passes_ = 0;
  std::array<std::int64_t, 4> units_{};
  Mlp<Array> mlp_;
  CompiledGraph graph_;
  Array x_, imperative_, compiled_;  // the input, and the last output of each variant
};

Lesson hybridize_lesson() {
  return {
      .number = 10,
      .workload = "hybridize",
      .parts = {one_run("A thousand forward passes, op by op and compiled")},
      .predictions =
          {{.question =
                "A pass is five small ops. Compiled, a pass is one op. By what factor is a pass faster?",
            .formula = "run.imperative_s / run.compiled_s",
            .close = 1.5},
           {.question = "Op by op, a pass has four intermediate results. How many buffers does the compiled "
                        "graph need "
                        "for them?",
            .formula = "run.buffers_after",
            .unit = ResultUnit::kNumber,
            .close = 1}},
      .figures = {{"imperative", "run.imperative_s"},
                  {"compiled", "run.compiled_s"},
                  {"ratio", "run.imperative_s / run.compiled_s", ResultUnit::kRatio},
                  {"imperative_enqueue", "run.imperative_enqueue_s"},
                  {"compiled_enqueue", "run.compiled_enqueue_s"},
                  {"ops", "run.ops_per_pass", ResultUnit::kNumber},
                  {"before", "run.buffers_before", ResultUnit::kNumber},
                  {"after", "run.buffers_after", ResultUnit::kNumber}},
      .explanation = {
          "Op by op took {imperative}, compiled {compiled}: {ratio}. The frontend was the slow part: "
          "enqueueing took {imperative_enqueue} with {ops} ops per pass, and {compiled_enqueue} with one op "
          "per pass.",
          "The compiled graph knows when a result is read for the last time, so {after} buffers are enough "
          "for {before} results.",
          "Published: 0.8890 s op by op and 0.4335 s compiled; another article: 0.6364 s and 0.1622 s."}};
}

}  // namespace

extern const WorkloadEntry kHybridize;
constexpr WorkloadEntry kHybridize{make_workload_of<Hybridize>, hybridize_lesson};

}  // namespace runahead::samples
