// Files: the file dialog, opening and saving traces, pictures and tables.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/background/asker.h"
#include "gui/background/job.h"
#include "gui/core/comparing_part.h"
#include "gui/core/lessons_part.h"
#include "gui/core/recording_part.h"
#include "gui/core/running_part.h"
#include "gui/core/screen.h"
#include "gui/core/script_part.h"
#include "gui/core/viewing_part.h"
#include "gui/model/app_commands.h"
#include "gui/model/file_choice.h"
#include "gui/model/model.h"

namespace runahead::gui {

// The other parts of the window that change when a file is opened or a recording starts.
struct PartsOfFiles {
  Viewing& viewing;
  Recording& recording;
  Running& running;
  Lessons& lessons;
  Comparing& comparing;
};

// One thread (the window's) calls everything.
class Files {
 public:
  Files(Screen& screen, const PartsOfFiles& parts)  // all arguments must outlive this object
      : screen_(screen),
        viewing_(parts.viewing),
        recording_(parts.recording),
        running_(parts.running),
        lessons_(parts.lessons),
        comparing_(parts.comparing),
        script_(screen),
        programs_(find_programs(), screen.wake) {}

  void apply(const FileCommand& command);
  // Opens the files of the command line, on one timeline, and shows `range` of it first. REQUIRES: at least
  // one.
  void open_first(const std::vector<std::filesystem::path>& paths, const std::optional<TimeRange>& range);
  void stop_opening();
  // Takes the result of finished work. Returns true if there is something new to draw.
  bool poll();
  [[nodiscard]] bool busy() const { return job_ != nullptr; }
  // True once after a script that the user chose has begun (Script::take_new()).
  [[nodiscard]] bool take_new_script() { return script_.take_new(); }
  // Cancels the current work and waits for its thread to end.
  void give_up() { job_.reset(); }

  [[nodiscard]] std::optional<FileDialog>& dialog() { return dialog_; }
  // The file to which the window must now save a picture of itself: the user has chosen the file, and the
  // file dialog has closed. Empty: no picture is wanted.
  [[nodiscard]] const std::filesystem::path& picture_wanted() const { return picture_wanted_; }
  [[nodiscard]] std::filesystem::path take_picture_wanted() { return std::exchange(picture_wanted_, {}); }
  // Shows the result of writing a file: a notice with the name and size of the file, or the error.
  void tell_saved(const std::filesystem::path& path, const Status& saved);
  void add_words(std::vector<std::string_view>& words) const;
  [[nodiscard]] FileFacts facts() const;

 private:
  void on(const AskForFile& c);
  void on(const FileChosen& c) { chosen(c.purpose, c.path, c.more); }
  void on(const SaveTable& table);
  void on(const FilesDropped& c);
  void on(const ForgetRecent&) { screen_.settings.recent.clear(); }
  void on(const CloseDialog&) { dialog_.reset(); }
  void on(const ExportPage& c);
  void on(const ShowPage&);
  void on(const DismissPage&) { page_.reset(); }
  void on(const CancelJob& c);
  void on(const RestartScript&) { script_.start_again(); }
  void on(const StopScript&) { script_.stop(); }
  void open_dialog(FilePurpose purpose, std::string name);
  // Finding the programs that record may take seconds, if one of them is stopped.
  struct NoQuestion {};
  using ProgramFinder = Asker<NoQuestion, std::vector<RunningProgram>>;
  [[nodiscard]] static ProgramFinder::Work find_programs();
  [[nodiscard]] bool take_programs();
  void chosen(FilePurpose purpose, const std::filesystem::path& path,
              const std::vector<std::filesystem::path>& more = {});
  void open_together(const std::filesystem::path& path, const std::vector<std::filesystem::path>& more);
  void tell_exported(const Job& job);
  void run_script(const std::filesystem::path& path);
  void note_recent(const std::filesystem::path& path);
  // Opens a recording that another program is writing. Returns false if the file is no such recording.
  [[nodiscard]] bool follow(const std::filesystem::path& path);
  // Opens the recording of the script as soon as it has begun. Returns true if there is something new to
  // draw.
  bool poll_script();
  void show_recorded();
  // The long work whose progress the window shows: opening or saving a file, or joining the parts of a
  // recording. nullptr: none.
  [[nodiscard]] Job* shown_job() const { return job_ ? job_.get() : recording_.joining(); }

  Screen& screen_;
  Viewing& viewing_;
  Recording& recording_;
  Running& running_;
  Lessons& lessons_;
  Comparing& comparing_;
  Script script_;
  std::unique_ptr<Job> job_;
  std::optional<FileDialog> dialog_;
  std::filesystem::path picture_wanted_;
  TableRows table_to_save_;        // kept until the user has chosen a file name
  std::optional<PageFacts> page_;  // what was exported last
  std::optional<TimeRange> first_range_;
  bool first_file_ = false, job_for_comparison_ = false;
  bool joined_ = false;     // the opened trace was joined from several files: it has no file of its own
  ProgramFinder programs_;  // last: its thread ends while the other members exist
};

}  // namespace runahead::gui
