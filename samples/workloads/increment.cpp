// increment: y = x + 1 many times, with a wait after each and with one wait at the end. Measures the three
// times that explain both results: t1 to enqueue an op, t2 to execute it, t3 to report back to a waiting
// frontend.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "engine/array/operators.h"
#include "samples/clock.h"
#include "samples/parameters.h"
#include "samples/runner.h"
#include "samples/workloads/touch_memory.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

constexpr const char* kWaitAfterEach = "a wait after each";
constexpr const char* kExecutionAlone = "execution alone";
constexpr record::Site kIncrementWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr record::Site kFirstOfPile{"first of the pile", trace::SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kLastOfPile{"last of the pile", trace::SliceKind::kExecute, __FILE__, __LINE__};

double elements(const RunReport& run) { return run.params.at("rows") * run.params.at("columns"); }
// With a small array, executing an increment takes almost no time compared with enqueueing it.
RunCondition small_array() {
  return {[](const RunReport& run) { return elements(run) <= 64; },
          "Needs a run with a small array: rows=1, columns=2."};
}
RunCondition large_array() {
  return {[](const RunReport& run) { return elements(run) >= 1e6; },
          "Needs a run with a large array: rows=2000, columns=2000."};
}

const WorkloadSpec& increment_spec() {
  static const WorkloadSpec spec{
      .name = "increment",
      .title = "Increment",
      .question = "Ten thousand additions: what does a wait after each cost, and where does the time go?",
      .look_for =
          "With a wait after each addition, frontend and worker take turns. Without waits both are busy, and "
          "the slower of the two sets the time.",
      .published =
          "10,000 times: 1.0607 s with a wait after each, 0.8800 s without; 1000 times on 2000 x 2000: 3.16 "
          "and 0.93 s",
      .published_figures = {{"10,000 times, x of 1 x 2",
                             {{"one wait at the end", 0.8800, "s", "async_s", small_array()},
                              {"a wait after each", 1.0607, "s", "sync_s", small_array()}}},
                            {"The same, another article",
                             {{"one wait at the end", 0.7488, "s", "async_s", small_array()},
                              {"a wait after each", 1.0936, "s", "sync_s", small_array()}}},
                            {"1000 times, x of 2000 x 2000",
                             {{"one wait at the end", 0.93, "s", "async_s", large_array()},
                              {"a wait after each", 3.16, "s", "sync_s", large_array()}}}},
      .results =
          {{.title = "One increment",
            .rows = {{.label = "with a wait after each",
                      .figures = {"sync_us"},
                      .unit = ResultUnit::kMicroseconds},
                     {.label = "with one wait at the end",
                      .figures = {"async_us"},
                      .unit = ResultUnit::kMicroseconds},
                     {.label = "the second over the first",
                      .figures = {"async_us / sync_us"},
                      .unit = ResultUnit::kRatio,
                      .hint = "Above 1 the run without waits is slower, for example with a slow frontend or "
                              "more threads than cores."}}},
           {.title = "All n increments, predicted and measured",
            .columns = {"formula", "measured"},
            .rows = {{.label = "n (t1 + t2 + t3), with waits", .figures = {"sync_formula_s", "sync_s"}},
                     {.label = "t1 + n t2 + t3, without",
                      .figures = {"async_formula_s", "async_s"},
                      .hint = "Holds if n t2 > (n-1) t1"},
                     {.label = "n max(t1, t2), without",
                      .figures = {"bottleneck_formula_s", "async_s"},
                      .hint = "Holds in both cases, except at the start and end of the run"},
                     {.label = "n (t1 + t2 + t3), from the trace",
                      .figures = {"1e-6 * steps * iterations * (trace_t1_us + trace_t2_us + trace_t3_us)",
                                  "sync_s"},
                      .hint = "From the mean times in the trace; n (t1 + t2 + t3) is the total time of the "
                              "round trips"},
                     {.label = "t1 + n t2 + t3, from the trace",
                      .figures = {"1e-6 * (trace_t1_us + steps * iterations * trace_t2_us + trace_t3_us)",
                                  "async_s"},
                      .hint =
                          "The trace's t2 is the execution alone, without the worker's time between two ops"},
                     {.label = "n max(t1, t2), from the trace",
                      .figures = {"1e-6 * steps * iterations * max(trace_t1_us, trace_t2_us)", "async_s"}}},
            .sentence = "bottleneck"},
           {.title = "Where the time goes",
            .columns = {"stopwatch", "trace"},
            .rows = {{.label = "t1, to enqueue it",
                      .figures = {"t1_us", "trace_t1_us"},
                      .unit = ResultUnit::kMicroseconds,
                      .hint = "The frontend's time per increment while it does not wait"},
                     {.label = "t2, to execute it",
                      .figures = {"t2_us", "trace_t2_us"},
                      .unit = ResultUnit::kMicroseconds,
                      .hint = "Measured on a queue of increments that nothing else delays"},
                     {.label = "t3, to report back",
                      .figures = {"t3_us", "trace_t3_us"},
                      .unit = ResultUnit::kMicroseconds,
                      .hint = "The rest of a round trip, until a waiting frontend goes on"},
                     {.label = "part of t3, to wake the frontend",
                      .figures = {"", "trace_report_us"},
                      .unit = ResultUnit::kMicroseconds,
                      .hint = "From an increment's end to the end of the wait for it"},
                     {.label = "the slower of t1 and t2",
                      .figures = {"slower_of_t1_t2_us", ""},
                      .unit = ResultUnit::kMicroseconds},
                     {.label = "the frontend is the bottleneck",
                      .figures = {"frontend_is_bottleneck", ""},
                      .unit = ResultUnit::kYesOrNo,
                      .hint = "Yes if n t2 > (n-1) t1 is false"}}}},
      .timed_op = "add",
      .parameters = with_common_parameters(
          {count_parameter("rows", "Rows", "Rows of x", 1, 1, 8192),
           count_parameter("columns", "Columns", "Columns of x", 2, 2, 8192),
           count_parameter("iterations", "Increments", "Increments of one step", 1000, 1000, 1e6)},
          {.class_steps = 10,
           .published_steps = 10,
           .steps_help = "Steps of each half, which makes steps x iterations increments"}),
      .default_device = "cpu",
      .parts = {kWaitAfterEach, kExecutionAlone, std::string(trace::kStepsPart)},
      .counters = {trace::CounterRole::kRunAheadOps},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kWindow, BarrierKind::kOps, BarrierKind::kBytes},
      .tiny_settings = {{"steps", "3"}, {"iterations", "10"}},
  };
  return spec;
}

class Increment final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return increment_spec(); }

  Status run(RunContext& run) override {
    x_ = engine::ones(run.context(), {static_cast<std::int64_t>(run.parameter("rows")),
                                      static_cast<std::int64_t>(run.parameter("columns"))});
    if (Status made = x_.wait_to_read(); !made.ok()) return made;
    iterations_ = static_cast<std::int64_t>(run.parameter("iterations"));
    const std::int64_t count = iterations_ * static_cast<std::int64_t>(run.parameter("steps"));
    run.step_bytes = static_cast<double>(iterations_ * x_.size_bytes());
    // Touches the memory only if an array is at least one page long. Small arrays have few pages, and the
    // first increments touch them.
    if (x_.size_bytes() >= 4096) {
      const std::int64_t room = run.engine->options().limit_bytes / x_.size_bytes();
      touch_memory(run, *run.devices.front(), std::min(count, room),
                   static_cast<std::size_t>(x_.size_bytes()));
    }
    const Status outcome = run.control->endless() ? repeat(run) : measure(run, count);
    x_ = {};
    return outcome;
  }

 private:
  Status measure(RunContext& run, std::int64_t count) {
    run.control->begin_part(kWaitAfterEach);
    const Result<RoundTrips> sync = wait_after_each(run, count);
    if (!sync.ok()) return sync.error();
    run.control->begin_part(kExecutionAlone);
    const Result<double> t2_s = time_of_execution(run);
    if (!t2_s.ok()) return t2_s.error();
    run.control->begin_part(trace::kStepsPart);
    const Stopwatch whole;
    if (Status repeated = repeat(run); !repeated.ok()) return repeated;
    if (Status drained = run.engine->wait_all(kIncrementWaitAll); !drained.ok()) return drained;
    const double async_s = whole.elapsed_s() / static_cast<double>(count);
    report(run, static_cast<double>(count),
           {enqueue_s_ / static_cast<double>(count), *t2_s, sync->to_fit_s, sync->measured_s, async_s});
    return Ok{};
  }

  // Seconds per increment with a wait after each. Groups of kTurn increments alternate: one group is
  // measured, the next group is used to compute t3 of the model. This way the model is compared only with
  // times from which it was not computed. Before the first group, some round trips (an enqueue and a wait)
  // wake the threads. These round trips use another op, so that a trace does not count them as increments.
  struct RoundTrips {
    double measured_s = 0, to_fit_s = 0;
  };
  Result<RoundTrips> wait_after_each(RunContext& run, std::int64_t count) {
    constexpr std::int64_t kTurn = 100, kWarmUp = 1000;
    double seconds[2] = {0, 0};
    std::int64_t turns[2] = {0, 0};
    for (std::int64_t i = -std::min(kWarmUp, count); i < count; ++i) {
      const Stopwatch one;
      const engine::Array y = i < 0 ? x_ * 1.0f : x_ + 1.0f;
      if (Status done = y.wait_to_read(); !done.ok()) return done.error();
      if (run.control->stopping()) return Error{"stopped"};
      if (i < 0) continue;
      const std::size_t turn = static_cast<std::size_t>(i / kTurn % 2);
      seconds[turn] += one.elapsed_s();
      ++turns[turn];
    }
    const double measured_s = seconds[0] / static_cast<double>(turns[0]);
    return RoundTrips{measured_s, turns[1] > 0 ? seconds[1] / static_cast<double>(turns[1]) : measured_s};
  }

  // The second part of the run: makes the increments in steps. Applies the current barrier to each increment.
  // Usually the barrier is none, so the frontend does not wait.
  Status repeat(RunContext& run) {
    while (run.control->next_step()) {
      engine::Array y;
      Status held = Ok{};
      const std::int64_t blocked_before_ns = run.engine->stats().blocked_ns;
      const Stopwatch enqueue;
      for (std::int64_t i = 0; i < iterations_ && held.ok(); ++i) {
        y = x_ + 1.0f;
        held = run.control->wait_point(y);
      }
      // The time while the barrier or the safety limit holds the frontend back does not count as enqueue
      // time.
      const double blocked_s = static_cast<double>(run.engine->stats().blocked_ns - blocked_before_ns) * 1e-9;
      enqueue_s_ += std::max(0.0, enqueue.elapsed_s() - blocked_s);
      const Status ended = run.control->end_step(y);
      if (!held.ok()) return held;
      if (!ended.ok()) return ended;
    }
    return Ok{};
  }

  // Seconds per increment if only execution limits the rate. Many increments are queued behind one slow
  // product and then executed. The result is 0 on the naive engine, because this engine executes an op during
  // the op's enqueue. The result is also 0 on a timing-only device, because no function that could read the
  // clock runs on such a device.
  Result<double> time_of_execution(RunContext& run) {
    if (run.engine->options().kind == engine::EngineKind::kNaive || !run.devices.front()->holds_values())
      return 0.0;
    run.engine->set_frontend_cost({});
    Result<Pile> pile = Pile{};
    for (std::int64_t extent = 256; extent <= 2048 && pile.ok() && !pile->complete; extent *= 2)
      pile = pile_up(run, extent);
    run.engine->set_frontend_cost(Duration(static_cast<std::int64_t>(run.parameter("frontend_us") * 1000)));
    if (!pile.ok()) return pile.error();
    return pile->each_s;
  }
  struct Pile {
    bool complete = false;  // true: all increments were enqueued before the product was done
    double each_s = 0;
  };
  // How many increments may be in flight behind the product and two copies, so that neither the barrier nor
  // the safety limit holds the frontend back. Their arrays fit into a quarter of the default limit_bytes.
  [[nodiscard]] std::int64_t increments_of_pile(const RunContext& run, std::int64_t extent) const {
    constexpr std::int64_t kOthers = 3;
    const BarrierPolicy barrier = run.control->barrier();
    const engine::EngineOptions& options = run.engine->options();
    std::int64_t count = std::min<std::int64_t>((std::int64_t{1} << 28) / x_.size_bytes(), 1000);
    const auto limit = [&](std::int64_t ops, std::int64_t bytes) {
      const std::int64_t product_bytes = std::int64_t{sizeof(float)} * extent * extent;
      if (ops > 0) count = std::min(count, ops - kOthers);
      if (bytes > 0) count = std::min(count, (bytes - product_bytes) / x_.size_bytes() - kOthers);
    };
    limit(options.limit_ops, options.limit_bytes);
    if (barrier.kind == BarrierKind::kOps) limit(barrier.k, 0);
    if (barrier.kind == BarrierKind::kBytes) limit(0, barrier.k);
    return std::max<std::int64_t>(count, 1);
  }
  Result<Pile> pile_up(RunContext& run, std::int64_t extent) {
    const std::int64_t count = increments_of_pile(run, extent);
    const engine::Array a = engine::ones(run.context(), {extent, extent});
    if (Status made = a.wait_to_read(); !made.ok()) return made.error();
    const auto times =
        // written by the ops below, read after the wait
        std::make_shared<std::array<double, 2>>();
    const engine::Array slow = engine::matmul(a, a);
    const engine::Array x = copy_at(run, kFirstOfPile, {slow, x_}, &times->front(), times);
    engine::Array y;
    for (std::int64_t i = 0; i < count; ++i) y = x + 1.0f;
    // This copy reads the last increment, so it runs after the last increment.
    const engine::Array end = copy_at(run, kLastOfPile, {y, x}, &times->back(), times);
    const Pile pile{.complete = run.engine->version(slow.var()) == 0};
    if (Status drained = run.engine->wait_all(kIncrementWaitAll); !drained.ok()) return drained.error();
    if (run.control->stopping()) return Error{"stopped"};
    return Pile{pile.complete, (times->back() - times->front()) / static_cast<double>(count + 1)};
  }
  // Enqueues a copy of inputs[1] that also depends on inputs[0], so it runs after inputs[0] has been
  // computed. The copy writes the time at which it runs to `at`.
  static engine::Array copy_at(RunContext& run, const record::Site& site, std::vector<engine::Array> inputs,
                               double* at, std::shared_ptr<void> owner) {
    const std::int64_t size = inputs[1].size();
    const engine::Shape shape = inputs[1].shape();
    const engine::ArrayOp op{.site = &site,
                             .inputs = std::move(inputs),
                             .shapes = {shape},
                             .cost = {.memory_bytes = 2.0 * sizeof(float) * static_cast<double>(size)}};
    return engine::apply(run.context(), op,
                         [size, at, owner](const engine::Values& values) {
                           values.math.call([at, owner] { *at = now_s(); });
                           values.math.copy(values.in[1], values.out[0], size);
                         })
        .front();
  }

  struct Times {
    double t1_s, t2_s, to_fit_s, sync_s, async_s;  // per increment
  };
  static void report(RunContext& run, double n, const Times& times) {
    const double t3_s = std::max(0.0, times.to_fit_s - times.t1_s - times.t2_s);
    const auto us = [](double seconds) { return seconds * 1e6; };
    run.result["sync_us"] = us(times.sync_s);
    run.result["async_us"] = us(times.async_s);
    run.result["t1_us"] = us(times.t1_s);
    run.result["t2_us"] = us(times.t2_s);
    run.result["t3_us"] = us(t3_s);
    run.result["sync_s"] = n * times.sync_s;
    run.result["async_s"] = n * times.async_s;
    run.result["sync_formula_s"] = n * (times.t1_s + times.t2_s + t3_s);
    run.result["async_formula_s"] = times.t1_s + n * times.t2_s + t3_s;
    run.result["bottleneck_formula_s"] = n * std::max(times.t1_s, times.t2_s);
    run.result["slower_of_t1_t2_us"] = us(std::max(times.t1_s, times.t2_s));
    const bool backend = n * times.t2_s > (n - 1) * times.t1_s;
    run.result["frontend_is_bottleneck"] = backend ? 0 : 1;
    run.result_text["bottleneck"] =
        backend ? "The backend is the bottleneck: n t2 > (n-1) t1, so without waits n increments take t1 + n "
                  "t2 + t3."
                : "The frontend is the bottleneck: n t2 > (n-1) t1 is false, so without waits n increments "
                  "take n max(t1, t2), not t1 + n t2 + t3.";
  }

  engine::Array x_;
  std::int64_t iterations_ = 0;
  double enqueue_s_ = 0;
};

Lesson increment_lesson() {
  return {
      .number = 5,
      .workload = "increment",
      .parts = {one_run("Ten thousand additions with a wait after each, then without waits")},
      .predictions = {{.question = "1 is added to an array of two numbers, ten thousand times. By what "
                                   "factor does a wait after each addition lengthen this?",
                       .formula = "run.sync_us / run.async_us",
                       .close = 2},
                      {.question = "Without waits, what decides how long the additions take?",
                       .formula = "run.frontend_is_bottleneck",
                       .unit = ResultUnit::kYesOrNo,
                       .choices = {{.words = "the frontend: enqueueing takes longer", .from = 0.5},
                                   {.words = "the backend: executing takes longer", .below = 0.5}}}},
      .figures = {{"sync", "run.sync_us", ResultUnit::kMicroseconds},
                  {"async", "run.async_us", ResultUnit::kMicroseconds},
                  {"t1", "run.t1_us", ResultUnit::kMicroseconds},
                  {"t2", "run.t2_us", ResultUnit::kMicroseconds},
                  {"t3", "run.t3_us", ResultUnit::kMicroseconds},
                  {"slower", "run.slower_of_t1_t2_us", ResultUnit::kMicroseconds}},
      .explanation =
          {"With a wait after each, the time of an addition is the sum of three times: t1 = {t1} to enqueue "
           "it, t2 = {t2} to execute it, t3 = {t3} to report back to the waiting frontend. Measured: {sync}.",
           "Without waits frontend and backend work at the same time, and the slower of the two decides: "
           "max(t1, t2) = {slower}. Measured: {async}. The formula t1 + n t2 + t3 holds only if executing is "
           "slower than enqueueing.",
           "Published: 1.0607 s with waits and 0.8800 s without. On machines with a slow frontend the run "
           "without waits was even slower than the run with waits."},
      .exercises = {1}};
}

}  // namespace

extern const WorkloadEntry kIncrement;
constexpr WorkloadEntry kIncrement{make_workload_of<Increment>, increment_lesson};

}  // namespace runahead::samples
