// Checks the moments that the driver of an OpenCL device gives for ops, as they are in a recording.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "instrumentation/base/tick_clock.h"
#include "tests/record/capture.h"

namespace runahead::engine::test {

// The slice `name` of an op on the track of the driver's queue.
inline std::optional<trace::Slice> driver_slice(const trace::Trace& trace, const trace::Track& queue, OpId op,
                                                std::string_view name) {
  for (const trace::Lane& lane : queue.lanes) {
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const trace::Slice slice = lane.slice(row);
      if (slice.op == op && trace.string(slice.name) == name) return slice;
    }
  }
  return std::nullopt;
}

// REQUIRES: ops of one device ran on its compute stream, and all have ended. Expects of each op that its
// moments follow one another, and that they lie between its enqueue and now, within the recorded error of the
// device's clock. Returns the number of ops.
inline int expect_driver_moments(runahead::testing::Capture& capture) {
  const double now_ns = static_cast<double>(TickClock::get().now() - capture.ticks(Duration{})) /
                        TickClock::get().ticks_per_ns();
  const trace::Trace& trace = capture.settle();
  const trace::Track* const queue = capture.track("compute, queue of the driver");
  const trace::Track* const error = capture.track("clock error, at most");
  const trace::Track* const compute = capture.track("compute");
  if (queue == nullptr || error == nullptr || compute == nullptr) return 0;
  double error_ns = 0;
  for (std::uint64_t row = error->counter.first_row(); row < error->counter.end_row(); ++row)
    error_ns = std::max(error_ns, error->counter.sample(row).value);
  EXPECT_GT(error_ns, 0);
  // The module gives times as floats: milliseconds after a reference that is at most a second old.
  const Duration most{static_cast<std::int64_t>(error_ns) + 64};
  int seen = 0;
  for (std::uint64_t row = compute->lanes[0].first_row(); row < compute->lanes[0].end_row(); ++row) {
    const trace::Slice ran = compute->lanes[0].slice(row);
    const auto queued = driver_slice(trace, *queue, ran.op, "queued by the driver"),
               given = driver_slice(trace, *queue, ran.op, "given to the device");
    const std::optional<trace::OpRow> op = trace.op(ran.op);
    EXPECT_TRUE(queued && given && op);
    if (!queued || !given || !op) continue;
    EXPECT_GE(queued->begin, op->enqueued - most);
    EXPECT_LE(queued->begin, given->begin);
    EXPECT_EQ(queued->end, given->begin);
    EXPECT_LE(given->begin, ran.begin);
    EXPECT_EQ(given->end, ran.begin);
    EXPECT_LE(ran.end, timestamp_from_ns(static_cast<std::int64_t>(now_ns)) + most);
    ++seen;
  }
  EXPECT_EQ(capture.lost(trace::LossCause::kLateRow), 0u);
  return seen;
}

}  // namespace runahead::engine::test
