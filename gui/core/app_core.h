// The window's whole state, and what happens to it. Its parts are what a person does: run a workload
// (Running), follow a lesson (Lessons), open and save files (Files), record (Recording), compare (Comparing),
// and look (Viewing); each has its own commands. All of them work on one Screen. Beside them are the panels,
// with what each asks of the trace. No ImGui, no OpenGL: a test drives it without a window. Panels and
// timeline see it through model() and change it only by commands, applied between frames.
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

// One thread (the window's) calls everything. `wake` is called on any thread when poll() would find
// something.
class AppCore {
 public:
  AppCore(Settings settings, std::filesystem::path settings_file, std::function<void()> wake);
  ~AppCore();  // stops the run, cancels long work, remembers the settings
  AppCore(const AppCore&) = delete;
  AppCore& operator=(const AppCore&) = delete;

  // What the command line asked for: choice, theme, scale, range. Opens the file, or starts the run.
  void begin(const GuiOptions& options);

  // Takes what has come: rows, figures, ended work. True if the screen should be drawn anew.
  bool poll();
  void apply(const Command& command);
  // Once a frame, before drawing: moves a view that follows. While the program is paused and nothing is in
  // flight the view stands still: time goes on, but there is nothing new to see.
  void advance_view();
  // After drawing: what the frame lacked is loaded, and poll() tells when there is more to see.
  void frame_drawn();
  // Facts for the panels; borrowed until the next poll() or apply().
  [[nodiscard]] PanelModel model();

  [[nodiscard]] const trace::Trace& trace() const { return screen_.trace(); }
  [[nodiscard]] TimelineState& timeline() { return screen_.timeline; }
  [[nodiscard]] std::optional<FileDialog>& dialog() { return files_.dialog(); }
  [[nodiscard]] Settings& settings() { return screen_.settings; }
  [[nodiscard]] const PanelSet& panels() const { return panels_; }
  // In a presentation everything is larger.
  [[nodiscard]] float effective_scale(float content_scale) const {
    return viewing_.effective_scale(content_scale);
  }
  // Where a picture of the window is to go, when one was asked for and the dialog has closed.
  [[nodiscard]] bool picture_wanted() const { return !files_.picture_wanted().empty(); }
  [[nodiscard]] std::filesystem::path take_picture_wanted() { return files_.take_picture_wanted(); }
  void tell_saved(const std::filesystem::path& path, const Status& saved) { files_.tell_saved(path, saved); }
  // As set, else as the environment says.
  [[nodiscard]] Language wanted_language() const { return viewing_.wanted_language(); }
  // Sets the language of the window. Without a font for it the window stays English, and says so once.
  void speak(Language language, bool font_is_here) { viewing_.speak(language, font_is_here); }
  // Text on the screen that does not come from the trace: file names, errors, what a person typed.
  [[nodiscard]] std::vector<std::string_view> other_words() const;
  [[nodiscard]] bool quit_asked() const { return quit_; }
  // Ends what is being recorded; false while its parts are being joined: poll() until that is done, or
  // cancelled.
  [[nodiscard]] bool ready_to_close() { return recording_.ready_to_close(); }
  // Why the recording that closing has ended is not where it was asked for: the window is gone before anyone
  // could read it there.
  [[nodiscard]] const std::optional<Error>& closing_failure() const { return recording_.closing_failure(); }
  // A view is on its way: the next frame shows another one, whether or not anything comes.
  [[nodiscard]] bool gliding() const { return screen_.timeline.glide || comparing_.gliding(); }
  [[nodiscard]] bool searching() const { return viewing_.searching(); }
  void set_searching(bool on) { viewing_.set_searching(on); }
  [[nodiscard]] const std::string& notice() const { return screen_.notice; }
  [[nodiscard]] const std::string& error() const { return screen_.error; }
  // Nothing is on its way: no long work, and the figures of the strip are those of the trace on the screen.
  [[nodiscard]] bool settled() const;
  // The file of the command line could not be opened, or its run not started.
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
  // Every panel and size has its place in the settings.
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
