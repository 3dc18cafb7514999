#include "instrumentation/record/clock_sync.h"

#include "instrumentation/base/time.h"

namespace runahead::record {
namespace {

constexpr std::int64_t kBetweenMeasurementsNs = 1'000'000'000;

}  // namespace

void ClockDrift::update(std::int64_t now_ns) {
  if (last_ns_ != INT64_MIN && now_ns - last_ns_ < kBetweenMeasurementsNs) return;
  last_ns_ = now_ns;
  const TickClock& clock = TickClock::get();
  if (!clock.is_tsc()) return;
  std::int64_t narrowest = INT64_MAX;
  // The thread may be interrupted between two reads of the clocks, which makes the result wrong. Therefore
  // the loop measures several times and keeps the measurement that took the shortest time.
  for (int i = 0; i < 4; ++i) {
    const std::int64_t before = clock.now_ns();
    const std::int64_t system = monotonic_ns() - clock.origin_monotonic_ns();
    const std::int64_t after = clock.now_ns();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    drift_ = Duration{before + (after - before) / 2 - system};
  }
}

}  // namespace runahead::record
