// Recording: starts and ends a recording, and joins its parts if only its end is retained.
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
  // Records into `path`, within the limits of the settings. Fails while the last recording is being joined.
  void start(const std::filesystem::path& path);
  // Ends the current run and its recording. A new session begins, in which nothing runs.
  void begin_session();
  void wait_for_joining();
  // Takes the result when the parts have been joined. `shown`: the progress of joining is shown. Returns true
  // if there is something new to draw.
  bool poll_joining(bool shown);
  // If the end of the run has finished the file, shows the result of writing and returns true once.
  bool poll_end();
  void poll_bytes();

  // Ends the recording. Returns false while its parts are being joined.
  [[nodiscard]] bool ready_to_close();
  // The error of the recording that closing the window ended.
  [[nodiscard]] const std::optional<Error>& closing_failure() const { return closing_failure_; }
  // The job that joins the last recording, in parallel with other work; nullptr: none.
  [[nodiscard]] Job* joining() const { return joining_.get(); }
  [[nodiscard]] RecordingFacts facts() const;

 private:
  void on(const SetRetention& command);
  void on(const StopRecording& command);
  void end();  // shows the result, or joins the parts first
  // Shows the file's name and how much of the run it contains, or the error.
  void tell(const std::filesystem::path& path, const Status& ended);

  Screen& screen_;
  std::unique_ptr<Job> joining_;
  std::string joined_keeps_;  // how much of its run the last recording contains, in words
  bool was_recording_ = false, closing_ = false;
  std::optional<Error> closing_failure_;
  std::uint64_t bytes_ = 0;
};

}  // namespace runahead::gui
