// AppCore: the complete state of the window, and all changes to it. Each part serves one activity of the
// user: run a workload (Running), follow a lesson (Lessons), open and save files (Files), record (Recording),
// compare (Comparing), or change what the window shows (Viewing). Each part has its own commands, and all
// parts use the same Screen. AppCore also owns the panels. Each panel requests its own analyses of the trace.
// No ImGui and no OpenGL: a test drives AppCore without a window. Panels and the timeline see the state
// through model(). They change the state only by commands, which are applied between frames.
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
#include "gui/core/followed_part.h"
#include "gui/core/forecasts_part.h"
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

// One thread (the window's thread) calls all functions. `wake` may be called on any thread. It means that
// there is something new that poll() can take.
class AppCore {
 public:
  // `start_on`: see SessionOptions.
  AppCore(Settings settings, std::filesystem::path settings_file, std::function<void()> wake,
          CallOn start_on = {});
  ~AppCore();  // stops the run, cancels long work, saves the settings
  AppCore(const AppCore&) = delete;
  AppCore& operator=(const AppCore&) = delete;

  // Applies the options of the command line, such as the run, the theme and the scale. Then opens the file if
  // the options name a file. Otherwise starts the run if `autostart` is set.
  void begin(const GuiOptions& options);

  // Takes new rows of the trace, new figures, and the results of finished background work. Returns true if
  // the screen must be drawn again.
  bool poll();
  void apply(const Command& command);
  // Call once a frame, before drawing. If a timeline follows the run, moves its view to the newest time.
  // While the run is paused and nothing is in flight, the view does not move, because there is nothing new to
  // see.
  void advance_view();
  // Call after drawing. If the frame needed blocks of rows that were not in memory, starts to load them from
  // the trace's file. When blocks have been loaded, poll() returns true.
  void frame_drawn();
  // Returns the data for the panels. Valid until the next poll() or apply().
  [[nodiscard]] PanelModel model();

  [[nodiscard]] const trace::Trace& trace() const { return screen_.trace(); }
  [[nodiscard]] TimelineState& timeline() { return screen_.timeline; }
  [[nodiscard]] std::optional<FileDialog>& dialog() { return files_.dialog(); }
  [[nodiscard]] Settings& settings() { return screen_.settings; }
  [[nodiscard]] const PanelSet& panels() const { return panels_; }
  [[nodiscard]] bool presentation() const { return viewing_.presentation(); }
  // A presentation uses a larger scale.
  [[nodiscard]] float effective_scale(float content_scale) const {
    return viewing_.effective_scale(content_scale);
  }
  // True if the window must now save a picture of itself: the user has requested the picture, and the file
  // dialog has closed.
  [[nodiscard]] bool picture_wanted() const { return !files_.picture_wanted().empty(); }
  [[nodiscard]] std::filesystem::path take_picture_wanted() { return files_.take_picture_wanted(); }
  void tell_saved(const std::filesystem::path& path, const Status& saved) { files_.tell_saved(path, saved); }
  // The language of the settings, or otherwise the environment's language.
  [[nodiscard]] Language wanted_language() const { return viewing_.wanted_language(); }
  // Sets the language of the window. If there is no font for the language, the window stays in English and
  // says so once.
  void speak(Language language, bool font_is_here) { viewing_.speak(language, font_is_here); }
  // Returns the text on the screen that is not from the trace: file names, errors, typed text.
  [[nodiscard]] std::vector<std::string_view> other_words() const;
  [[nodiscard]] bool quit_asked() const { return quit_; }
  // Ends the recording. Returns false while the parts of the recording are still being joined into one file.
  // Then call poll() until the joining has ended or is cancelled.
  [[nodiscard]] bool ready_to_close() { return recording_.ready_to_close(); }
  // The error of the recording that ended because the window was closed. After the window has closed, the
  // user can no longer read the error in the window, so the command prints the error.
  [[nodiscard]] const std::optional<Error>& closing_failure() const { return recording_.closing_failure(); }
  // True if a view is moving: the next frame will differ, even if no data arrives.
  [[nodiscard]] bool gliding() const { return screen_.timeline.glide || comparing_.gliding(); }
  [[nodiscard]] bool searching() const { return viewing_.searching(); }
  void set_searching(bool on) { viewing_.set_searching(on); }
  [[nodiscard]] const std::string& notice() const { return screen_.notice; }
  [[nodiscard]] const std::string& error() const { return screen_.error; }
  // True while another program writes the recording on the screen: then poll() must be called often.
  [[nodiscard]] bool following() const { return screen_.following(); }
  // True if a run goes on, or if another program writes the recording on the screen.
  [[nodiscard]] bool grows() const { return screen_.session->live() || following(); }
  // True if the run is paused and nothing is in flight.
  [[nodiscard]] bool stands_still() const { return screen_.stands_still(); }
  // True if no background work is pending and all figures match the trace on the screen.
  [[nodiscard]] bool idle() const;
  // The first failure of a request from the command line: the file could not be opened, or the run could not
  // be started.
  [[nodiscard]] const std::optional<Error>& first_failure() const { return screen_.first_failure; }
  [[nodiscard]] FrameTimes& frame_times() { return vitals_.frame_times(); }

 private:
  void on(const RunCommand& command) { running_.apply(command); }
  void on(const LessonCommand& command) { lessons_.apply(command); }
  void on(const FileCommand& command) { files_.apply(command); }
  void on(const SetControl& command) { followed_.apply(command); }
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
  void show_script();
  bool poll_panels();
  bool poll_forecasts();
  void show_panels_of_settings();
  // Copies into the settings which panels are shown. Adds an entry (0) for each size of a panel that has no
  // entry yet; the sizes themselves are copied by Stage::keep_sizes().
  void keep_panels();
  void remember();
  [[nodiscard]] MainTrace main_trace();

  const std::filesystem::path settings_file_;
  Screen screen_;
  Settings remembered_;
  Vitals vitals_{screen_};
  Measuring measuring_{screen_};
  Forecasts forecasts_{screen_};
  bool forecasts_wanted_ = true;
  PanelSet panels_{screen_.wake};
  Comparing comparing_{screen_.wake};
  Viewing viewing_{screen_};
  Recording recording_{screen_};
  Running running_;
  Lessons lessons_{screen_, running_};
  Followed followed_{screen_};
  Files files_{screen_, {viewing_, recording_, running_, lessons_, comparing_}};
  bool quit_ = false;
  std::string about_;  // options.about
};

}  // namespace runahead::gui
