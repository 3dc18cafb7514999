// Recording into a file: begun, ended, and put together from its parts where it kept the end alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "gui/background/job.h"
#include "gui/core/screen.h"
#include "gui/model/app_commands.h"
#include "gui/model/model.h"

namespace runahead::gui {

// One thread (the window's) calls everything.
class Recording {
 public:
  explicit Recording(Screen& screen) : screen_(screen) {}  // must outlive this

  void apply(const RecordingCommand& command);
  // Into `path`, as much as the settings say. Refused with an error while the last one is being joined.
  void start(const std::filesystem::path& path);
  // What runs ends, and what it recorded: a new session, in which nothing runs.
  void begin_session();
  void wait_for_joining();
  // Takes joined parts. `shown`: the progress of joining is; true if there is something new to draw.
  bool poll_joining(bool shown);
  // True: the run's end has ended the file, and whether all of it was written has been told.
  bool poll_end();
  void poll_bytes();

  // Ends what is being recorded; false while its parts are being joined.
  [[nodiscard]] bool ready_to_close();
  // Why the recording that closing has ended is not where it was asked for.
  [[nodiscard]] const std::optional<Error>& closing_failure() const { return closing_failure_; }
  // Of the last recording, beside any other work; nullptr: none is being joined.
  [[nodiscard]] Job* joining() const { return joining_.get(); }
  [[nodiscard]] RecordingFacts facts() const;

 private:
  void on(const SetRetention& command);
  void on(const StopRecording& command);
  void end();  // tells of it, or joins its parts first
  // The file's name and how much of the recording it has, or what went wrong with it.
  void tell(const std::filesystem::path& path, const Status& ended);

  Screen& screen_;
  std::unique_ptr<Job> joining_;
  std::string joined_keeps_;  // how much of it the last recording has, in words
  bool was_recording_ = false, closing_ = false;
  std::optional<Error> closing_failure_;
  std::uint64_t bytes_ = 0;
};

}  // namespace runahead::gui
