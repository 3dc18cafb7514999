// Collector: a thread that drains a Recorder's buffers, converts clocks, orders, pairs, gives depths and
// lanes, and makes immutable Batches: to the recording file, if there is one, and to the owner, whom it
// wakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/record/file_sink.h"
#include "instrumentation/record/files/file_limits.h"
#include "instrumentation/record/hooks/recorder.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::record {

struct CollectorOptions {
  Duration period = std::chrono::milliseconds(10);  // between drains
  // Batches that wait for the owner; with more the newest are merged into the last, up to a size, then
  // dropped and counted (kCollectorBehind).
  std::size_t queue_batches = 64;
  std::size_t queue_bytes = 256u << 20;
  std::function<void()> wake;  // called on the collector's thread after each batch; may
                               // not call flush(), stop_file() or the destructor
  bool to_owner = true;        // false: nobody takes batches, what there is goes to the file alone
  bool run_thread = true;      // false: drain_now() and flush() only, on one thread at a time (tests)
  bool sample_rss = true;      // a counter of the process's RSS, each 100 ms
  // Open ops that each batch carries: the oldest half and the newest half. With 100,000 in flight all of them
  // would be copied at each period; those left out are known to a Trace once they have ended.
  std::size_t open_ops = 1024;
};

class Collector {
 public:
  Collector(Recorder& recorder, CollectorOptions options = {});  // the recorder must outlive this
  ~Collector();                                                  // drains what is left, ends the file
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // The next batch, oldest first. Owner only (one thread). An owner with a frame to draw takes no more than
  // stats().queued_batches at once: where appending is slower than recording, more come for as long as it
  // takes.
  [[nodiscard]] std::optional<trace::Batch> take();
  // Drains everything recorded before the call and hands it over, whatever the period; returns when it is
  // ready to take(). Any thread.
  void flush();
  // One drain as the thread would do it: what is younger than 2 ms may wait for the next, so that moments of
  // several threads come in order. REQUIRES: run_thread is false.
  void drain_now();

  // Writes everything from now on to a recording, the definitions so far and the open slices included; with
  // limits, into several files or only the last of it. Any thread.
  [[nodiscard]] Status start_file(const std::filesystem::path& path,
                                  std::map<std::string, std::string> metadata, const FileLimits& limits = {});
  // Facts of the capture that are known later, into the file that is being written; nothing happens where
  // none is. Any thread. What cannot be written is told by stop_file().
  void add_metadata(const std::map<std::string, std::string>& more);
  // Ends the file: flushes, writes the footer, joins the parts where only the last of it is kept. Its error
  // is that of the first write that failed, if one did.
  [[nodiscard]] Status stop_file();
  // The same, but leaves the parts to whoever calls settle(): joining them takes as long as they are large.
  [[nodiscard]] EndedFile stop_file_unjoined();
  [[nodiscard]] bool file_open() const;
  [[nodiscard]] std::uint64_t file_bytes() const;  // of all files that are kept
  // What the last stop_file() left, oldest first.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

  // Totals since the start: for the debug panel and `run --json`.
  struct Stats {
    std::uint64_t drains = 0, events = 0, slices = 0;
    Duration last_drain{}, longest_drain{};
    trace::LossCounts losses;
    std::size_t open_ops = 0;         // enqueued, not ended
    std::uint64_t lives_undrawn = 0;  // ops beyond the 256 lanes of "op lives": their OpRows are complete
    std::size_t queued_batches = 0;   // not taken by the owner yet
    Duration clock_drift{};           // TickClock less CLOCK_MONOTONIC since the clock's calibration
  };
  [[nodiscard]] Stats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::record
