// hidden_waits: a pipeline of three streams. Each batch is copied to a device, encoded and decoded there, and
// its result is copied back. Nothing in the loop is called a wait. But reading a number of the batch makes
// the frontend wait, and then the streams run out of work. With several devices, the first encodes and the
// last decodes.
//
// Result:
//   batch_s   time of a batch if the loop reads nothing, or waits as the run's barrier says
//   loop_s    the same, read when the loop has returned
//   item_s    time of a batch if each loss is read with item()
//   numpy_s   time of a batch if each result is read with asnumpy(), instead of copied by an op
//   print_s   time of a batch if every tenth loss is printed
//   late_s    time of a batch if each loss is read with item(), two batches later
//   losses_equal  1: the losses that were read late are the losses that were read at once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/array/operators.h"
#include "samples/clock.h"
#include "samples/parameters.h"
#include "samples/workloads/touch_memory.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

using engine::Array;

constexpr const char* kItemEach = "item() of each loss";
constexpr const char* kNumpyEach = "asnumpy() of each result";
constexpr const char* kPrintTenth = "print of every tenth loss";
constexpr const char* kItemLate = "item() two batches later";
constexpr const char* kNothingRead = "nothing is read";
constexpr std::int64_t kPrintEvery = 10;
constexpr std::size_t kLate = 2;
constexpr std::uint64_t kHostBatches = 4;  // the loop takes them in turn
constexpr record::Site kHiddenWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};

const WorkloadSpec& hidden_waits_spec() {
  static const WorkloadSpec spec{
      .name = "hidden_waits",
      .title = "Hidden waits",
      .question =
          "A loop copies batches to a device, computes, and copies back. No line of it is called a "
          "wait. Which line stops all three streams?",
      .look_for =
          "While nothing is read, the copies of one batch run during the computation of another. With item() "
          "or asnumpy() in the loop, the frontend waits for each batch, and the streams are idle around each "
          "wait. The same numbers, read two batches later, cost almost nothing.",
      .published =
          "Training, 50 batches: 3.95 s with a wait for each; without, the loop returns after 0.10 s",
      .published_figures = {{"50 batches",
                             {{"a number read from each batch", 3.95, "s", "item_s * 50"},
                              {"nothing read, at the end of the loop", 0.10, "s", "loop_s * 50"}}}},
      .results = {{.title = "Time of a batch",
                   .rows = {{.label = "nothing is read", .figures = {"batch_s"}},
                            {.label = "item() of each loss", .figures = {"item_s"}},
                            {.label = "asnumpy() of each result", .figures = {"numpy_s"}},
                            {.label = "print of every tenth loss", .figures = {"print_s"}},
                            {.label = "item() two batches later",
                             .figures = {"late_s"},
                             .hint = "The device already works on the next batches while the frontend waits"},
                            {.label = "nothing is read, when the loop has returned",
                             .figures = {"loop_s"},
                             .hint = "A stopwatch around the loop measures the enqueues"}}},
                  {.title = "What reading costs",
                   .rows = {{.label = "item() of each loss, over nothing",
                             .figures = {"item_s / batch_s"},
                             .unit = ResultUnit::kRatio},
                            {.label = "two batches later, over nothing",
                             .figures = {"late_s / batch_s"},
                             .unit = ResultUnit::kRatio},
                            {.label = "late losses equal the others",
                             .figures = {"losses_equal"},
                             .unit = ResultUnit::kYesOrNo}}}},
      .parameters = with_common_parameters(
          {count_parameter("batch", "Batch size", "Rows of a batch", 256, 512, 65536),
           count_parameter("features", "Features", "Columns of a batch", 1024, 2048, 8192),
           count_parameter("code", "Code size", "Columns of an encoded batch", 16, 32, 8192)},
          {.class_steps = 50, .published_steps = 50, .steps_help = "Batches of each part"}),
      .default_device = "virtual:0",
      .needs_accelerator = true,
      .parts = {kItemEach, kNumpyEach, kPrintTenth, kItemLate, kNothingRead},
      .counters = {trace::CounterRole::kRunAheadOps},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kPrint, BarrierKind::kWindow, BarrierKind::kOps,
                   BarrierKind::kBytes},
      .tiny_settings = {{"steps", "4"}, {"batch", "16"}, {"features", "12"}, {"code", "3"}},
  };
  return spec;
}

class HiddenWaits final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return hidden_waits_spec(); }

  void prepare(RunContext& run) override {
    rows_ = static_cast<std::int64_t>(run.parameter("batch"));
    columns_ = static_cast<std::int64_t>(run.parameter("features"));
    code_columns_ = static_cast<std::int64_t>(run.parameter("code"));
    encoder_ = {run.engine, run.devices.front()};
    decoder_ = {run.engine, run.devices.back()};
    host_ = {run.engine, run.cpu};
    reads_values_ =
        std::ranges::all_of(run.devices, [](const auto* device) { return device->holds_values(); });
    const StepMemory step = memory_of_a_batch();
    for (const auto& [device, sizes] : step.arrays_bytes)
      for (const std::size_t size_bytes : sizes) run.step_bytes += static_cast<double>(size_bytes);
    touch_memory_of_steps(run, step);
  }

  Status run(RunContext& run) override {
    make_arrays(run, static_cast<std::uint64_t>(run.parameter("seed")));
    if (Status made = run.engine->wait_all(kHiddenWaitAll); !made.ok()) return made;
    return run.control->endless() ? steps(run) : measure(run);
  }

 private:
  struct Batch {
    Array loss, result;
  };

  [[nodiscard]] StepMemory memory_of_a_batch() const {
    const auto bytes = [](std::int64_t elements) {
      return static_cast<std::size_t>(elements) * sizeof(float);
    };
    const std::int64_t whole = rows_ * columns_, code = rows_ * code_columns_;
    StepMemory step{.ops = 8};
    step.arrays_bytes[encoder_.device] = {bytes(whole), bytes(code), bytes(code)};
    for (const std::size_t size : {bytes(whole), bytes(rows_), bytes(1)})
      step.arrays_bytes[decoder_.device].push_back(size);
    if (encoder_.device != decoder_.device) step.arrays_bytes[decoder_.device].push_back(bytes(code));
    step.arrays_bytes[host_.device].push_back(bytes(whole));
    return step;
  }

  void make_arrays(RunContext& run, std::uint64_t seed) {
    for (std::uint64_t i = 0; i < kHostBatches; ++i)
      batches_.push_back(engine::uniform(host_, {rows_, columns_}, {seed, i}, 0.0f, 1.0f));
    constexpr auto kParameter = engine::MemoryCategory::kParameter;
    to_code_ =
        engine::uniform(encoder_, {columns_, code_columns_}, {seed, kHostBatches}, -0.07f, 0.07f, kParameter);
    from_code_ = engine::uniform(decoder_, {code_columns_, columns_}, {seed, kHostBatches + 1}, -0.07f, 0.07f,
                                 kParameter);
    target_ = engine::uniform(decoder_, {rows_, columns_}, {seed, kHostBatches + 2});
    run.params_bytes = static_cast<double>(to_code_.size_bytes() + from_code_.size_bytes());
  }

  // Enqueues a batch: a copy to the device, the computation, and, if `copy_back`, a copy of the result to the
  // host.
  [[nodiscard]] Batch enqueue(std::int64_t index, bool copy_back = true) const {
    const Array x = engine::copy_to(batches_[static_cast<std::uint64_t>(index) % kHostBatches], encoder_);
    Array code = engine::relu(engine::matmul(x, to_code_));
    if (encoder_.device != decoder_.device) code = engine::copy_to(code, decoder_);
    const Array result = engine::matmul(code, from_code_);
    const Array loss = engine::mean(engine::l2_loss(result, target_));
    return {loss, copy_back ? engine::copy_to(result, host_) : result};
  }

  // A device that models only times has no values. There, a wait stands for the reading.
  Status read_item(const Array& loss, std::vector<float>* losses) const {
    if (!reads_values_) return loss.wait_to_read();
    const Result<float> value = loss.item();
    if (!value.ok()) return value.error();
    if (losses != nullptr) losses->push_back(*value);
    return Ok{};
  }
  Status read_numpy(const Array& result) const {
    if (!reads_values_) return result.wait_to_read();
    const Result<std::vector<float>> values = result.asnumpy();
    return values.ok() ? Status(Ok{}) : Status(values.error());
  }

  // Runs one part: `count` calls of `batch`, and a wait at the end. Returns the time of a batch in seconds.
  template <typename OneBatch>
  Result<double> timed(RunContext& run, std::string_view part, const OneBatch& batch) const {
    const auto count = static_cast<std::int64_t>(run.parameter("steps"));
    run.control->begin_part(part);
    const Stopwatch whole;
    for (std::int64_t i = 0; i < count; ++i) {
      if (run.control->stopping()) return Error{"stopped"};
      if (Status done = batch(i); !done.ok()) return done.error();
    }
    if (Status done = run.engine->wait_all(kHiddenWaitAll); !done.ok()) return done.error();
    return whole.elapsed_s() / static_cast<double>(count);
  }

  Status measure(RunContext& run) {
    std::vector<float> at_once, late;
    const Result<double> item_s =
        timed(run, kItemEach, [&](std::int64_t i) { return read_item(enqueue(i).loss, &at_once); });
    if (!item_s.ok()) return item_s.error();
    const Result<double> numpy_s =
        timed(run, kNumpyEach, [&](std::int64_t i) { return read_numpy(enqueue(i, false).result); });
    if (!numpy_s.ok()) return numpy_s.error();
    const Result<double> print_s = timed(run, kPrintTenth, [&](std::int64_t i) {
      const Array loss = enqueue(i).loss;
      if (i % kPrintEvery != 0) return Status(Ok{});
      return reads_values_ ? loss.print() : loss.wait_to_read();
    });
    if (!print_s.ok()) return print_s.error();
    const Result<double> late_s = measure_late(run, late);
    if (!late_s.ok()) return late_s.error();
    const Stopwatch whole;
    if (Status done = steps(run); !done.ok()) return done;
    const double loop_s = whole.elapsed_s(), count = run.parameter("steps");
    if (Status done = run.engine->wait_all(kHiddenWaitAll); !done.ok()) return done;
    run.result["batch_s"] = whole.elapsed_s() / count;
    run.result["loop_s"] = loop_s / count;
    run.result["item_s"] = *item_s;
    run.result["numpy_s"] = *numpy_s;
    run.result["print_s"] = *print_s;
    run.result["late_s"] = *late_s;
    if (reads_values_) run.result["losses_equal"] = at_once == late ? 1 : 0;
    return Ok{};
  }

  // Reads the loss of each batch when kLate later batches are enqueued.
  Result<double> measure_late(RunContext& run, std::vector<float>& losses) const {
    std::deque<Array> unread;
    const Result<double> late_s = timed(run, kItemLate, [&](std::int64_t i) {
      unread.push_back(enqueue(i).loss);
      if (unread.size() <= kLate) return Status(Ok{});
      const Array loss = std::move(unread.front());
      unread.pop_front();
      return read_item(loss, &losses);
    });
    for (const Array& loss : unread) {
      if (Status read = read_item(loss, &losses); !read.ok()) return read.error();
    }
    return late_s;
  }

  Status steps(RunContext& run) const {
    run.control->begin_part(kNothingRead);
    while (const auto step = run.control->next_step()) {
      const Batch batch = enqueue(*step);
      if (Status held = run.control->end_step(batch.loss); !held.ok()) return held;
    }
    return Ok{};
  }

  std::int64_t rows_ = 0, columns_ = 0, code_columns_ = 0;
  engine::Context encoder_, decoder_, host_;
  bool reads_values_ = true;
  std::vector<Array> batches_;  // on the host
  Array to_code_, from_code_, target_;
};

Lesson hidden_waits_lesson() {
  return {
      .number = 13,
      .workload = "hidden_waits",
      .parts = {one_run("Fifty batches: losses read at once, late, or not at all")},
      .predictions = {{.question = "The loop reads the loss of each batch with item(). How many times longer "
                                   "does a batch take than in a loop that reads nothing?",
                       .formula = "run.item_s / run.batch_s"},
                      {.question =
                           "Now each loss is read two batches later. Compared with reading nothing, a "
                           "batch takes",
                       .formula = "run.late_s / run.batch_s",
                       .choices = {{.words = "as long, or nearly", .below = 1.1},
                                   {.words = "clearly longer", .from = 1.1, .below = 1.4},
                                   {.words = "about as long as with item() at once", .from = 1.4}}}},
      .figures = {{"batch", "run.batch_s"},
                  {"loop", "run.loop_s"},
                  {"item", "run.item_s"},
                  {"numpy", "run.numpy_s"},
                  {"print", "run.print_s"},
                  {"late", "run.late_s"},
                  {"ratio", "run.item_s / run.batch_s", ResultUnit::kRatio}},
      .explanation = {
          "A batch takes {batch} if nothing is read, and {item} if its loss is read with item(): {ratio}. "
          "item() waits for the copy and the computation of this batch. During this time the frontend "
          "enqueues nothing, so the streams run out of work. asnumpy() of the result takes {numpy} per "
          "batch. A print of every tenth loss takes {print}.",
          "Read two batches later, the same losses cost little: {late} per batch. The wait is still in the "
          "program, but the device works on the next batches meanwhile.",
          "A stopwatch around the loop that reads nothing shows {loop} per batch: it measures the enqueues. "
          "Published, for training: 3.95 s for 50 batches with a wait for each. Without waits the loop "
          "returns after 0.10 s."}};
}

}  // namespace

extern const WorkloadEntry kHiddenWaits;
constexpr WorkloadEntry kHiddenWaits{make_workload_of<HiddenWaits>, hidden_waits_lesson};

}  // namespace runahead::samples
