// Workloads: what the experiments run. Each workload is one source file in samples/workloads. The file also
// has the lesson of the workload, which the window shows. The registry lists the workloads with their
// parameters. The window and the command line read this list. Therefore both offer the same workloads, and
// their code contains no name of a workload.
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
#include "engine/engine.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/base/result.h"
#include "instrumentation/trace/rows/track.h"
#include "samples/published.h"
#include "samples/result_table.h"

namespace runahead::samples {

struct ParameterSpec {
  std::string name;        // "batch", "hidden", "steps", "frontend_us", "seed"; as on the command line
  std::string title;       // "Batch size"; as in the window
  std::string help;        // one sentence
  double class_value = 0;  // default
  double published_value = 0;
  double min = 0, max = 0;
  bool integer = true;
};

struct WorkloadSpec {
  std::string name;                             // "training_memory"
  std::string title;                            // "Training memory"
  std::string question;                         // the question that the workload answers
  std::string look_for;                         // what to look for while it runs
  std::string published;                        // the published figures as text, with their units
  std::vector<PublishedSet> published_figures;  // the same figures as data, with a formula for each
  std::vector<ResultTable> results;             // the results of a run, as the user reads them
  // name of the op whose times add_trace_times() takes from the trace; empty: none
  std::string timed_op{};
  std::vector<ParameterSpec> parameters;  // every workload has steps, seed, frontend_us
  std::string default_device;             // "cpu", "virtual:0"; for several "virtual:0, virtual:1"
  // workers of device cpu, unless the user asks for another number
  int cpu_workers = engine::EngineOptions{}.cpu_workers;
  bool needs_accelerator = false;  // the workload must not run on the cpu alone
  // The possible second devices of a workload that needs two devices. If only one device is requested, the
  // first of these devices that is not the requested one is added.
  std::vector<std::string> partners{};
  // The names of the parts that the workload begins (StepControl::begin_part), in order. Empty: the workload
  // has no other parts than those that each run has.
  std::vector<std::string> parts{};
  // True: the workload reports its results when all its steps are done, so the window first offers a run that
  // ends by itself. False: the window first offers an endless run, in which the user can change the barrier.
  bool measures_at_end = true;
  // The most important counters of the workload. The timeline does not hide them behind a row "more", unless
  // they have nothing to show. The same is true of live memory, steps per second and the steps in flight.
  std::vector<trace::CounterRole> counters{};
  std::vector<BarrierKind> barriers;  // the barriers that are useful with the workload
  // With these parameters a complete run takes milliseconds. The tests that run every workload use them.
  std::map<std::string, std::string> tiny_settings;
};

using Parameters = std::map<std::string, double>;

// StepControl: what a workload calls while it runs. LiveControl implements it. All functions are called on
// the frontend thread.
class StepControl {
 public:
  virtual ~StepControl() = default;
  // Begins a part of the run, which ends where the next part begins. Call it when no op of the part before is
  // in flight. The Runner begins kPreparationPart before the workload, and kResultsPart after its last op. If
  // the workload begins no part, its first step begins kStepsPart (instrumentation/trace/rows/track.h).
  virtual void begin_part(std::string_view name) = 0;
  // Begins the next step and returns its index. nullopt: the run is over (all steps done, or stopped). Blocks
  // while paused. If the user has changed the barrier, the new barrier holds from this step on. Waits if the
  // barrier is window:k and too many steps are in flight.
  [[nodiscard]] virtual std::optional<std::int64_t> next_step() = 0;
  // Call it when all ops of the step have been enqueued. `wait_for` is the array that the step's barrier
  // waits for.
  [[nodiscard]] virtual Status end_step(const engine::Array& wait_for) = 0;
  // A wait inside a step: applies the step's barrier to `array`. Does not wait under the barriers none,
  // window, ops and bytes. Records a trace::kWaitPoint under every barrier.
  [[nodiscard]] virtual Status wait_point(const engine::Array& array) = 0;
  // The barrier of the current step.
  [[nodiscard]] virtual BarrierPolicy barrier() const = 0;
  // True: the run is being stopped, and the engine refuses new ops. A loop that enqueues nothing gets no
  // refusal, so it must check stopping().
  [[nodiscard]] virtual bool stopping() const = 0;
  // Between begin_own_work() and end_own_work(), the frontend does its own work and enqueues nothing (see
  // OwnWork). This time counts as other_s of the report.
  virtual void begin_own_work() = 0;
  virtual void end_own_work() = 0;
  [[nodiscard]] virtual bool endless() const = 0;
};

struct RunContext {
  engine::Engine* engine = nullptr;
  // requested and added devices, at least one; context() uses devices[0]
  std::vector<engine::Device*> devices;
  engine::Device* cpu = nullptr;
  Parameters parameters;  // all parameters, with defaults filled in
  StepControl* control = nullptr;
  std::map<std::string, double> result;  // what the workload measured or computed: "first_loss", "sync_us"
  std::map<std::string, std::string> result_text;
  double params_bytes = 0;  // size of the model's parameters; set by the workload
  double step_bytes = 0;    // bytes that one step allocates; set by the workload
  [[nodiscard]] double parameter(const std::string& name) const { return parameters.at(name); }
  [[nodiscard]] engine::Context context() const { return {engine, devices.front()}; }
};

class Workload {
 public:
  virtual ~Workload() = default;
  [[nodiscard]] virtual const WorkloadSpec& spec() const = 0;
  // Called before the clock starts. Enqueues nothing. Touches the memory that the steps will use, if the
  // first touch of this memory would otherwise be part of the measurement.
  virtual void prepare(RunContext&) {}
  // Runs the workload to its end, or until next_step() returns nothing. Error: the error of a failed op.
  [[nodiscard]] virtual Status run(RunContext& context) = 0;
  // Called after all enqueued ops have finished, outside of the measurement. Reads results that run() could
  // have read only by waiting, and checks values. Not called after a failure or a stop.
  [[nodiscard]] virtual Status conclude(RunContext&) { return Ok{}; }
};

[[nodiscard]] const std::vector<const WorkloadSpec*>& list_workloads();
// nullptr: no workload has that name.
[[nodiscard]] const WorkloadSpec* find_workload(std::string_view name);
// Error: states the unknown name and lists the known workloads.
[[nodiscard]] Result<std::unique_ptr<Workload>> make_workload(std::string_view name);
// The default parameters of `size` ("class", "published"), except those that `settings` sets. Error: states
// the setting that is unknown or out of range.
[[nodiscard]] Result<Parameters> make_parameters(const WorkloadSpec& spec, std::string_view size,
                                                 const std::map<std::string, std::string>& settings);

}  // namespace runahead::samples
