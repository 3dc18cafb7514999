// dependency_graph: x and y are made independently, z needs x and y, and printing z waits for z. By default
// the cpu has two workers, and making an array takes longer than enqueueing the next op. Therefore the trace
// shows that x and y are made at the same time.
#include "engine/array/operators.h"
#include "samples/parameters.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

namespace {

const WorkloadSpec& dependency_graph_spec() {
  static const WorkloadSpec spec{
      .name = "dependency_graph",
      .title = "Dependency graph",
      .question = "Which of the four operations must wait for another, and who determines this?",
      .look_for =
          "x and y do not depend on each other, so two workers make them at the same time. z = x * y + 2 "
          "needs both. Only print makes the frontend wait. Key G draws the graph.",
      .published = "[[3. 3.]]",
      .published_figures = {{"What is printed", {{"z", 3, "", "z"}}}},
      .results = {{.title = "Printed",
                   .rows = {{.label = "z = x y + 2", .figures = {"z"}, .unit = ResultUnit::kNumber}}}},
      .parameters = with_common_parameters(
          {count_parameter("rows", "Rows", "Rows of x and y", 2000, 1, 8192),
           count_parameter("columns", "Columns", "Columns of x and y", 2000, 2, 8192)},
          {.class_frontend_us = 100, .steps_help = "How many times the graph is built"}),
      .default_device = "cpu",
      .cpu_workers = 2,
      .barriers = {BarrierKind::kNone, BarrierKind::kWaitToRead, BarrierKind::kWaitAll, BarrierKind::kItem,
                   BarrierKind::kAsnumpy, BarrierKind::kPrint, BarrierKind::kWindow, BarrierKind::kOps,
                   BarrierKind::kBytes},
      .tiny_settings = {{"steps", "3"}, {"frontend_us", "0"}, {"rows", "300"}, {"columns", "300"}},
  };
  return spec;
}

class DependencyGraph final : public Workload {
 public:
  const WorkloadSpec& spec() const override { return dependency_graph_spec(); }

  Status run(RunContext& run) override {
    const engine::Context context = run.context();
    const engine::Shape shape{static_cast<std::int64_t>(run.parameter("rows")),
                              static_cast<std::int64_t>(run.parameter("columns"))};
    run.step_bytes =
        4.0 * sizeof(float) * static_cast<double>(engine::element_count(shape));  // x, y, x * y, z
    while (run.control->next_step()) {
      const engine::Array x = engine::ones(context, shape);
      const engine::Array y = engine::ones(context, shape);
      z_ = x * y + 2.0f;
      // An endless run does not print, because it would fill the terminal with text. In such a run the
      // frontend waits only for the barrier.
      Status printed = run.control->endless() ? Status(Ok{}) : z_.print();
      Status held = run.control->end_step(z_);
      if (!printed.ok()) return printed;
      if (!held.ok()) return held;
    }
    return Ok{};
  }

  Status conclude(RunContext& run) override {
    if (!z_) return Ok{};
    const Result<std::vector<float>> values = z_.asnumpy();
    if (!values.ok()) return values.error();
    run.result["z"] = static_cast<double>(values->front());
    return Ok{};
  }

 private:
  engine::Array z_;
};

Lesson dependency_graph_lesson() {
  return {
      .number = 2,
      .workload = "dependency_graph",
      .parts = {one_run("x = ones, y = ones, z = x * y + 2, print z")},
      .predictions =
          {{.question = "x and y are 2000 x 2000 arrays of ones; z = x * y + 2. How many ops are enqueued?",
            .formula = "run.ops / run.steps",
            .unit = ResultUnit::kNumber,
            .close = 1},
           {.question = "What is each value that print shows?",
            .formula = "run.z",
            .unit = ResultUnit::kNumber,
            .close = 1}},
      .figures = {{"ops", "run.ops / run.steps", ResultUnit::kNumber}, {"z", "run.z", ResultUnit::kNumber}},
      .explanation = {
          "{ops} ops: x, y, their product, and the sum. The program states no order. The engine derives the "
          "order from what each op reads and writes: the product reads x and y, the sum reads the product.",
          "x and y share no data, so two workers make them at the same time. Key G draws the graph. Only "
          "print waits. It waits for z, and therefore for all ops before z. Every value is {z}."}};
}

}  // namespace

extern const WorkloadEntry kDependencyGraph;
constexpr WorkloadEntry kDependencyGraph{make_workload_of<DependencyGraph>, dependency_graph_lesson};

}  // namespace runahead::samples
