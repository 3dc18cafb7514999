// data_parallel: one network on several devices. Each gets a share of every batch's rows, the gradients are
// summed over the devices, and all take the same step of SGD. With one device it is plain training.
//
// Result:
//   first_loss, final_loss  means over a batch; the same as on one device but for the order in which float32
//                           numbers are added (the tests allow 1e-4 of the loss)
//   step_s                  of training, one wait at the end, by steps
//   compute_s               a step's passes and updates, each device by its own gradients: nothing is sent
//   communication_s         a step's gradients summed and nothing else (several devices)
//   efficiency              (compute + communication - step) / min(compute, communication): 1 when the
//                           shorter hides behind the longer, 0 or less when nothing hides
//   (text) unreliable       where late ops may have changed it by more than kMostOfLateOps
//   training_late_ops       of the training alone
//   training_new_bytes      that the pools took of the system while it trained: 0 unless they were full
//   gradient_bytes          of one device, in a step
//   sent_bytes              over all links, in a step: the gradients' alone
//   replicas_equal          1: at the end all devices hold the same parameters, bit for bit
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/array/operators.h"
#include "samples/clock.h"
#include "samples/gradient_sum.h"
#include "samples/late_ops.h"
#include "samples/parameters.h"
#include "samples/replica.h"
#include "samples/runner.h"
#include "samples/touch_memory.h"
#include "samples/workloads.h"

namespace runahead::samples {

namespace {

using engine::Array;
using engine::BarrierKind;
using engine::MemoryCategory;
constexpr record::Site kWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr record::Site kShare{"share out rows", trace::SliceKind::kExecute, __FILE__, __LINE__};

std::size_t device_count(const RunReport& run) {
  return 1 + static_cast<std::size_t>(std::count(run.device.begin(), run.device.end(), ','));
}
RunCondition on_one_device() {
  return {[](const RunReport& run) { return device_count(run) == 1; }, "Of a run on one device."};
}
RunCondition on_two_devices() {
  return {[](const RunReport& run) { return device_count(run) == 2; }, "Of a run on two devices."};
}

// The class size: few rows and many parameters, so that summing the gradients takes a fair part of a step;
// most of them in the second layer, whose gradients have the rest of the backward pass to travel in.
const WorkloadSpec& data_parallel_spec() {
  static const WorkloadSpec spec{
      .name = "data_parallel",
      .title = "Data parallel training",
      .question = "Twice the devices, half the rows each: what eats the gain?",
      .look_for =
          "The gradients travel on the copy tracks. Summed as soon as a layer has them (early=1) they travel "
          "while the backward pass goes on; summed at its end they hold the next step up. By the root one "
          "link "
          "carries everything; in a ring all carry the same.",
      .published = "ResNet-18, an epoch: 92 to 104 s on two GPUs, 90 to 113 s on one",
      // Another network on other data: an epoch there, 118 steps here. The middle of 90 to 113 and of 92 to
      // 104.
      .published_figures = {{.title = "An epoch",
                             .figures = {{"one GPU", 101.5, "s", "step_s * 118", on_one_device()},
                                         {"two GPUs", 98, "s", "step_s * 118", on_two_devices()}},
                             .over_devices = true}},
      .results = {{.title = "A step",
                   .rows = {{.label = "passes and updates alone", .figures = {"compute_s"}},
                            {.label = "summing gradients alone", .figures = {"communication_s"}},
                            {.label = "training", .figures = {"step_s"}},
                            {.label = "of the shorter, hidden",
                             .figures = {"efficiency"},
                             .unit = ResultUnit::kShare,
                             .hint = "100 %: summing hides behind the passes, or they behind it; 0 % or "
                                     "less: nothing hides"},
                            {.label = "ops that ended late in training",
                             .figures = {"training_late_ops"},
                             .unit = ResultUnit::kNumber,
                             .hint = "Of simulated devices: the host was not done with the values by the "
                                     "time that the model says"},
                            {.label = "memory first touched in training",
                             .figures = {"training_new_bytes"},
                             .unit = ResultUnit::kBytes,
                             .hint = "0: all of it was touched before, so that new pages make no op late"}},
                   .sentence = "unreliable"},
                  {.title = "Gradients",
                   .rows = {{.label = "of one device, a step",
                             .figures = {"gradient_bytes"},
                             .unit = ResultUnit::kBytes},
                            {.label = "sent over all links, a step",
                             .figures = {"sent_bytes"},
                             .unit = ResultUnit::kBytes}}},
                  {.title = "Check",
                   .rows = {{.label = "loss of the first batch",
                             .figures = {"first_loss"},
                             .unit = ResultUnit::kNumber},
                            {.label = "of the last", .figures = {"final_loss"}, .unit = ResultUnit::kNumber},
                            {.label = "all devices hold the same parameters",
                             .figures = {"replicas_equal"},
                             .unit = ResultUnit::kYesOrNo}}}},
      .parameters = with_common_parameters(
          {count_parameter("batch", "Rows of a batch, over all devices; one a device at least", 64, 512,
                           65536),
           count_parameter("features", "Columns of a batch", 128, 784, 8192),
           count_parameter("hidden1", "Units of the first hidden layer", 256, 2048, 8192),
           count_parameter("hidden2", "Units of the second hidden layer", 512, 512, 8192),
           {"rate", "Learning rate", 0.01, 0.01, 0, 10, false},
           switch_parameter("ring", "0: the first device sums; 1: a ring does", 0),
           switch_parameter("early", "1: a layer's gradients are summed as soon as they are there", 1)},
          {.class_steps = 60, .published_steps = 118, .steps_help = "Batches"}),
      .default_device = "virtual:0, virtual:1",
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kWindow, BarrierKind::kOps, BarrierKind::kBytes},
  };
  return spec;
}

class DataParallel final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return data_parallel_spec(); }

  Status run(RunContext& run) override {
    read_parameters(run);
    if (batch_ < static_cast<std::int64_t>(run.devices.size())) {
      return Error{"data_parallel: a batch of " + std::to_string(batch_) + " rows cannot be shared by " +
                   std::to_string(run.devices.size()) + " devices; set a larger batch"};
    }
    for (engine::Device* device : run.devices)
      replicas_.emplace_back(engine::Context{run.engine, device}, units_, seed_);
    say_bytes(run);
    if (Status made = run.engine->wait_all(kWaitAll); !made.ok()) return made;
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
      run.result[name] = total / static_cast<double>(batch_);
    }
    const Result<bool> equal = replicas_equal();
    if (!equal.ok()) return equal.error();
    run.result["replicas_equal"] = *equal ? 1 : 0;
    replicas_.clear();
    return Ok{};
  }

 private:
  using Bucket = std::vector<std::size_t>;  // layers whose gradients travel together

  void read_parameters(const RunContext& run) {
    const auto whole = [&](const char* name) { return static_cast<std::int64_t>(run.parameter(name)); };
    batch_ = whole("batch");
    units_ = {whole("features"), whole("hidden1"), whole("hidden2"), 1};
    seed_ = static_cast<std::uint64_t>(whole("seed"));
    rate_ = static_cast<float>(run.parameter("rate"));
    by_ = whole("ring") != 0 ? SumBy::kRing : SumBy::kRoot;
    host_ = {run.engine, run.cpu};
    // What is summed together: the last layer's gradients come first.
    if (whole("early") != 0) {
      buckets_ = {{2}, {1}, {0}};
    } else {
      buckets_ = {{2, 1, 0}};
    }
  }

  void say_bytes(RunContext& run) const {
    const double devices = static_cast<double>(replicas_.size());
    const double gradients = static_cast<double>(replicas_.front().parameter_bytes());
    run.params_bytes = devices * gradients;
    run.step_bytes = 0;
    for (const auto& [device, sizes] : arrays_of_a_step())
      for (const std::size_t size_bytes : sizes) run.step_bytes += static_cast<double>(size_bytes);
    run.result["gradient_bytes"] = gradients;
    run.result["sent_bytes"] = 2 * (devices - 1) * gradients;
  }

  // The bytes of each array that a step makes, by device: the batch on the host, in shares and on the
  // devices, its labels, what the passes make, and with several devices what summing the gradients does.
  using ArraysByDevice = std::map<engine::Device*, std::vector<std::size_t>>;
  [[nodiscard]] ArraysByDevice arrays_of_a_step() const {
    ArraysByDevice arrays;
    const auto add = [&arrays](const engine::Context& there, const std::vector<std::int64_t>& sizes) {
      for (const std::int64_t size : sizes)
        arrays[there.device].push_back(static_cast<std::size_t>(size) * sizeof(float));
    };
    add(host_, {batch_ * units_[0]});
    const std::size_t devices = replicas_.size();
    for (std::size_t d = 0; d < devices; ++d) {
      const engine::Context& there = replicas_[d].context();
      const std::int64_t rows = first_row(d + 1) - first_row(d);
      if (devices > 1) add(host_, {rows * units_[0]});
      if (there != host_) add(there, {rows * units_[0]});
      add(there, {rows});
      add(there, replicas_[d].sizes_of_pass(rows));
      for (const Bucket& bucket : buckets_) {
        if (devices > 1) add(there, sizes_of_sum(by_, devices, d, elements_of(bucket)));
      }
    }
    return arrays;
  }
  // Of a device's share of a batch.
  [[nodiscard]] std::int64_t first_row(std::size_t device) const {
    return static_cast<std::int64_t>(device) * batch_ / static_cast<std::int64_t>(replicas_.size());
  }
  [[nodiscard]] std::int64_t elements_of(const Bucket& bucket) const {
    std::int64_t elements = 0;
    for (const std::size_t layer : bucket) {
      for (const Array& parameter : replicas_.front().parameters(layer)) elements += parameter.size();
    }
    return elements;
  }

  // All that may be in flight at once and a step more, for the sums of losses: a page that the training
  // touches first can cost a virtual machine more than the op that writes it.
  void touch_what_training_takes(const RunContext& run, std::int64_t steps) const {
    const std::int64_t room =
        run.engine->options().limit_bytes / static_cast<std::int64_t>(run.step_bytes) + 2;
    for (const auto& [device, sizes] : arrays_of_a_step())
      touch_memory(*device, std::min(steps, room) + 1, sizes);
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
    const Result<double> compute_s = rehearse(run, rounds, [this](std::int64_t i) { compute_alone(i); });
    if (!compute_s.ok()) return compute_s.error();
    run.result["compute_s"] = *compute_s;
    Result<double> communication_s = 0.0;
    if (replicas_.size() > 1) {
      std::vector<Replica::Pass> passes = passes_over(0);
      if (Status made = run.engine->wait_all(kWaitAll); !made.ok()) return made;
      communication_s = rehearse(run, rounds, [&](std::int64_t) { communicate(passes); });
      if (!communication_s.ok()) return communication_s.error();
      run.result["communication_s"] = *communication_s;
    }
    touch_what_training_takes(run, steps);
    forget_maxima(run);
    const double reserved_before = reserved_bytes(run);
    const std::int64_t late_before = run.engine->stats().late_ops;
    const Stopwatch training;
    if (Status trained = train(run, steps - 1); !trained.ok()) return trained;
    if (Status done = run.engine->wait_all(kWaitAll); !done.ok()) return done;
    const double step_s = training.elapsed_s() / static_cast<double>(steps);
    run.result["step_s"] = step_s;
    run.result["training_late_ops"] = static_cast<double>(run.engine->stats().late_ops - late_before);
    run.result["training_new_bytes"] = reserved_bytes(run) - reserved_before;
    if (replicas_.size() > 1) report_hidden(run, *compute_s, *communication_s);
    return Ok{};
  }

  static void report_hidden(RunContext& run, double compute_s, double communication_s) {
    const double shorter_s = std::min(compute_s, communication_s);
    run.result["efficiency"] = (compute_s + communication_s - run.result.at("step_s")) / shorter_s;
    const auto late_ops = static_cast<std::int64_t>(run.result.at("training_late_ops"));
    const auto steps = static_cast<std::int64_t>(run.parameter("steps"));
    if (lengthened_s(late_ops, steps) > kMostOfLateOps * shorter_s) {
      run.result_text["unreliable"] =
          "Ops of simulated devices ended late and can have held training up by more than a tenth of what "
          "there was to hide: \"of the shorter, hidden\" is unreliable.";
    }
  }

  // What the report says of memory and of run-ahead is to be that of the training under its barrier.
  static void forget_maxima(const RunContext& run) {
    run.engine->reset_maxima();
    for (engine::Device* device : run.engine->devices()) device->pool().reset_peak();
  }

  // Seconds of a round, each waited for: the steps of training wait for one another too, by their parameters.
  // One round before wakes threads and memory.
  template <typename Round>
  static Result<double> rehearse(const RunContext& run, std::int64_t rounds, Round round) {
    double seconds = 0;
    for (std::int64_t i = -1; i < rounds; ++i) {
      const Stopwatch one;
      round(std::max<std::int64_t>(i, 0));
      if (Status done = run.engine->wait_all(kWaitAll); !done.ok()) return done.error();
      if (run.control->stopping()) return Error{"stopped"};
      if (i >= 0) seconds += one.elapsed_s();
    }
    return seconds / static_cast<double>(rounds);
  }

  Status train(RunContext& run, std::int64_t last) {
    while (const std::optional<std::int64_t> step = run.control->next_step()) {
      {
        const std::vector<Replica::Pass> passes = passes_over(*step);
        if (*step == 0) first_losses_ = sums_of(passes);
        if (*step == last) final_losses_ = sums_of(passes);
        for (const auto& bucket : buckets_) update(bucket, passes, rate_);
      }
      // The first layer's weights: they are updated last.
      const Status held = run.control->end_step(replicas_.front().parameters(0).front());
      if (!held.ok()) return held;
    }
    return Ok{};
  }

  // Everything but what is sent. At a rate of 0 the parameters stay as they are.
  void compute_alone(std::int64_t step) const {
    const std::vector<Replica::Pass> passes = passes_over(step);
    for (std::size_t d = 0; d < replicas_.size(); ++d) {
      for (std::size_t layer = kReplicaLayers; layer-- > 0;) update_alone(d, layer, passes[d], 0.0f);
    }
  }
  void communicate(const std::vector<Replica::Pass>& passes) const {
    for (const auto& bucket : buckets_) (void)summed(bucket, passes);
  }

  // Batch `step`, shared out, and a forward and backward pass over each share.
  [[nodiscard]] std::vector<Replica::Pass> passes_over(std::int64_t step) const {
    const Array x = engine::normal(host_, {batch_, units_[0]}, {seed_, 16 + static_cast<std::uint64_t>(step)},
                                   0.0f, 1.0f, MemoryCategory::kInput);
    std::vector<Array> shares = replicas_.size() > 1 ? share_out(x) : std::vector<Array>{x};
    std::vector<Replica::Pass> passes;
    for (std::size_t d = 0; d < replicas_.size(); ++d) {
      const engine::Context& there = replicas_[d].context();
      if (there != host_) shares[d] = engine::copy_to(shares[d], there);
      const Array y = engine::ones(there, {shares[d].shape()[0]}, MemoryCategory::kInput);
      passes.push_back(replicas_[d].pass(shares[d], y));
    }
    return passes;
  }

  // Rows of nearly equal number, by one op on the host.
  [[nodiscard]] std::vector<Array> share_out(const Array& x) const {
    const std::int64_t columns = units_[0];
    engine::ArrayOp op{.site = &kShare,
                       .inputs = {x},
                       .cost = {.memory_bytes = 2.0 * static_cast<double>(x.size_bytes())},
                       .category = MemoryCategory::kInput};
    std::vector<std::int64_t> begins;
    for (std::size_t d = 0; d < replicas_.size(); ++d) {
      begins.push_back(first_row(d));
      op.shapes.push_back({first_row(d + 1) - begins.back(), columns});
    }
    begins.push_back(batch_);
    return engine::apply(host_, std::move(op), [begins, columns](const engine::Values& values) {
      for (std::size_t d = 0; d + 1 < begins.size(); ++d) {
        std::copy(values.in[0] + begins[d] * columns, values.in[0] + begins[d + 1] * columns, values.out[d]);
      }
    });
  }

  static std::vector<Array> sums_of(const std::vector<Replica::Pass>& passes) {
    std::vector<Array> sums;
    for (const Replica::Pass& pass : passes) sums.push_back(engine::sum(pass.loss));
    return sums;
  }

  // ---- a bucket: layers whose gradients travel together
  [[nodiscard]] std::vector<Chunks> summed(const Bucket& bucket,
                                           const std::vector<Replica::Pass>& passes) const {
    std::vector<Chunks> chunks;
    for (const Replica::Pass& pass : passes) {
      std::vector<Array> gradients;
      for (const std::size_t layer : bucket)
        gradients.insert(gradients.end(), pass.gradients[layer].begin(), pass.gradients[layer].end());
      const std::int64_t devices = static_cast<std::int64_t>(passes.size());
      chunks.push_back(pack(gradients, chunks_for(by_, devices, elements_of(bucket))));
    }
    sum_over_devices(chunks, by_);
    return chunks;
  }

  void update(const Bucket& bucket, const std::vector<Replica::Pass>& passes, float rate) const {
    if (replicas_.size() == 1) {
      for (const std::size_t layer : bucket) update_alone(0, layer, passes.front(), rate);
      return;
    }
    const std::vector<Chunks> sums = summed(bucket, passes);
    for (std::size_t d = 0; d < replicas_.size(); ++d) {
      std::vector<Array> parameters;
      for (const std::size_t layer : bucket) {
        for (const Array& parameter : replicas_[d].parameters(layer)) parameters.push_back(parameter);
      }
      sgd_update_from(sums[d], parameters, rate, batch_);
    }
  }

  void update_alone(std::size_t device, std::size_t layer, const Replica::Pass& pass, float rate) const {
    const std::vector<Array> parameters = replicas_[device].parameters(layer);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      engine::sgd_update(parameters[i], pass.gradients[layer][i], rate, batch_);
  }

  [[nodiscard]] Result<bool> replicas_equal() const {
    for (std::size_t layer = 0; layer < kReplicaLayers; ++layer) {
      for (std::size_t i = 0; i < 2; ++i) {
        std::vector<float> first;
        for (const Replica& replica : replicas_) {
          const Result<std::vector<float>> values = replica.parameters(layer)[i].asnumpy();
          if (!values.ok()) return values.error();
          if (first.empty()) first = *values;
          if (std::memcmp(first.data(), values->data(), first.size() * sizeof(float)) != 0) return false;
        }
      }
    }
    return true;
  }

  std::int64_t batch_ = 0;
  std::array<std::int64_t, kReplicaLayers + 1> units_{};
  std::uint64_t seed_ = 0;
  float rate_ = 0;
  SumBy by_ = SumBy::kRoot;
  std::vector<Bucket> buckets_;
  engine::Context host_;
  std::vector<Replica> replicas_;
  std::vector<Array> first_losses_, final_losses_;  // sums over each device's rows; read when all is done
};

}  // namespace

std::unique_ptr<Workload> make_data_parallel() { return std::make_unique<DataParallel>(); }

}  // namespace runahead::samples
