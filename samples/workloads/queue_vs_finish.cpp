// queue_vs_finish: x = uniform(n, n); y = dot(x, x).sum(); print(y). A stopwatch is read twice: when uniform,
// dot and sum are enqueued, and when y has been printed.
//
// Result (medians over the steps):
//   queued_s    time until the enqueues have returned
//   finished_s  time until y has been printed
//   y           the last value printed
#include <optional>
#include <utility>
#include <vector>

#include "engine/array/operators.h"
#include "instrumentation/base/median.h"
#include "samples/clock.h"
#include "samples/parameters.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

constexpr record::Site kQueueWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};

const WorkloadSpec& queue_vs_finish_spec() {
  static const WorkloadSpec spec{
      .name = "queue_vs_finish",
      .title = "Queued is not finished",
      .question = "The product of two 4000 x 4000 matrices in a millisecond: what did the stopwatch measure?",
      .look_for =
          "The frontend has three thin slices, then a long slice named print. Print is not slow: it waits "
          "for the product, which began when the product was enqueued.",
      .published = "4000 x 4000: queued in 0.0010 s, finished in 2.1746 s",
      .published_figures = {{"4000 x 4000",
                             {{"queued", 0.0010, "s", "queued_s"}, {"finished", 2.1746, "s", "finished_s"}}}},
      .results =
          {{.title = "y = sum(x x): stopwatch and true time",
            .columns = {"queued", "finished"},
            .rows = {{.label = "time",
                      .figures = {"queued_s", "finished_s"},
                      .hint = "Read when the enqueues have returned, and again when y is on the terminal"},
                     {.label = "as arithmetic",
                      .figures = {"2 * extent * extent * extent / queued_s",
                                  "2 * extent * extent * extent / finished_s"},
                      .unit = ResultUnit::kFlopPerSecond,
                      .hint = "The rate that the device would need"}}},
           {.title = "Printed", .rows = {{.label = "y", .figures = {"y"}, .unit = ResultUnit::kNumber}}}},
      .parameters = with_common_parameters(
          {count_parameter("extent", "Matrix size", "Rows and columns of x", 320, 4000, 8192)},
          {.class_steps = 10, .published_steps = 1, .steps_help = "Repetitions; medians are reported"}),
      .default_device = "cpu",
      .counters = {trace::CounterRole::kRunAheadOps},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kPrint, BarrierKind::kWindow, BarrierKind::kOps,
                   BarrierKind::kBytes},
      .tiny_settings = {{"steps", "3"}, {"extent", "24"}},
  };
  return spec;
}

class QueueVsFinish final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return queue_vs_finish_spec(); }

  Status run(RunContext& run) override {
    const std::int64_t extent = static_cast<std::int64_t>(run.parameter("extent"));
    const std::uint64_t seed = static_cast<std::uint64_t>(run.parameter("seed"));
    run.step_bytes = sizeof(float) * (2.0 * static_cast<double>(extent * extent) + 1);  // x, x.x, y
    // Warm-up: wakes the worker threads and the BLAS library, and touches the memory of a step, before a
    // stopwatch runs.
    y_ = sum_of_product(run, extent, {seed, 0});
    if (Status made = run.engine->wait_all(kQueueWaitAll); !made.ok()) return made;
    std::vector<double> queued_s, finished_s;
    while (const std::optional<std::int64_t> step = run.control->next_step()) {
      const Stopwatch whole;
      y_ = sum_of_product(run, extent, {seed, static_cast<std::uint64_t>(*step)});
      Status shown = Ok{};
      if (!run.control->endless()) {
        queued_s.push_back(whole.elapsed_s());
        shown = show(run);
        finished_s.push_back(whole.elapsed_s());
      }
      const Status held = run.control->end_step(y_);
      if (!shown.ok()) return shown;
      if (!held.ok()) return held;
    }
    if (!queued_s.empty()) {
      run.result["queued_s"] = median(std::move(queued_s));
      run.result["finished_s"] = median(std::move(finished_s));
    }
    return Ok{};
  }

  Status conclude(RunContext& run) override {
    if (!y_ || !run.devices.front()->holds_values()) return Ok{};
    const Result<float> y = y_.item();
    if (!y.ok()) return y.error();
    run.result["y"] = static_cast<double>(*y);
    return Ok{};
  }

 private:
  static engine::Array sum_of_product(const RunContext& run, std::int64_t extent, engine::RandomKey key) {
    const engine::Array x = engine::uniform(run.context(), {extent, extent}, key);
    return engine::sum(engine::matmul(x, x));
  }
  // A simulated device without values has nothing to print. On such a device show() only waits for y, which
  // takes the same time.
  [[nodiscard]] Status show(const RunContext& run) const {
    return run.devices.front()->holds_values() ? y_.print() : y_.wait_to_read();
  }

  engine::Array y_;
};

Lesson queue_vs_finish_lesson() {
  return {
      .number = 3,
      .workload = "queue_vs_finish",
      .parts = {one_run("y = dot(x, x).sum(), then print y")},
      .predictions = {{.question = "One stopwatch stops when dot(x, x).sum() has returned, another when y "
                                   "has been printed. By what factor is the second time longer?",
                       .formula = "run.finished_s / run.queued_s",
                       .close = 3}},
      .figures = {{"queued", "run.queued_s"},
                  {"finished", "run.finished_s"},
                  {"ratio", "run.finished_s / run.queued_s", ResultUnit::kRatio}},
      .explanation = {"Queued after {queued}, finished after {finished}: {ratio}. Both stopwatches are "
                      "right, but they measure different things. The first measures the frontend, and the "
                      "frontend only enqueues the work.",
                      "Published, for 4000 x 4000: queued in 0.0010 s, finished in 2.1746 s. The larger the "
                      "product, the larger the ratio, because an enqueue costs the same for every size."}};
}

}  // namespace

extern const WorkloadEntry kQueueVsFinish;
constexpr WorkloadEntry kQueueVsFinish{make_workload_of<QueueVsFinish>, queue_vs_finish_lesson};

}  // namespace runahead::samples
