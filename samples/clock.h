// The stopwatch of the workloads. Internal to samples.
#pragma once

#include <cstdint>

#include "instrumentation/base/time.h"

namespace runahead::samples {

// The time of a steady clock in seconds. Only the difference of two times has a meaning.
[[nodiscard]] double now_s();

// Keeps the calling thread busy, as a frontend's own work does.
void spin_for(Duration duration);

class Stopwatch {
 public:
  Stopwatch() : start_s_(now_s()) {}
  [[nodiscard]] double elapsed_s() const { return now_s() - start_s_; }

 private:
  double start_s_;
};

}  // namespace runahead::samples
