// Executor: takes the ready ops of one device to where they run, in the engine's order.
#pragma once

#include <cstdint>

#include "engine/device/device.h"
#include "engine/op_node.h"
#include "instrumentation/record/site.h"

namespace runahead::engine {

class Executor {
 public:
  explicit Executor(Device& device, bool looks_ahead = false);
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // The op has been linked; `ready` if it waits for nothing. On the frontend's thread, which keeps the node
  // alive for the call. Returns at once, but for the naive engine.
  virtual void accept(OpNode& node, bool ready) {
    if (ready) make_ready(node);
  }
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

 private:
  Device& device_;
  bool modelled_;
  bool looks_ahead_;
  const record::TrackDesc& queue_track_;  // run-ahead of the device, in ops
};

// Hands each to its executor.
inline void make_all_ready(ReadyList& released) {
  while (OpNode* const node = released.pop_front()) node->executor->make_ready(*node);
}

}  // namespace runahead::engine
