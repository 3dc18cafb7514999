#include "gui/cli/words.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "instrumentation/base/barrier.h"
#include "instrumentation/base/parse_number.h"
#include "samples/lessons/exercise.h"
#include "samples/workload.h"

namespace runahead::gui {
namespace {

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

Error unknown_workload(std::string_view name) {
  std::string known;
  for (const samples::WorkloadSpec* spec : samples::list_workloads())
    known += (known.empty() ? "" : ", ") + spec->name;
  return Error{"unknown workload " + in_quotes(name) + ": there are " + known};
}

Error unknown_exercise(int number) {
  return Error{"unknown exercise " + std::to_string(number) + ": there are 1 to " +
               std::to_string(samples::list_exercises().back().number)};
}

// Returns the settings of the exercise. Without an exercise, returns the defaults, with the workload's worker
// count.
Result<samples::RunConfig> first_config(const RunWords& words) {
  if (words.exercise == 0) {
    samples::RunConfig config;
    const samples::WorkloadSpec* const spec = samples::find_workload(words.workload);
    if (spec != nullptr) config.engine.cpu_workers = spec->cpu_workers;
    return config;
  }
  const samples::Exercise* exercise = samples::find_exercise(words.exercise);
  if (exercise == nullptr) return unknown_exercise(words.exercise);
  if (!words.workload.empty() && words.workload != exercise->workload) {
    return Error{"exercise " + std::to_string(words.exercise) + " runs " + exercise->workload + ", not " +
                 words.workload + ": leave the workload out"};
  }
  return samples::config_of(*exercise);
}

void take_engine_words(const RunWords& words, engine::EngineOptions& out) {
  using namespace engine;
  out.kind = words.engine == "naive" ? EngineKind::kNaive : EngineKind::kThreaded;
  out.order = words.order == "oldest" ? ReadyOrder::kOldest : ReadyOrder::kFifo;
  out.allocation = words.allocation == "execute" ? AllocationTime::kAtExecution : AllocationTime::kAtEnqueue;
  if (words.workers) out.cpu_workers = *words.workers;
  if (words.copy_workers) out.cpu_copy_workers = *words.copy_workers;
  if (words.bulk) out.bulk = *words.bulk;
  if (words.spin_us) out.spin = Duration{static_cast<std::int64_t>(*words.spin_us * 1000)};
  out.waiter_helps = words.waiter_helps;
}

// Reads the safety limit and the memory capacity of the devices from `words` into `out`.
Status take_memory_words(const RunWords& words, engine::EngineOptions& out) {
  for (const std::string& text : words.limits) {
    const Result<BarrierPolicy> limit = parse_barrier(text);
    if (limit && limit->kind == BarrierKind::kOps) {
      out.limit_ops = limit->k;
    } else if (limit && limit->kind == BarrierKind::kBytes) {
      out.limit_bytes = limit->k;
    } else {
      return Error{"--limit " + in_quotes(text) + ": not ops:N or bytes:N, such as ops:5000 or bytes:256M"};
    }
  }
  if (words.capacity.empty()) return Ok{};
  const std::optional<std::int64_t> bytes = parse_positive_bytes(words.capacity);
  if (!bytes) return Error{"--capacity " + in_quotes(words.capacity) + ": no size above 0, such as 64M"};
  out.capacity_bytes = static_cast<std::size_t>(*bytes);
  return Ok{};
}

// Splits key=value. The key "size" has its own field in `out`.
Status take_settings(const std::vector<std::string>& settings, samples::RunConfig& out) {
  for (const std::string& text : settings) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{"--set " + in_quotes(text) + ": not of the form key=value, such as steps=50"};
    }
    const std::string key = text.substr(0, equals), value = text.substr(equals + 1);
    if (key == "size" && value != "class" && value != "published") {
      return Error{"--set size=" + value + ": there are class and published"};
    }
    if (key == "size") out.size = value;
    if (key != "size") out.settings[key] = value;
  }
  return Ok{};
}

std::string format_number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

bool RunWords::any() const {
  return exercise != 0 || !workload.empty() || !devices.empty() || !barrier.empty() || engine != "threaded" ||
         workers || copy_workers || blas_threads || bulk || spin_us || waiter_helps || !limits.empty() ||
         !capacity.empty() || allocation != "enqueue" || order != "fifo" || !settings.empty();
}

static void add_thread_words(CLI::App& app, RunWords& words) {
  app.add_option("--workers", words.workers, "Worker threads of device cpu")
      ->check(whole_number_between(1, 256));
  app.add_option("--copy-workers", words.copy_workers,
                 "Extra threads of device cpu for copies only; with 0 the workers copy")
      ->check(whole_number_between(0, 256));
  app.add_option("--blas-threads", words.blas_threads, "Threads that one matrix product may use")
      ->check(whole_number_between(1, 256));
  app.add_option("--spin", words.spin_us,
                 "Microseconds that an idle or waiting thread spins before it sleeps")
      ->check(number_between(0, 1e6));
  app.add_option("--bulk", words.bulk, "Enqueue up to this many ops as one, and run them one after the other")
      ->check(whole_number_between(0, 100'000));
  app.add_flag("--waiter-helps", words.waiter_helps, "A waiting frontend runs ready ops of device cpu");
}

static void add_memory_words(CLI::App& app, RunWords& words) {
  const engine::EngineOptions usual;
  app.add_option("--limit", words.limits,
                 "Safety limit, with any barrier: the frontend must wait while more than ops:N ops or "
                 "bytes:N of results are in flight; repeat for both")
      ->allow_extra_args(false)
      ->default_str("ops:" + std::to_string(usual.limit_ops) + ", " +
                    to_string({BarrierKind::kBytes, usual.limit_bytes}));
  app.add_option("--capacity", words.capacity,
                 "SIZE (64M): memory of each device of the run, cpu included; a run that needs more fails");
}

static CLI::Validator exercise_number() {
  const int last = samples::list_exercises().back().number;
  const auto refusal = [last](std::string& text) {
    const std::optional<double> number = parse_number(text);
    return number && *number >= 1 && *number <= last
               ? std::string()
               : "unknown exercise " + in_quotes(text) + ": there are 1 to " + std::to_string(last);
  };
  return CLI::Validator(refusal, "its number");
}

void add_run_words(CLI::App& app, RunWords& words) {
  app.add_option("--exercise", words.exercise,
                 "The settings of an exercise, by its number (see `runahead list`)")
      ->check(exercise_number());
  app.add_option("--device", words.devices,
                 "Device to run on; repeat for more of them (see `runahead devices`)")
      ->allow_extra_args(false);
  app.add_option("--barrier", words.barrier,
                 "none, waitall, wait_to_read, item, asnumpy, print, window:K, ops:N or bytes:N (bytes:256M)")
      ->default_str("none");
  app.add_option("--engine", words.engine, "threaded, or naive (runs each op inside its enqueue)")
      ->check(CLI::IsMember({"threaded", "naive"}))
      ->capture_default_str();
  add_thread_words(app, words);
  add_memory_words(app, words);
  app.add_option("--alloc", words.allocation,
                 "When an op's output is allocated: at its enqueue or its execution")
      ->check(CLI::IsMember({"enqueue", "execute"}))
      ->capture_default_str();
  app.add_option("--order", words.order, "Which ready op runs next: oldest enqueued, or first ready (fifo)")
      ->check(CLI::IsMember({"oldest", "fifo"}))
      ->capture_default_str();
  app.add_option("--set", words.settings,
                 "key=value: size=class|published, seed, steps, frontend_us and the workload's own")
      ->allow_extra_args(false);
}

void add_limit_words(CLI::App& app, LimitWords& words) {
  CLI::Option* rotate = app.add_option(
      "--rotate", words.rotate,
      "SIZE or TIME (64M, 30s): begin a new file (FILE.0001, ...) when one reaches this limit");
  app.add_option("--keep-last", words.keep_last,
                 "SIZE or TIME: retain at least this much of the end, and at most a quarter more")
      ->excludes(rotate);
}

Result<samples::RunConfig> run_config(const RunWords& words) {
  const Result<samples::RunConfig> first = first_config(words);
  if (!first) return first.error();
  samples::RunConfig config = *first;
  if (!words.workload.empty()) config.workload = words.workload;
  const samples::WorkloadSpec* spec = samples::find_workload(config.workload);
  if (spec == nullptr) return unknown_workload(config.workload);
  if (!words.devices.empty()) config.devices = words.devices;
  if (!words.barrier.empty()) {
    const Result<BarrierPolicy> barrier = parse_barrier(words.barrier);
    if (!barrier) return barrier.error();
    config.barrier = *barrier;
  }
  take_engine_words(words, config.engine);
  if (const Status taken = take_memory_words(words, config.engine); !taken) return taken.error();
  if (words.blas_threads) config.blas_threads = *words.blas_threads;
  if (const Status taken = take_settings(words.settings, config); !taken) return taken.error();
  const Result<samples::Parameters> parameters =
      samples::make_parameters(*spec, config.size, config.settings);
  if (!parameters) return parameters.error();
  return config;
}

CLI::Validator whole_number_between(int least, int most) {
  const std::string allowed = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const auto refusal = [=](std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || number < least || number > most) return in_quotes(text) + ": not " + allowed;
    text = std::to_string(number);  // CLI11 would parse 010 as 8
    return std::string();
  };
  return CLI::Validator(refusal, allowed);
}

CLI::Validator number_between(double least, double most) {
  const std::string allowed = "a number from " + format_number(least) + " to " + format_number(most);
  const auto refusal = [=](std::string& text) {
    const std::optional<double> number = parse_number(text);
    return number && *number >= least && *number <= most ? std::string()
                                                         : in_quotes(text) + ": not " + allowed;
  };
  return CLI::Validator(refusal, allowed);
}

Result<PixelSize> parse_pixel_size(std::string_view text) {
  const Error wrong{"size " + in_quotes(text) +
                    ": not of the form WIDTHxHEIGHT with 64 to 16384 pixels each, such as 1920x1080"};
  const std::size_t x = text.find('x');
  if (x == std::string_view::npos) return wrong;
  const std::optional<double> width = parse_number(text.substr(0, x)),
                              height = parse_number(text.substr(x + 1));
  const auto good = [](const std::optional<double>& px) {
    return px && *px == std::floor(*px) && *px >= 64 && *px <= 16384;
  };
  if (!good(width) || !good(height)) return wrong;
  return PixelSize{static_cast<int>(*width), static_cast<int>(*height)};
}

Result<Duration> parse_duration(std::string_view text) {
  const bool bare = text.empty() || text.back() == '.' || (text.back() >= '0' && text.back() <= '9');
  const std::optional<Duration> time =
      parse_time_with_unit(bare ? std::string(text) + "s" : std::string(text));
  if (time) return *time;
  return Error{"time " + in_quotes(text) +
               ": not a number of seconds, nor one with ns, us, ms, s, min or h, such as 250ms"};
}

Result<TimeRange> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    return Error{"range " + in_quotes(text) + ": not of the form FROM..TO, such as 1.5s..2s"};
  }
  const Result<Duration> from = parse_duration(text.substr(0, dots)),
                         to = parse_duration(text.substr(dots + 2));
  if (!from) return Error{"range " + in_quotes(text) + ": " + from.error().message};
  if (!to) return Error{"range " + in_quotes(text) + ": " + to.error().message};
  if (*to <= *from) return Error{"range " + in_quotes(text) + ": it is empty; TO must be later than FROM"};
  return TimeRange{Timestamp{*from}, Timestamp{*to}};
}

}  // namespace runahead::gui
