// Running: the user's choice of a workload and its settings. Running starts and controls the run, and has the
// results of finished runs.
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
  // All arguments must outlive this object. `before_start` is called after the screen shows the session's
  // trace and before the run begins. `after_start` is called when the run has begun.
  Running(Screen& screen, Viewing& viewing, std::function<void()> before_start,
          std::function<void()> after_start);

  void apply(const RunCommand& command);
  // Takes the workload and settings from the command line.
  void choose(const samples::RunConfig& config, int exercise, bool workers_asked);
  void choose_workload(const std::string& name);
  // Chooses what an opened file has recorded: the workload, the device (if it is available here) and the
  // barrier at the end of the trace. The lesson and the barrier buttons then match the file, and the button
  // Run starts the same workload.
  void choose_as_recorded(const trace::Trace& trace);
  // Resets the settings of the chosen workload to their defaults and forgets the finished runs.
  void reset();
  void start(bool paused);
  // Starts a run for a lesson. The devices and engine options that the user chose do not change, because a
  // lesson works with all of them.
  void run_as(const samples::RunConfig& config);
  // Sets the barrier of the current run, and of the next run (as the user's choice).
  void set_barrier(const BarrierPolicy& policy);

  // Returns the report of a run that has finished since the last call and had the same barrier in all its
  // steps. nullptr: there is no such run.
  [[nodiscard]] const samples::RunReport* take_ended();
  // Shows the failure of a run. Returns true if a run has failed since the last call, or if a failure on the
  // screen no longer applies.
  bool poll_failure();

  [[nodiscard]] const samples::RunConfig& choice() const { return choice_; }
  [[nodiscard]] const samples::RunConfig& started() const { return started_; }
  // Returns the counters that matter most for the workload whose trace is on the screen.
  [[nodiscard]] std::vector<trace::CounterRole> counters() const;
  [[nodiscard]] int exercise() const { return exercise_; }
  [[nodiscard]] StartFacts start_facts() const;
  [[nodiscard]] std::optional<RunFacts> facts() const;  // nullopt: nothing started yet, or a file is open
  void keep_choice(Settings& settings) const;

 private:
  void on(const ChooseWorkload& c) { choose_workload(c.name); }
  void on(const ChooseExercise& c);  // an unknown number is ignored
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
  // Returns the finished runs of the chosen workload; empty if there are none.
  [[nodiscard]] std::span<const samples::RunReport> ended_runs() const;

  Screen& screen_;
  Viewing& viewing_;
  const std::function<void()> before_start_, after_start_;
  std::vector<engine::DeviceEntry> devices_;
  samples::RunConfig choice_, started_;
  // The engine options that the user has set. The chosen run may have different engine options, because an
  // exercise or a workload may need them.
  engine::EngineOptions usual_engine_;
  int exercise_ = 0, started_exercise_ = 0;  // 0: none
  // Reports of finished runs, newest last. All runs are of one workload with one set of parameters, and each
  // run had the same barrier in all its steps. The reports are shown next to the published figures.
  std::vector<samples::RunReport> ended_runs_;
  bool barrier_changed_ = false, run_noted_ = true, was_failed_ = false;
};

}  // namespace runahead::gui
