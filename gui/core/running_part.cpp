#include "gui/core/running_part.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gui/session/session_facts.h"
#include "gui/session/trace_times.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_state.h"
#include "samples/lessons/exercise.h"

namespace runahead::gui {

namespace {

// maximum number of reports kept; enough, because an experiment has few variants
constexpr std::size_t kMostRunsKept = 16;

// True if `a` and `b` would start the same run. The barrier is ignored, because it can change during a run.
bool same_start(const samples::RunConfig& a, const samples::RunConfig& b) {
  return a.workload == b.workload && a.devices == b.devices && a.size == b.size && a.settings == b.settings &&
         a.endless == b.endless && a.engine == b.engine && a.blas_threads == b.blas_threads;
}

// Returns the barrier at the end of the trace; empty: the trace has no barrier marks.
std::string last_barrier(const trace::Trace& trace) {
  const std::vector<analysis::BarrierChange> changes = analysis::barrier_changes(trace);
  return changes.empty() ? std::string() : std::string(analysis::barrier_after(changes.back().label));
}

}  // namespace

Running::Running(Screen& screen, Viewing& viewing, std::function<void()> before_start,
                 std::function<void()> after_start)
    : screen_(screen),
      viewing_(viewing),
      before_start_(std::move(before_start)),
      after_start_(std::move(after_start)),
      devices_(engine::list_devices()) {
  const Settings& settings = screen.settings;
  choose_workload(settings.workload);
  if (!settings.device.empty()) choice_.devices = {settings.device};
  choice_.size = settings.size;
  const Result<BarrierPolicy> barrier = parse_barrier(settings.barrier);
  if (barrier.ok()) choice_.barrier = *barrier;
}

void Running::keep_choice(Settings& settings) const {
  settings.workload = choice_.workload;
  settings.device = choice_.devices.empty() ? "" : choice_.devices.front();
  settings.barrier = to_string(choice_.barrier);
  settings.size = choice_.size;
}

void Running::apply(const RunCommand& command) {
  std::visit([this](const auto& c) { on(c); }, command);
}

// ---- choosing ---------------------------------------------------------------------------------------------

void Running::choose(const samples::RunConfig& config, int exercise, bool workers_asked) {
  choice_ = config;
  exercise_ = exercise;
  if (exercise_ != 0) return;
  const int workers = usual_engine_.cpu_workers;
  usual_engine_ = choice_.engine;
  if (!workers_asked) usual_engine_.cpu_workers = workers;
}

void Running::choose_as_recorded(const trace::Trace& trace) {
  const auto fact = [&](const char* key) {
    const auto found = trace.metadata().find(key);
    return found != trace.metadata().end() ? found->second : std::string();
  };
  const std::string recorded = fact("workload");
  if (samples::find_workload(recorded) == nullptr) return;
  choose_workload(recorded);
  const std::string device = fact("device");
  const bool here =
      std::ranges::any_of(devices_, [&](const auto& d) { return d.name == device && d.available; });
  if (here) choice_.devices = {device};
  // The metadata of the trace has only the barrier at the start, but the barrier may have changed during the
  // run. Therefore the barrier at the end of the trace is tried first.
  Result<BarrierPolicy> barrier = parse_barrier(last_barrier(trace));
  if (!barrier.ok()) barrier = parse_barrier(fact("barrier"));
  if (barrier.ok()) choice_.barrier = *barrier;
}

void Running::reset() {
  ended_runs_.clear();
  run_noted_ = true;
  const samples::RunConfig usual;
  choice_.size = usual.size;
  choice_.barrier = usual.barrier;
  usual_engine_ = usual.engine;
  exercise_ = started_exercise_ = 0;
  choose_workload(choice_.workload);
}

const samples::WorkloadSpec* Running::workload() const { return samples::find_workload(choice_.workload); }

void Running::choose_workload(const std::string& name) {
  if (exercise_ != 0) choice_.size = "class";
  exercise_ = 0;
  choice_.engine = usual_engine_;
  choice_.workload = name;
  choice_.settings.clear();
  choice_.devices.clear();
  const samples::WorkloadSpec* spec = workload();
  choice_.endless = spec == nullptr || !spec->measures_at_end;
  if (spec == nullptr) return;
  choice_.engine.cpu_workers = std::max(spec->cpu_workers, usual_engine_.cpu_workers);
  // If the barrier does not suit the workload, the first suitable barrier replaces it.
  const std::vector<BarrierChoice> row = barrier_row(spec);
  const bool fits =
      std::ranges::any_of(row, [&](const auto& choice) { return choice.policy == choice_.barrier; });
  if (!fits && !row.empty()) choice_.barrier = row.front().policy;
}

// A run in progress keeps its settings and its barrier: the exercise applies to the next run.
void Running::on(const ChooseExercise& c) {
  const samples::Exercise* exercise = samples::find_exercise(c.number);
  if (exercise == nullptr) return;
  const engine::EngineOptions engine = usual_engine_;
  choice_ = samples::config_of(*exercise);
  const int cpu_workers = choice_.engine.cpu_workers;
  choice_.engine = engine;
  choice_.engine.cpu_workers = std::max(cpu_workers, engine.cpu_workers);
  choice_.endless = exercise->endless;
  exercise_ = c.number;
}

void Running::on(const ChooseSize& c) {
  choice_.size = c.size;
  choice_.settings.clear();  // each size has its own defaults
}

void Running::on(const SetParameter& c) {
  const samples::WorkloadSpec* spec = workload();
  if (spec == nullptr) return;
  const auto found = std::ranges::find_if(spec->parameters,
                                          [&](const samples::ParameterSpec& p) { return p.name == c.name; });
  if (found == spec->parameters.end()) return;
  if (!c.value || !std::isfinite(*c.value)) {
    choice_.settings.erase(c.name);
    return;
  }
  const double value = std::clamp(found->integer ? std::round(*c.value) : *c.value, found->min, found->max);
  char words[48];
  std::snprintf(words, sizeof words, found->integer ? "%.0f" : "%.17g", value);
  choice_.settings[c.name] = words;
}

void Running::on(const SetEngine& c) {
  if (exercise_ == 0) {
    // The worker count of choice_ may come from the workload and not from the user. Such a count must not
    // become the user's usual count, unless the user changes the count now.
    const int workers = usual_engine_.cpu_workers;
    usual_engine_ = c.options;
    if (c.options.cpu_workers == choice_.engine.cpu_workers) usual_engine_.cpu_workers = workers;
  }
  choice_.engine = c.options;
  choice_.blas_threads = c.blas_threads;
}

// ---- the run ----------------------------------------------------------------------------------------------

void Running::on(const TrimMemory&) {
  samples::Runner* const runner = screen_.session->runner();
  if (runner == nullptr) return;
  for (engine::Device* device : runner->devices()) device->pool().trim();
}

void Running::on(const TogglePause&) {
  if (!screen_.session->live()) return;
  samples::Runner& runner = *screen_.session->runner();
  runner.state() == samples::RunState::kPaused ? runner.resume() : runner.pause();
}

const samples::RunReport* Running::take_ended() {
  samples::Runner* const runner = screen_.session->runner();
  if (run_noted_ || runner == nullptr || !screen_.session->complete()) return nullptr;
  run_noted_ = true;
  // At the end of a run with a fixed number of steps, a view that followed the run shows the complete run.
  if (!started_.endless && !screen_.opened && screen_.timeline.follow) viewing_.show_slices();
  if (barrier_changed_ || started_.endless || runner->state() != samples::RunState::kFinished) return nullptr;
  samples::RunReport report = runner->report();
  add_trace_times(report, screen_.trace());
  if (report.steps < static_cast<std::int64_t>(report.params.at("steps")))
    return nullptr;  // the run was stopped early
  const bool same = !ended_runs_.empty() && ended_runs_.back().workload == report.workload &&
                    ended_runs_.back().params == report.params;
  if (!same) ended_runs_.clear();
  if (ended_runs_.size() == kMostRunsKept) ended_runs_.erase(ended_runs_.begin());
  ended_runs_.push_back(std::move(report));
  return &ended_runs_.back();
}

std::span<const samples::RunReport> Running::ended_runs() const {
  const bool of_it = !ended_runs_.empty() && ended_runs_.back().workload == choice_.workload;
  return of_it ? std::span<const samples::RunReport>(ended_runs_) : std::span<const samples::RunReport>();
}

StartFacts Running::start_facts() const {
  StartFacts facts{
      .workloads = samples::list_workloads(), .devices = devices_, .workload = workload(), .choice = choice_};
  facts.exercise = samples::find_exercise(exercise_);
  if (facts.workload == nullptr) return facts;
  Result<samples::Parameters> parameters =
      samples::make_parameters(*facts.workload, choice_.size, choice_.settings);
  if (parameters.ok()) facts.parameters = *parameters;
  const std::span<const samples::RunReport> runs = ended_runs();
  facts.published = compare_published(facts.workload->published_figures, runs);
  if (runs.empty()) return facts;
  facts.results = show_results(facts.workload->results, runs.back());
  facts.results_of =
      translated_list(runs.back().device) + ", " + text(Text::kOfBarrier) + " " + runs.back().barrier;
  return facts;
}

std::vector<trace::CounterRole> Running::counters() const {
  std::string name = started_.workload;
  if (screen_.opened) {
    const auto recorded = screen_.opened->metadata().find("workload");
    name = recorded != screen_.opened->metadata().end() ? recorded->second : std::string();
  }
  const samples::WorkloadSpec* const spec = samples::find_workload(name);
  return spec != nullptr ? spec->counters : std::vector<trace::CounterRole>{};
}

void Running::start(bool paused) {
  screen_.tell_nothing();
  screen_.show_session();
  before_start_();
  if (const auto failed = screen_.session->start(choice_, paused)) return screen_.fail(failed->error.message);
  if (const auto gpu = screen_.session->gpu_activity(); gpu && !gpu->recorded)
    screen_.notice = std::string(text(Text::kNoGpuActivity)) + ": " + gpu->why_not;
  was_failed_ = false;
  run_noted_ = false;
  barrier_changed_ = false;
  started_ = choice_;
  started_exercise_ = exercise_;
  after_start_();
}

void Running::run_as(const samples::RunConfig& config) {
  choice_.size = config.size;
  choice_.settings = config.settings;
  choice_.endless = config.endless;
  choice_.barrier = config.barrier;
  start(false);
}

bool Running::poll_failure() {
  samples::Runner* const runner = screen_.session->runner();
  const bool failed = runner != nullptr && runner->state() == samples::RunState::kFailed;
  if (failed && !was_failed_) screen_.fail(runner->failure());
  return std::exchange(was_failed_, failed) != failed;
}

void Running::set_barrier(const BarrierPolicy& policy) {
  choice_.barrier = policy;
  if (!screen_.session->live()) return;
  barrier_changed_ = barrier_changed_ || screen_.session->runner()->barrier() != policy;
  screen_.session->runner()->set_barrier(policy);
}

void Running::on(const StepRun&) {
  if (!screen_.session->live()) start(true);
  if (!screen_.session->live()) return;
  samples::Runner& runner = *screen_.session->runner();
  if (runner.state() != samples::RunState::kPaused) runner.pause();
  screen_.step_to_show = runner.engine_stats().steps_finished + 1;
  runner.step_once();
}

std::optional<RunFacts> Running::facts() const {
  samples::Runner* const runner = screen_.session->runner();
  if (runner == nullptr || screen_.opened) return std::nullopt;
  const engine::EngineStats stats = runner->engine_stats();
  RunFacts facts;
  facts.state = runner->state();
  facts.workload = runner->config().workload;
  facts.devices = device_names(runner->config());
  facts.simulated = facts.devices.find("virtual:") != std::string::npos;
  facts.barrier = runner->barrier();
  facts.steps = stats.steps_finished;
  facts.ops_in_flight = stats.in_flight_ops;
  facts.held_by_limit = stats.held_by_limit;
  facts.late_ops = stats.late_ops;
  facts.failure = runner->failure();
  facts.choice_differs = !same_start(choice_, started_) || exercise_ != started_exercise_;
  return facts;
}

}  // namespace runahead::gui
