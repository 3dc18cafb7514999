// AppCore: choosing what runs, starting it, holding it back.
#include <algorithm>

#include "gui/app/app_core.h"
#include "gui/session/facts.h"

namespace runahead::gui {

namespace {

// What a start would do differently; the barrier is changed at run time and does not count.
bool same_start(const samples::RunConfig& a, const samples::RunConfig& b) {
  return a.workload == b.workload && a.devices == b.devices && a.size == b.size && a.settings == b.settings &&
         a.endless == b.endless;
}

}  // namespace

const samples::WorkloadSpec* AppCore::chosen_workload() const {
  const auto& all = samples::list_workloads();
  const auto found =
      std::ranges::find_if(all, [&](const samples::WorkloadSpec* w) { return w->name == choice_.workload; });
  return found != all.end() ? *found : nullptr;
}

void AppCore::choose_workload(const std::string& name) {
  choice_.workload = name;
  choice_.settings.clear();
  choice_.devices.clear();
  const samples::WorkloadSpec* spec = chosen_workload();
  if (spec == nullptr) return;
  // A barrier that makes no sense for it gives way to the first that does.
  const std::vector<engine::BarrierChoice> row = barrier_row(spec);
  const bool fits =
      std::ranges::any_of(row, [&](const auto& choice) { return choice.policy == choice_.barrier; });
  if (!fits && !row.empty()) choice_.barrier = row.front().policy;
}

void AppCore::start(bool paused) {
  error_.clear();
  notice_.clear();
  opened_.reset();
  opened_path_.clear();
  timeline_ = TimelineState{};
  new_trace();
  events_before_ = 0;
  if (const auto failed = session_->start(choice_, paused)) {
    fail(failed->error.message);
    return;
  }
  was_failed_ = false;
  started_ = choice_;
  remember();
}

void AppCore::set_barrier(const engine::BarrierPolicy& policy) {
  choice_.barrier = policy;
  if (session_->live()) session_->runner()->set_barrier(policy);
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
  facts.choice_differs = !same_start(choice_, started_);
  return facts;
}

}  // namespace runahead::gui
