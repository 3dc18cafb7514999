// AppCore: choosing what runs, starting it, holding it back.
#include <algorithm>
#include <span>

#include "gui/core/app_core.h"
#include "gui/session/facts.h"
#include "gui/session/trace_times.h"
#include "gui/text/text.h"

namespace runahead::gui {

namespace {

constexpr std::size_t kMostRunsKept = 16;  // variants of one experiment are few

// What a start would do differently; the barrier is changed at run time and does not count.
bool same_start(const samples::RunConfig& a, const samples::RunConfig& b) {
  return a.workload == b.workload && a.devices == b.devices && a.size == b.size && a.settings == b.settings &&
         a.endless == b.endless && a.engine == b.engine && a.blas_threads == b.blas_threads;
}

}  // namespace

const samples::WorkloadSpec* AppCore::chosen_workload() const {
  return samples::find_workload(choice_.workload);
}

void AppCore::choose_workload(const std::string& name) {
  if (exercise_ != 0) choice_.size = "class";
  exercise_ = 0;
  choice_.engine = usual_engine_;
  choice_.workload = name;
  choice_.settings.clear();
  choice_.devices.clear();
  const samples::WorkloadSpec* spec = chosen_workload();
  choice_.endless = spec == nullptr || !spec->measures_at_end;
  if (spec == nullptr) return;
  choice_.engine.cpu_workers = std::max(spec->cpu_workers, usual_engine_.cpu_workers);
  // A barrier that makes no sense for it gives way to the first that does.
  const std::vector<engine::BarrierChoice> row = barrier_row(spec);
  const bool fits =
      std::ranges::any_of(row, [&](const auto& choice) { return choice.policy == choice_.barrier; });
  if (!fits && !row.empty()) choice_.barrier = row.front().policy;
}

// A run that goes on keeps its own settings and its barrier: the exercise is of the next one.
void AppCore::choose_exercise(int number) {
  const samples::Exercise* exercise = samples::find_exercise(number);
  if (exercise == nullptr) return;
  const engine::EngineOptions engine = usual_engine_;
  choice_ = samples::config_of(*exercise);
  const int cpu_workers = choice_.engine.cpu_workers;
  choice_.engine = engine;
  choice_.engine.cpu_workers = std::max(cpu_workers, engine.cpu_workers);
  choice_.endless = exercise->endless;
  exercise_ = number;
}

void AppCore::note_run() {
  samples::Runner* const runner = session_->runner();
  if (run_noted_ || runner == nullptr || !session_->complete()) return;
  run_noted_ = true;
  // Who follows a run of so many steps sees all of it when it is over.
  if (!started_.endless && !opened_ && timeline_.follow) show_slices();
  if (barrier_changed_ || started_.endless || runner->state() != samples::RunState::kFinished) return;
  samples::RunReport report = runner->report();
  add_trace_times(report, trace());
  if (report.steps < static_cast<std::int64_t>(report.params.at("steps"))) return;  // it was stopped
  note_lesson(report);
  const bool same = !ended_runs_.empty() && ended_runs_.back().workload == report.workload &&
                    ended_runs_.back().params == report.params;
  if (!same) ended_runs_.clear();
  if (ended_runs_.size() == kMostRunsKept) ended_runs_.erase(ended_runs_.begin());
  ended_runs_.push_back(std::move(report));
}

std::span<const samples::RunReport> AppCore::ended_runs() const {
  const bool of_it = !ended_runs_.empty() && ended_runs_.back().workload == choice_.workload;
  return of_it ? std::span<const samples::RunReport>(ended_runs_) : std::span<const samples::RunReport>();
}

void AppCore::add_results(PanelModel& model) const {
  if (model.workload == nullptr) return;
  const std::span<const samples::RunReport> runs = ended_runs();
  model.published = compare_published(model.workload->published_figures, runs);
  if (runs.empty()) return;
  model.results = show_results(model.workload->results, runs.back());
  model.results_of =
      translated_list(runs.back().device) + ", " + text(Text::kOfBarrier) + " " + runs.back().barrier;
}

void AppCore::start(bool paused) {
  error_.clear();
  notice_.clear();
  loader_.reset();
  opened_.reset();
  opened_path_.clear();
  timeline_ = TimelineState{};
  recorded_lesson_.reset();
  new_trace();
  note_lesson_facts();
  events_before_ = 0;
  if (const auto failed = session_->start(choice_, paused)) {
    fail(failed->error.message);
    return;
  }
  if (const auto gpu = session_->gpu_activity(); gpu && !gpu->recorded)
    notice_ = std::string(text(Text::kNoGpuActivity)) + ": " + gpu->why_not;
  was_failed_ = false;
  run_noted_ = false;
  barrier_changed_ = false;
  started_ = choice_;
  started_exercise_ = exercise_;
  remember();
}

void AppCore::set_barrier(const engine::BarrierPolicy& policy) {
  choice_.barrier = policy;
  if (!session_->live()) return;
  barrier_changed_ = barrier_changed_ || session_->runner()->barrier() != policy;
  session_->runner()->set_barrier(policy);
}

void AppCore::step() {
  if (!session_->live()) start(true);
  if (!session_->live()) return;
  samples::Runner& runner = *session_->runner();
  if (runner.state() != samples::RunState::kPaused) runner.pause();
  runner.step_once();
}

std::optional<RunFacts> AppCore::run_facts() {
  samples::Runner* const runner = session_->runner();
  if (runner == nullptr || opened_) return std::nullopt;
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
