// What the panels see: facts of the moment, gathered by the app before each frame. Borrowed for the frame,
// never changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/barrier.h"
#include "engine/device/device_registry.h"
#include "gui/model/app_commands.h"
#include "gui/model/lesson_state.h"
#include "gui/model/panel.h"
#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/statistics.h"
#include "instrumentation/trace/trace.h"
#include "samples/lessons/exercise.h"
#include "samples/published.h"
#include "samples/runner.h"
#include "samples/workload.h"

namespace runahead::gui {

// The run on the screen. Of no run (nothing started yet, or a file is open) there are no facts.
struct RunFacts {
  samples::RunState state{};
  std::string workload, devices;
  engine::BarrierPolicy barrier;
  std::int64_t steps = 0, ops_in_flight = 0, held_by_limit = 0, late_ops = 0;
  bool simulated = false;
  std::string failure;          // one line, when it failed
  bool choice_differs = false;  // what is chosen in the toolbar is not what runs

  [[nodiscard]] bool live() const {
    return state != samples::RunState::kFinished && state != samples::RunState::kFailed;
  }
};

// Long work in the background.
struct JobFacts {
  std::string label;  // "Opening overlap.runahead"
  double done = 0;    // 0..1
};

// A measured range, or a stretch with nothing measured: its figures come a moment later, from another thread.
struct RangeFacts {
  analysis::SegmentFigures figures;
  std::vector<analysis::NameStatistics> names;
};

// What the debug panel shows. Frame parts in ms.
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
  double figures_ms = 0;                           // the last analysis in the background
  std::optional<trace::BlockStore::Stats> loaded;  // of a trace whose rows are in its file
};

// What is chosen in the toolbar, to be started.
struct StartFacts {
  const std::vector<const samples::WorkloadSpec*>& workloads;
  const std::vector<engine::DeviceEntry>& devices;
  const samples::WorkloadSpec* workload = nullptr;  // chosen; nullptr: there is none of that name
  const samples::RunConfig& choice;
  const samples::Exercise* exercise = nullptr;  // chosen, from the list of them
  samples::Parameters parameters;               // of the choice, defaults filled in
  // The workload's published figures, beside those of the last runs of it.
  std::vector<samples::ComparedFigure> published;
  // What the last run of it measured, and which run that was ("cpu, barrier none"). Of no run: empty.
  std::vector<samples::ShownTable> results;
  std::string results_of;
};

struct FigureFacts {
  // Of the strip; without a toggle `after` alone, since the start.
  std::optional<analysis::BeforeAfter> before_after;
  bool draining = false;            // `after` still holds what the barrier before left behind
  std::optional<RangeFacts> range;  // of timeline.range
};

struct FileFacts {
  std::filesystem::path opened;         // empty: none
  std::span<const std::string> recent;  // files that were opened, the newest first
  std::optional<JobFacts> job;
};

struct RecordingFacts {
  std::filesystem::path path;  // empty: nothing is recorded
  std::uint64_t bytes = 0;
  record::FileLimits limits;  // of the one that is being written
  Retention keep;             // of those to come
};

struct LookFacts {
  bool light = false, presentation = false, motion = true;
  float chosen_scale = 1;  // as set; a presentation draws larger
  bool wide_font = true;   // for Chinese and Japanese; without one they cannot be chosen
};

struct PanelModel {
  const trace::Trace& trace;
  const TimelineState& timeline;
  std::span<PanelModule* const> panels;  // all of them, in the order of the menu
  const Scene* scene = nullptr;          // of the timeline, as it was drawn last; nullptr: it was not
  StartFacts start;
  std::optional<RunFacts> run;
  LessonFacts lesson;  // of the chosen workload, unless an exercise is chosen
  FigureFacts figures;
  FileFacts files;
  RecordingFacts recording;
  CompareFacts compare;  // while its panel is shown
  LookFacts look;
  std::string_view error;   // one line, empty: none
  std::string_view notice;  // one line: what long work has done; empty: none
  DebugFacts debug;         // while its panel is shown

  [[nodiscard]] bool shows(std::string_view panel) const { return shows_panel(panels, panel); }
  [[nodiscard]] bool live() const { return run.has_value() && run->live(); }
};

// The barriers that make sense for `workload`, in the order of the row and its keys 1..9; all without one.
[[nodiscard]] std::vector<engine::BarrierChoice> barrier_row(const samples::WorkloadSpec* workload);

// One sentence for each kind of loss that the trace has, with its count.
[[nodiscard]] std::vector<std::string> loss_sentences(const trace::LossCounts& losses);
// The same of a trace: behind what an import skipped stands what the most of it was.
[[nodiscard]] std::vector<std::string> loss_sentences(const trace::Trace& trace);

}  // namespace runahead::gui
