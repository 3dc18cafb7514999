// Commands: the user's requests to the window, as values. Panels emit them. The app applies them at the end
// of the frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "gui/model/comparison_model.h"
#include "gui/model/lesson_state.h"
#include "gui/model/retention.h"
#include "gui/model/table_rows.h"
#include "gui/text/language.h"
#include "gui/timeline/timeline_commands.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

enum class FilePurpose : std::uint8_t { kOpen, kSaveAs, kRecord, kPicture, kTable, kCompare, kPage };

// ---- the run and its settings ----------------------------------------------------------------------------
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
  std::optional<double> value;  // nullopt: the default
};
struct SetEndless {
  bool endless = true;
};
struct SetEngine {
  engine::EngineOptions options;
  int blas_threads = 1;
};
struct TrimMemory {};  // returns unused memory in the pools of the run's devices to the system
struct StartRun {};
struct TogglePause {};
struct StepRun {};  // takes one step; if nothing runs, starts a paused run first
struct StopRun {};
struct SetBarrier {
  BarrierPolicy policy;
};
using RunCommand =
    std::variant<ChooseWorkload, ChooseExercise, ChooseDevice, ChooseSize, SetParameter, SetEndless,
                 SetEngine, TrimMemory, StartRun, TogglePause, StepRun, StopRun, SetBarrier>;

// ---- the lesson ------------------------------------------------------------------------------------------
struct TurnToStage {
  LessonStage stage{};
};
struct Predict {  // changes a prediction before it is fixed
  std::size_t index = 0;
  std::optional<double> value;
};
struct WriteDown {};  // fixes the predictions: after this command they cannot change
struct RunPart {      // starts a part of the lesson, or changes the barrier of the current run
  std::string id;
};
struct BeginLessonAgain {};
using LessonCommand = std::variant<TurnToStage, Predict, WriteDown, RunPart, BeginLessonAgain>;

// ---- pages -----------------------------------------------------------------------------------------------
// What an HTML page has of the trace on the screen.
struct PageChoice {
  bool range = false;            // only the measured range
  std::uint64_t most_bytes = 0;  // the largest size; 0: no limit
  bool lesson = false;           // the page of the lesson, for a class
  bool compared = false;         // also the comparison; not with `range` or `lesson`
};

// ---- files -----------------------------------------------------------------------------------------------
struct AskForFile {
  FilePurpose purpose{};
  bool lesson = false;  // kPage: the page of the lesson is proposed
};
struct FileChosen {
  FilePurpose purpose{};
  std::filesystem::path path;
  std::vector<std::filesystem::path> more{};  // kOpen: other traces, to be shown on the same timeline
};
struct SaveTable {   // asks for the file name, then saves the table
  std::string name;  // the table's subject, for the proposed file name
  TableRows rows;
};
struct FilesDropped {  // files were dropped on the window: opens them on one timeline
  std::vector<std::filesystem::path> paths;
};
struct ForgetRecent {};  // clears the list of recent files
struct ExportPage {
  std::filesystem::path path;
  PageChoice choice;
};
struct ShowPage {};     // opens the page that was exported last in the browser
struct DismissPage {};  // the message about it is read
struct CloseDialog {};
struct CancelJob {};
struct RestartScript {};  // ends the Python script on the screen, and starts it again
struct StopScript {};
using FileCommand = std::variant<AskForFile, FileChosen, SaveTable, FilesDropped, ForgetRecent, CloseDialog,
                                 CancelJob, RestartScript, StopScript, ExportPage, ShowPage, DismissPage>;

// ---- the program whose recording is followed -------------------------------------------------------------
struct SetControl {  // sets a switch or a parameter of the program
  std::string name, value;
};

// ---- recording -------------------------------------------------------------------------------------------
struct SetRetention {  // applies to recordings that start later
  Retention keep;
};
struct StopRecording {};
using RecordingCommand = std::variant<SetRetention, StopRecording>;

// ---- comparing -------------------------------------------------------------------------------------------
// opens the comparison; if the user has not chosen what to compare, chooses suitable sides
struct OpenComparison {};
struct Compare {  // sets the sides A and B
  CompareChoice choice;
};
// Lists the slices of a histogram bar on both sides. Shows the first slice of A, or of B if A has none.
struct ShowCompared {
  CompareSlices slices;
};
struct StepCompared {  // shows a later or earlier slice of the list
  CompareSide side{};
  int by = 1;
};
struct AlignCompared {};  // shows both timelines; the starts of both ranges are aligned
struct LinkCompared {
  bool linked = true;
};
struct OnLowerTimeline {
  TimelineCommand command;
};
// Compares with a trace in memory, such as a predicted timeline, and shows the comparison.
struct CompareWith {
  std::shared_ptr<const trace::Trace> trace;
  std::string name;  // as the name of a file: without '/'
  TimeRange of{};    // the part of the trace on the screen that corresponds to it; empty: all of it
};
struct CloseComparison {};  // hides the panel and closes the other recording
using CompareCommand = std::variant<OpenComparison, Compare, ShowCompared, StepCompared, AlignCompared,
                                    LinkCompared, OnLowerTimeline, CompareWith, CloseComparison>;

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
// The window's fonts must also have these characters, in addition to the characters of its language.
struct ShowCharacters {
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
struct SetNote {  // sets a note at a time of the trace on the screen; empty words remove the note
  Timestamp at{};
  std::string words;
};
struct ResetClass {};  // prepares for the next class: ends the run, forgets predictions and measurements
struct ResetSettings {};
struct Tell {  // shows a notice
  std::string words;
};
struct DismissError {};
struct Quit {};
using WindowCommand = std::variant<TogglePanel, SetNote, ResetClass, ResetSettings, Tell, DismissError, Quit>;

// A command for one part of the window, or for the timeline. Each of these types converts implicitly to
// Command.
using Command = std::variant<RunCommand, LessonCommand, FileCommand, SetControl, RecordingCommand,
                             CompareCommand, ViewCommand, WindowCommand, TimelineCommand>;
using Commands = std::vector<Command>;

}  // namespace runahead::gui
