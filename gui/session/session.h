// Session: one capture. The capture is either live (from a run in this process) or opened from a file. A live
// Session owns the recorder, the collector, the Runner with its engine, and the trace. A Session does not use
// ImGui. The window and the command `run` both use a Session. One thread calls all functions: the UI thread,
// or main in `run`.
//
// When a run ends by itself, the next poll() ends the capture of this run: it appends all recorded rows and
// finishes the recording. Two sessions may exist in a process; only one of them can capture at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/record/collector.h"
#include "instrumentation/trace/trace.h"
#include "samples/runner.h"

namespace runahead::gui {

// Calls a function, and returns after it. An exception of the function reaches the caller.
using CallOn = std::function<void(const std::function<void()>&)>;

struct SessionOptions {
  bool cupti = true;                                // record the activity of GPUs that a run uses
  std::size_t retain_bytes = std::size_t{1} << 30;  // memory limit of the live trace in bytes
  std::function<void()> wake;                       // called on any thread when poll() has new data
  bool join_later = false;  // true: when a recording ends, its parts are not joined; see take_unjoined()
  // Starts the threads of a run, which inherit the priority of the thread that starts them. Empty: the thread
  // that calls start().
  CallOn start_on;
};

// The state of the recording of GPU activity, for a run that uses a GPU.
struct GpuActivity {
  bool recorded = false;
  std::string why_not;        // one line: why it is not recorded, and what the user can do; empty: recorded
  std::uint32_t version = 0;  // CUPTI's version, such as 130001
  std::string refused;        // kinds of activity that are not recorded, and why
  Duration clock_error{};     // lower bound of the error of device times relative to the host's clock
  std::uint64_t lost = 0;     // activity records that were lost
};

class Session {
 public:
  explicit Session(SessionOptions options = {});
  ~Session();

  // ---- live -------------------------------------------------------------------------------------------
  // Ends the current run, begins a new trace and starts a run. Returns a StartError on failure, also for
  // usage errors. After a failure nothing runs (runner() is nullptr), the trace is unchanged, and a recording
  // that was requested is dropped without being started.
  [[nodiscard]] std::optional<samples::Runner::StartError> start(samples::RunConfig config,
                                                                 bool start_paused = false);
  [[nodiscard]] samples::Runner* runner();  // nullptr if nothing was started; exists also after the run's end
  [[nodiscard]] bool live() const;          // true if a runner exists and has not finished
  // True if the run has finished, and everything that it recorded is in the trace.
  [[nodiscard]] bool complete() const;
  // Returns the GPU activity of the last run that start() began; nullopt if that run uses no GPU. The result
  // is still available after the run ends.
  [[nodiscard]] std::optional<GpuActivity> gpu_activity() const;
  void stop();  // ends the run, keeps the trace
  // Appends the queued batches. Returns true if there were any batches. Call once a frame.
  bool poll();
  // Replaces SessionOptions::retain_bytes. Takes effect with the next rows.
  void retain_at_most(std::size_t bytes);
  // Waits until the collector has delivered everything that was recorded so far, and appends these batches to
  // the trace. Call at the end of a run, and before saving.
  void settle();

  // ---- files ------------------------------------------------------------------------------------------
  [[nodiscard]] Status open(const std::filesystem::path& path);  // ends the current run, replaces the trace
  // Starts to record into a file. If a run is live, starts writing immediately. Otherwise the next start()
  // records its run from the first event, and reports an error if the file cannot be opened.
  [[nodiscard]] Status start_recording(const std::filesystem::path& path,
                                       const record::FileLimits& limits = {});
  // Finishes the file. Returns the first write error or the error of finishing the file, even if the file was
  // finished when the run ended. Returns each error once. Ok if nothing was written.
  [[nodiscard]] Status stop_recording();
  // A recording with FileLimits::keep_last keeps only its end, in several files (parts). If join_later was
  // set, this function returns the parts once, after the recording has ended. The caller joins the parts with
  // record::settle() on any thread; settle() also returns the recording's error. No other recording can begin
  // until the parts are taken. The destructor joins parts that were not taken.
  [[nodiscard]] std::optional<record::EndedFile> take_unjoined();
  // Returns the files of the last recording of this run, once the recording has ended: one file, or several
  // files with `rotate`.
  [[nodiscard]] std::vector<std::filesystem::path> recorded_files() const;
  // True if a file is being written, or if a file is requested and waits for start().
  [[nodiscard]] bool recording_to_file() const;
  // Path of the last requested recording; empty: none.
  [[nodiscard]] std::filesystem::path recording_path() const;
  [[nodiscard]] record::FileLimits recording_limits() const;  // limits of the last requested recording
  [[nodiscard]] std::uint64_t recording_bytes() const;        // total size of the current recording's files
  // Writes the current trace. The extension selects the format: see format_of_name().
  [[nodiscard]] Status save_as(const std::filesystem::path& path) const;

  // Adds a fact (an entry of the metadata) to this capture's trace and to the current recording. At the end
  // of a run the session also adds the run's results as facts (report_facts()).
  void add_fact(const std::string& key, const std::string& value);
  // Sets facts that are added to the facts of each later capture.
  void set_notes(std::map<std::string, std::string> notes);

  [[nodiscard]] const trace::Trace& trace() const;
  [[nodiscard]] std::filesystem::path opened_path() const;  // empty when live
  [[nodiscard]] std::optional<record::Collector::Stats> collector_stats() const;
  [[nodiscard]] std::optional<record::RecorderStats> recorder_stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::gui
