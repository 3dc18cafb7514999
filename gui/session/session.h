// Session: one capture as a person works on it: live (owns recorder, collector, engine by way of its Runner,
// and the trace) or opened from a file. No ImGui. Shared by the window and the command line's `run`.
// One thread (the UI thread; main in `run`) calls everything.
//
// A run that ends by itself ends its capture at the next poll(): everything recorded is appended, and a
// recording being written is finished. Two sessions may live in a process; one of them can capture at a time.
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

struct SessionOptions {
  bool cupti = true;                                // record what a GPU does where a run uses one
  std::size_t retain_bytes = std::size_t{1} << 30;  // what the live view keeps
  std::function<void()> wake;                       // any thread: there is something to poll()
  bool join_later = false;                          // what ends a recording leaves its parts: take_unjoined()
};

// What is known of a GPU's own activity in a run that uses one.
struct GpuActivity {
  bool recorded = false;
  std::string why_not;        // one line, with what to do
  std::uint32_t version = 0;  // CUPTI's, such as 130001
  std::string refused;        // kinds of activity that are not recorded, and why
  Duration clock_error{};     // of the device's times against the host's, at least
  std::uint64_t lost = 0;     // records
};

class Session {
 public:
  explicit Session(SessionOptions options = {});
  ~Session();

  // ---- live -------------------------------------------------------------------------------------------
  // Ends what runs, begins a new trace, starts. usage errors as Runner::StartError. On an error nothing runs
  // (runner() is nullptr), the trace is as it was, and a recording that was asked for is not begun, and
  // forgotten.
  [[nodiscard]] std::optional<samples::Runner::StartError> start(samples::RunConfig config,
                                                                 bool start_paused = false);
  [[nodiscard]] samples::Runner* runner();  // nullptr when nothing was started; stays after the end
  [[nodiscard]] bool live() const;          // a runner exists and has not finished
  // It has finished, and all that it recorded is in the trace.
  [[nodiscard]] bool complete() const;
  // Of the latest start(): nullopt where the run uses no GPU. Stays after the end.
  [[nodiscard]] std::optional<GpuActivity> gpu_activity() const;
  void stop();  // ends the run, keeps the trace
  // Appends what has come; returns true if anything did. Once a frame.
  bool poll();
  // In place of SessionOptions::retain_bytes, from the next rows on.
  void retain_at_most(std::size_t bytes);
  // Waits for everything recorded so far and appends it (the end of a run, before saving).
  void settle();

  // ---- files ------------------------------------------------------------------------------------------
  [[nodiscard]] Status open(const std::filesystem::path& path);  // replaces the trace; ends what runs
  // Writes from now on; while nothing runs: from the first event of the next start(), which reports what the
  // file refuses.
  [[nodiscard]] Status start_recording(const std::filesystem::path& path,
                                       const record::FileLimits& limits = {});
  // Finishes the file. Error: the first write or the finishing failed, also where the run's end finished it;
  // reported once. Ok when nothing was written or asked for.
  [[nodiscard]] Status stop_recording();
  // With join_later, of a recording that kept its last part: its parts, which are to be settled
  // (record::settle(), on any thread), and with that whatever went wrong with it; once. Until then no other
  // recording begins. What nobody takes is settled by the destructor.
  [[nodiscard]] std::optional<record::EndedFile> take_unjoined();
  // What the last recording of this run is in, once it has ended: one file, or several where `rotate` was
  // asked.
  [[nodiscard]] std::vector<std::filesystem::path> recorded_files() const;
  // Being written, or asked for and waiting for a start().
  [[nodiscard]] bool recording_to_file() const;
  [[nodiscard]] std::filesystem::path recording_path() const;  // the last one asked for; empty: none
  [[nodiscard]] record::FileLimits recording_limits() const;   // of that one
  [[nodiscard]] std::uint64_t recording_bytes() const;         // of all files of it that are kept so far
  // Writes the trace as it is: .runahead, .json, .json.gz, .csv by extension.
  [[nodiscard]] Status save_as(const std::filesystem::path& path) const;

  // A fact of this capture, for its trace and the recording being written. At a run's end what it measured
  // becomes one too (report_facts()).
  void add_fact(const std::string& key, const std::string& value);
  // Facts of the captures to come, beside their own.
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
