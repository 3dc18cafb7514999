// Recorder: owns the threads' buffers. Hooks write to the recorder in use. A Collector drains the recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "instrumentation/record/hooks/row_source.h"
#include "instrumentation/trace/rows/loss.h"

namespace runahead::record {

struct RecorderOptions {
  // The number of events (32 B each) of one thread that may wait for the collector. Further events are
  // counted as lost; the thread never waits.
  std::size_t events_per_thread = 1u << 18;  // 8 MiB, allocated in chunks as needed
  // Limit of the memory of all threads' buffers together, for any number of threads.
  std::size_t total_bytes = 256u << 20;
};

// State of the capture path, for the debug panel.
struct RecorderStats {
  std::size_t threads = 0;
  std::uint64_t events = 0;         // slots of 32 B written since the recorder was made
  double fullest_buffer_ratio = 0;  // fill of the fullest buffer at the last drain
  std::uint64_t lost = 0;
};

// After fork() no recorder is in use in the child process.
class Recorder {
 public:
  explicit Recorder(RecorderOptions options = {});
  // Stops accepting events. Hooks in flight on other threads are safe; their events are discarded. REQUIRES:
  // the recorder's collector has ended.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // start() makes this the recorder in use, and stop() ends the use. Both may be called any number of times.
  // start() REQUIRES that no other recorder is in use. stop() closes everything open (zones, waits, ops) as
  // unfinished. All times count from the first start. Any thread may call start() and stop().
  void start();
  void stop();
  [[nodiscard]] bool running() const;
  [[nodiscard]] RecorderStats stats() const;
  // The clock of the recorded times, for the metadata of a recording: "clock.origin_monotonic_ns" is
  // CLOCK_MONOTONIC at time 0. If the clock is the TSC, "clock.origin_tsc" is the TSC at time 0, and
  // "clock.tsc_per_s" its rate. Recordings with the same "clock.boot" are of the same machine since one start
  // of it, so their TSC is the same. Empty before start().
  [[nodiscard]] std::map<std::string, std::string> clock_facts() const;

  // Adds a source of rows. The source is used from now until it says that it has no more rows. Any thread may
  // call it.
  void add(std::shared_ptr<RowSource> source);

  struct State;
  [[nodiscard]] State& state() { return *state_; }  // for the Collector and the hooks

 private:
  std::unique_ptr<State> state_;
};

}  // namespace runahead::record
