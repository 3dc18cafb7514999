// Recorder: owns the threads' buffers. Hooks write to the recorder in use; a Collector drains it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "instrumentation/record/hooks/row_source.h"
#include "instrumentation/trace/rows/loss.h"

namespace runahead::record {

struct RecorderOptions {
  // Events (32 B each) that one thread may have waiting; beyond it events are counted as lost, never waited
  // for.
  std::size_t events_per_thread = 1u << 18;  // 8 MiB, taken in chunks as needed
  // What all threads' buffers may hold together, however many threads there are.
  std::size_t total_bytes = 256u << 20;
};

// What the debug panel shows of the capture path.
struct RecorderStats {
  std::size_t threads = 0;
  std::uint64_t events = 0;         // slots of 32 B written since it was made
  double fullest_buffer_ratio = 0;  // at the last drain
  std::uint64_t lost = 0;
};

// In a process made by fork() none is in use, whatever was in the parent.
class Recorder {
 public:
  explicit Recorder(RecorderOptions options = {});
  // Stops taking events; hooks in flight on other threads are safe, what they write is let go.
  // REQUIRES: its collector has ended.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Becomes (or ceases to be) the one recorder in use, as often as wanted. start() REQUIRES that no other is
  // in use. What is open at stop() (zones, waits, ops) is closed there as unfinished. Time runs on from the
  // first start. Any thread.
  void start();
  void stop();
  [[nodiscard]] bool running() const;
  [[nodiscard]] RecorderStats stats() const;

  // Rows that come from elsewhere, from now on until the source says that it has no more. Any thread.
  void add(std::shared_ptr<RowSource> source);

  struct State;
  [[nodiscard]] State& state() { return *state_; }  // for the Collector and the hooks

 private:
  std::unique_ptr<State> state_;
};

}  // namespace runahead::record
