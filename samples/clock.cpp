#include "samples/clock.h"

#include "instrumentation/base/tick_clock.h"

namespace runahead::samples {

double now_s() { return static_cast<double>(TickClock::get().now_ns()) * 1e-9; }

void spin_for(Duration duration) {
  const TickClock& clock = TickClock::get();
  const std::int64_t end_ns = clock.now_ns() + ns_from(duration);
  while (clock.now_ns() < end_ns) {
  }
}

}  // namespace runahead::samples
