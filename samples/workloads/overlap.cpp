// overlap: many products on a device, and copies of their results to the host. First, products and copies run
// one after the other. Then they run together: product i runs while result i - 1 is copied.
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/array/operators.h"
#include "samples/clock.h"
#include "samples/hidden_share.h"
#include "samples/parameters.h"
#include "samples/workloads/touch_memory.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

constexpr const char* kProductsAlone = "products alone";
constexpr const char* kCopiesAlone = "copies alone";
constexpr const char* kTogether = "together";
constexpr float kRelativeError = 1e-4f;  // of sums of at most 8192 positive terms, added in any order
constexpr record::Site kOverlapWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};

const WorkloadSpec& overlap_spec() {
  static const WorkloadSpec spec{
      .name = "overlap",
      .title = "Compute and copy",
      .question =
          "Copying results back takes as long as computing them. Must one of the two wait for the other?",
      .look_for =
          "When products and copies run one after the other, only one track is busy at a time. Together, "
          "both tracks are busy, and the run takes little more than the longer part. With pageable memory "
          "the copies are slower. With a wait in each step nothing overlaps.",
      .published =
          "0.1232 + 2.1620 s separately, 3.1346 s together (newest build); 0.50 + 2.72 s, 2.47 s together "
          "(older build)",
      .published_figures =
          {{"The newest build",
            {{"one after the other", 2.2852, "s", "apart_s"}, {"together", 3.1346, "s", "together_s"}}},
           {"An older build",
            {{"one after the other", 3.22, "s", "apart_s"}, {"together", 2.47, "s", "together_s"}}}},
      .results = {{.title = "One after the other, and together",
                   .rows = {{.label = "products alone", .figures = {"compute_s"}},
                            {.label = "copies alone", .figures = {"copy_s"}},
                            {.label = "one after the other", .figures = {"apart_s"}},
                            {.label = "together", .figures = {"together_s"}},
                            {.label = "hidden share of the shorter",
                             .figures = {"efficiency"},
                             .unit = ResultUnit::kShare,
                             .hint = "100 %: together they take no longer than the longer part alone"},
                            {.label = "upper bound for this many steps",
                             .figures = {"pipeline_bound"},
                             .unit = ResultUnit::kShare,
                             .hint = "The first product and the last copy overlap with nothing"}},
                   .sentence = "unreliable"},
                  {.title = "Copies",
                   .rows = {{.label = "copy rate",
                             .figures = {"4 * steps * extent * extent / copy_s"},
                             .unit = ResultUnit::kBytesPerSecond,
                             .hint = "A rate above that of the link means that nothing was copied from the "
                                     "device: the arrays were on the cpu"},
                            {.label = "equal to the cpu's results",
                             .figures = {"values_equal"},
                             .unit = ResultUnit::kYesOrNo}}}},
      .parameters = with_common_parameters(
          {count_parameter("extent", "Matrix size", "Rows and columns of each result", 800, 4000, 8192),
           count_parameter("inner", "Inner size", "Inner extent of each product", 24, 4000, 8192),
           switch_parameter("pageable", "Pageable memory", "1: the host's memory is not pinned", 0)},
          {.class_steps = 50, .published_steps = 50, .steps_help = "Number of products, and of copies"}),
      .default_device = "virtual:0",
      .needs_accelerator = true,
      .parts = {kProductsAlone, kCopiesAlone, kTogether},
      .counters = {trace::CounterRole::kCopyBandwidth},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kWindow,
                   BarrierKind::kOps, BarrierKind::kBytes},
      .tiny_settings = {{"steps", "4"}, {"extent", "40"}, {"inner", "8"}},
  };
  return spec;
}

class Overlap final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return overlap_spec(); }

  Status run(RunContext& run) override {
    extent_ = static_cast<std::int64_t>(run.parameter("extent"));
    inner_ = static_cast<std::int64_t>(run.parameter("inner"));
    seed_ = static_cast<std::uint64_t>(run.parameter("seed"));
    host_ = run.parameter("pageable") != 0 ? engine::HostMemory::kPageable : engine::HostMemory::kPinned;
    cpu_ = {run.engine, run.cpu};
    const std::size_t factor_bytes = static_cast<std::size_t>(extent_ * inner_) * sizeof(float);
    touch_memory(run, *run.devices.front(), 2, factor_bytes);
    const Factors factors = make_factors(run.context());
    run.params_bytes = static_cast<double>(factors.a.size_bytes() + factors.b.size_bytes());
    run.step_bytes =
        // a product on the device, and its copy on the host
        2.0 * sizeof(float) * static_cast<double>(extent_ * extent_);
    if (Status made = run.engine->wait_all(kOverlapWaitAll); !made.ok()) return made;
    if (run.control->endless()) return together(run, factors, nullptr);
    return measure(run, factors);
  }

  // Compares the copies with the cpu's own results. They have the same bits, except where a real GPU computed
  // them: it adds the terms of a product in another order.
  Status conclude(RunContext& run) override {
    if (copies_.empty() || !run.devices.front()->holds_values()) return Ok{};
    const Factors factors = make_factors(cpu_);
    const Result<std::vector<float>> expected = engine::matmul(factors.a, factors.b).asnumpy();
    if (!expected.ok()) return expected.error();
    bool equal = true;
    for (const engine::Array& copy : copies_) {
      const Result<std::vector<float>> values = copy.asnumpy();
      if (!values.ok()) return values.error();
      equal = equal && are_equal(*values, *expected, run.devices.front()->simulated());
    }
    run.result["values_equal"] = equal ? 1 : 0;
    copies_.clear();
    return Ok{};
  }

 private:
  struct Factors {
    engine::Array a, b;
  };
  static bool are_equal(const std::vector<float>& values, const std::vector<float>& expected, bool exactly) {
    return std::ranges::equal(values, expected, [exactly](float value, float other) {
      return value == other || (!exactly && std::abs(value - other) <= kRelativeError * std::abs(other));
    });
  }
  // engine::uniform() makes the same bits on every device, so the cpu can compute the expected product.
  [[nodiscard]] Factors make_factors(const engine::Context& context) const {
    return {engine::uniform(context, {extent_, inner_}, {seed_, 0}),
            engine::uniform(context, {inner_, extent_}, {seed_, 1})};
  }

  Status measure(RunContext& run, const Factors& factors) {
    double compute_s = 0, copy_s = 0;
    const std::int64_t count = static_cast<std::int64_t>(run.parameter("steps"));
    const std::size_t result_bytes = static_cast<std::size_t>(extent_ * extent_) * sizeof(float);
    touch_memory(run, *run.devices.front(), count, result_bytes);
    touch_memory(run, *run.cpu, count, result_bytes);
    if (Status done = warm_up(run, factors, count); !done.ok()) return done;
    if (Status done = apart(run, factors, count, compute_s, copy_s); !done.ok()) return done;
    const Stopwatch whole;
    if (Status done = together(run, factors, &copies_); !done.ok()) return done;
    if (Status drained = run.engine->wait_all(kOverlapWaitAll); !drained.ok()) return drained;
    const double together_s = whole.elapsed_s(), n = static_cast<double>(count);
    run.result["compute_s"] = compute_s;
    run.result["copy_s"] = copy_s;
    run.result["apart_s"] = compute_s + copy_s;
    run.result["together_s"] = together_s;
    report_hidden_share(run, {.first_s = compute_s, .second_s = copy_s, .together_s = together_s});
    run.result["pipeline_bound"] = (n - 1) / n;  // nothing overlaps with the first product and the last copy
    return Ok{};
  }

  // A real GPU loads a kernel with its first launch. The first copies touch or pin the host's memory.
  Status warm_up(RunContext& run, const Factors& factors, std::int64_t count) const {
    if (run.devices.front()->simulated() || run.devices.front() == run.cpu) return Ok{};
    const engine::Array result = engine::matmul(factors.a, factors.b);
    std::vector<engine::Array> copies;  // all of them live at the same time, as in the measured parts
    for (std::int64_t i = 0; i < count && !run.control->stopping(); ++i)
      copies.push_back(engine::copy_to(result, cpu_, host_));
    return run.engine->wait_all(kOverlapWaitAll);
  }

  Status apart(RunContext& run, const Factors& factors, std::int64_t count, double& compute_s,
               double& copy_s) const {
    std::vector<engine::Array> results, copies;
    run.control->begin_part(kProductsAlone);
    const Stopwatch compute;
    for (std::int64_t i = 0; i < count && !run.control->stopping(); ++i)
      results.push_back(engine::matmul(factors.a, factors.b));
    if (Status done = run.engine->wait_all(kOverlapWaitAll); !done.ok()) return done;
    compute_s = compute.elapsed_s();
    run.control->begin_part(kCopiesAlone);
    const Stopwatch copy;
    for (std::int64_t i = 0; i < count && !run.control->stopping(); ++i) {
      copies.push_back(engine::copy_to(results[static_cast<std::size_t>(i)], cpu_, host_));
    }
    if (Status done = run.engine->wait_all(kOverlapWaitAll); !done.ok()) return done;
    copy_s = copy.elapsed_s();
    if (run.control->stopping()) return Error{"stopped"};
    return Ok{};
  }

  // A step is one product and the copy of the previous result. The last copy comes after the last step.
  // `keep` receives the copies and may be null.
  Status together(RunContext& run, const Factors& factors, std::vector<engine::Array>* keep) const {
    run.control->begin_part(kTogether);
    engine::Array before;
    const auto copy_before = [&] {
      engine::Array copy = engine::copy_to(before, cpu_, host_);
      if (keep != nullptr) keep->push_back(copy);
      return copy;
    };
    while (run.control->next_step()) {
      engine::Array result = engine::matmul(factors.a, factors.b);
      const engine::Array newest = before ? copy_before() : result;
      before = std::move(result);
      if (Status held = run.control->end_step(newest); !held.ok()) return held;
    }
    if (before) (void)copy_before();
    return Ok{};
  }

  std::int64_t extent_ = 0, inner_ = 0;
  std::uint64_t seed_ = 0;
  engine::HostMemory host_ = engine::HostMemory::kPinned;
  engine::Context cpu_;
  std::vector<engine::Array> copies_;
};

Lesson overlap_lesson() {
  return {
      .number = 9,
      .workload = "overlap",
      .parts = {one_run("Fifty results: computed, then copied; then each copied while the next is computed")},
      .predictions = {{.question = "Fifty results are computed on the device. Each is copied to the host "
                                   "while the next is computed. What share of the shorter part, computing or "
                                   "copying, is hidden behind the longer part?",
                       .formula = "run.efficiency",
                       .unit = ResultUnit::kShare},
                      {.question = "Compared with computing first and copying afterwards, this takes",
                       .formula = "run.together_s / run.apart_s",
                       .choices = {{.words = "longer", .from = 1.02},
                                   {.words = "about as long", .from = 0.9, .below = 1.02},
                                   {.words = "clearly less time", .below = 0.9}}}},
      .figures = {{"compute", "run.compute_s"},
                  {"copy", "run.copy_s"},
                  {"apart", "run.apart_s"},
                  {"together", "run.together_s"},
                  {"hidden", "run.efficiency", ResultUnit::kShare},
                  {"bound", "run.pipeline_bound", ResultUnit::kShare}},
      .explanation =
          {"Computing took {compute}, copying {copy}. One after the other they took {apart}, together "
           "{together}: {hidden} of the shorter part was hidden.",
           "Such a pipeline can hide at most {bound}: the first product and the last copy overlap with "
           "nothing. Memory that is not pinned (pageable = 1) makes each copy slower.",
           "Published: an older article has 0.50 + 2.72 s separately and 2.47 s together. The newest has "
           "0.1232 + 2.1620 s separately and 3.1346 s together: overlap does not always help."},
      .exercises = {7}};
}

}  // namespace

extern const WorkloadEntry kOverlap;
constexpr WorkloadEntry kOverlap{make_workload_of<Overlap>, overlap_lesson};

}  // namespace runahead::samples
