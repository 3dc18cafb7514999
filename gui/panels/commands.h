// What a person asks of the window, as values: the panels emit them, the app applies them at the frame's end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/barrier.h"
#include "engine/engine.h"
#include "gui/graph/graph_view.h"
#include "gui/panels/find_answer.h"
#include "gui/text/language.h"
#include "gui/timeline/commands.h"

namespace runahead::gui {

enum class Panel : std::uint8_t {
  kLesson,
  kDetails,
  kStrip,
  kStatus,
  kDebug,
  kHelp,
  kLegend,
  kMetrics,
  kGraph,
  kQuery,
  kFind
};
inline constexpr int kPanelCount = 11;

enum class FilePurpose : std::uint8_t { kOpen, kSaveAs, kRecord };

// ---- what to run -----------------------------------------------------------------------------------------
struct ChooseWorkload {
  std::string name;
};
struct ChooseExercise {
  int number = 0;
};
struct ChooseDevice {
  std::string name;
};
struct ChooseSize {
  std::string size;  // "class" or "published"
};
struct SetParameter {
  std::string name;
  std::optional<double> value;  // nullopt: its default
};
struct SetEndless {
  bool endless = true;
};
// ---- the run ---------------------------------------------------------------------------------------------
struct SetEngine {
  engine::EngineOptions options;
  int blas_threads = 1;
};
struct TrimMemory {};  // of the run's devices: what is free goes back to the system
struct StartRun {};
struct TogglePause {};
struct StepRun {};  // where nothing runs: starts it, paused, and takes one step
struct StopRun {};
struct SetBarrier {
  engine::BarrierPolicy policy;
};
// ---- files -----------------------------------------------------------------------------------------------
struct AskForFile {
  FilePurpose purpose{};
};
struct FileChosen {
  FilePurpose purpose{};
  std::filesystem::path path;
};
struct CloseDialog {};
struct StopRecording {};
struct CancelJob {};
// ---- the window ------------------------------------------------------------------------------------------
struct TogglePanel {
  Panel panel{};
};
struct SetGraphMode {
  GraphMode mode{};
};
struct AskQuery {
  std::string sql;
};
struct CancelQuery {};
struct Find {  // once a frame while the panel is shown: it is looked for when it changes
  FindWords words;
};
struct SetLight {
  bool light = false;
};
struct SetScale {
  float scale = 1;
};
struct SetLanguage {
  Language language{};
};
struct ShowCharacters {  // they are to be seen where they are not of the window's language
  std::string utf8;
};
struct SetPresentation {
  bool on = false;
};
struct ResetSettings {};
struct SetSearch {
  std::string words;
};
struct DismissError {};
struct Quit {};

using Command =
    std::variant<ChooseWorkload, ChooseExercise, ChooseDevice, ChooseSize, SetParameter, SetEndless,
                 SetEngine, TrimMemory, StartRun, TogglePause, StepRun, StopRun, SetBarrier, AskForFile,
                 FileChosen, CloseDialog, StopRecording, CancelJob, TogglePanel, SetGraphMode, AskQuery,
                 CancelQuery, Find, SetLight, SetScale, SetLanguage, ShowCharacters, SetPresentation,
                 ResetSettings, SetSearch, DismissError, Quit, TimelineCommand>;
using Commands = std::vector<Command>;

}  // namespace runahead::gui
