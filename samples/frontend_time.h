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

  // Between these calls the frontend enqueues nothing: it loads data, computes, touches memory or is paused.
  // Waits in between count as waits. Calls may nest.
  void begin_own_work();
  void end_own_work();

  // Times since start(). The sum of the parts is all_s.
  struct Split {
    double all_s = 0;
    double blocked_s = 0;  // time in all waits of the engine; this thread is its only frontend
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
  // Values at the start of the outermost own work that is open.
  double own_begin_s_ = 0, own_blocked_before_s_ = 0;
};

}  // namespace runahead::samples
