// Tests the wait points of a run (trace::kWaitPoint): where the barrier would wait in each step, whatever the
// barrier is.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gui/session/session.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/trace/row_reader.h"
#include "tests/samples/run_support.h"
#include "tests/support/between_checks.h"

namespace runahead::gui {
namespace {

constexpr int kSteps = 6;

trace::Trace trace_of_run(const std::string& barrier, const std::string& engine_kind) {
  Session session;
  samples::RunConfig config;
  config.workload = "training_memory";
  config.settings = samples::tiny_settings(config.workload);
  config.settings["steps"] = std::to_string(kSteps);
  config.barrier = parse_barrier(barrier).value();
  config.engine.kind = engine_kind == "naive" ? engine::EngineKind::kNaive : engine::EngineKind::kThreaded;
  EXPECT_FALSE(session.start(config).has_value());
  while (session.live()) {
    if (!session.poll()) between_checks();
  }
  session.settle();
  return session.trace().snapshot();
}

std::vector<trace::Instant> wait_points(const trace::Trace& trace) {
  std::vector<trace::Instant> found;
  trace::InstantReader instants(trace.instants());
  for (std::uint64_t i = 0; i < instants.size(); ++i) {
    if (trace.string(instants.instant(i).name) == trace::kWaitPoint) found.push_back(instants.instant(i));
  }
  return found;
}

std::vector<trace::Slice> slices_of(const trace::Trace& trace, TrackId track, trace::SliceKind kind) {
  std::vector<trace::Slice> found;
  for (const trace::Lane& lane : trace.track(track).lanes) {
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      if (lane.slice(row).kind == kind) found.push_back(lane.slice(row));
    }
  }
  return found;
}

class EveryBarriersWaitPoints : public ::testing::TestWithParam<std::string> {};
std::string name_of_barrier(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find(':'));
}
INSTANTIATE_TEST_SUITE_P(Under, EveryBarriersWaitPoints,
                         ::testing::Values("none", "window:2", "ops:10", "bytes:1000000", "wait_to_read",
                                           "waitall", "item", "asnumpy", "print"),
                         name_of_barrier);

TEST_P(EveryBarriersWaitPoints, AreInEachStepWithTheOpToWaitFor) {
  ::testing::internal::CaptureStderr();
  const trace::Trace trace = trace_of_run(GetParam(), "threaded");
  (void)::testing::internal::GetCapturedStderr();
  const std::vector<trace::Instant> points = wait_points(trace);
  ASSERT_EQ(points.size(), static_cast<std::size_t>(kSteps));
  for (const trace::Instant& point : points) {
    EXPECT_EQ(trace.track(point.track).info.kind, trace::TrackKind::kFrontend);
    const auto op = trace.op(point.op);
    ASSERT_TRUE(op.has_value());
    EXPECT_LE(op->enqueued, point.at) << "the last op that writes the array has been enqueued";
  }
  const std::vector<trace::Slice> steps = slices_of(trace, points[0].track, trace::SliceKind::kStep);
  ASSERT_EQ(steps.size(), points.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_TRUE(steps[i].begin <= points[i].at && points[i].at <= steps[i].end) << i;
}

TEST(WaitPoints, NameTheOpForWhichWaitToReadWaits) {
  for (const char* kind : {"threaded", "naive"}) {
    const trace::Trace trace = trace_of_run("wait_to_read", kind);
    const std::vector<trace::Instant> points = wait_points(trace);
    ASSERT_EQ(points.size(), static_cast<std::size_t>(kSteps)) << kind;
    std::vector<trace::Slice> waits = slices_of(trace, points[0].track, trace::SliceKind::kWait);
    std::erase_if(waits, [&](const trace::Slice& wait) { return trace.string(wait.name) != "wait_to_read"; });
    ASSERT_GE(waits.size(), points.size()) << kind;
    for (const trace::Instant& point : points) {
      const auto wait =
          std::ranges::find_if(waits, [&](const trace::Slice& s) { return s.begin >= point.at; });
      ASSERT_NE(wait, waits.end()) << "the point is before the wait";
      // The engine no longer knows the op of the wait if the op had ended before.
      EXPECT_TRUE(wait->op == kNoOp || wait->op == point.op) << kind;
    }
  }
}

}  // namespace
}  // namespace runahead::gui
