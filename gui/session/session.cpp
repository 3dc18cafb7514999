#include "gui/session/session.h"

#include <system_error>
#include <utility>

#include "gui/session/export.h"
#include "gui/session/session_facts.h"
#include "instrumentation/cupti/source.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/recorder.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {

using samples::Runner;
using samples::RunState;

namespace {

// The objects that one run needs. They are destroyed in reverse order: first the run ends, then the collector
// drains the buffers and finishes the file. The recorder is destroyed last.
struct Capture {
  record::Recorder recorder;
  // nullptr after the capture has ended, so that the collector does not wake the window any more.
  std::unique_ptr<record::Collector> collector;
  std::unique_ptr<cupti::Source> cupti;  // nullptr if there is no GPU activity to record
  // The state of the recording of GPU activity: why nothing is recorded, or the final state after the capture
  // has ended. While `cupti` exists, ask `cupti` for the state instead. nullopt: the run uses no GPU.
  std::optional<GpuActivity> gpu;
  std::unique_ptr<Runner> runner;
  record::Collector::Stats last_stats;  // the collector's last stats, set when the capture ends
};

bool uses_gpu(const samples::RunConfig& config) {
  return device_names(config).find("cuda:") != std::string::npos;
}

// Call before CUDA is used, because CUPTI reports a CUDA context late if the context already exists.
void start_cupti(Capture& capture, bool wanted) {
  capture.gpu.emplace();
  if (!wanted) {
    capture.gpu->why_not = "CUPTI was turned off";
    return;
  }
  Result<std::unique_ptr<cupti::Source>> source = cupti::Source::start(capture.recorder);
  if (!source) {
    capture.gpu->why_not = source.error().message;
    return;
  }
  capture.cupti = std::move(*source);
}

GpuActivity activity_of(const cupti::Source& source) {
  const cupti::Source::Status status = source.status();
  return {.recorded = true,
          .version = status.cupti_version,
          .refused = status.refused,
          .clock_error = status.clock_error,
          .lost = status.lost};
}

bool finished(const Runner& runner) {
  return runner.state() == RunState::kFinished || runner.state() == RunState::kFailed;
}

}  // namespace

struct Session::State {
  SessionOptions options;
  std::unique_ptr<Capture> capture;
  trace::Trace trace;
  std::filesystem::path opened_path;

  std::filesystem::path recording_path;
  record::FileLimits recording_limits;
  std::vector<std::filesystem::path> recorded_files;
  // True: a recording was requested before start(). It begins with the first event of the run.
  bool recording_asked = false;
  // The result of a file that was finished at the end of the run. stop_recording() returns it, once.
  Status recording_end = Ok{};
  std::optional<record::EndedFile> unjoined;
  std::map<std::string, std::string> notes;

  // Calls `start`, which starts threads of a run.
  void start_threads(const std::function<void()>& start) const {
    if (!options.start_on) return start();
    options.start_on(start);
  }

  bool take_batches() {
    if (!capture || !capture->collector) return false;
    // Takes only the batches that are queued now. If the program records faster than this loop appends,
    // taking all batches would never end.
    std::size_t waiting = capture->collector->stats().queued_batches;
    bool any = false;
    while (waiting-- > 0) {
      std::optional<trace::Batch> batch = capture->collector->take();
      if (!batch) break;
      trace.append(std::move(*batch));
      any = true;
    }
    if (any) trace.retain_at_most(options.retain_bytes);
    return any;
  }

  // Call when the run is over. Takes the remaining rows and finishes the file. The runner is not destroyed,
  // because its report is still needed.
  bool end_capture() {
    if (!capture || !capture->collector) return false;
    if (capture->cupti) {
      capture->cupti->stop();
      capture->gpu = activity_of(*capture->cupti);
      capture->cupti.reset();
    }
    capture->recorder.stop();
    capture->collector->flush();
    const bool any = take_batches();
    if (capture->runner && capture->runner->state() == RunState::kFinished)
      add_facts(report_facts(capture->runner->report()));
    if (capture->collector->file_open()) recording_end = end_file();
    capture->last_stats = capture->collector->stats();
    capture->collector.reset();
    return any;
  }
  void add_facts(const std::map<std::string, std::string>& facts) {
    for (const auto& [key, value] : facts) trace.set_metadata(key, value);
    if (file_open()) capture->collector->add_metadata(facts);
  }
  [[nodiscard]] std::map<std::string, std::string> facts_of(const samples::RunConfig& config) const {
    std::map<std::string, std::string> facts = capture_facts(config);
    facts.insert(notes.begin(), notes.end());
    return facts;
  }
  bool file_open() const { return capture && capture->collector && capture->collector->file_open(); }

  // REQUIRES: file_open().
  Status end_file() {
    if (options.join_later) {
      record::EndedFile ended = capture->collector->stop_file_unjoined();
      recorded_files = ended.files;
      if (ended.join_into.empty()) return ended.status;
      unjoined = std::move(ended);
      return Ok{};
    }
    const Status ended = capture->collector->stop_file();
    recorded_files = capture->collector->files();
    return ended;
  }

  // Opens the file that was requested. If this fails, no file is left.
  Status begin_file(record::Collector& collector, const std::map<std::string, std::string>& facts) {
    if (!recording_asked) return Ok{};
    recording_asked = false;
    return collector.start_file(recording_path, facts, recording_limits);
  }
};

Session::Session(SessionOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

Session::~Session() {
  stop();
  // Joins the parts of a recording that nobody has taken. If this fails, the parts stay on disk. The error is
  // dropped, because nobody can see it any more.
  if (state_->unjoined) static_cast<void>(record::settle(*state_->unjoined));
}

void Session::retain_at_most(std::size_t bytes) { state_->options.retain_bytes = bytes; }

std::optional<Runner::StartError> Session::start(samples::RunConfig config, bool start_paused) {
  stop();
  // Frees the previous run's memory, so that it does not count in the next run's measurements.
  state_->capture.reset();
  if (record::recording()) {
    state_->recording_asked = false;
    return Runner::StartError{Error{"another session of this process is capturing: stop it first"}, false};
  }
  if (state_->recording_asked) {
    if (auto refused = Runner::check(config)) {
      state_->recording_asked = false;
      return refused;
    }
  }
  auto capture = std::make_unique<Capture>();
  state_->start_threads([&] {
    capture->collector = std::make_unique<record::Collector>(
        capture->recorder, record::CollectorOptions{.wake = state_->options.wake});
  });
  const std::filesystem::path file =
      state_->recording_asked ? state_->recording_path : std::filesystem::path{};
  std::error_code ignored;
  const bool file_was_there = !file.empty() && std::filesystem::exists(file, ignored);
  const std::map<std::string, std::string> facts = state_->facts_of(config);
  if (const Status begun = state_->begin_file(*capture->collector, facts); !begun) {
    return Runner::StartError{begun.error(), false};
  }
  capture->recorder.start();
  if (uses_gpu(config)) start_cupti(*capture, state_->options.cupti);
  std::variant<std::unique_ptr<Runner>, Runner::StartError> started;
  state_->start_threads([&] { started = Runner::start(std::move(config), start_paused); });
  if (auto* error = std::get_if<Runner::StartError>(&started)) {
    capture->recorder.stop();
    capture.reset();
    if (!file.empty() && !file_was_there) std::filesystem::remove(file, ignored);
    return std::move(*error);
  }
  capture->runner = std::get<std::unique_ptr<Runner>>(std::move(started));
  state_->capture = std::move(capture);
  state_->trace = trace::Trace();
  for (const auto& [key, value] : facts) state_->trace.set_metadata(key, value);
  state_->opened_path.clear();
  return std::nullopt;
}

Runner* Session::runner() { return state_->capture ? state_->capture->runner.get() : nullptr; }

std::optional<GpuActivity> Session::gpu_activity() const {
  if (!state_->capture) return std::nullopt;
  const Capture& capture = *state_->capture;
  return capture.cupti ? activity_of(*capture.cupti) : capture.gpu;
}

bool Session::live() const { return state_->capture && !finished(*state_->capture->runner); }

bool Session::complete() const { return state_->capture && !state_->capture->collector; }

void Session::stop() {
  if (!state_->capture) return;
  if (live()) {
    state_->capture->runner->stop();
    // The result can be ignored: the runner keeps a failure and reports it on request.
    static_cast<void>(state_->capture->runner->wait());
  }
  state_->end_capture();
}

bool Session::poll() {
  // Checks whether the run is over before the batches are taken. If it is over, end_capture() takes all
  // remaining rows of the run and finishes the file.
  const bool over = state_->capture && finished(*state_->capture->runner);
  const bool any = state_->take_batches();
  return (over && state_->end_capture()) || any;
}

void Session::settle() {
  if (!state_->capture) return;
  if (!live()) {
    state_->end_capture();
    return;
  }
  state_->capture->collector->flush();  // the collector exists as long as the run is live
  state_->take_batches();
}

Status Session::open(const std::filesystem::path& path) {
  Result<trace::Trace> loaded = importers::load_checked(path);
  if (!loaded) return loaded.error();
  stop();
  state_->capture.reset();
  state_->trace = std::move(*loaded);
  state_->opened_path = path;
  return Ok{};
}

Status Session::start_recording(const std::filesystem::path& path, const record::FileLimits& limits) {
  if (recording_to_file()) {
    return Error{"'" + path.string() + "': already recording to '" + state_->recording_path.string() +
                 "': stop that first"};
  }
  if (state_->unjoined) {
    return Error{"'" + path.string() + "': the recording '" + state_->unjoined->join_into.string() +
                 "' is not joined yet: wait for that first"};
  }
  state_->recording_end = Ok{};
  state_->recorded_files.clear();
  if (!live()) {
    if (const Status fits = limits.check(); !fits) return fits;
    state_->recording_path = path;
    state_->recording_limits = limits;
    state_->recording_asked = true;
    return Ok{};
  }
  const Status begun = state_->capture->collector->start_file(
      path, state_->facts_of(state_->capture->runner->config()), limits);
  if (!begun) return begun;
  state_->recording_path = path;
  state_->recording_limits = limits;
  return Ok{};
}

Status Session::stop_recording() {
  state_->recording_asked = false;
  if (state_->file_open()) return state_->end_file();
  return std::exchange(state_->recording_end, Status(Ok{}));
}

std::optional<record::EndedFile> Session::take_unjoined() {
  return std::exchange(state_->unjoined, std::nullopt);
}

bool Session::recording_to_file() const { return state_->recording_asked || state_->file_open(); }

std::vector<std::filesystem::path> Session::recorded_files() const { return state_->recorded_files; }
std::filesystem::path Session::recording_path() const { return state_->recording_path; }
record::FileLimits Session::recording_limits() const { return state_->recording_limits; }
std::uint64_t Session::recording_bytes() const {
  return state_->file_open() ? state_->capture->collector->file_bytes() : 0;
}

Status Session::save_as(const std::filesystem::path& path) const {
  const Result<FileFormat> format = format_of_name(path);
  if (!format) return format.error();
  return write_trace(state_->trace, path, *format);
}

void Session::add_fact(const std::string& key, const std::string& value) {
  state_->add_facts({{key, value}});
}

void Session::set_notes(std::map<std::string, std::string> notes) { state_->notes = std::move(notes); }

const trace::Trace& Session::trace() const { return state_->trace; }

std::filesystem::path Session::opened_path() const { return state_->opened_path; }

std::optional<record::Collector::Stats> Session::collector_stats() const {
  if (!state_->capture) return std::nullopt;
  const Capture& capture = *state_->capture;
  return capture.collector ? capture.collector->stats() : capture.last_stats;
}

std::optional<record::RecorderStats> Session::recorder_stats() const {
  if (!state_->capture) return std::nullopt;
  return state_->capture->recorder.stats();
}

}  // namespace runahead::gui
