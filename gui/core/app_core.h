// AppCore: the complete state of the window, and all changes to it. Each part serves one activity of the
// user: run a workload (Running), follow a lesson (Lessons), open and save files (Files), record (Recording),
// compare (Comparing), or look (Viewing). Each part has its own commands, and all parts use the same Screen.
// AppCore also owns the panels, which ask their own questions about the trace. No ImGui and no OpenGL: a test
// drives AppCore without a window. Panels and the timeline see the state through model(). They change the
// state only by commands, which are applied between frames.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/core/comparing_part.h"
#include "gui/core/figures.h"
#include "gui/core/files_part.h"
#include "gui/core/lessons_part.h"
#include "gui/core/options.h"
#include "gui/core/recording_part.h"
#include "gui/core/running_part.h"
#include "gui/core/screen.h"
#include "gui/core/viewing_part.h"
#include "gui/core/vitals.h"
#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/panels/panel_registry.h"

namespace runahead::gui {

// One thread (the window's thread) calls all functions. `wake` is called on any thread when poll() has
// something new.
class AppCore {
 public:
  AppCore(Settings settings, std::filesystem::path settings_file, std::function<void()> wake);
  ~AppCore();  // stops the run, cancels long work, saves the settings
  AppCore(const AppCore&) = delete;
  AppCore& operator=(const AppCore&) = delete;

  // Applies the command line: the user's selection of a run, theme, scale and range. Opens the file, or
  // starts the run.
  void begin(const GuiOptions& options);

  // Takes new rows, figures and finished work. Returns true if the screen must be drawn again.
  bool poll();
  void apply(const Command& command);
  // Call once a frame, before drawing. Moves a view that follows the run. While the program is paused and
  // nothing is in flight, the view does not move, because there is nothing new to see.
  void advance_view();
  // Call after drawing. Starts to load the blocks that the frame needed but did not find in memory. When such
  // blocks have been loaded, poll() returns true.
  void frame_drawn();
  // Returns the data for the panels. Valid until the next poll() or apply().
  [[nodiscard]] PanelModel model();

  [[nodiscard]] const trace::Trace& trace() const { return screen_.trace(); }
  [[nodiscard]] TimelineState& timeline() { return screen_.timeline; }
  [[nodiscard]] std::optional<FileDialog>& dialog() { return files_.dialog(); }
  [[nodiscard]] Settings& settings() { return screen_.settings; }
  [[nodiscard]] const PanelSet& panels() const { return panels_; }
  // A presentation uses a larger scale.
  [[nodiscard]] float effective_scale(float content_scale) const {
    return viewing_.effective_scale(content_scale);
  }
  // True if a picture of the window was requested and the dialog has closed.
  [[nodiscard]] bool picture_wanted() const { return !files_.picture_wanted().empty(); }
  [[nodiscard]] std::filesystem::path take_picture_wanted() { return files_.take_picture_wanted(); }
  void tell_saved(const std::filesystem::path& path, const Status& saved) { files_.tell_saved(path, saved); }
  // The language of the settings, or otherwise the environment's language.
  [[nodiscard]] Language wanted_language() const { return viewing_.wanted_language(); }
  // Sets the language of the window. If there is no font for the language, the window stays English and shows
  // one notice.
  void speak(Language language, bool font_is_here) { viewing_.speak(language, font_is_here); }
  // Returns the text on the screen that is not from the trace: file names, errors, typed text.
  [[nodiscard]] std::vector<std::string_view> other_words() const;
  [[nodiscard]] bool quit_asked() const { return quit_; }
  // Ends the recording. Returns false while the parts of the recording are being joined: call poll() until
  // the joining has ended or is cancelled.
  [[nodiscard]] bool ready_to_close() { return recording_.ready_to_close(); }
  // The error of the recording that ended because the window was closed. The command prints this error,
  // because the window has closed before the user could read it.
  [[nodiscard]] const std::optional<Error>& closing_failure() const { return recording_.closing_failure(); }
  // True if a view is moving: the next frame will differ, even if no data arrives.
  [[nodiscard]] bool gliding() const { return screen_.timeline.glide || comparing_.gliding(); }
  [[nodiscard]] bool searching() const { return viewing_.searching(); }
  void set_searching(bool on) { viewing_.set_searching(on); }
  [[nodiscard]] const std::string& notice() const { return screen_.notice; }
  [[nodiscard]] const std::string& error() const { return screen_.error; }
  // True if nothing is pending: there is no long work, and the strip's figures match the trace on the screen.
  [[nodiscard]] bool idle() const;
  // The first failure: the file of the command line could not be opened, or its run could not be started.
  [[nodiscard]] const std::optional<Error>& first_failure() const { return screen_.first_failure; }
  [[nodiscard]] FrameTimes& frame_times() { return vitals_.frame_times(); }

 private:
  void on(const RunCommand& command) { running_.apply(command); }
  void on(const LessonCommand& command) { lessons_.apply(command); }
  void on(const FileCommand& command) { files_.apply(command); }
  void on(const RecordingCommand& command) { recording_.apply(command); }
  void on(const CompareCommand& command);
  void on(const ViewCommand& command) { viewing_.apply(command); }
  void on(const TimelineCommand& command) { viewing_.apply(command); }
  void on(const WindowCommand& command);

  void on(const TogglePanel& command);
  void on(const SetNote& command);
  void on(const ResetClass& command);
  void on(const ResetSettings& command);
  void on(const Tell& command) { screen_.notice = command.words; }
  void on(const DismissError&) { screen_.error.clear(); }
  void on(const Quit&) { quit_ = true; }

  void trace_replaced();
  bool poll_panels();
  void show_panels_of_settings();
  // Copies the state of every panel, and all sizes that the user has dragged, into the settings.
  void keep_panels();
  void remember();
  [[nodiscard]] MainTrace main_trace();

  const std::filesystem::path settings_file_;
  Screen screen_;
  Settings remembered_;
  Vitals vitals_{screen_};
  Measuring measuring_{screen_};
  PanelSet panels_{screen_.wake};
  Comparing comparing_{screen_.wake};
  Viewing viewing_{screen_};
  Recording recording_{screen_};
  Running running_;
  Lessons lessons_{screen_, running_};
  Files files_{screen_, {viewing_, recording_, running_, lessons_, comparing_}};
  bool quit_ = false;
};

}  // namespace runahead::gui
