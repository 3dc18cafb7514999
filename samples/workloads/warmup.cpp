// warmup: makes the same products three times: first by direct calls on the calling thread; then enqueued,
// with a stopwatch that stops when the last enqueue has returned; then enqueued, with a wait.
//
// Result:
//   direct_s            the direct calls of the BLAS
//   async_s             the enqueues alone (with the waits of the current barrier, usually none)
//   async_finished_s    the same run, up to the end of its last op
//   with_wait_s         enqueues and a waitall, one stopwatch around both
//   largest_difference  between the last direct product and the engine's last product
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/array/direct.h"
#include "engine/array/operators.h"
#include "instrumentation/record/hooks/hooks.h"
#include "samples/clock.h"
#include "samples/own_work.h"
#include "samples/parameters.h"
#include "samples/workloads/touch_memory.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

constexpr const char* kDirectCalls = "direct calls";
constexpr const char* kWaitAtEnd = "enqueued, then waitall";
constexpr record::Site kWarmupWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr record::Site kDirectNormal{"direct normal", trace::SliceKind::kZone, __FILE__, __LINE__};
constexpr record::Site kDirectProduct{"direct matmul", trace::SliceKind::kZone, __FILE__, __LINE__};

const WorkloadSpec& warmup_spec() {
  static const WorkloadSpec spec{
      .name = "warmup",
      .title = "Asynchrony: warming up",
      .question = "The same ten products take a thousandth of the time on the engine. Where did the work go?",
      .look_for =
          "Direct calls fill the frontend's track. Enqueues are thin slices, and the stopwatch around them "
          "stops before the device has done most of the work. The work is on another track. With waitall the "
          "stopwatch measures the work.",
      .published = "10 x 1000 x 1000: direct 0.3747 s; asynchronous 0.0007 s; with the wait 0.0011 s (GPU)",
      .published_figures = {{"10 x 1000 x 1000",
                             {{"enqueues alone", 0.0007, "s", "async_s"},
                              {"with the wait", 0.0011, "s", "with_wait_s"},
                              {"called directly", 0.3747, "s", "direct_s"}}}},
      .results = {{.title = "All products: stopwatch and true time",
                   .columns = {"stopwatch", "true"},
                   .rows = {{.label = "enqueued, no wait",
                             .figures = {"async_s", "async_finished_s"},
                             .hint = "The stopwatch stops when the last enqueue has returned. The true time "
                                     "ends with the last product."},
                            {.label = "enqueued, then waitall", .figures = {"with_wait_s", "with_wait_s"}},
                            {.label = "called directly",
                             .figures = {"direct_s", "direct_s"},
                             .hint = "The same products on the calling thread, without an engine"},
                            {.label = "no wait, as arithmetic",
                             .figures = {"2 * steps * extent * extent * extent / async_s",
                                         "2 * steps * extent * extent * extent / async_finished_s"},
                             .unit = ResultUnit::kFlopPerSecond,
                             .hint = "The rate that the device would need. A rate above the device's own "
                                     "shows that the stopwatch stopped at the enqueue."}}},
                  {.title = "Check",
                   .rows = {{.label = "largest difference from the direct product",
                             .figures = {"largest_difference"},
                             .unit = ResultUnit::kNumber}}}},
      .parameters = with_common_parameters(
          {count_parameter("extent", "Matrix size", "Rows and columns of a", 320, 1000, 8192)},
          {.class_steps = 10, .published_steps = 10, .steps_help = "Products in each of the three runs"}),
      .default_device = "virtual:0",
      .parts = {kDirectCalls, std::string(trace::kStepsPart), kWaitAtEnd},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kWindow, BarrierKind::kOps, BarrierKind::kBytes},
      .tiny_settings = {{"steps", "3"}, {"extent", "24"}},
  };
  return spec;
}

class Warmup final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return warmup_spec(); }

  Status run(RunContext& run) override {
    extent_ = static_cast<std::int64_t>(run.parameter("extent"));
    seed_ = static_cast<std::uint64_t>(run.parameter("seed"));
    last_ = product(run, 0);                                         // wakes the threads and the BLAS
    run.step_bytes = 2.0 * static_cast<double>(last_.size_bytes());  // a and b
    if (Status made = run.engine->wait_all(kWarmupWaitAll); !made.ok()) return made;
    return run.control->endless() ? in_steps(run) : measure(run);
  }

  Status conclude(RunContext& run) override {
    if (!last_ || direct_.empty() || !run.devices.front()->holds_values()) return Ok{};
    const Result<std::vector<float>> values = last_.asnumpy();
    if (!values.ok()) return values.error();
    double largest = 0;
    for (std::size_t i = 0; i < direct_.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>((*values)[i]) - direct_[i]));
    }
    run.result["largest_difference"] = largest;
    return Ok{};
  }

 private:
  [[nodiscard]] engine::Array product(const RunContext& run, std::int64_t step) const {
    const engine::Array a =
        engine::normal(run.context(), {extent_, extent_}, {seed_, static_cast<std::uint64_t>(step)});
    return engine::matmul(a, a);
  }

  Status measure(RunContext& run) {
    const std::int64_t count = static_cast<std::int64_t>(run.parameter("steps"));
    touch_memory(run, *run.devices.front(), 2 * count, static_cast<std::size_t>(last_.size_bytes()));
    {
      run.control->begin_part(kDirectCalls);
      const OwnWork own(*run.control);
      call_directly(1, run);
      const Stopwatch direct;
      call_directly(count, run);
      run.result["direct_s"] = direct.elapsed_s();
    }

    run.control->begin_part(trace::kStepsPart);
    const Stopwatch async;
    if (Status enqueued = in_steps(run); !enqueued.ok()) return enqueued;
    run.result["async_s"] = async.elapsed_s();
    if (Status done = run.engine->wait_all(kWarmupWaitAll); !done.ok()) return done;
    run.result["async_finished_s"] = async.elapsed_s();

    run.control->begin_part(kWaitAtEnd);
    const Stopwatch whole;
    for (std::int64_t i = 0; i < count && !run.control->stopping(); ++i) last_ = product(run, i);
    if (Status done = run.engine->wait_all(kWarmupWaitAll); !done.ok()) return done;
    run.result["with_wait_s"] = whole.elapsed_s();
    return Ok{};
  }

  void call_directly(std::int64_t count, const RunContext& run) {
    const std::size_t size = static_cast<std::size_t>(extent_ * extent_);
    std::vector<float> a(size);
    direct_.resize(size);
    for (std::int64_t i = 0; i < count && !run.control->stopping(); ++i) {
      {
        const record::Zone zone(kDirectNormal);
        engine::direct_normal(a, {seed_, static_cast<std::uint64_t>(i)});
      }
      const record::Zone zone(kDirectProduct);
      engine::direct_matmul({.m = extent_, .k = extent_, .n = extent_}, a, a, direct_);
    }
  }

  Status in_steps(RunContext& run) const {
    while (const std::optional<std::int64_t> step = run.control->next_step()) {
      const engine::Array b = product(run, *step);
      if (Status held = run.control->end_step(b); !held.ok()) return held;
    }
    return Ok{};
  }

  std::int64_t extent_ = 0;
  std::uint64_t seed_ = 0;
  std::vector<float> direct_;  // the last product of the direct calls
  engine::Array last_;         // the last product of the engine
};

Lesson warmup_lesson() {
  return {
      .number = 1,
      .workload = "warmup",
      .parts = {one_run("Ten products: called directly, enqueued, enqueued with a wait")},
      .predictions = {{.question =
                           "Ten products are called directly, then ten are enqueued. When the ten enqueues "
                           "have returned, what share of the direct calls' time have they taken?",
                       .formula = "run.async_s / run.direct_s",
                       .unit = ResultUnit::kShare},
                      {.question = "Then a wait follows the ten enqueues. Compared with the enqueues alone, "
                                   "enqueues and wait together take",
                       .formula = "run.with_wait_s / run.async_s",
                       .choices = {{.words = "about as long", .below = 1.5},
                                   {.words = "a few times as long", .from = 1.5, .below = 5},
                                   {.words = "5 times as long, or more", .from = 5}}}},
      .figures = {{"direct", "run.direct_s"},
                  {"enqueued", "run.async_s"},
                  {"finished", "run.async_finished_s"},
                  {"waited", "run.with_wait_s"}},
      .explanation =
          {"The enqueues returned after {enqueued}. By then most of the work had not begun: the "
           "products were done "
           "{finished} after the start, on another track.",
           "Called directly, the ten products took {direct}. Enqueued with a wait, they took {waited}. The "
           "wait makes no product slower. It only makes the stopwatch include the products.",
           "Published: 0.0007 s without the wait, compared with 0.3747 s for direct calls. The 0.0007 s "
           "contain only the enqueueing."},
      .exercises = {5}};
}

}  // namespace

extern const WorkloadEntry kWarmup;
constexpr WorkloadEntry kWarmup{make_workload_of<Warmup>, warmup_lesson};

}  // namespace runahead::samples
