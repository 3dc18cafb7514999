#include "gui/cli/window_commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "gui/cli/out_of_memory.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/words.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/record/files/record_request.h"
#include "samples/lessons/exercise.h"

namespace runahead::gui {
namespace {

constexpr const char* kNoWindow =
    "this build has no window: install libimgui-dev, libglfw3-dev and libgl-dev and build again (scripts/run "
    "does "
    "both); `runahead run` needs none";

struct WindowCommand {
  std::vector<std::string> files;
  std::string screenshot, report, duration, size, range, keep, language;
  RunWords words;
  float scale = 0;  // 0: from the settings
  bool autostart = false, light = false, dark = false, no_settings = false, no_forecasts = false;
};

// True if the run lasts until the user stops it. With --set steps=N the run ends after N steps. Otherwise the
// exercise decides whether the run ends by itself; without an exercise, the workload decides.
bool runs_until_stopped(const RunWords& words, const std::string& workload) {
  for (const std::string& setting : words.settings) {
    if (setting.starts_with("steps=")) return false;
  }
  const samples::Exercise* exercise = samples::find_exercise(words.exercise);
  if (exercise != nullptr) return exercise->endless;
  const samples::WorkloadSpec* spec = samples::find_workload(workload);
  return spec == nullptr || !spec->measures_at_end;
}

// Parses all options of `command`. An error means that the user gave a wrong option (a usage error).
Result<WindowRequest> window_request(const WindowCommand& command) {
  WindowRequest request;
  request.files.assign(command.files.begin(), command.files.end());
  if (command.words.any() || (command.autostart && command.files.empty())) {
    Result<samples::RunConfig> config = run_config(command.words);
    if (!config) return config.error();
    config->endless = runs_until_stopped(command.words, config->workload);
    request.exercise = command.words.exercise;
    request.workers_asked = command.words.workers.has_value();
    request.run = std::move(*config);
  }
  if (!request.files.empty() && request.run) {
    return Error{"a file to open and a workload to run were both given: leave one of them out"};
  }
  if (!command.duration.empty()) {
    const Result<Duration> duration = parse_duration(command.duration);
    if (!duration) return duration.error();
    request.duration = *duration;
  }
  if (!command.size.empty()) {
    const Result<PixelSize> size = parse_pixel_size(command.size);
    if (!size) return size.error();
    request.size = *size;
  }
  if (!command.range.empty()) {
    const Result<TimeRange> range = parse_range(command.range);
    if (!range) return range.error();
    request.range = *range;
  }
  if (!command.keep.empty()) {
    const std::optional<std::int64_t> keep = parse_positive_bytes(command.keep);
    if (!keep) return Error{"--keep '" + command.keep + "': not a number of bytes above 0, such as 256M"};
    request.retain_bytes = static_cast<std::size_t>(*keep);
  }
  if (!command.screenshot.empty()) request.screenshot = command.screenshot;
  if (!command.report.empty()) request.report = command.report;
  if (command.scale > 0) request.scale = command.scale;
  request.language = language_of_code(command.language);
  if (command.light || command.dark) request.light = command.light;
  request.autostart = command.autostart;
  request.remember = !command.no_settings;
  request.forecasts = !command.no_forecasts;
  return request;
}

Outcome open_window(const WindowEntry& window, const WindowCommand& command) {
  advise_out_of_memory("run with smaller sizes, open a shorter trace");
  Result<WindowRequest> request = window_request(command);
  if (!request) return wrong_words(request.error());
  if (const Status possible = check_window(window); !possible) return refused(possible.error());
  record::decline_injection();
  const Result<std::optional<record::RecordRequest>> asked = record::take_record_request();
  if (!asked) return wrong_words(asked.error());
  request->record = *asked;
  const Result<int> closed = window.open(*request);
  if (!closed) return refused(closed.error());
  return {*closed, ""};
}

struct PictureCommand {
  std::string file, png, size, range, language;
  float scale = 1;
  bool light = false;
};

void add_language_word(CLI::App& command, std::string& code) {
  std::set<std::string> codes;
  for (const Language language : kLanguages) codes.insert(language_code(language));
  command
      .add_option("--language", code, "Language: en, zh or ja; default: from the settings, else the locale")
      ->check(CLI::IsMember(codes));
}

Outcome draw_picture(const WindowEntry& window, const PictureCommand& command) {
  PictureRequest request;
  request.file = command.file;
  request.png = command.png;
  request.scale = command.scale;
  request.light = command.light;
  request.language = language_of_code(command.language);
  if (!command.size.empty()) {
    const Result<PixelSize> size = parse_pixel_size(command.size);
    if (!size) return wrong_words(size.error());
    request.size = *size;
  }
  if (!command.range.empty()) {
    const Result<TimeRange> range = parse_range(command.range);
    if (!range) return wrong_words(range.error());
    request.range = *range;
  }
  if (!window.draw_picture) return refused(kNoWindow);
  const Status drawn = window.draw_picture(request);
  return drawn ? success() : refused(drawn.error());
}

}  // namespace

Status check_window(const WindowEntry& window) {
  if (!window.open) return Error{kNoWindow};
  return Ok{};
}

Outcome open_window_on(const WindowEntry& window, const std::filesystem::path& file,
                       std::optional<Duration> duration,
                       std::function<std::optional<std::filesystem::path>()> next_file) {
  advise_out_of_memory("open a shorter trace");
  record::decline_injection();
  WindowRequest request;
  request.files = {file};
  request.duration = duration;
  request.next_file = std::move(next_file);
  const Result<int> closed = window.open(request);
  return closed ? Outcome{*closed, ""} : refused(closed.error());
}

void add_gui_command(CLI::App& app, const WindowEntry& window, Action& chosen) {
  CLI::App* command = app.add_subcommand("gui", "Open the window (the default command)");
  auto words = std::make_shared<WindowCommand>();
  command->add_option(
      "files", words->files,
      "A trace to open; several traces are shown on one timeline. Or a Python script to run and watch");
  command->add_option("--workload", words->words.workload, "The workload chosen at the start");
  add_run_words(*command, words->words);
  command->add_flag("--autostart", words->autostart, "Start it at once");
  command->add_option("--duration", words->duration, "Close after this time, in seconds (or 500ms, 2s)");
  command->add_option("--screenshot", words->screenshot, "Write a PNG of the window before closing");
  command->add_option("--size", words->size, "WIDTHxHEIGHT of the window");
  command->add_option("--scale", words->scale, "Scale of the interface, 1 to 2.5")
      ->check(number_between(1, 2.5));
  CLI::Option* light = command->add_flag("--light", words->light, "Light theme");
  command->add_flag("--dark", words->dark, "Dark theme")->excludes(light);
  add_language_word(*command, words->language);
  command->add_option("--range", words->range, "FROM..TO, shown at the start: 1.5s..2s");
  command->add_option(
      "--keep", words->keep,
      "Memory limit of the live trace (default 1 GiB; the oldest rows are evicted), and of the loaded "
      "part of a recording (default 256 MiB), such as 512M");
  command->add_option("--report", words->report, "Write the window's state to a JSON file, for tests");
  command->add_flag("--no-settings", words->no_settings, "Neither read nor write the settings file");
  command->add_flag("--no-forecasts", words->no_forecasts,
                    "Do not predict what a run would do with the other barriers");
  command->callback(
      [words, &window, &chosen] { chosen = [words, &window] { return open_window(window, *words); }; });
}

void add_screenshot_command(CLI::App& app, const WindowEntry& window, Action& chosen) {
  CLI::App* command = app.add_subcommand("screenshot", "Draw a trace as the window shows it, into a PNG");
  auto words = std::make_shared<PictureCommand>();
  command->add_option("file", words->file, "A trace")->required();
  command->add_option("-o,--output", words->png, "The PNG to write")->required();
  command->add_option("--size", words->size, "WIDTHxHEIGHT; default: 1920x1080");
  command->add_option("--range", words->range, "FROM..TO, such as 1.5s..2s");
  add_language_word(*command, words->language);
  command->add_option("--scale", words->scale, "Scale of the interface, 1 to 2.5")
      ->check(number_between(1, 2.5));
  command->add_flag("--light", words->light, "Light theme");
  command->callback(
      [words, &window, &chosen] { chosen = [words, &window] { return draw_picture(window, *words); }; });
}

}  // namespace runahead::gui
