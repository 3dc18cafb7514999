// Workloads: what the experiments run. One file each; the registry lists them with their parameters, so that
// the window and the command line offer the same, and neither knows a workload by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/array/array.h"
#include "engine/barrier.h"
#include "engine/engine.h"
#include "instrumentation/base/result.h"
#include "samples/published.h"
#include "samples/result_table.h"

namespace runahead::samples {

struct ParameterSpec {
  std::string name;        // "batch", "hidden", "steps", "frontend_us", "seed"
  std::string help;        // one sentence
  double class_value = 0;  // default
  double published_value = 0;
  double min = 0, max = 0;
  bool integer = true;
};

struct WorkloadSpec {
  std::string name;                             // "training_memory"
  std::string title;                            // "Training memory"
  std::string question;                         // what a person should ask first
  std::string look_for;                         // what to look for while it runs
  std::string published;                        // the published figures, with their unit
  std::vector<PublishedSet> published_figures;  // the same as data, beside what corresponds here
  std::vector<ResultTable> results;             // what a run leaves, as a person reads it
  std::string timed_op{};                 // whose times the trace tells (add_trace_times()); empty: none
  std::vector<ParameterSpec> parameters;  // every workload has steps, seed, frontend_us
  std::string default_device;             // "cpu", "virtual:0"; of several "virtual:0, virtual:1"
  int cpu_workers = engine::EngineOptions{}.cpu_workers;  // of device cpu, unless another number is asked for
  bool needs_accelerator = false;                         // must not run on cpu alone
  // Of a workload that needs two devices: where one is asked for, the first of these that is another joins.
  std::vector<std::string> partners{};
  // What it has to say is there once all its steps are done, so a run that ends is offered first; otherwise
  // one without end, to change the barrier in.
  bool measures_at_end = true;
  std::vector<engine::BarrierKind> barriers;  // that make sense
};

using Parameters = std::map<std::string, double>;

// What a workload meets while it runs; implemented by the Runner. Called on the frontend thread.
class StepControl {
 public:
  virtual ~StepControl() = default;
  // The next step, begun: its index, or nullopt when the run is over (steps done, or stopped). Blocks while
  // paused. Applies window:k and a changed barrier, spends the frontend's own cost (frontend_us) per op.
  [[nodiscard]] virtual std::optional<std::int64_t> next_step() = 0;
  // The step has been enqueued; `wait_for` is the array that its barrier waits for.
  [[nodiscard]] virtual Status end_step(const engine::Array& wait_for) = 0;
  // A wait inside a step: does what the policy says on `array` here, nothing under none and window.
  [[nodiscard]] virtual Status wait_point(const engine::Array& array) = 0;
  // The barrier in force in this step.
  [[nodiscard]] virtual engine::BarrierPolicy barrier() const = 0;
  // The run has been given up: the engine refuses what is enqueued from now on. A loop that enqueues nothing
  // has to look.
  [[nodiscard]] virtual bool stopping() const = 0;
  // Between these the frontend works for itself and enqueues nothing (OwnWork): other_s of the report.
  virtual void begin_own_work() = 0;
  virtual void end_own_work() = 0;
  [[nodiscard]] virtual bool endless() const = 0;
};

struct RunContext {
  engine::Engine* engine = nullptr;
  std::vector<engine::Device*> devices;  // as asked for; at least one. devices[0] is where it computes
  engine::Device* cpu = nullptr;
  Parameters parameters;  // all of them, defaults filled in
  StepControl* control = nullptr;
  std::map<std::string, double> result;  // what it measured or computed: "first_loss", "sync_us"
  std::map<std::string, std::string> result_text;
  double params_bytes = 0;  // of the model's parameters, said by the workload
  double step_bytes = 0;    // what one step allocates, said by the workload
  [[nodiscard]] double parameter(const std::string& name) const { return parameters.at(name); }
  [[nodiscard]] engine::Context context() const { return {engine, devices.front()}; }
};

class Workload {
 public:
  virtual ~Workload() = default;
  [[nodiscard]] virtual const WorkloadSpec& spec() const = 0;
  // Before the clock starts; enqueues nothing. Touches the memory that the steps will hold, where its first
  // touch would be part of what is measured.
  virtual void prepare(RunContext&) {}
  // Runs to its end, or until next_step() says so. A failure of an op comes back as its error.
  [[nodiscard]] virtual Status run(RunContext& context) = 0;
  // After everything enqueued has finished, and outside of what is measured: reads the results that would
  // have made run() wait, checks values. Not called after a failure or a stop.
  [[nodiscard]] virtual Status conclude(RunContext&) { return Ok{}; }
};

[[nodiscard]] const std::vector<const WorkloadSpec*>& list_workloads();
// nullptr: there is none of that name.
[[nodiscard]] const WorkloadSpec* find_workload(std::string_view name);
// The error names the word and lists what there is.
[[nodiscard]] Result<std::unique_ptr<Workload>> make_workload(std::string_view name);
// Defaults of `size` ("class", "published") with `settings` over them; the error names what is unknown or out
// of range.
[[nodiscard]] Result<Parameters> make_parameters(const WorkloadSpec& spec, std::string_view size,
                                                 const std::map<std::string, std::string>& settings);

}  // namespace runahead::samples
