// FrontendTime: where a frontend's time goes: it waits, works for itself, or enqueues. Frontend thread.
// Internal to samples.
#pragma once

#include <cstdint>

#include "engine/engine.h"

namespace runahead::samples {

class FrontendTime {
 public:
  explicit FrontendTime(const engine::Engine& engine) : engine_(engine) {}

  void start();  // from here on it counts

  // Until the matching end it enqueues nothing: it loads data, computes, touches memory, stands still. Waits
  // within count as waits. May nest.
  void begin_own_work();
  void end_own_work();

  // Since the start. The parts sum to all_s.
  struct Split {
    double all_s = 0;
    double blocked_s = 0;  // in waits, wherever they were; of the engine's only frontend
    double other_s = 0;    // its own work, where that has ended
    double enqueue_s = 0;  // the rest: it enqueues, and does what goes with it
  };
  [[nodiscard]] Split split() const;

 private:
  [[nodiscard]] double all_blocked_s() const;

  const engine::Engine& engine_;
  double begin_s_ = 0, blocked_before_s_ = 0;
  double other_s_ = 0;
  int depth_ = 0;
  double own_begin_s_ = 0, own_blocked_before_s_ = 0;  // of the outermost that is open
};

}  // namespace runahead::samples
