// What the command line asks of the window.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "gui/text/language.h"
#include "instrumentation/base/time.h"
#include "instrumentation/record/files/record_request.h"
#include "samples/runner.h"

namespace runahead::gui {

struct WindowSize {
  int width_px = 1280, height_px = 720;
};

// What was asked for on the command line. What is not set is as the person left it (settings), else the
// default.
struct GuiOptions {
  std::optional<std::filesystem::path> file;  // opened at the start; wins over `run`
  std::optional<samples::RunConfig> run;  // chosen in the toolbar; nullopt: the last, else training_memory
  int exercise = 0;                       // that `run` is of; 0: none
  bool workers_asked = false;  // the number of workers of `run` is for whatever runs, not its workload's own
  bool autostart = false;      // starts it at once
  std::optional<Duration> duration;  // closes after that long
  std::optional<std::filesystem::path>
      screenshot;  // PNG, written just before closing; without `duration`: as soon as
                   // the file is drawn (or the run has drawn for a second), then closes
  std::optional<WindowSize> size;
  std::optional<float> scale;  // of the interface, 1.0 to 2.5
  std::optional<bool> light;   // theme
  std::optional<Language> language;
  std::optional<TimeRange> range;  // shown at the start, instead of everything
  std::optional<std::filesystem::path>
      report;  // JSON of the window's state, rewritten at each change: for tests
  std::optional<std::size_t>
      retain_bytes;      // of a live trace, 1 GiB without it; what is older is let go and counted
  bool remember = true;  // read and write the settings file
  std::optional<record::RecordRequest> record;  // the first run, from its first event
};

}  // namespace runahead::gui
