// Options of the window from the command line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/text/language.h"
#include "instrumentation/base/time.h"
#include "instrumentation/record/files/record_request.h"
#include "samples/runner.h"

namespace runahead::gui {

struct WindowSize {
  int width_px = 1280, height_px = 720;
};

// If an option is not set, the value from the settings file is used. If the file has no such value, the
// option's default is used.
struct GuiOptions {
  // opened at the start, on one timeline; if there are any, `run` is not used at the start
  std::vector<std::filesystem::path> files;
  std::function<std::optional<std::filesystem::path>()> next_file;  // asked in each frame; may be empty
  // The run that is selected in the toolbar at the start; nullopt: the workload and device from the settings.
  std::optional<samples::RunConfig> run;
  int exercise = 0;                  // the number of the exercise that `run` belongs to; 0: none
  bool workers_asked = false;        // true: the worker count of `run` also applies to later runs
  bool autostart = false;            // starts the run immediately
  std::optional<Duration> duration;  // the window closes after this time
  std::optional<std::filesystem::path>
      screenshot;  // PNG, written just before closing. Without `duration` the window draws the file (or the
                   // run for a second), writes the PNG and closes
  std::optional<WindowSize> size;
  std::optional<float> scale;  // scale of the interface, 1.0 to 2.5
  std::optional<bool> light;   // theme
  std::optional<Language> language;
  std::optional<TimeRange> range;  // time range shown at the start; nullopt: the whole trace
  std::optional<std::filesystem::path>
      report;                               // JSON of the window's state, rewritten at each change: for tests
  std::optional<std::size_t> retain_bytes;  // memory limit of a live trace in bytes (default 1 GiB); older
                                            // rows are evicted and counted
  bool remember = true;                     // read and write the settings file
  bool forecasts = true;                    // predict what a run would do with other barriers
  std::string about;  // the version and the build of the program, in lines: the panel About shows it
  std::optional<record::RecordRequest> record;  // records the first run from its first event on
};

}  // namespace runahead::gui
