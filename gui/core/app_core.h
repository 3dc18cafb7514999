// The window's whole state, and what happens to it: one session, one trace on the screen, what is chosen,
// what is set. No ImGui, no OpenGL: a test drives it without a window. Panels and timeline see it through
// model() and change it only by commands, applied between frames.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/background/block_loader.h"
#include "gui/background/job.h"
#include "gui/core/comparing.h"
#include "gui/core/figures.h"
#include "gui/core/frame_times.h"
#include "gui/core/lesson_book.h"
#include "gui/core/options.h"
#include "gui/core/settings.h"
#include "gui/model/commands.h"
#include "gui/model/file_choice.h"
#include "gui/model/model.h"
#include "gui/panels/registry.h"
#include "gui/session/session.h"

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

  [[nodiscard]] const trace::Trace& trace() const { return opened_ ? *opened_ : session_->trace(); }
  [[nodiscard]] TimelineState& timeline() { return timeline_; }
  [[nodiscard]] std::optional<FileDialog>& dialog() { return dialog_; }
  [[nodiscard]] Settings& settings() { return settings_; }
  [[nodiscard]] const PanelSet& panels() const { return panels_; }
  [[nodiscard]] float effective_scale(float content_scale) const;  // in a presentation everything is larger
  // Where a picture of the window is to go, when one was asked for and the dialog has closed.
  [[nodiscard]] bool picture_wanted() const { return !picture_wanted_.empty(); }
  [[nodiscard]] std::filesystem::path take_picture_wanted() { return std::exchange(picture_wanted_, {}); }
  // How the writing of a file went: its name and size as a notice, or the error.
  void tell_saved(const std::filesystem::path& path, const Status& saved);
  // As set, else as the environment says.
  [[nodiscard]] Language wanted_language() const;
  // That of the words on the screen from now on: what is wanted, or English where there is no font for it,
  // which is told once.
  void speak(Language language, bool font_is_here);
  // What is on the screen and is no data of the trace: files, errors, what was typed or asked to be shown.
  [[nodiscard]] std::vector<std::string_view> other_words() const;
  [[nodiscard]] bool quit_asked() const { return quit_; }
  // Ends what is being recorded; false while its parts are being joined: poll() until that is done, or
  // cancelled.
  [[nodiscard]] bool ready_to_close();
  // Why the recording that closing has ended is not where it was asked for: the window is gone before anyone
  // could read it there.
  [[nodiscard]] const std::optional<Error>& closing_failure() const { return closing_failure_; }
  // A view is on its way: the next frame shows another one, whether or not anything comes.
  [[nodiscard]] bool gliding() const { return timeline_.glide || comparing_.gliding(); }
  [[nodiscard]] bool searching() const { return searching_; }
  void set_searching(bool on) { searching_ = on; }
  [[nodiscard]] const std::string& notice() const { return notice_; }
  [[nodiscard]] const std::string& error() const { return error_; }
  // Nothing is on its way: no long work, and the figures of the strip are those of the trace on the screen.
  [[nodiscard]] bool settled() const;
  // The file of the command line could not be opened, or its run not started.
  [[nodiscard]] const std::optional<Error>& first_failure() const { return first_failure_; }
  [[nodiscard]] FrameTimes& frame_times() { return frame_times_; }

 private:
  // run.cpp
  void start(bool paused);
  void choose_workload(const std::string& name);
  void choose_exercise(int number);  // of a number that is none: nothing changes
  void note_run();                   // takes the ended run's report, to be compared with published figures
  // Of the chosen workload: those of its ended runs; none, if it has none.
  [[nodiscard]] std::span<const samples::RunReport> ended_runs() const;
  void add_results(PanelModel& model) const;  // published figures and results
  void set_barrier(const engine::BarrierPolicy& policy);
  void step();
  [[nodiscard]] std::optional<RunFacts> run_facts();
  [[nodiscard]] const samples::WorkloadSpec* chosen_workload() const;
  // lessons.cpp
  [[nodiscard]] const samples::Lesson* chosen_lesson()
      const;  // nullptr: an exercise is chosen, or no workload
  void turn_to(LessonStage stage);
  void run_part(const std::string& id);
  void note_lesson(const samples::RunReport& report);  // of a run that came to its end
  void note_lesson_facts();  // for the captures to come, and this one if it is the lesson's
  void poll_lesson();        // takes from the strip what a toggled lesson asks for
  [[nodiscard]] std::string workload_on_screen() const;
  [[nodiscard]] LessonFacts lesson_facts_of_screen();
  void reset_class();
  // files.cpp
  void ask_for_file(FilePurpose purpose);
  void open_dialog(FilePurpose purpose, std::string name);
  void ask_where_to_save(const SaveTable& table);
  void file_chosen(FilePurpose purpose, const std::filesystem::path& path);
  void note_recent(const std::filesystem::path& path);
  void stop_recording();
  void begin_session();    // ends the one before, and what it recorded
  void recording_ended();  // tells of it, or joins its parts first
  // The file's name and how much of the recording it has, or what went wrong with it.
  void tell_recorded(const std::filesystem::path& path, const Status& ended);
  [[nodiscard]] SessionOptions session_options() const;
  void choose_as_recorded();
  bool poll_job();
  bool poll_joining();
  // app_core.cpp
  void toggle(PanelModule& panel);
  void show_panels_of_settings();
  // Every panel and size has its place in the settings.
  void keep_panels();
  // Paused, and nothing in flight.
  [[nodiscard]] bool stands_still() const;
  void new_trace();  // the figures so far are of another one
  bool poll_figures();
  bool poll_panels();
  [[nodiscard]] MainTrace main_trace();
  // The other recording of a comparison and the trace on the screen share what --keep says: half each where
  // both are files; beside a live trace the other one takes half of what a file may, and the live one less.
  void share_memory();
  void poll_rates();
  void show_opened(std::optional<TimeRange> range);
  void take_choices_of_settings();  // colours, and tracks, for those that the trace has by now
  void show_whole();                // of the trace, and follows no longer
  void show_slices();               // ... from the first slice to the last: counters may go on long after
  void fail(const std::string& message) { error_ = message; }
  void remember();
  [[nodiscard]] DebugFacts debug_facts() const;

  template <typename T>
  void on(const T& command);  // the commands, one overload each, in commands.cpp

  const std::function<void()> wake_;
  Settings settings_, remembered_;
  const std::filesystem::path settings_file_;
  const Language environment_language_ = language_of_environment();

  std::size_t keep_bytes_ = SessionOptions{}.keep_bytes;
  // Checking 64 MiB takes a tenth of a second; what is larger opens at once, and its damage is told when it
  // is seen.
  trace::io::OpenOptions open_options_{.check_bytes = std::uint64_t{64} << 20};
  std::unique_ptr<Session> session_;
  std::optional<trace::Trace> opened_;  // a file on the screen, in place of the session's trace
  std::filesystem::path opened_path_;
  std::unique_ptr<BlockLoader> loader_;  // of a file whose rows are not all in memory
  std::unique_ptr<Job> job_;
  std::unique_ptr<Job> joining_;  // of the last recording; beside any other work
  std::string joined_keeps_;      // how much of it that has, in words
  Figures figures_;
  std::optional<FiguresAnswer> answer_;
  PanelSet panels_;
  Comparing comparing_;
  std::uint64_t answered_version_ = 0, asked_version_ = 0;
  SharedChoices choices_{settings_.tracks};
  SharedChoices::Taken choices_taken_;
  std::uint64_t trace_serial_ = 1, asked_serial_ = 0;  // grows with each new trace on the screen
  std::optional<TimeRange> asked_range_;
  std::chrono::steady_clock::time_point figures_due_{};

  std::vector<engine::DeviceEntry> devices_;
  samples::RunConfig choice_, started_;
  engine::EngineOptions usual_engine_;       // as the command line said; an exercise may have another
  int exercise_ = 0, started_exercise_ = 0;  // 0: none
  // Reports of runs of one workload with one set of parameters that took all their steps under one barrier:
  // the newest last. Beside them published figures are shown.
  std::vector<samples::RunReport> ended_runs_;
  bool barrier_changed_ = false, run_noted_ = true;
  LessonBook lessons_;
  std::optional<RecordedLesson> recorded_lesson_;  // that the recording on the screen was made in
  TimelineState timeline_;
  std::optional<FileDialog> dialog_;
  std::filesystem::path picture_wanted_;
  TableRows table_to_save_;  // once its name is known
  std::optional<TimeRange> first_range_;
  std::optional<Error> first_failure_;
  bool closing_ = false;
  std::optional<Error> closing_failure_;
  bool first_file_ = false, job_for_comparison_ = false;

  std::string error_, notice_;
  std::string shown_characters_;  // by ShowCharacters
  bool language_refused_ = false, wide_font_ = true;
  bool presentation_ = false, quit_ = false, searching_ = false, was_recording_ = false, was_failed_ = false;

  FrameTimes frame_times_;
  std::chrono::steady_clock::time_point view_advanced_{};
  double events_per_s_ = 0;
  std::uint64_t events_before_ = 0, recording_bytes_ = 0;
  std::chrono::steady_clock::time_point rates_at_{};
};

}  // namespace runahead::gui
