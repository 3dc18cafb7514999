// barriers: how long each way of waiting takes for the same product: with the product alone, and with
// unrelated work enqueued after the product.
#include <array>
#include <utility>
#include <vector>

#include "engine/array/operators.h"
#include "instrumentation/base/median.h"
#include "samples/barrier_policy.h"
#include "samples/clock.h"
#include "samples/parameters.h"
#include "samples/runner.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

constexpr record::Site kBarriersWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};

RunCondition two_products() {
  return {[](const RunReport& run) { return run.params.at("unrelated") == 1; },
          "Needs a run with unrelated=1."};
}

const WorkloadSpec& barriers_spec() {
  static const WorkloadSpec spec{
      .name = "barriers",
      .title = "Barriers and blockers",
      .question = "Five ways to wait for the same product: which waits for more than it needs?",
      .look_for =
          "Alone, all ways wait for the same product. With unrelated work behind it, waitall waits for that "
          "work too. item and asnumpy add their own copy.",
      .published = "1000 x 1000: waitall 0.0138, wait_to_read 0.0045, asnumpy 0.0117, item 0.0212 s",
      .published_figures =
          {{"1000 x 1000",
            {{"wait_to_read", 0.0045, "s", "wait_to_read_s"},
             {"waitall", 0.0138, "s", "waitall_s"},
             {"asnumpy", 0.0117, "s", "asnumpy_s"},
             {"item", 0.0212, "s", "item_s"}}},
           {"4000 x 4000",
            {{"wait_to_read", 1.6327, "s", "wait_to_read_s"},
             {"waitall for two products", 3.2405, "s", "waitall_with_unrelated_s", two_products()},
             {"asnumpy", 1.5788, "s", "asnumpy_s"},
             // item() of a matrix reads the sum of its elements; the published figure reads the norm
             {"norm().asscalar()", 1.7495, "s", "item_s"}}}},
      .results = {{.title = "From the enqueue of a product to the end of the wait",
                   .columns = {"alone", "+ unrelated"},
                   .rows = {{.label = "wait_to_read",
                             .figures = {"wait_to_read_s", "wait_to_read_with_unrelated_s"}},
                            {.label = "waitall",
                             .figures = {"waitall_s", "waitall_with_unrelated_s"},
                             .hint = "Waits for the unrelated work too"},
                            {.label = "asnumpy",
                             .figures = {"asnumpy_s", ""},
                             .hint = "Waits, then copies the values"},
                            {.label = "item", .figures = {"item_s", ""}},
                            {.label = "print", .figures = {"print_s", ""}}}}},
      .parameters = with_common_parameters(
          {count_parameter("extent", "Matrix size", "Rows and columns of a", 512, 1000, 8192),
           count_parameter("unrelated", "Other products",
                           "Unrelated products behind the product that is waited for", 2, 1, 100)},
          {.class_steps = 3,
           .published_steps = 3,
           .steps_help = "Rounds of measurements; medians are reported"}),
      .default_device = "cpu",
      .counters = {trace::CounterRole::kRunAheadOps},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kPrint, BarrierKind::kWindow, BarrierKind::kOps,
                   BarrierKind::kBytes},
      .tiny_settings = {{"steps", "2"}, {"extent", "16"}},
  };
  return spec;
}

struct Measurement {
  const char* name;  // key of the result
  BarrierKind kind;
  bool with_unrelated_work;
};
constexpr std::array<Measurement, 7> kMeasurements = {
    {{"waitall_s", BarrierKind::kWaitAll, false},
     {"wait_to_read_s", BarrierKind::kWaitToRead, false},
     {"asnumpy_s", BarrierKind::kAsnumpy, false},
     {"item_s", BarrierKind::kItem, false},
     {"print_s", BarrierKind::kPrint, false},
     {"waitall_with_unrelated_s", BarrierKind::kWaitAll, true},
     {"wait_to_read_with_unrelated_s", BarrierKind::kWaitToRead, true}}};

class Barriers final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return barriers_spec(); }

  Status run(RunContext& run) override {
    const std::int64_t extent = static_cast<std::int64_t>(run.parameter("extent"));
    const std::uint64_t seed = static_cast<std::uint64_t>(run.parameter("seed"));
    unrelated_ = static_cast<std::int64_t>(run.parameter("unrelated"));
    a_ = engine::normal(run.context(), {extent, extent}, {seed, 0});
    c_ = engine::normal(run.context(), {extent, extent}, {seed, 1});
    run.params_bytes = static_cast<double>(a_.size_bytes() + c_.size_bytes());
    const double products = run.control->endless() ? 1.0 + static_cast<double>(unrelated_)
                                                   : static_cast<double>(kMeasurements.size()) +
                                                         2.0 * static_cast<double>(unrelated_);
    run.step_bytes = products * static_cast<double>(a_.size_bytes());
    if (Status made = run.engine->wait_all(kBarriersWaitAll); !made.ok()) return made;
    const Status outcome = run.control->endless() ? repeat(run) : measure(run);
    a_ = c_ = {};
    return outcome;
  }

 private:
  // An endless run: each step enqueues one product and unrelated work behind it, and then applies the current
  // barrier to the product.
  Status repeat(RunContext& run) {
    while (run.control->next_step()) {
      const engine::Array b = engine::matmul(a_, a_);
      enqueue_unrelated();
      if (Status held = run.control->end_step(b); !held.ok()) return held;
    }
    return Ok{};
  }

  Status measure(RunContext& run) {
    std::array<std::vector<double>, kMeasurements.size()> seconds;
    while (run.control->next_step()) {
      engine::Array b;
      Status outcome = Ok{};
      for (std::size_t i = 0; i < kMeasurements.size() && outcome.ok(); ++i) {
        const Result<double> taken = measure_one(run, kMeasurements[i], b);
        if (taken.ok()) {
          seconds[i].push_back(*taken);
        } else {
          outcome = taken.error();
        }
      }
      const Status held = run.control->end_step(b);
      if (!outcome.ok()) return outcome;
      if (!held.ok()) return held;
    }
    for (std::size_t i = 0; i < kMeasurements.size(); ++i) {
      if (!seconds[i].empty()) run.result[kMeasurements[i].name] = median(std::move(seconds[i]));
    }
    return Ok{};
  }

  // Seconds from the enqueue of the product to the end of the frontend's wait, on an idle engine.
  Result<double> measure_one(RunContext& run, const Measurement& measurement, engine::Array& b) {
    if (run.control->stopping()) return Error{"stopped"};
    if (Status drained = run.engine->wait_all(kBarriersWaitAll); !drained.ok()) return drained.error();
    const Stopwatch whole;
    b = engine::matmul(a_, a_);
    if (measurement.with_unrelated_work) enqueue_unrelated();
    if (Status held = hold({.kind = measurement.kind}, *run.engine, b); !held.ok()) return held.error();
    return whole.elapsed_s();
  }

  void enqueue_unrelated() {
    for (std::int64_t i = 0; i < unrelated_; ++i) (void)engine::matmul(c_, c_);
  }

  engine::Array a_, c_;
  std::int64_t unrelated_ = 0;
};

Lesson barriers_lesson() {
  return {.number = 4,
          .workload = "barriers",
          .parts = {{.id = "run",
                     .label = "Each way to wait for a product, alone and with four other products queued",
                     .settings = {{"unrelated", "4"}}}},
          .predictions = {{.question =
                               "One product is needed. Four other products, which nobody needs yet, are "
                               "enqueued with it. By what factor does waitall wait longer than wait_to_read?",
                           .formula = "run.waitall_with_unrelated_s / run.wait_to_read_with_unrelated_s",
                           .close = 1.7},
                          {.question = "Nothing else is enqueued. item sums the product and reads the sum. "
                                       "Compared with wait_to_read of the product, item takes",
                           .formula = "run.item_s / run.wait_to_read_s",
                           .choices = {{.words = "less than half as long", .below = 0.5},
                                       {.words = "about as long", .from = 0.5, .below = 2},
                                       {.words = "more than twice as long", .from = 2}}}},
          .figures = {{"all", "run.waitall_with_unrelated_s"},
                      {"one", "run.wait_to_read_with_unrelated_s"},
                      {"item", "run.item_s"},
                      {"read", "run.wait_to_read_s"},
                      {"asnumpy", "run.asnumpy_s"}},
          .explanation = {"With four other products enqueued, wait_to_read took {one} and waitall {all}: "
                          "waitall waits for everything, even for products that nobody needs yet.",
                          "Alone, wait_to_read took {read}, asnumpy {asnumpy}, item {item}. Most of each "
                          "time is the product itself, which all three wait for. Click a wait to see what it "
                          "waited for, and what its own copy cost.",
                          "Published, for 1000 x 1000: waitall 0.0138, wait_to_read 0.0045, asnumpy 0.0117, "
                          "item 0.0212 s. The first line that blocks is blamed for all work before it."},
          .exercises = {4}};
}

}  // namespace

extern const WorkloadEntry kBarriers;
constexpr WorkloadEntry kBarriers{make_workload_of<Barriers>, barriers_lesson};

}  // namespace runahead::samples
