// The options that describe a run; both `run` and `gui` have these options. This file also has the functions
// that check or parse option values of several commands, such as durations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/cli/cli.h"
#include "instrumentation/base/result.h"
#include "samples/runner.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace runahead::gui {

// RunWords holds the options of a run as the user typed them. run_config() turns them into a RunConfig.
struct RunWords {
  int exercise = 0;  // 0: no exercise; other options override the exercise's settings
  std::string workload;
  std::vector<std::string> devices;
  std::string barrier;  // empty: the exercise's barrier; without an exercise, no barrier
  std::string engine = "threaded";
  // Engine options; nullopt: the exercise's value; without an exercise, the default.
  std::optional<int> workers, copy_workers, blas_threads, bulk;
  std::optional<double> spin_us;
  bool waiter_helps = false;
  std::vector<std::string> limits;  // ops:N, bytes:N: the safety limit
  std::string capacity;             // memory capacity of each device; empty: the device's default
  std::string allocation = "enqueue";
  std::string order = "fifo";
  std::vector<std::string> settings;  // key=value

  // True if an option was given; for --engine, --alloc and --order: with another value than the default.
  [[nodiscard]] bool any() const;
};

// Declares the options of a run, from --exercise to --set. The caller declares the workload itself, because
// `run` takes it without an option name and `gui` as --workload.
void add_run_words(CLI::App& app, RunWords& words);

// The limits of a recording, as typed: the size or the time of each file, or how much of the recording's end
// is kept.
struct LimitWords {
  std::string rotate, keep_last;
};
// Declares --rotate and --keep-last.
void add_limit_words(CLI::App& app, LimitWords& words);

// Checks everything that can be checked without starting the run: workload, barrier, parameters.
[[nodiscard]] Result<samples::RunConfig> run_config(const RunWords& words);

// Accepts a whole number from `least` to `most`: decimal digits, no blanks.
[[nodiscard]] CLI::Validator whole_number_between(int least, int most);
// Accepts a number from `least` to `most`. Refuses "nan", which CLI11's own check accepts.
[[nodiscard]] CLI::Validator number_between(double least, double most);

// Parses "1920x1080"; each number is from 64 to 16384.
[[nodiscard]] Result<PixelSize> parse_pixel_size(std::string_view text);
// Parses "250ms", "1.5s", "40us", "7ns"; a number without a unit is in seconds. Negative values are refused.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);
// Parses "1.5s..2s". Times count from the start of the trace. An empty range is refused.
[[nodiscard]] Result<TimeRange> parse_range(std::string_view text);

}  // namespace runahead::gui
