// Executor: takes the ready ops of one device to where they run, in the engine's order.
#pragma once

#include <cstdint>

#include "engine/device/device.h"
#include "engine/op_node.h"
#include "engine/run_ahead_gate.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

class Executor {
 public:
  struct Ways {  // in which it differs from others
    bool looks_ahead = false;
    bool is_fed = false;
  };
  Executor(Device& device, LeftTally& left, Ways ways);
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // ---- on the frontend's thread, once the op has been linked ----
  // It is a HostExecutor, whose feed() takes an op that is ready under the engine's enqueue lock. (No virtual
  // function: it is called for each op.)
  [[nodiscard]] bool is_fed() const { return is_fed_; }
  enum class Fed : std::uint8_t {
    kNo,        // it has not been fed the op; accept() follows when the lock has been let go, if it has to
    kAnnounce,  // it has it, and announce() follows then
    kYes,
  };
  virtual void announce() {}
  // Without the mutex: of an op that is not ready only where this runs_inside_enqueue().
  virtual void accept(OpNode& node, bool ready) {
    if (ready) make_ready(node);
  }
  [[nodiscard]] virtual bool runs_inside_enqueue() const { return false; }

  // ---- any thread ----
  // Its last predecessor is done. Any thread; no lock is held.
  virtual void make_ready(OpNode& node) = 0;
  // Ends what threads it has. REQUIRES: nothing in flight.
  virtual void stop() {}

  [[nodiscard]] Device& device() const { return device_; }
  // The device runs an op on a clock of its own, so an op must always know when it became ready.
  [[nodiscard]] bool modelled() const { return modelled_; }
  // An op may become ready for a time still to come: when what it follows on this executor will have ended.
  [[nodiscard]] bool looks_ahead() const { return looks_ahead_; }
  [[nodiscard]] const record::TrackDesc& queue_track() const { return queue_track_; }
  // Of the ops that it has completed.
  [[nodiscard]] LeftTally& left() const { return left_; }

 private:
  Device& device_;
  LeftTally& left_;
  bool modelled_;
  bool looks_ahead_;
  bool is_fed_;
  const record::TrackDesc& queue_track_;  // run-ahead of the device, in ops
};

// Hands each to its executor.
inline void make_all_ready(ReadyList& released) {
  while (OpNode* const node = released.pop_front()) node->executor->make_ready(*node);
}

}  // namespace runahead::engine
