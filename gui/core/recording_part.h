// Recording: starts and ends a recording. A recording that retains only its end consists of several part
// files. Recording joins these parts into one file.
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
  explicit Recording(Screen& screen) : screen_(screen) {}  // `screen` must outlive this object

  void apply(const RecordingCommand& command);
  // Records into `path`, within the limits of the settings. Fails while the parts of the previous recording
  // are being joined.
  void start(const std::filesystem::path& path);
  // Ends the current run and its recording. Begins a new session, in which nothing runs.
  void begin_session();
  void wait_for_joining();
  // Takes the result when the parts have been joined. `shown`: whether the progress of the joining is shown.
  // Returns true if there is something new to draw.
  bool poll_joining(bool shown);
  // When a run ends by itself, its recording is finished too. The next call of poll_end() then shows the
  // result of writing the file and returns true. Otherwise poll_end() returns false.
  bool poll_end();
  void poll_bytes();

  // Ends the recording. Returns false while the parts of the recording are being joined.
  [[nodiscard]] bool ready_to_close();
  // The error of the recording that ended because the window was closed.
  [[nodiscard]] const std::optional<Error>& closing_failure() const { return closing_failure_; }
  // Returns the job that joins the parts of the last recording while the user continues to work; nullptr:
  // none.
  [[nodiscard]] Job* joining() const { return joining_.get(); }
  [[nodiscard]] RecordingFacts facts() const;

 private:
  void on(const SetRetention& command);
  void on(const StopRecording& command);
  void end();  // ends the recording, joins its parts if it has any, shows the result
  // Shows the name of the file and how much of the run the file contains, or shows the error.
  void tell(const std::filesystem::path& path, const Status& ended);

  Screen& screen_;
  std::unique_ptr<Job> joining_;
  std::string joined_keeps_;  // in words: how much of the run the last recording contains
  bool was_recording_ = false, closing_ = false;
  std::optional<Error> closing_failure_;
  std::uint64_t bytes_ = 0;
};

}  // namespace runahead::gui
