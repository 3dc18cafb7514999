// data_parallel: trains one network on several devices. Each device gets a share of every batch's rows. The
// gradients are summed over the devices, and all devices make the same SGD step. With one device this is
// plain training.
//
// Result:
//   first_loss, final_loss  mean loss of the first and of the last batch. The values differ from those of one
//                           device only by rounding: several devices add float32 values in another order
//                           (the tests allow 1e-4 of the loss)
//   step_s                  time of the training, with one wait at its end, divided by the number of steps
//   compute_s               time of a step's passes and updates if no gradients are sent between devices
//   communication_s         time to sum a step's gradients and nothing else (only with several devices)
//   efficiency              (compute + communication - step) / min(compute, communication): 1 if the shorter
//                           time is completely hidden behind the longer, 0 or less if nothing is hidden
//   (text) unreliable       set if late ops may have changed the efficiency by more than kMostOfLateOps. A
//                           late op is an op of a simulated device that ended later than its model says. Also
//                           set if doubt_about() has a doubt about the efficiency
//   training_late_ops       number of late ops during the training
//   training_new_bytes      memory that the pools allocated from the system during the training: 0 unless
//                           the pools were full
//   gradient_bytes          bytes of one device's gradients in a step
//   sent_bytes              bytes of gradients sent over all links in a step
//   replicas_equal          1: at the end all devices have the same parameters, bit for bit
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/array/operators.h"
#include "samples/clock.h"
#include "samples/hidden_share.h"
#include "samples/late_ops.h"
#include "samples/parameters.h"
#include "samples/runner.h"
#include "samples/workloads/parallel_training.h"
#include "samples/workloads/touch_memory.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

using engine::Array;
constexpr const char* kPassesAlone = "passes and updates alone";
constexpr const char* kGradientsAlone = "summing gradients alone";
constexpr const char* kTraining = "training";
constexpr record::Site kDataParallelWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};

std::size_t device_count(const RunReport& run) {
  return 1 + static_cast<std::size_t>(std::count(run.device.begin(), run.device.end(), ','));
}
RunCondition on_one_device() {
  return {[](const RunReport& run) { return device_count(run) == 1; }, "Needs a run on one device."};
}
RunCondition on_two_devices() {
  return {[](const RunReport& run) { return device_count(run) == 2; }, "Needs a run on two devices."};
}

// The default size, "class", has few rows and many parameters, so that summing the gradients takes a large
// part of a step. Most parameters are in the second layer. This layer's gradients can be sent during the rest
// of the backward pass.
const WorkloadSpec& data_parallel_spec() {
  static const WorkloadSpec spec{
      .name = "data_parallel",
      .title = "Data parallel training",
      .question = "Twice the devices, half the rows each: what limits the speedup?",
      .look_for =
          "The gradients are on the copy tracks. With early=1 they travel during the backward pass. With "
          "early=0 they travel after it and delay the next step. If the first device sums (ring=0), its link "
          "carries all data. In a ring all links carry the same amount.",
      .published = "ResNet-18, an epoch: 92 to 104 s on two GPUs, 90 to 113 s on one",
      // The published figures are of another network with other data. An epoch of that network corresponds to
      // 118 steps of this workload. The values are the middles of the published ranges 90 to 113 and 92 to
      // 104.
      .published_figures = {{.title = "An epoch",
                             .figures = {{"one GPU", 101.5, "s", "step_s * 118", on_one_device()},
                                         {"two GPUs", 98, "s", "step_s * 118", on_two_devices()}},
                             .over_devices = true}},
      .results =
          {{.title = "A step",
            .rows =
                {{.label = "passes and updates alone", .figures = {"compute_s"}},
                 {.label = "summing gradients alone", .figures = {"communication_s"}},
                 {.label = "training", .figures = {"step_s"}},
                 {.label = "hidden share of the shorter",
                  .figures = {"efficiency"},
                  .unit = ResultUnit::kShare,
                  .hint = "100 %: the summing is hidden behind the passes, or the passes behind the summing; "
                          "0 % or less: nothing is hidden"},
                 {.label = "ops that ended late in training",
                  .figures = {"training_late_ops"},
                  .unit = ResultUnit::kNumber,
                  .hint =
                      "Ops of simulated devices whose values the host computed later than the model says"},
                 {.label = "memory first touched in training",
                  .figures = {"training_new_bytes"},
                  .unit = ResultUnit::kBytes,
                  .hint = "0: all memory was touched before, so no op is late because of new pages"}},
            .sentence = "unreliable"},
           {.title = "Gradients",
            .rows = {{.label = "of one device, per step",
                      .figures = {"gradient_bytes"},
                      .unit = ResultUnit::kBytes},
                     {.label = "sent over all links, per step",
                      .figures = {"sent_bytes"},
                      .unit = ResultUnit::kBytes}}},
           {.title = "Check",
            .rows =
                {{.label = "loss of the first batch", .figures = {"first_loss"}, .unit = ResultUnit::kNumber},
                 {.label = "of the last batch", .figures = {"final_loss"}, .unit = ResultUnit::kNumber},
                 {.label = "all devices have the same parameters",
                  .figures = {"replicas_equal"},
                  .unit = ResultUnit::kYesOrNo}}}},
      .parameters = with_common_parameters(
          {count_parameter("batch", "Batch size",
                           "Rows of a batch, over all devices; at least one per device", 64, 512, 65536),
           count_parameter("features", "Features", "Columns of a batch", 128, 784, 8192),
           count_parameter("hidden1", "Units, layer 1", "Units of the first hidden layer", 256, 2048, 8192),
           count_parameter("hidden2", "Units, layer 2", "Units of the second hidden layer", 512, 512, 8192),
           {"rate", "Learning rate", "Learning rate", 0.01, 0.01, 0, 10, false},
           switch_parameter("ring", "Sum in a ring", "0: the first device sums the gradients; 1: a ring does",
                            0),
           switch_parameter("early", "Sum early",
                            "1: a layer's gradients are summed as soon as they are computed", 1)},
          {.class_steps = 60, .published_steps = 118, .steps_help = "Batches"}),
      .default_device = "virtual:0, virtual:1",
      .parts = {kPassesAlone, kGradientsAlone, kTraining},
      .counters = {trace::CounterRole::kCopyBandwidth},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kWindow, BarrierKind::kOps, BarrierKind::kBytes},
      .tiny_settings =
          {{"steps", "4"}, {"batch", "10"}, {"features", "8"}, {"hidden1", "6"}, {"hidden2", "5"}},
  };
  return spec;
}

class DataParallel final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return data_parallel_spec(); }

  Status run(RunContext& run) override {
    const ParallelOptions options = options_of(run);
    if (options.batch < static_cast<std::int64_t>(run.devices.size())) {
      return Error{"data_parallel: a batch of " + std::to_string(options.batch) +
                   " rows cannot be shared by " + std::to_string(run.devices.size()) +
                   " devices; set a larger batch"};
    }
    training_.emplace(options, engine::Context{run.engine, run.cpu}, run.devices);
    say_bytes(run);
    if (Status made = run.engine->wait_all(kDataParallelWaitAll); !made.ok()) return made;
    return run.control->endless() ? train(run, -1) : measure(run);
  }

  Status conclude(RunContext& run) override {
    for (const engine::Device* device : run.devices) {
      if (!device->holds_values()) return Ok{};
    }
    for (const auto& [name, losses] :
         {std::pair{"first_loss", &first_losses_}, std::pair{"final_loss", &final_losses_}}) {
      double total = 0;
      for (const Array& loss : std::exchange(*losses, {})) {
        const Result<float> sum = loss.item();
        if (!sum.ok()) return sum.error();
        total += static_cast<double>(*sum);
      }
      run.result[name] = total / run.parameter("batch");
    }
    const Result<bool> equal = training_->replicas_equal();
    if (!equal.ok()) return equal.error();
    run.result["replicas_equal"] = *equal ? 1 : 0;
    training_.reset();
    return Ok{};
  }

 private:
  static ParallelOptions options_of(const RunContext& run) {
    const auto whole = [&](const char* name) { return static_cast<std::int64_t>(run.parameter(name)); };
    return {.batch = whole("batch"),
            .units = {whole("features"), whole("hidden1"), whole("hidden2"), 1},
            .seed = static_cast<std::uint64_t>(whole("seed")),
            .rate = static_cast<float>(run.parameter("rate")),
            .by = whole("ring") != 0 ? SumBy::kRing : SumBy::kRoot,
            .early = whole("early") != 0};
  }

  void say_bytes(RunContext& run) const {
    const double devices = static_cast<double>(training_->device_count());
    const double gradients = static_cast<double>(training_->parameter_bytes());
    run.params_bytes = devices * gradients;
    run.step_bytes = 0;
    for (const auto& [device, sizes] : training_->arrays_of_a_step())
      for (const std::size_t size_bytes : sizes) run.step_bytes += static_cast<double>(size_bytes);
    run.result["gradient_bytes"] = gradients;
    run.result["sent_bytes"] = 2 * (devices - 1) * gradients;
  }

  // Touches (writes for the first time) all memory that may be in use at the same time, plus the memory of
  // one more step, which has room for the sums of losses. On a virtual machine the first touch of a page can
  // cost more than the op that writes it.
  void touch_what_training_takes(RunContext& run, std::int64_t steps) const {
    const std::int64_t room =
        run.engine->options().limit_bytes / static_cast<std::int64_t>(run.step_bytes) + 2;
    for (const auto& [device, sizes] : training_->arrays_of_a_step())
      touch_memory(run, *device, std::min(steps, room) + 1, sizes);
  }
  static double reserved_bytes(const RunContext& run) {
    double bytes = 0;
    for (engine::Device* device : run.engine->devices())
      bytes += static_cast<double>(device->pool().stats().reserved_bytes);
    return bytes;
  }

  Status measure(RunContext& run) {
    constexpr std::int64_t kMostRehearsals = 10;
    const std::int64_t steps = static_cast<std::int64_t>(run.parameter("steps"));
    const std::int64_t rounds = std::min(steps, kMostRehearsals);
    run.control->begin_part(kPassesAlone);
    const Result<double> compute_s =
        rehearse(run, rounds, [this](std::int64_t i) { training_->compute_alone(i); });
    if (!compute_s.ok()) return compute_s.error();
    run.result["compute_s"] = *compute_s;
    Result<double> communication_s = 0.0;
    const bool several = training_->device_count() > 1;
    if (several) {
      const ParallelTraining::Passes passes = training_->passes_over(0);
      if (Status made = run.engine->wait_all(kDataParallelWaitAll); !made.ok()) return made;
      run.control->begin_part(kGradientsAlone);
      communication_s = rehearse(run, rounds, [&](std::int64_t) { training_->communicate(passes); });
      if (!communication_s.ok()) return communication_s.error();
      run.result["communication_s"] = *communication_s;
    }
    run.control->begin_part(trace::kPreparationPart);
    touch_what_training_takes(run, steps);
    forget_maxima(run);
    const double reserved_before = reserved_bytes(run);
    const std::int64_t late_before = run.engine->stats().late_ops;
    const Stopwatch training;
    if (Status trained = train(run, steps - 1); !trained.ok()) return trained;
    if (Status done = run.engine->wait_all(kDataParallelWaitAll); !done.ok()) return done;
    const double step_s = training.elapsed_s() / static_cast<double>(steps);
    run.result["step_s"] = step_s;
    run.result["training_late_ops"] = static_cast<double>(run.engine->stats().late_ops - late_before);
    run.result["training_new_bytes"] = reserved_bytes(run) - reserved_before;
    if (several) report_hidden(run, *compute_s, *communication_s);
    return Ok{};
  }

  static void report_hidden(RunContext& run, double compute_s, double communication_s) {
    const double shorter_s = std::min(compute_s, communication_s);
    report_hidden_share(
        run, {.first_s = compute_s, .second_s = communication_s, .together_s = run.result.at("step_s")});
    const auto late_ops = static_cast<std::int64_t>(run.result.at("training_late_ops"));
    const auto steps = static_cast<std::int64_t>(run.parameter("steps"));
    if (lengthened_s(late_ops, steps) > kMostOfLateOps * shorter_s) {
      run.result_text["unreliable"] =
          "Late ops of simulated devices may have delayed training by more than a tenth of the time that "
          "could be hidden: \"hidden share of the shorter\" is unreliable.";
    }
  }

  // Resets the maxima, which come from the earlier measurements. The report's figures for memory and
  // run-ahead must describe only the training under its barrier.
  static void forget_maxima(const RunContext& run) {
    run.engine->reset_maxima();
    for (engine::Device* device : run.engine->devices()) device->pool().reset_peak();
  }

  // Returns the mean time of a round in seconds. A round is one call of `round`, then a wait. Each round ends
  // with a wait, because in the training too each step waits for the step before it, through the parameters.
  // One extra round before the measurement wakes threads and touches memory.
  template <typename Round>
  static Result<double> rehearse(const RunContext& run, std::int64_t rounds, Round round) {
    double seconds = 0;
    for (std::int64_t i = -1; i < rounds; ++i) {
      const Stopwatch one;
      round(std::max<std::int64_t>(i, 0));
      if (Status done = run.engine->wait_all(kDataParallelWaitAll); !done.ok()) return done.error();
      if (run.control->stopping()) return Error{"stopped"};
      if (i >= 0) seconds += one.elapsed_s();
    }
    return seconds / static_cast<double>(rounds);
  }

  Status train(RunContext& run, std::int64_t last) {
    run.control->begin_part(kTraining);
    while (const std::optional<std::int64_t> step = run.control->next_step()) {
      {
        const ParallelTraining::Passes passes = training_->passes_over(*step);
        if (*step == 0) first_losses_ = sums_of(passes);
        if (*step == last) final_losses_ = sums_of(passes);
        training_->update(passes);
      }
      const Status held = run.control->end_step(training_->last_updated());
      if (!held.ok()) return held;
    }
    return Ok{};
  }

  static std::vector<Array> sums_of(const ParallelTraining::Passes& passes) {
    std::vector<Array> sums;
    for (const Replica::Pass& pass : passes) sums.push_back(engine::sum(pass.loss));
    return sums;
  }

  std::optional<ParallelTraining> training_;
  // one sum of losses per device; read when all ops are done
  std::vector<Array> first_losses_, final_losses_;
};

Lesson data_parallel_lesson() {
  return {
      .number = 11,
      .workload = "data_parallel",
      .parts = {one_run("Training on two devices, gradients summed as soon as a layer has them")},
      .predictions = {{.question = "The gradients of a layer travel while earlier layers are still computed. "
                                   "What share of the shorter part, computing or summing, is hidden?",
                       .formula = "run.efficiency",
                       .choices = {{.words = "a quarter, or less", .below = 0.25},
                                   {.words = "about half", .from = 0.25, .below = 0.75},
                                   {.words = "nearly all", .from = 0.75}}}},
      .figures = {{"compute", "run.compute_s"},
                  {"communication", "run.communication_s"},
                  {"step", "run.step_s"},
                  {"hidden", "run.efficiency", ResultUnit::kShare},
                  {"sent", "run.sent_bytes", ResultUnit::kBytes},
                  {"late", "run.training_late_ops", ResultUnit::kNumber}},
      .explanation =
          {"Passes and updates alone take {compute} per step, and summing gradients alone {communication}. A "
           "training step takes {step}. Hidden: {hidden}. A value below 0 means that nothing was hidden and "
           "something else delayed the step.",
           "A step sends {sent}. With early = 0 the gradients travel after the backward pass, so nothing can "
           "hide them. With ring = 1 every link carries a part of them.",
           "{late} ops of simulated devices ended later than their model says. If there are many late ops, "
           "the host had too few cores to simulate two devices. The step time is then the host's, not that "
           "of the devices.",
           "Published: an epoch in 92 to 104 s on two GPUs, in 90 to 113 s on one. A small network gains "
           "nothing."},
      .exercises = {7}};
}

}  // namespace

extern const WorkloadEntry kDataParallel;
constexpr WorkloadEntry kDataParallel{make_workload_of<DataParallel>, data_parallel_lesson};

}  // namespace runahead::samples
