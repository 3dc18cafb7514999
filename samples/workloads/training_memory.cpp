// training_memory: an MLP trained on random batches. Without a barrier the frontend runs ahead, and memory
// holds every waiting batch. With a barrier, memory holds one batch, and the devices wait for the frontend.
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "engine/array/operators.h"
#include "instrumentation/record/hooks/hooks.h"
#include "samples/clock.h"
#include "samples/common_results.h"
#include "samples/own_work.h"
#include "samples/parameters.h"
#include "samples/workloads/touch_memory.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

using engine::Array;
using engine::MemoryCategory;
using engine::Transpose;

constexpr record::Site kLoadBatch{"load batch", trace::SliceKind::kZone, __FILE__, __LINE__};

// The values of the parameter wait_at: where in a step the frontend waits.
enum class WaitAt { kLossBeforeBackward = 0, kLossAtEnd = 1, kUpdateAtEnd = 2 };

PublishedSet published_loop_times() {
  return {
      .title = "Time until the loop returns, 50 batches",
      .figures = {{"without a wait", 0.10, "s", "(wall_s - final_wait_s) / steps * 50", without_a_wait()},
                  {"with a wait each", 3.95, "s", "(wall_s - final_wait_s) / steps * 50", with_a_wait()}}};
}

PublishedSet published_growth() {
  PublishedFigure without{.label = "without a wait", .value = 323, .unit = "MB"};
  without.absent =
      "There is no matching figure here: the article printed the memory in use, not the growth. The strip "
      "shows the growth.";
  return {
      .title = "Growth of memory",
      .figures = {{"with a wait each", 41.8, "MB", "(peak_bytes - params_bytes) / 1000000", with_a_wait()},
                  std::move(without)}};
}

// The default size, "class", has many rows and few columns. Therefore a step allocates much memory in a short
// time (5.6 MB in about 8 ms on the virtual GPU). Without a barrier, the steps in flight hold at most 1 GiB,
// the default limit. After the user switches a barrier on, the device finishes these steps within two
// seconds. The frontend needs a tenth of the time of a step, so it can run ahead. With a barrier, the device
// is idle during this tenth, because it waits for the frontend.
const WorkloadSpec& training_memory_spec() {
  static const WorkloadSpec spec{
      .name = "training_memory",
      .title = "Training memory",
      .question = "A wait in every batch: what does it cost, and what does it save?",
      .look_for =
          "Without a barrier live bytes grow with the run-ahead, and the devices are never idle. With a "
          "barrier memory holds about one batch, and batch t + 1 is not prepared while batch t is computed.",
      .published =
          "50 batches: 3.95 s and +41.8 MB with a wait each; without a wait the loop returned after 0.10 s, "
          "and +323 MB",
      .published_figures = {published_loop_times(), published_growth()},
      .results =
          {loop_time_results(),
           memory_results(),
           process_memory_results(),
           {.title = "Loss",
            .rows =
                {{.label = "of the first batch", .figures = {"first_loss"}, .unit = ResultUnit::kNumber},
                 {.label = "of the last batch", .figures = {"final_loss"}, .unit = ResultUnit::kNumber}}}},
      .parameters = with_common_parameters(
          {count_parameter("batch", "Batch size", "Rows of a batch", 3072, 1024, 65536),
           count_parameter("features", "Features", "Columns of a batch", 48, 512, 8192),
           count_parameter("hidden1", "Units, layer 1", "Units of the first hidden layer", 64, 2048, 8192),
           count_parameter("hidden2", "Units, layer 2", "Units of the second hidden layer", 16, 512, 8192),
           {"rate", "Learning rate", "Learning rate", 0.005, 0.005, 0, 10, false},
           {"wait_at", "Place of wait",
            "0: waits for the loss, before backward; 1: for the loss, at the step's end; 2: for the update, "
            "at the step's end",
            2, 1, 0, 2, true},
           {"loader_us", "Loading, \u00b5s",
            "The frontend's own work per batch, before it enqueues the batch, in us", 600, 0, 0, 1e6, false},
           switch_parameter("pageable", "Pageable memory",
                            "1: batches go to the device from host memory that is not pinned", 1)},
          {.class_steps = 100, .published_steps = 100, .class_frontend_us = 5, .steps_help = "Batches"}),
      .default_device = "virtual:0",
      .measures_at_end = false,
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kPrint, BarrierKind::kWindow, BarrierKind::kOps,
                   BarrierKind::kBytes},
      .tiny_settings = {{"steps", "4"},
                        {"batch", "32"},
                        {"features", "16"},
                        {"hidden1", "8"},
                        {"hidden2", "4"},
                        {"loader_us", "0"},
                        {"frontend_us", "0"}},
  };
  return spec;
}

struct Layer {
  Array weight, bias;  // (units, inputs), (units)
};
struct LayerGradient {
  Array weight, bias;
};
struct Batch {
  Array x, y;  // (batch, features), (batch)
};
// The arrays of the forward pass that the backward pass needs. Each array is dropped as soon as its last
// reader has been enqueued.
struct Activations {
  Array z1, h1, z2, h2, prediction;
};

class TrainingMemory final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return training_memory_spec(); }

  void prepare(RunContext& run) override {
    read_parameters(run);
    // If there is no barrier, every step that runs ahead allocates its own memory. On some machines the first
    // touch of this memory takes as long as the step itself. This time must not be part of the measurement.
    // Therefore the memory is touched here.
    touch_memory_of_steps(run, memory_of_step(run));
  }

  Status run(RunContext& run) override {
    make_layers(run);
    run.params_bytes = params_bytes();
    run.step_bytes = step_bytes(run);
    const std::int64_t last =
        run.control->endless() ? -1 : static_cast<std::int64_t>(run.parameter("steps")) - 1;
    Status outcome = Ok{};
    while (outcome.ok()) {
      const std::optional<std::int64_t> step = run.control->next_step();
      if (!step) break;
      outcome = train(run, *step, last);
    }
    layers_ = {};
    return outcome;
  }

  Status conclude(RunContext& run) override {
    if (!run.devices.front()->holds_values()) return Ok{};
    for (const auto& [name, loss] :
         {std::pair{"first_loss", &first_loss_}, std::pair{"final_loss", &final_loss_}}) {
      if (!*loss) continue;
      const Result<float> value = loss->item();
      if (!value.ok()) return value.error();
      run.result[name] = static_cast<double>(*value);
      *loss = {};
    }
    return Ok{};
  }

 private:
  void read_parameters(const RunContext& run) {
    const auto whole = [&](const char* name) { return static_cast<std::int64_t>(run.parameter(name)); };
    batch_ = whole("batch");
    features_ = whole("features");
    hidden1_ = whole("hidden1");
    hidden2_ = whole("hidden2");
    seed_ = static_cast<std::uint64_t>(whole("seed"));
    rate_ = static_cast<float>(run.parameter("rate"));
    wait_at_ = static_cast<WaitAt>(whole("wait_at"));
    loader_ = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double, std::micro>(run.parameter("loader_us")));
    host_memory_ =
        run.parameter("pageable") != 0 ? engine::HostMemory::kPageable : engine::HostMemory::kPinned;
  }

  void make_layers(const RunContext& run) {
    const std::array<std::int64_t, 4> units = {features_, hidden1_, hidden2_, 1};
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      // The random number streams 0 to 2 make the weights, and the streams from 16 on make the batches.
      layers_[i].weight = engine::uniform(run.context(), {units[i + 1], units[i]}, {seed_, i}, -0.07f, 0.07f,
                                          MemoryCategory::kParameter);
      layers_[i].bias = engine::zeros(run.context(), {units[i + 1]}, MemoryCategory::kParameter);
    }
  }

  Status train(RunContext& run, std::int64_t step, std::int64_t last) {
    Array waited_for;
    Status held = Ok{};
    {
      Batch batch = load_batch(run, step);
      Activations activations = forward(batch.x);
      const Array loss = engine::l2_loss(activations.prediction, batch.y);
      if (step == 0) first_loss_ = engine::mean(loss);
      if (step == last) final_loss_ = engine::mean(loss);
      if (wait_at_ == WaitAt::kLossBeforeBackward) held = run.control->wait_point(loss);
      if (held.ok()) update(backward(std::move(batch), std::move(activations)));
      waited_for = wait_at_ == WaitAt::kUpdateAtEnd ? layers_[0].weight : loss;
    }
    const Status ended = run.control->end_step(waited_for);
    return held.ok() ? ended : held;
  }

  // The inputs are made on the host, as a data loader does, and copied to the device, if the device is not
  // the host.
  Batch load_batch(const RunContext& run, std::int64_t step) const {
    if (loader_ > Duration::zero()) {
      const OwnWork own(*run.control);
      const record::Zone zone(kLoadBatch);
      spin_for(loader_);
    }
    const engine::Context host{run.engine, run.cpu};
    Array x = engine::normal(host, {batch_, features_}, {seed_, 16 + static_cast<std::uint64_t>(step)}, 0.0f,
                             1.0f, MemoryCategory::kInput);
    if (run.context() != host) x = engine::copy_to(x, run.context(), host_memory_);
    return {std::move(x), engine::ones(run.context(), {batch_}, MemoryCategory::kInput)};
  }

  Activations forward(const Array& x) const {
    Activations a;
    a.z1 = engine::dense(x, layers_[0].weight, layers_[0].bias);
    a.h1 = engine::relu(a.z1);
    a.z2 = engine::dense(a.h1, layers_[1].weight, layers_[1].bias);
    a.h2 = engine::relu(a.z2);
    a.prediction = engine::dense(a.h2, layers_[2].weight, layers_[2].bias);
    return a;
  }

  // Returns the gradients of a layer's weight and bias. g: the gradient of the layer's output (batch, units).
  // input: the layer's input.
  static LayerGradient layer_gradient(const Array& g, const Array& input) {
    return {engine::matmul(g, input, Transpose::kYes, Transpose::kNo, MemoryCategory::kGradient),
            engine::sum_rows(g)};
  }
  static Array input_gradient(const Array& g, const Layer& layer) {
    return engine::matmul(g, layer.weight, Transpose::kNo, Transpose::kNo, MemoryCategory::kGradient);
  }

  std::array<LayerGradient, 3> backward(Batch batch, Activations a) const {
    std::array<LayerGradient, 3> gradients;
    Array g = engine::l2_loss_gradient(std::exchange(a.prediction, {}), std::exchange(batch.y, {}));
    gradients[2] = layer_gradient(g, std::exchange(a.h2, {}));
    g = engine::relu_gradient(input_gradient(g, layers_[2]), std::exchange(a.z2, {}));
    gradients[1] = layer_gradient(g, std::exchange(a.h1, {}));
    g = engine::relu_gradient(input_gradient(g, layers_[1]), std::exchange(a.z1, {}));
    gradients[0] = layer_gradient(g, std::exchange(batch.x, {}));
    return gradients;
  }

  // The first layer's weights are updated last. Therefore a wait for these weights is a wait for the step.
  void update(std::array<LayerGradient, 3> gradients) const {
    for (std::size_t i = layers_.size(); i-- > 0;) {
      engine::sgd_update(layers_[i].bias, gradients[i].bias, rate_, batch_);
      engine::sgd_update(layers_[i].weight, gradients[i].weight, rate_, batch_);
      gradients[i] = {};
    }
  }

  [[nodiscard]] double params_bytes() const {
    double bytes = 0;
    for (const Layer& layer : layers_)
      bytes += static_cast<double>(layer.weight.size_bytes() + layer.bias.size_bytes());
    return bytes;
  }
  // The total size of the arrays of a step: inputs; two activations and two gradients of each hidden layer;
  // label, prediction, loss and its gradient; the gradients of the parameters.
  [[nodiscard]] double step_bytes(const RunContext& run) const {
    double bytes = 0;
    for (const auto& [device, arrays_bytes] : memory_of_step(run).arrays_bytes) {
      for (const std::size_t array_bytes : arrays_bytes) bytes += static_cast<double>(array_bytes);
    }
    return bytes;
  }

  [[nodiscard]] StepMemory memory_of_step(const RunContext& run) const {
    constexpr std::int64_t kOps = 25;  // on a device with separate memory there is one more op: the copy
    const auto bytes = [](std::int64_t values) { return static_cast<std::size_t>(values) * sizeof(float); };
    StepMemory step{.ops = kOps};
    const std::size_t inputs = bytes(batch_ * features_), column = bytes(batch_);
    if (run.devices.front() != run.cpu) step.arrays_bytes[run.cpu] = {inputs};
    // The batch, the label, the prediction, the loss and the gradient of the loss.
    std::vector<std::size_t>& device = step.arrays_bytes[run.devices.front()];
    device = {inputs, column, column, column, column};
    for (const std::int64_t units : {hidden1_, hidden2_})
      device.insert(device.end(), 4, bytes(batch_ * units));
    // The gradients of the parameters.
    for (const std::int64_t values :
         {hidden1_ * features_, hidden2_ * hidden1_, hidden2_, hidden1_, hidden2_, std::int64_t{1}})
      device.push_back(bytes(values));
    return step;
  }

  std::int64_t batch_ = 0, features_ = 0, hidden1_ = 0, hidden2_ = 0;
  std::uint64_t seed_ = 0;
  float rate_ = 0;
  WaitAt wait_at_ = WaitAt::kUpdateAtEnd;
  Duration loader_{};
  engine::HostMemory host_memory_ = engine::HostMemory::kPinned;
  std::array<Layer, 3> layers_;
  Array first_loss_, final_loss_;  // means over a batch; read when all ops are done
};

Lesson training_memory_lesson() {
  return {.number = 6,
          .workload = "training_memory",
          .toggled = true,
          .parts = {{.id = "free", .label = "Training, no wait in a batch"},
                    {.id = "held", .label = "A wait for each batch", .barrier = "wait_to_read"}},
          .predictions = {{.question = "Training runs without a wait. Then a wait for each batch is switched "
                                       "on. By what factor does "
                                       "peak memory fall?",
                           .formula = "free.peak_bytes / held.peak_bytes",
                           .close = 3},
                          {.question = "How do the steps per second change?",
                           .formula = "held.steps_per_s / free.steps_per_s",
                           .choices = {{.words = "rise", .from = 1.05},
                                       {.words = "stay the same, within 5 %", .from = 0.95, .below = 1.05},
                                       {.words = "fall, but not below half", .from = 0.5, .below = 0.95},
                                       {.words = "fall below half", .below = 0.5}}}},
          .figures = {{"free_peak", "free.peak_bytes", ResultUnit::kBytes},
                      {"held_peak", "held.peak_bytes", ResultUnit::kBytes},
                      {"free_rate", "free.steps_per_s", ResultUnit::kNumber},
                      {"held_rate", "held.steps_per_s", ResultUnit::kNumber},
                      {"ahead", "free.max_run_ahead_steps", ResultUnit::kNumber},
                      {"blocked", "held.blocked_ratio", ResultUnit::kShare}},
          .explanation =
              {"Without a wait the frontend ran up to {ahead} batches ahead. The memory of an op is "
               "allocated at its enqueue, so all of these batches held memory: {free_peak} at the peak, "
               "compared with {held_peak} with the wait.",
               "With the wait the frontend was blocked for {blocked} of its time, and the next batch was not "
               "prepared "
               "while the device computed: {held_rate} steps per second instead of {free_rate}.",
               "Published, 50 batches: 3.95 s and +41.8 MB with a wait each. Without a wait the loop "
               "returned after 0.10 s. The 323 MB printed there are the memory in use, not its growth. The "
               "work did not become shorter: the wait only came later."},
          .exercises = {2, 8}};
}

}  // namespace

extern const WorkloadEntry kTrainingMemory;
constexpr WorkloadEntry kTrainingMemory{make_workload_of<TrainingMemory>, training_memory_lesson};

}  // namespace runahead::samples
