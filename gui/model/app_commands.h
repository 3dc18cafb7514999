// What a person asks of the window, as values: the panels emit them, the app applies them at the frame's end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/barrier.h"
#include "engine/engine.h"
#include "gui/model/comparison_model.h"
#include "gui/model/lesson_state.h"
#include "gui/model/retention.h"
#include "gui/model/table_rows.h"
#include "gui/text/language.h"
#include "gui/timeline/timeline_commands.h"

namespace runahead::gui {

enum class FilePurpose : std::uint8_t { kOpen, kSaveAs, kRecord, kPicture, kTable, kCompare };

// ---- what to run, and the run ----------------------------------------------------------------------------
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
using RunCommand =
    std::variant<ChooseWorkload, ChooseExercise, ChooseDevice, ChooseSize, SetParameter, SetEndless,
                 SetEngine, TrimMemory, StartRun, TogglePause, StepRun, StopRun, SetBarrier>;

// ---- the lesson ------------------------------------------------------------------------------------------
struct TurnToStage {
  LessonStage stage{};
};
struct Predict {  // a draft
  std::size_t index = 0;
  std::optional<double> value;
};
struct WriteDown {};  // what has been predicted; none of it changes any more
struct RunPart {      // of the lesson: starts it, or changes the barrier of the run that goes on
  std::string id;
};
struct BeginLessonAgain {};
using LessonCommand = std::variant<TurnToStage, Predict, WriteDown, RunPart, BeginLessonAgain>;

// ---- files -----------------------------------------------------------------------------------------------
struct AskForFile {
  FilePurpose purpose{};
};
struct FileChosen {
  FilePurpose purpose{};
  std::filesystem::path path;
};
struct SaveTable {   // asks for the file
  std::string name;  // what it is of, for the file's name
  TableRows rows;
};
struct FilesDropped {  // on the window: the first is opened
  std::vector<std::filesystem::path> paths;
};
struct ForgetRecent {};  // the list of files that were open
struct CloseDialog {};
struct CancelJob {};
using FileCommand =
    std::variant<AskForFile, FileChosen, SaveTable, FilesDropped, ForgetRecent, CloseDialog, CancelJob>;

// ---- recording -------------------------------------------------------------------------------------------
struct SetRetention {  // of the recordings that begin from now on
  Retention keep;
};
struct StopRecording {};
using RecordingCommand = std::variant<SetRetention, StopRecording>;

// ---- comparing -------------------------------------------------------------------------------------------
struct OpenComparison {};  // where nothing was chosen yet: of what suits
struct Compare {           // what A and B are from now on
  CompareChoice choice;
};
struct ShowCompared {  // lists the slices of both sides, and shows the first
  CompareSlices slices;
};
struct StepCompared {  // shows the next of them, or one before
  CompareSide side{};
  int by = 1;
};
struct AlignCompared {};  // shows both timelines, aligned at the start of each range
struct LinkCompared {
  bool linked = true;
};
struct OnLowerTimeline {
  TimelineCommand command;
};
struct CloseComparison {};  // hides its panel, and lets go of the other recording
using CompareCommand = std::variant<OpenComparison, Compare, ShowCompared, StepCompared, AlignCompared,
                                    LinkCompared, OnLowerTimeline, CloseComparison>;

// ---- how it looks ----------------------------------------------------------------------------------------
struct SetLight {
  bool light = false;
};
struct SetMotion {
  bool on = true;
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
struct SetSearch {
  std::string words;
};
using ViewCommand =
    std::variant<SetLight, SetMotion, SetScale, SetLanguage, ShowCharacters, SetPresentation, SetSearch>;

// ---- the window ------------------------------------------------------------------------------------------
struct TogglePanel {
  std::string_view id;  // PanelInfo::id, which lives as long as the program
};
struct SetNote {  // at that time of the trace on the screen; empty words take it away
  Timestamp at{};
  std::string words;
};
struct ResetClass {};  // for the next class: nothing runs, nothing is predicted nor measured
struct ResetSettings {};
struct Tell {  // as a notice
  std::string words;
};
struct DismissError {};
struct Quit {};
using WindowCommand = std::variant<TogglePanel, SetNote, ResetClass, ResetSettings, Tell, DismissError, Quit>;

// One of a part of the window, or of the timeline; each converts by itself.
using Command = std::variant<RunCommand, LessonCommand, FileCommand, RecordingCommand, CompareCommand,
                             ViewCommand, WindowCommand, TimelineCommand>;
using Commands = std::vector<Command>;

}  // namespace runahead::gui
