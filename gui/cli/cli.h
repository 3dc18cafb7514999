// The command line: `runahead
// [gui|list|devices|run|info|stats|compare|query|export|serve|convert|record|live|attach|control|screenshot]
// ...`. No ImGui. The command line uses the window only through the two functions of WindowEntry. main() sets
// these functions if the window is built.
//
// Exit codes: 0 success; 2 usage error; 1 other failure (file, device, memory, display); 128 + n if signal n
// interrupted a run. `record` and `live` return the exit code of their program. A failure is one line on
// stderr and nothing on stdout; only `query` may fail after it has printed rows. --json prints one object on
// stdout and nothing else.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gui/text/language.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/record/files/record_request.h"
#include "samples/runner.h"

namespace runahead::gui {

struct PixelSize {
  int width_px = 0, height_px = 0;
};

// The options of `runahead gui`. Options that are not set come from the settings.
struct WindowRequest {
  std::vector<std::filesystem::path> files;                         // opened on one timeline
  std::function<std::optional<std::filesystem::path>()> next_file;  // asked in each frame; may be empty
  std::optional<samples::RunConfig> run;
  int exercise = 0;  // the number of the exercise that `run` belongs to; 0: none
  // True if the worker count was given on the command line; it then replaces the workload's worker count.
  bool workers_asked = false;
  bool autostart = false;
  std::optional<Duration> duration;                 // the window closes after this time
  std::optional<std::filesystem::path> screenshot;  // PNG, written before closing
  std::optional<PixelSize> size;
  std::optional<float> scale;
  std::optional<bool> light;
  std::optional<Language> language;
  std::optional<TimeRange> range;
  std::optional<std::filesystem::path> report;  // JSON of the window's state, for tests
  // memory limit of a live trace in bytes; if it is reached, the oldest rows are evicted and counted as
  // losses
  std::optional<std::size_t> retain_bytes;
  std::optional<record::RecordRequest> record;  // recording of the window's first run
  bool remember = true;
  bool forecasts = true;  // predict what a run would do with other barriers
};

struct PictureRequest {
  std::filesystem::path file, png;
  PixelSize size{1920, 1080};
  std::optional<TimeRange> range;
  float scale = 1.0f;
  bool light = false;
  std::optional<Language> language;
};

// A WindowEntry with empty functions means that this build has no window.
struct WindowEntry {
  std::function<Result<int>(const WindowRequest&)> open;      // returns when the window closes
  std::function<Status(const PictureRequest&)> draw_picture;  // off screen
};

// Returns the text of `runahead --version`. `commit`: the git commit that the program was built from; empty:
// not known.
[[nodiscard]] std::string about_text(std::string_view commit);

// Runs the command, writes its output and returns the exit code. From this call on, SIGPIPE is ignored: if
// the reader of a pipe closes the pipe, the output ends without an error.
// `commit`: as for about_text().
[[nodiscard]] int run_command_line(int argc, char** argv, const WindowEntry& window,
                                   std::string_view commit = {});

}  // namespace runahead::gui
