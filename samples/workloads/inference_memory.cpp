// inference_memory: applies an MLP to batch after batch, with a wait per batch or without. Results are
// dropped immediately. Therefore memory grows by the results of ops that are enqueued but have not run.
//
// Result:
//   inputs_bytes          bytes of all batches' inputs. Memory grows by this amount if ops allocate at
//                         execution and run in the order in which they become ready: the ops that make the
//                         inputs depend on nothing, so they run before the ops that use the inputs
//   outputs_bytes         bytes of the outputs of all ops of all batches, inputs included
//   predicted_peak_bytes  upper bound of live bytes if memory is allocated at enqueue (the default): the
//                         parameters, and the outputs of all ops that the barrier allows to be unfinished.
//                         The bound is for the barrier that was set last. Compare the bound with the report's
//                         peak_bytes
//   mean_prediction       mean of the last batch's predictions
#include <algorithm>
#include <optional>

#include "engine/array/operators.h"
#include "samples/common_results.h"
#include "samples/parameters.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

using engine::Array;
using engine::MemoryCategory;

// The default size, "class", has many rows and few columns. Therefore a batch allocates much memory in a
// short time (3 MB in about 5 ms on the virtual GPU).
const WorkloadSpec& inference_memory_spec() {
  static const WorkloadSpec spec{
      .name = "inference_memory",
      .title = "Inference memory",
      .question =
          "Sixty batches are predicted and their results dropped: why does memory grow, and by how much?",
      .look_for =
          "Without a wait, every op that is enqueued and not finished adds to the live bytes. With memory "
          "allocated at execution (--alloc execute) and ready order \"first ready\", the growth is the "
          "queued inputs. With \"oldest first\" there is almost no growth. With a wait per batch the growth "
          "is one batch.",
      .published = "60 batches of 1024 x 1024: +12.35 MB with a wait each, +245.84 MB without",
      .published_figures =
          // The published figure is the process's memory. The figure of this workload is the memory that the
          // devices have allocated. In the published figure 1 MB is 1000 KiB, so the 60 inputs of 1024 x 1024
          // are 245.76 MB.
      {{"Growth of memory, 60 batches",
        {{"with a wait each", 12.35, "MB", "(peak_bytes - params_bytes) / 1024000", with_a_wait()},
         {"without a wait", 245.84, "MB", "(peak_bytes - params_bytes) / 1024000", without_a_wait()}}},
       {"Growth relative to the inputs",
        {{"with a wait each", 12.35 / 245.76, "x", "(peak_bytes - params_bytes) / inputs_bytes",
          with_a_wait()},
         {"without a wait", 245.84 / 245.76, "x", "(peak_bytes - params_bytes) / inputs_bytes",
          without_a_wait()}}}},
      .results =
          {loop_time_results(),
           {.title = "Memory of all batches, and live at the peak",
            .columns = {"all batches", "at the peak"},
            .rows = {{.label = "inputs",
                      .figures = {"inputs_bytes", "peak_inputs_bytes"},
                      .unit = ResultUnit::kBytes,
                      .hint =
                          "Inputs wait for nothing, so with ready order \"first ready\" they are made first"},
                     {.label = "outputs of all ops, with inputs",
                      .figures = {"outputs_bytes", "peak_bytes - params_bytes"},
                      .unit = ResultUnit::kBytes}}},
           {.title = "The peak, predicted and measured",
            .columns = {"predicted", "measured"},
            .rows = {{.label = "with memory allocated at enqueue",
                      .figures = {"predicted_peak_bytes", "peak_bytes"},
                      .unit = ResultUnit::kBytes,
                      .hint = "Upper bound under this barrier. With --alloc execute the peak is lower."}}},
           memory_results(),
           process_memory_results(),
           {.title = "Check",
            .rows = {{.label = "mean of the last batch's predictions",
                      .figures = {"mean_prediction"},
                      .unit = ResultUnit::kNumber}}}},
      .parameters = with_common_parameters(
          {count_parameter("batch", "Batch size", "Rows of a batch", 4096, 1024, 65536),
           count_parameter("features", "Features", "Columns of a batch", 64, 1024, 8192),
           count_parameter("hidden", "Hidden units", "Units of the hidden layer", 64, 1024, 8192)},
          {.class_steps = 60, .published_steps = 60, .steps_help = "Batches"}),
      .default_device = "virtual:0",
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kPrint, BarrierKind::kWindow, BarrierKind::kOps,
                   BarrierKind::kBytes},
      .tiny_settings = {{"steps", "4"}, {"batch", "32"}, {"features", "16"}, {"hidden", "8"}},
  };
  return spec;
}

class InferenceMemory final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return inference_memory_spec(); }

  Status run(RunContext& run) override {
    const auto whole = [&](const char* name) { return static_cast<std::int64_t>(run.parameter(name)); };
    batch_ = whole("batch");
    features_ = whole("features");
    hidden_ = whole("hidden");
    make_layers(run, static_cast<std::uint64_t>(whole("seed")));
    run.step_bytes = sizeof(float) * static_cast<double>(batch_ * (features_ + 2 * hidden_ + 1));
    while (run.control->next_step()) {
      last_ = predict(run.context());
      if (Status held = run.control->end_step(last_); !held.ok()) return held;
    }
    if (!run.control->endless()) report(run);
    return Ok{};
  }

  Status conclude(RunContext& run) override {
    layers_ = {};
    if (!last_ || !run.devices.front()->holds_values()) return Ok{};
    const Result<float> mean = engine::mean(last_).item();
    if (!mean.ok()) return mean.error();
    run.result["mean_prediction"] = static_cast<double>(*mean);
    return Ok{};
  }

 private:
  struct Layers {
    Array weight1, bias1, weight2, bias2;
  };
  void make_layers(RunContext& run, std::uint64_t seed) {
    const engine::Context here = run.context();
    constexpr auto kParameter = MemoryCategory::kParameter;
    layers_ = {engine::uniform(here, {hidden_, features_}, {seed, 0}, -0.07f, 0.07f, kParameter),
               engine::zeros(here, {hidden_}, kParameter),
               engine::uniform(here, {1, hidden_}, {seed, 1}, -0.07f, 0.07f, kParameter),
               engine::zeros(here, {1}, kParameter)};
    for (const Array* array : {&layers_.weight1, &layers_.bias1, &layers_.weight2, &layers_.bias2})
      run.params_bytes += static_cast<double>(array->size_bytes());
  }

  [[nodiscard]] Array predict(const engine::Context& here) const {
    const Array x = engine::ones(here, {batch_, features_}, MemoryCategory::kInput);
    const Array hidden = engine::relu(engine::dense(x, layers_.weight1, layers_.bias1));
    return engine::dense(hidden, layers_.weight2, layers_.bias2);
  }

  void report(RunContext& run) const {
    const double steps = run.parameter("steps");
    run.result["inputs_bytes"] = sizeof(float) * static_cast<double>(batch_ * features_) * steps;
    run.result["outputs_bytes"] = run.step_bytes * steps;
    run.result["predicted_peak_bytes"] = run.params_bytes + unfinished_bytes(run, steps);
  }

  // The largest total size of the outputs of unfinished ops. The barriers `ops` and `bytes` do not count the
  // outputs of finished ops, although unfinished ops may still read these outputs. Therefore the bytes of a
  // step are added for these barriers.
  [[nodiscard]] double unfinished_bytes(const RunContext& run, double steps) const {
    const double all = run.step_bytes * steps;
    const double largest = sizeof(float) * static_cast<double>(batch_ * std::max(features_, hidden_));
    const BarrierPolicy barrier = run.control->barrier();
    const double k = static_cast<double>(barrier.k);
    if (run.engine->options().kind == engine::EngineKind::kNaive) return run.step_bytes;
    switch (barrier.kind) {
      case BarrierKind::kNone:
        return all;
      case BarrierKind::kWindow:
        return run.step_bytes * std::min(steps, k);
      // Two ops more than the barrier allows have memory: the op that exceeds the bound, and the next op. The
      // engine allocates the memory of the next op before it holds the frontend back.
      case BarrierKind::kOps:
        return std::min(all, (k + 2) * largest + run.step_bytes);
      case BarrierKind::kBytes:
        return std::min(all, k + 2 * largest + run.step_bytes);
      default:
        return run.step_bytes;
    }
  }

  std::int64_t batch_ = 0, features_ = 0, hidden_ = 0;
  Layers layers_;
  Array last_;
};

Lesson inference_memory_lesson() {
  return {
      .number = 7,
      .workload = "inference_memory",
      .parts = {{.id = "free", .label = "Sixty batches, no wait"},
                {.id = "held", .label = "A wait for each batch", .barrier = "wait_to_read"}},
      .predictions =
          {{.question = "The input of a batch takes 1.05 MB. Input and outputs together take 3.16 MB. Sixty "
                        "batches are enqueued without a wait. By how much does live memory grow at most?",
            .formula = "free.peak_bytes - free.params_bytes",
            .unit = ResultUnit::kBytes,
            .close = 1.25},
           {.question = "With a wait for each batch, what share of that growth remains?",
            .formula = "(held.peak_bytes - held.params_bytes) / (free.peak_bytes - free.params_bytes)",
            .choices = {{.words = "all of it", .from = 0.75},
                        {.words = "about half", .from = 0.25, .below = 0.75},
                        {.words = "about a tenth", .from = 0.04, .below = 0.25},
                        {.words = "about one sixtieth", .below = 0.04}}}},
      .figures = {{"free_growth", "free.peak_bytes - free.params_bytes", ResultUnit::kBytes},
                  {"held_growth", "held.peak_bytes - held.params_bytes", ResultUnit::kBytes},
                  {"inputs", "free.inputs_bytes", ResultUnit::kBytes},
                  {"outputs", "free.outputs_bytes", ResultUnit::kBytes}},
      .explanation = {
          "Without a wait memory grew by {free_growth}. With a wait it grew by {held_growth}: one batch at a "
          "time.",
          "The inputs of all sixty batches take {inputs}, all outputs {outputs}. If memory is allocated at "
          "the enqueue, every unfinished op holds its output. If memory is allocated at the execution, only "
          "ops that have run hold an output. These are the inputs, because they wait for nothing.",
          "Published: +245.84 MB without a wait. The 60 queued inputs are 245.76 MB (in that source 1 MB is "
          "1000 KiB), so they explain the growth."}};
}

}  // namespace

extern const WorkloadEntry kInferenceMemory;
constexpr WorkloadEntry kInferenceMemory{make_workload_of<InferenceMemory>, inference_memory_lesson};

}  // namespace runahead::samples
