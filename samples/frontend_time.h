// FrontendTime: splits a frontend's time into waits, own work and enqueues. Used on the frontend thread only.
// Internal to samples.
#pragma once

#include <cstdint>

#include "engine/engine.h"

namespace runahead::samples {

class FrontendTime {
 public:
  explicit FrontendTime(const engine::Engine& engine) : engine_(engine) {}

  void start();  // starts the clock

  // begin_own_work() and end_own_work() enclose work in which the frontend enqueues nothing: it loads data,
  // computes, touches memory or is paused. A wait during this work counts as a wait, not as own work. Calls
  // may nest.
  void begin_own_work();
  void end_own_work();

  // Times since start(). all_s is the sum of the other three times.
  struct Split {
    double all_s = 0;
    // time in waits; every wait of the engine is a wait of this frontend, because there is no other frontend
    double blocked_s = 0;
    double other_s = 0;    // own work that has ended
    double enqueue_s = 0;  // the rest: enqueues and the code around them
  };
  [[nodiscard]] Split split() const;

 private:
  [[nodiscard]] double all_blocked_s() const;

  const engine::Engine& engine_;
  double begin_s_ = 0, blocked_before_s_ = 0;
  double other_s_ = 0;
  int depth_ = 0;
  // The time at which the current own work began, and the blocked time up to then. If calls nest, the
  // outermost call counts.
  double own_begin_s_ = 0, own_blocked_before_s_ = 0;
};

}  // namespace runahead::samples
