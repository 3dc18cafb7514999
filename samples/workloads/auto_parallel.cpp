// auto_parallel: a function multiplies a matrix by itself k times. It runs on one device, then on another
// device, then on both devices. For both devices, the frontend enqueues all products without a wait in
// between. No line of the code asks for parallel execution. The products of the two devices can overlap
// because they share no array.
//
// The devices are the first two that were requested. If only one was requested, the second is the cpu, or
// virtual:0 if the first is the cpu. If the same device is requested twice, the run shows how independent ops
// run on one device (for the cpu, use --workers 2).
//
// Result:
//   first_s, second_s:        time of each device alone, with a wait
//   apart_s:                  their sum: the time of both devices one after the other
//   together_s:               time of both devices together: all enqueued, then one wait
//   efficiency:               (apart - together) / min(first, second): 1 if the shorter run takes place
//                             entirely during the longer run
//   together_enqueued_s:      part of together_s: until the frontend had enqueued the last op
//   together_first_device_s:  part of together_s: until the first device was done, as its synchronize()
//                             reports; missing if both are the same device
//   flop:                     floating point operations of both devices together
//   slower_s:                 the longer of the two times: together_s cannot be shorter
//   largest_relative_error:   error of one row of each device's product, against double precision
//   (text) devices:           names of the two devices
//   (text) unreliable:        set if doubt_about() has a doubt about the efficiency
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/array/direct.h"
#include "engine/array/operators.h"
#include "samples/clock.h"
#include "samples/hidden_share.h"
#include "samples/parameters.h"
#include "samples/runner.h"
#include "samples/workloads/touch_memory.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

constexpr const char* kFirstAlone = "first device alone";
constexpr const char* kSecondAlone = "second device alone";
constexpr const char* kBoth = "both devices";
constexpr record::Site kAutoParallelWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr std::string_view kBetween = ", ";  // separates the two devices' names

// The names of the two devices, such as {"virtual:0", "cpu"}. Empty if the run did not report its devices.
std::pair<std::string, std::string> devices_of(const RunReport& run) {
  const auto devices = run.result_text.find("devices");
  if (devices == run.result_text.end()) return {};
  const std::size_t between = devices->second.find(kBetween);
  return {devices->second.substr(0, between), devices->second.substr(between + kBetween.size())};
}
bool on_two_alike(const RunReport& run) {
  const auto& [first, second] = devices_of(run);
  const double second_extent = run.params.at("second_extent");
  return first != "cpu" && second != "cpu" && first != second &&
         (second_extent == 0 || second_extent == run.params.at("extent"));
}
bool on_cpu_and_another(const RunReport& run) {
  const auto& [first, second] = devices_of(run);
  return first != second && (first == "cpu" || second == "cpu");
}
RunCondition two_alike() {
  return {on_two_alike, "Needs a run on two devices besides the cpu, with products of one size."};
}
RunCondition cpu_and_another() { return {on_cpu_and_another, "Needs a run on the cpu and another device."}; }

const WorkloadSpec& auto_parallel_spec() {
  static const WorkloadSpec spec{
      .name = "auto_parallel",
      .title = "Two devices at once",
      .question = "One frontend enqueues work for two devices: which line says that they run side by side?",
      .look_for =
          "Alone, the compute track of one device is busy and the other track is empty. Together, both "
          "tracks are busy, and the run takes as long as the slower device. A wait after each product "
          "removes the gain.",
      .published =
          "Two GPUs, 50 products each: 0.1195 and 0.1189 s alone, 0.1216 s together; CPU 0.8423 s and GPU "
          "0.5268 s alone, 0.8524 s together",
      .published_figures = {{"Two GPUs, 50 products each",
                             {{"the slower alone", 0.1195, "s", "slower_s", two_alike()},
                              {"both at once", 0.1216, "s", "together_s", two_alike()},
                              {"one after the other", 0.2384, "s", "apart_s", two_alike()}}},
                            {"CPU and GPU, 10 products each",
                             {{"the slower alone", 0.8423, "s", "slower_s", cpu_and_another()},
                              {"both at once", 0.8524, "s", "together_s", cpu_and_another()},
                              {"one after the other", 1.3691, "s", "apart_s", cpu_and_another()}}}},
      .results =
          {{.title = "Alone and together",
            .rows = {{.label = "the first alone", .figures = {"first_s"}},
                     {.label = "the second alone", .figures = {"second_s"}},
                     {.label = "one after the other", .figures = {"apart_s"}},
                     {.label = "the slower of the two",
                      .figures = {"slower_s"},
                      .hint = "Both at once cannot take less time"},
                     {.label = "both at once", .figures = {"together_s"}},
                     {.label = "hidden share of the shorter",
                      .figures = {"efficiency"},
                      .unit = ResultUnit::kShare,
                      .hint = "100 %: both at once take no longer than the slower alone"}},
            .sentence = "unreliable"},
           {.title = "Both at once, by three stopwatches",
            .rows = {{.label = "stopped at the enqueue", .figures = {"together_enqueued_s"}},
                     {.label = "after a wait for the first device",
                      .figures = {"together_first_device_s"},
                      .hint = "A synchronize() covers the current device alone"},
                     {.label = "after a wait for both (true time)", .figures = {"together_s"}},
                     {.label = "arithmetic rate by the stopwatch",
                      .figures = {"flop / together_enqueued_s"},
                      .unit = ResultUnit::kFlopPerSecond,
                      .hint = "A rate above that of the devices shows that the stopwatch stopped too early"},
                     {.label = "true arithmetic rate",
                      .figures = {"flop / together_s"},
                      .unit = ResultUnit::kFlopPerSecond}}},
           {.title = "Check",
            .rows = {{.label = "largest relative error",
                      .figures = {"largest_relative_error"},
                      .unit = ResultUnit::kNumber}},
            .sentence = "devices"}},
      .parameters = with_common_parameters(
          {count_parameter("extent", "Matrix size", "Rows and columns of the first device's matrix", 256,
                           4000, 8192),
           {"second_extent", "Second matrix",
            "Rows and columns of the second device's matrix; 0: same as the first", 0, 0, 0, 8192, true}},
          {.class_steps = 50, .published_steps = 50, .steps_help = "Products on each device"}),
      .default_device = "virtual:0, virtual:1",
      .partners = {"cpu", "virtual:0"},
      .parts = {kFirstAlone, kSecondAlone, kBoth},
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kWindow,
                   BarrierKind::kOps, BarrierKind::kBytes},
      .tiny_settings = {{"steps", "4"}, {"extent", "24"}, {"second_extent", "16"}},
  };
  return spec;
}

class AutoParallel final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return auto_parallel_spec(); }

  Status run(RunContext& run) override {
    seed_ = static_cast<std::uint64_t>(run.parameter("seed"));
    choose_devices(run);
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      Side& side = sides_[i];
      side.x = engine::uniform(side.context, {side.extent, side.extent}, {seed_, i});
      run.params_bytes += static_cast<double>(side.x.size_bytes());
      side.product = multiply(side);  // warm-up: wakes the worker threads and the BLAS library
    }
    run.step_bytes = run.params_bytes;  // one product per device
    if (Status made = run.engine->wait_all(kAutoParallelWaitAll); !made.ok()) return made;
    if (!run.control->endless()) return measure(run);
    run.control->begin_part(kBoth);
    return together(run);
  }

  Status conclude(RunContext& run) override {
    double largest = 0;
    bool read = false;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      const Side side = std::exchange(sides_[i], {});
      if (!side.product || !side.context.device->holds_values()) continue;
      const Result<std::vector<float>> values = side.product.asnumpy();
      if (!values.ok()) return values.error();
      largest = std::max(largest, first_row_error(*values, side.extent, {seed_, i}));
      read = true;
    }
    if (read) run.result["largest_relative_error"] = largest;
    return Ok{};
  }

 private:
  struct Side {
    engine::Context context;
    std::int64_t extent = 0;
    engine::Array x, product;  // product: the last product
  };

  void choose_devices(RunContext& run) {
    engine::Device* const first = run.devices[0];
    engine::Device* const second = run.devices[1];
    const std::int64_t extent = static_cast<std::int64_t>(run.parameter("extent"));
    const std::int64_t second_extent = static_cast<std::int64_t>(run.parameter("second_extent"));
    sides_[0] = {.context = {run.engine, first}, .extent = extent};
    sides_[1] = {.context = {run.engine, second}, .extent = second_extent > 0 ? second_extent : extent};
    run.result_text["devices"] = first->name() + std::string(kBetween) + second->name();
  }

  static engine::Array multiply(const Side& side) { return engine::matmul(side.x, side.x); }

  Status measure(RunContext& run) {
    const std::int64_t count = static_cast<std::int64_t>(run.parameter("steps"));
    for (const Side& side : sides_) {
      // Touches no more blocks than may be in flight at the same time.
      const std::int64_t room = run.engine->options().limit_bytes / side.product.size_bytes();
      touch_memory(run, *side.context.device, std::min(count, room),
                   static_cast<std::size_t>(side.product.size_bytes()));
    }
    run.control->begin_part(kFirstAlone);
    const Result<double> first_s = alone(run, sides_[0], count);
    if (!first_s.ok()) return first_s.error();
    run.control->begin_part(kSecondAlone);
    const Result<double> second_s = alone(run, sides_[1], count);
    if (!second_s.ok()) return second_s.error();
    run.control->begin_part(kBoth);
    const Stopwatch both;
    if (Status enqueued = together(run); !enqueued.ok()) return enqueued;
    run.result["together_enqueued_s"] = both.elapsed_s();
    if (sides_[0].context != sides_[1].context) {
      if (Status done = sides_[0].product.wait_to_read(); !done.ok()) return done;
      run.result["together_first_device_s"] = both.elapsed_s();
    }
    if (Status done = run.engine->wait_all(kAutoParallelWaitAll); !done.ok()) return done;
    report(run, *first_s, *second_s, both.elapsed_s());
    return Ok{};
  }

  static Result<double> alone(const RunContext& run, const Side& side, std::int64_t count) {
    const Stopwatch whole;
    for (std::int64_t i = 0; i < count && !run.control->stopping(); ++i) (void)multiply(side);
    if (Status done = run.engine->wait_all(kAutoParallelWaitAll); !done.ok()) return done.error();
    if (run.control->stopping()) return Error{"stopped"};
    return whole.elapsed_s();
  }

  // A step is one product on each device. The step waits for the second device's product.
  Status together(RunContext& run) {
    while (run.control->next_step()) {
      for (Side& side : sides_) side.product = multiply(side);
      if (Status held = run.control->end_step(sides_[1].product); !held.ok()) return held;
    }
    return Ok{};
  }

  void report(RunContext& run, double first_s, double second_s, double together_s) const {
    const auto flop = [&run](const Side& side) {
      const double extent = static_cast<double>(side.extent);
      return 2 * run.parameter("steps") * extent * extent * extent;
    };
    run.result["flop"] = flop(sides_[0]) + flop(sides_[1]);
    run.result["first_s"] = first_s;
    run.result["second_s"] = second_s;
    run.result["apart_s"] = first_s + second_s;
    run.result["together_s"] = together_s;
    run.result["slower_s"] = std::max(first_s, second_s);
    report_hidden_share(run, {.first_s = first_s, .second_s = second_s, .together_s = together_s});
  }

  // The largest relative error of an element in the first row of the product. All summands are positive, so
  // no exact value is close to 0 by cancellation.
  static double first_row_error(const std::vector<float>& product, std::int64_t extent,
                                engine::RandomKey key) {
    const std::size_t n = static_cast<std::size_t>(extent);
    std::vector<float> x(n * n);
    engine::direct_uniform(x, key);
    std::vector<double> row(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) row[j] += static_cast<double>(x[k]) * x[k * n + j];
    }
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double error = std::abs(static_cast<double>(product[j]) - row[j]);
      largest = std::max(largest, row[j] > 0 ? error / row[j] : error);
    }
    return largest;
  }

  std::uint64_t seed_ = 0;
  std::array<Side, 2> sides_;
};

Lesson auto_parallel_lesson() {
  return {
      .number = 8,
      .workload = "auto_parallel",
      .parts = {one_run("Fifty products per device: on the first, on the second, on both")},
      .predictions =
          {{.question = "Alone, each device takes equally long for its products. One frontend enqueues the "
                        "products of both, one after the other. Both devices at once take x times as long as "
                        "one device alone. What is x?",
            .formula = "run.together_s / run.slower_s",
            .close = 1.2},
           {.question =
                "A stopwatch stops when all products are enqueued. What share of that time does it show?",
            .formula = "run.together_enqueued_s / run.together_s",
            .choices = {{.words = "all of it", .from = 0.9},
                        {.words = "about half", .from = 0.25, .below = 0.9},
                        {.words = "a tenth, or less", .below = 0.25}}}},
      .figures = {{"slower", "run.slower_s"},
                  {"apart", "run.apart_s"},
                  {"together", "run.together_s"},
                  {"enqueued", "run.together_enqueued_s"},
                  {"hidden", "run.efficiency", ResultUnit::kShare}},
      .explanation = {"One after the other the devices took {apart}, both at once {together}, the slower "
                      "device alone {slower}. {hidden} of the shorter run was hidden behind the longer one. "
                      "No line of the program asks for this: the products of the two devices share no "
                      "result, so neither device waits for the other.",
                      "The stopwatch that stopped at the enqueue showed {enqueued}. A stopwatch that waits "
                      "only for the first device, as synchronize() does, would miss the second device.",
                      "Published: 0.1195 and 0.1189 s alone, 0.1216 s together."},
      .exercises = {3, 6}};
}

}  // namespace

extern const WorkloadEntry kAutoParallel;
constexpr WorkloadEntry kAutoParallel{make_workload_of<AutoParallel>, auto_parallel_lesson};

}  // namespace runahead::samples
