// Executor: takes the ready ops of one device and runs them in the engine's order.
#pragma once

#include <cstdint>

#include "engine/device/device.h"
#include "engine/op_node.h"
#include "engine/run_ahead_gate.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

class Executor {
 public:
  // The properties in which the kinds of executors differ.
  struct Ways {
    bool looks_ahead = false;
    bool counts_memory_at_start = false;
    bool is_fed = false;
  };
  Executor(Device& device, LeftTally& left, Ways ways);
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // ---- on the frontend's thread, after the op was linked ----
  // True: this is a HostExecutor. Its feed() takes a ready op under the engine's enqueue lock. is_fed() is
  // not a virtual function, because it is called for each op.
  [[nodiscard]] bool is_fed() const { return is_fed_; }
  enum class Fed : std::uint8_t {
    // The executor does not have the op. After the caller has released the lock, it calls accept() if the op
    // is ready or runs_inside_enqueue() is true.
    kNo,
    kAnnounce,  // the executor has the op; the caller calls announce() after it has released the lock
    kYes,       // the executor has the op; there is nothing else to do
  };
  virtual void announce() {}
  // REQUIRES: the enqueue lock is not held. `ready` is false only if runs_inside_enqueue() is true; otherwise
  // accept() is called for ready ops only.
  virtual void accept(OpNode& node, bool ready) {
    if (ready) make_ready(node);
  }
  [[nodiscard]] virtual bool runs_inside_enqueue() const { return false; }

  // Called when the op's last predecessor is done. Any thread. REQUIRES: no lock is held.
  virtual void make_ready(OpNode& node) = 0;
  // Ends the executor's threads. REQUIRES: nothing in flight.
  virtual void stop() {}

  [[nodiscard]] Device& device() const { return device_; }
  // True: the device has its own clock. Then the engine stores the ready time of each op, even without a
  // recording.
  [[nodiscard]] bool modelled() const { return modelled_; }
  // True: an op may go to the device before its predecessors on this executor have ended. On a virtual device
  // the op's ready time is then in the future, at their modelled end.
  [[nodiscard]] bool looks_ahead() const { return looks_ahead_; }
  // True: ops allocate their memory when they run, and the executor looks ahead (MemoryAtStart).
  [[nodiscard]] bool counts_memory_at_start() const { return counts_memory_at_start_; }
  [[nodiscard]] const record::TrackDesc& queue_track() const { return queue_track_; }
  // The counter of the ops that this executor has completed.
  [[nodiscard]] LeftTally& left() const { return left_; }

 private:
  Device& device_;
  LeftTally& left_;
  bool modelled_;
  bool looks_ahead_;
  bool counts_memory_at_start_;
  bool is_fed_;
  const record::TrackDesc& queue_track_;  // counter track: the run-ahead of the device, in ops
};

// Hands each op of the list to its executor.
inline void make_all_ready(ReadyList& released) {
  while (OpNode* const node = released.pop_front()) node->executor->make_ready(*node);
}

}  // namespace runahead::engine
