// Collector: a thread that drains a Recorder's buffers. It converts the times of the events, sorts the
// events, pairs begins with ends, assigns depths and lanes, and makes immutable Batches. The batches go to
// the recording file, if there is one, and to the owner: the part of the program that made the collector and
// calls take(). The collector wakes the owner.
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
  Duration period = std::chrono::milliseconds(10);  // time between drains
  // The limits for the batches that wait for the owner. Beyond queue_batches, new batches are merged into the
  // last waiting batch. Beyond queue_bytes, the rows of new batches are dropped and counted
  // (kCollectorBehind).
  std::size_t queue_batches = 64;
  std::size_t queue_bytes = 256u << 20;
  // called on the collector's thread after each batch; must not call flush(), stop_file() or the destructor
  std::function<void()> wake;
  bool to_owner = true;  // false: no owner takes batches; they only go to the file
  // false (for tests): no thread is started; the test calls drain_now() and flush(), on one thread at a time
  bool run_thread = true;
  bool sample_rss = true;  // true: every 100 ms, samples the process's RSS as a counter
  // The maximum number of open ops in a batch: half of it for the oldest ops, half for the newest. With
  // 100,000 ops in flight, copying all of them every period would be slow. A Trace gets the ops beyond this
  // maximum only when they have ended.
  std::size_t open_ops = 1024;
};

class Collector {
 public:
  Collector(Recorder& recorder, CollectorOptions options = {});  // the recorder must outlive this
  ~Collector();  // drains the remaining events and ends the file
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Returns the oldest waiting batch and removes it from the queue. Only the owner may call it (one thread).
  // An owner that draws frames should take at most stats().queued_batches in one frame: otherwise, if
  // appending is slower than recording, one frame would take batches without end.
  [[nodiscard]] std::optional<trace::Batch> take();
  // Drains all events recorded before the call and hands their batch over, without waiting for the period.
  // Returns when take() can return this batch. Any thread may call it.
  void flush();
  // Performs one drain, like the collector's thread. Events of the last 2 ms may wait for the next drain,
  // because another thread may still publish an earlier event. REQUIRES: run_thread is false.
  void drain_now();

  // Starts a recording, to which all later batches are written. The recording also gets the definitions that
  // were made before, and the slices that are open now. `limits` can split the recording into several files
  // or keep only its end. Any thread may call it.
  [[nodiscard]] Status start_file(const std::filesystem::path& path,
                                  std::map<std::string, std::string> metadata, const FileLimits& limits = {});
  // Writes more metadata of the capture into the open file, such as values that were unknown at start_file().
  // Without an open file it does nothing. Any thread may call it. stop_file() reports write errors.
  void add_metadata(const std::map<std::string, std::string>& more);
  // True: somebody watches the file grow, so rows are written every 20 ms. False: every 100 ms, which costs
  // less. Any thread may call it.
  void set_watched(bool watched);
  // Ends the file: flushes and writes the footer. If FileLimits::keep_last is set, the recording is in parts.
  // Then stop_file() joins the kept parts into one file. Returns the first write error, if any.
  [[nodiscard]] Status stop_file();
  // Works like stop_file(), but does not join the parts: the caller must call settle(). The time for joining
  // is proportional to the size of the parts.
  [[nodiscard]] EndedFile stop_file_unjoined();
  [[nodiscard]] bool file_open() const;
  [[nodiscard]] std::uint64_t file_bytes() const;  // total size of all retained files
  // The files that the last stop_file() left, oldest first.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

  // Totals since the start, for the debug panel and `run --json`.
  struct Stats {
    std::uint64_t drains = 0, events = 0, slices = 0;
    Duration last_drain{}, longest_drain{};
    trace::LossCounts losses;
    std::size_t open_ops = 0;  // ops enqueued and not ended
    // A queue's track shows a slice for the life of each op, from its enqueue to its end, on at most 256
    // lanes. This member counts the ops that found no free lane. These ops have no such slice, but their
    // OpRows are complete.
    std::uint64_t lives_undrawn = 0;
    std::size_t queued_batches = 0;  // batches not yet taken by the owner
    Duration clock_drift{};          // how far TickClock is ahead of CLOCK_MONOTONIC
  };
  [[nodiscard]] Stats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::record
