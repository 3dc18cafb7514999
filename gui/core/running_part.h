// Running a workload: which one and how, starting it, holding it back, and what its ended runs measured.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/device/device_registry.h"
#include "gui/core/options.h"
#include "gui/core/screen.h"
#include "gui/core/viewing_part.h"
#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "samples/runner.h"
#include "samples/workload.h"

namespace runahead::gui {

// One thread (the window's) calls everything.
class Running {
 public:
  // All must outlive this. `before_start`: the trace on the screen is the session's by then; `after_start`:
  // a run has begun.
  Running(Screen& screen, Viewing& viewing, std::function<void()> before_start,
          std::function<void()> after_start);

  void apply(const RunCommand& command);
  // As the command line says.
  void choose(const samples::RunConfig& config, int exercise, bool workers_asked);
  void choose_workload(const std::string& name);
  // What a file says it ran is chosen, so that lesson and barriers speak of it, and Run runs the same.
  void choose_as_recorded(const trace::Trace& trace);
  // The same workload, as it is first met; nothing is known of its runs.
  void reset();
  void start(bool paused);
  // Starts what a lesson asks for. Devices and engine stay as they were chosen: it may be held on any of
  // them.
  void run_as(const samples::RunConfig& config);
  void set_barrier(const engine::BarrierPolicy& policy);  // of the choice, and of what runs

  // Of a run that has ended since the last call, with all its steps under one barrier; nullptr: none has.
  [[nodiscard]] const samples::RunReport* take_ended();
  // A run has failed, or its failure is over. Tells of it.
  bool poll_failure();

  [[nodiscard]] const samples::RunConfig& choice() const { return choice_; }
  [[nodiscard]] const samples::RunConfig& started() const { return started_; }
  [[nodiscard]] int exercise() const { return exercise_; }
  [[nodiscard]] StartFacts start_facts() const;
  [[nodiscard]] std::optional<RunFacts> facts() const;  // nullopt: nothing started yet, or a file is open
  void keep_choice(Settings& settings) const;

 private:
  void on(const ChooseWorkload& c) { choose_workload(c.name); }
  void on(const ChooseExercise& c);  // of a number that is none: nothing changes
  void on(const ChooseDevice& c) { choice_.devices = {c.name}; }
  void on(const ChooseSize& c);
  void on(const SetParameter& c);
  void on(const SetEndless& c) { choice_.endless = c.endless; }
  void on(const SetEngine& c);
  void on(const TrimMemory& c);
  void on(const StartRun&) { start(false); }
  void on(const TogglePause& c);
  void on(const StepRun& c);
  void on(const StopRun&) { screen_.session->stop(); }
  void on(const SetBarrier& c) { set_barrier(c.policy); }
  [[nodiscard]] const samples::WorkloadSpec* workload() const;
  // Of the chosen workload: those of its ended runs; none, if it has none.
  [[nodiscard]] std::span<const samples::RunReport> ended_runs() const;

  Screen& screen_;
  Viewing& viewing_;
  const std::function<void()> before_start_, after_start_;
  std::vector<engine::DeviceEntry> devices_;
  samples::RunConfig choice_, started_;
  engine::EngineOptions usual_engine_;       // as the command line said; an exercise may have another
  int exercise_ = 0, started_exercise_ = 0;  // 0: none
  // Reports of runs of one workload with one set of parameters that took all their steps under one barrier:
  // the newest last. Beside them published figures are shown.
  std::vector<samples::RunReport> ended_runs_;
  bool barrier_changed_ = false, run_noted_ = true, was_failed_ = false;
};

}  // namespace runahead::gui
