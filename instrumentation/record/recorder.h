// Recorder: owns the threads' buffers. Hooks write to the recorder in use; a Collector drains it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "instrumentation/trace/loss.h"

namespace runahead::record {

struct RecorderOptions {
  // Events (32 B each) that one thread may have waiting; beyond it events are counted as lost, never waited for.
  std::size_t events_per_thread = 1u << 18;  // 8 MiB, taken in chunks as needed
};

// What the debug panel shows of the capture path.
struct RecorderStats {
  std::size_t threads = 0;
  std::uint64_t events = 0;         // written since start
  double fullest_buffer_ratio = 0;  // at the last drain
  std::uint64_t lost = 0;
};

class Recorder {
 public:
  explicit Recorder(RecorderOptions options = {});
  ~Recorder();  // stops taking events; REQUIRES: its collector has ended
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Becomes (or ceases to be) the one recorder in use. start() REQUIRES that no other is in use. Any thread.
  void start();
  void stop();
  [[nodiscard]] bool running() const;
  [[nodiscard]] RecorderStats stats() const;

  struct State;
  [[nodiscard]] State& state() { return *state_; }  // for the Collector and the hooks

 private:
  std::unique_ptr<State> state_;
};

}  // namespace runahead::record
