// The command line: `runahead
// [gui|list|devices|run|info|stats|compare|query|export|convert|record|screenshot] ...`. No ImGui; the window
// is reached by the two functions of WindowEntry, which main() fills in where the window is built.
//
// Exit codes: 0 success; 2 the words are wrong; 1 the world refused; 128 + n when signal n interrupted a run.
// A failure is one line on stderr and nothing on stdout; --json prints one object on stdout and nothing else.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "gui/text/language.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/record/files/record_request.h"
#include "samples/runner.h"

namespace runahead::gui {

struct PixelSize {
  int width_px = 0, height_px = 0;
};

// What `runahead gui` was asked for; what is not set is as the person left it.
struct WindowRequest {
  std::optional<std::filesystem::path> file;
  std::optional<samples::RunConfig> run;
  int exercise = 0;  // that `run` is of; 0: none
  // Its number of workers was asked for, and is not the workload's own.
  bool workers_asked = false;
  bool autostart = false;
  std::optional<Duration> duration;                 // closes after that long
  std::optional<std::filesystem::path> screenshot;  // PNG, written before closing
  std::optional<PixelSize> size;
  std::optional<float> scale;
  std::optional<bool> light;
  std::optional<Language> language;
  std::optional<TimeRange> range;
  std::optional<std::filesystem::path> report;  // JSON of the window's state, for tests
  std::optional<std::size_t> retain_bytes;      // of a live trace; what is older is let go and counted
  std::optional<record::RecordRequest> record;  // of its first run
  bool remember = true;
};

struct PictureRequest {
  std::filesystem::path file, png;
  PixelSize size{1920, 1080};
  std::optional<TimeRange> range;
  float scale = 1.0f;
  bool light = false;
  std::optional<Language> language;
};

// Empty functions: this build has no window.
struct WindowEntry {
  std::function<Result<int>(const WindowRequest&)> open;      // returns when it closes
  std::function<Status(const PictureRequest&)> draw_picture;  // off screen
};

// Runs the command that the words name, writes its output and returns the exit code. Ignores SIGPIPE from
// here on: a reader that goes away ends the output quietly.
[[nodiscard]] int run_command_line(int argc, char** argv, const WindowEntry& window);

}  // namespace runahead::gui
