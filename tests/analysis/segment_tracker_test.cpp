#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "instrumentation/analysis/segment.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms
using trace::Batch;
using trace::CounterRole;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

void expect_same(const SegmentFigures& a, const SegmentFigures& b) {
  EXPECT_EQ(a.range, b.range);
  EXPECT_EQ(a.frontends, b.frontends);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_DOUBLE_EQ(a.steps_per_s, b.steps_per_s);
  EXPECT_EQ(a.ops, b.ops);
  EXPECT_EQ(a.blocked, b.blocked);
  EXPECT_DOUBLE_EQ(a.blocked_ratio, b.blocked_ratio);
  EXPECT_EQ(a.held_by_limit, b.held_by_limit);
  EXPECT_DOUBLE_EQ(a.held_by_limit_ratio, b.held_by_limit_ratio);
  EXPECT_EQ(a.peak_bytes, b.peak_bytes);
  EXPECT_EQ(a.max_run_ahead_ops, b.max_run_ahead_ops);
  EXPECT_EQ(a.copied_bytes, b.copied_bytes);
  EXPECT_EQ(a.busy_execute, b.busy_execute);
  EXPECT_EQ(a.busy_copy, b.busy_copy);
  EXPECT_EQ(a.overlap, b.overlap);
}

// A live capture as the collector delivers it: rows that end before the watermark, and open slices.
class LiveCapture {
 public:
  explicit LiveCapture(Random& random) {
    Batch batch;
    batch.strings = {"", "start: none", "none -> waitall", "x"};
    batch.tracks = {
        {.id = TrackId{0}, .kind = TrackKind::kMarkers, .name = "barrier"},
        {.id = TrackId{1}, .kind = TrackKind::kFrontend, .name = "main"},
        {.id = TrackId{2}, .kind = TrackKind::kStream, .name = "compute"},
        {.id = TrackId{3}, .kind = TrackKind::kStream, .name = "copy to host"},
        {.id = TrackId{4}, .kind = TrackKind::kCounter, .role = CounterRole::kStepsFinished, .name = "steps"},
        {.id = TrackId{5}, .kind = TrackKind::kCounter, .role = CounterRole::kLiveBytes, .name = "live"}};
    trace.append(std::move(batch));
    for (std::size_t track = 1; track <= 3; ++track) plan(random, track);
  }

  void mark(StringId label) { pending_.instants.push_back({.at = now_, .track = TrackId{0}, .name = label}); }

  void advance(Random& random, Duration by) {
    const Timestamp until = now_ + by;
    Batch batch = std::move(pending_);
    pending_ = {};
    for (std::size_t track = 1; track <= 3; ++track) hand_over(track, until, batch);
    batch.counters.push_back({TrackId{4}, {}});
    batch.counters.push_back({TrackId{5}, {}});
    for (Timestamp t = now_; t < until; t += Duration{random.integer(1, 3'000'000)}) {
      batch.counters[0].rows.push_back({t, static_cast<double>(++steps_)});
      batch.counters[1].rows.push_back({t, static_cast<double>(random.integer(0, 1000))});
    }
    batch.watermark = now_ = until;
    trace.append(std::move(batch));
  }

  Trace trace;

 private:
  // The slices of one track over 2 s, generated in advance.
  void plan(Random& random, std::size_t track) {
    static constexpr SliceKind kKinds[] = {SliceKind::kWait, SliceKind::kExecute, SliceKind::kCopyToHost};
    Timestamp t{};
    while (t < at(2_s)) {
      trace::Slice slice{.begin = t + Duration{random.integer(0, 1'000'000)}};
      slice.end = slice.begin + Duration{random.integer(0, 4'000'000)};
      slice.kind = random.chance(0.7) ? kKinds[track - 1] : SliceKind::kZone;
      slice.size_bytes = 10;
      if (slice.kind == SliceKind::kWait && random.chance(0.5)) slice.flags = trace::kSliceHeldByLimit;
      plans_[track].push_back(slice);
      t = slice.end;
    }
  }
  void hand_over(std::size_t track, Timestamp until, Batch& batch) {
    const auto id = TrackId(static_cast<std::uint32_t>(track));
    trace::LaneRows rows{id, 0, {}};
    std::size_t& next = next_[track];
    for (; next < plans_[track].size() && plans_[track][next].end < until; ++next) {
      rows.rows.push_back(plans_[track][next]);
      batch.ops.push_back({.id = OpId{++ops_}, .ended = plans_[track][next].end});
    }
    batch.lanes.push_back(std::move(rows));
    if (next < plans_[track].size() && plans_[track][next].begin < until) {
      batch.open_slices.push_back({id, 0, plans_[track][next]});
    }
  }

  std::vector<trace::Slice> plans_[4];
  std::size_t next_[4] = {};
  Batch pending_;
  Timestamp now_{};
  std::uint64_t ops_ = 0;
  std::int64_t steps_ = 0;
};

TEST(SegmentAccumulator, EqualsTheFiguresOfTheWholeWhileTheTraceGrows) {
  Random random;
  LiveCapture live(random);
  SegmentAccumulator accumulator(at(0_ns));
  for (int i = 0; i < 60; ++i) {
    live.advance(random, Duration{random.integer(1'000'000, 30'000'000)});
    accumulator.extend(live.trace, live.trace.watermark());
    ASSERT_NO_FATAL_FAILURE(
        expect_same(accumulator.figures(), segment_figures(live.trace, {at(0_ns), live.trace.watermark()})));
  }
}

TEST(SegmentTracker, SaysWhatAroundLastChangeSaysThroughSeveralChanges) {
  Random random;
  LiveCapture live(random);
  SegmentTracker tracker;
  EXPECT_FALSE(tracker.update(live.trace).has_value());
  live.mark(StringId{1});
  for (int i = 0; i < 80; ++i) {
    if (i == 20 || i == 45 || i == 46) live.mark(StringId{2});
    live.advance(random, Duration{random.integer(1'000'000, 20'000'000)});
    if (random.chance(0.3)) continue;  // update() must be right even if it is not called after every batch
    const auto whole = around_last_change(live.trace);
    const auto& tracked = tracker.update(live.trace);
    ASSERT_EQ(tracked.has_value(), whole.has_value());
    if (!whole) continue;
    EXPECT_EQ(tracked->change.at, whole->change.at);
    ASSERT_NO_FATAL_FAILURE(expect_same(tracked->before, whole->before));
    ASSERT_NO_FATAL_FAILURE(expect_same(tracked->after, whole->after));
  }
}

TEST(SegmentTracker, ForgetsTheLastChangeWhenARunStartsAnew) {
  Random random;
  LiveCapture live(random);
  SegmentTracker tracker;
  live.mark(StringId{1});
  live.advance(random, 10_ms);
  live.mark(StringId{2});
  live.advance(random, 10_ms);
  EXPECT_TRUE(tracker.update(live.trace).has_value());
  live.mark(StringId{1});
  live.advance(random, 10_ms);
  EXPECT_FALSE(tracker.update(live.trace).has_value());
}

}  // namespace
}  // namespace runahead::analysis
