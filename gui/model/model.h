// The data that panels see, as structs named ...Facts. The app gathers the data before each frame. Panels
// have references to the data during the frame and do not change the data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/device_registry.h"
#include "gui/answers/figure_facts.h"
#include "gui/answers/loss_sentences.h"
#include "gui/model/app_commands.h"
#include "gui/model/lesson_state.h"
#include "gui/model/panel.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/run_curves.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/statistics.h"
#include "instrumentation/analysis/trace_summary.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/link/control.h"
#include "instrumentation/predict/forecast.h"
#include "instrumentation/trace/trace.h"
#include "samples/lessons/exercise.h"
#include "samples/published.h"
#include "samples/runner.h"
#include "samples/workload.h"

namespace runahead::gui {

// The run on the screen. There are no RunFacts while nothing has started yet, or while a file is open.
struct RunFacts {
  samples::RunState state{};
  std::string workload, devices;
  BarrierPolicy barrier;
  std::int64_t steps = 0, ops_in_flight = 0, held_by_limit = 0, late_ops = 0;
  bool simulated = false;
  std::string failure;          // one line, if the run failed
  bool choice_differs = false;  // the toolbar's choice differs from the current run

  [[nodiscard]] bool live() const {
    return state != samples::RunState::kFinished && state != samples::RunState::kFailed;
  }
};

// Long work in the background.
struct JobFacts {
  std::string label;  // "Opening overlap.runahead"
  double done = 0;    // 0..1
};

// The data of the debug panel. The times of the parts of a frame are in ms.
struct DebugFacts {
  struct Part {
    double last_ms = 0, median_ms = 0, p99_ms = 0;
  };
  Part poll, build, paint, total;
  std::uint64_t frames = 0;
  std::size_t boxes = 0, rows = 0, counter_columns = 0;
  double events_per_s = 0;
  std::uint64_t events = 0, slices = 0, lost = 0;
  double fullest_buffer_ratio = 0, last_drain_ms = 0, longest_drain_ms = 0;
  std::size_t threads = 0, trace_bytes = 0;
  double figures_ms = 0;                           // cost of the last analysis in the background
  std::optional<trace::BlockStore::Stats> loaded;  // set if the rows stay in the trace's file
};

// The run that is selected in the toolbar. The button Run starts this run.
struct StartFacts {
  const std::vector<const samples::WorkloadSpec*>& workloads;
  const std::vector<engine::DeviceEntry>& devices;
  const samples::WorkloadSpec* workload = nullptr;  // the selected workload; nullptr: unknown name
  const samples::RunConfig& choice;
  const samples::Exercise* exercise = nullptr;  // nullptr: no exercise is chosen
  samples::Parameters parameters;               // parameters of the selected run, with defaults filled in
  // The workload's published figures, each next to the same figure of the workload's last runs.
  std::vector<samples::ComparedFigure> published;
  // The measurements of the workload's last run, and a description of that run ("cpu, barrier none"). Empty
  // if there was no run.
  std::vector<samples::ShownTable> results;
  std::string results_of;
};

// What the run on the screen would do with each barrier.
struct ForecastFacts {
  // Empty: none now, because nothing runs, the rate of steps is not steady, or why_none says why.
  std::vector<predict::PolicyForecast> barriers;
  std::string why_none;                    // one sentence
  Duration covers{};                       // the time of the run that they were computed from
  std::optional<PressedForecast> pressed;  // of the last change of the barrier
  std::int64_t answers = 0;                // how often they were computed in this run
  double cost_ms = 0, most_cost_ms = 0;    // of the last answer, and of the one that took longest
};

// The Python script that the window runs.
struct ScriptFacts {
  std::string name;  // empty: none
  bool runs = false;
};

// The page that was exported last, until the user has read the message about it.
struct PageFacts {
  std::string words;  // one line: name, size, exact or a summary
  std::string path;
  bool shows = false;  // it can be shown in a browser
};
struct FileFacts {
  std::filesystem::path opened;  // empty: none
  bool followed = false;         // another program is still writing the file
  std::string broken_host;       // that program's machine, if the link to it is broken; else empty
  // Trace mode: the opened file is not a run of this engine. The window then shows no barriers, lesson or
  // parameters.
  bool trace_mode = false;
  // True if the strip compares the time before and after a change. False: it summarises the trace.
  bool compares = true;
  // The switches and parameters of the program that writes the file; empty: none, or not known yet.
  std::span<const link::Control> controls;
  ScriptFacts script;                   // its recording is on the screen, or will be soon
  std::span<const std::string> recent;  // recently opened files, newest first
  std::optional<JobFacts> job;
  std::optional<PageFacts> page;
};

struct RecordingFacts {
  std::filesystem::path path;  // empty: no recording
  std::uint64_t bytes = 0;
  record::FileLimits limits;  // limits of the recording being written
  Retention keep;             // the user's choice for later recordings
};

struct LookFacts {
  bool light = false, presentation = false, motion = true;
  float chosen_scale = 1;  // scale set by the user; a presentation uses a larger scale
  bool wide_font = true;   // false: no font for Chinese and Japanese; these languages cannot be chosen
};

struct PanelModel {
  const trace::Trace& trace;
  const TimelineState& timeline;
  std::span<PanelModule* const> panels;  // all panels, in menu order
  const Scene* scene = nullptr;          // the timeline of the last frame; nullptr: not drawn
  StartFacts start;
  std::optional<RunFacts> run;
  LessonFacts lesson;  // lesson of the chosen workload; none if an exercise is chosen
  FigureFacts figures;
  ForecastFacts forecasts;
  FileFacts files;
  RecordingFacts recording;
  CompareFacts compare;  // filled while the comparison panel is shown
  LookFacts look;
  std::string_view error;   // one line; empty: no error
  std::string_view notice;  // one line: the result of long work; empty: none
  std::string_view about;   // the version and the build of the program, in lines
  DebugFacts debug;         // filled while the debug panel is shown

  [[nodiscard]] bool shows(std::string_view panel) const { return shows_panel(panels, panel); }
  [[nodiscard]] bool live() const { return run.has_value() && run->live(); }
  // True if the trace grows: a run goes on, or another program is writing the file.
  [[nodiscard]] bool grows() const { return live() || files.followed; }
};

// Returns the barriers that suit `workload`, in the order of the buttons and of the keys 1..9. If `workload`
// is nullptr, returns all barriers.
[[nodiscard]] std::vector<BarrierChoice> barrier_row(const samples::WorkloadSpec* workload);

}  // namespace runahead::gui
