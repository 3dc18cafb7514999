// Tests which rows a live view retains, and which rows a snapshot has while rows are evicted.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>
#include <vector>

#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/trace.h"
#include "tests/support/literals.h"
#include "tests/support/random.h"
#include "tests/trace/random_rows.h"

namespace runahead::trace {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms

Batch definitions() {
  Batch batch;
  batch.strings = {"", "work"};
  batch.tracks = {{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w0"},
                  {.id = TrackId{1}, .kind = TrackKind::kCounter, .name = "depth"}};
  return batch;
}

// A batch with `count` rows of each kind: slices, samples, ops, flows and dependencies. `first` is the number
// of the first row of each table. Row n begins at n us.
Batch stretch(std::int64_t first, std::int64_t count) {
  Batch batch;
  batch.lanes.push_back({TrackId{0}, 0, {}});
  batch.counters.push_back({TrackId{1}, {}});
  for (std::int64_t i = first; i < first + count; ++i) {
    const Timestamp begin = timestamp_from_ns(i * 1000);
    const auto op = OpId(static_cast<std::uint64_t>(i + 1));
    batch.lanes[0].rows.push_back({.begin = begin, .end = begin + 800_ns, .name = StringId{1}, .op = op});
    batch.counters[0].rows.push_back({begin, static_cast<double>(i)});
    batch.ops.push_back({.id = op, .enqueued = begin, .started = begin, .ended = begin + 800_ns});
    batch.flows.push_back({.from_time = begin, .to_time = begin + 100_ns, .op = op});
    if (i > 0) batch.dependencies.push_back({.op = op, .on = OpId(raw(op) - 1), .at = begin});
  }
  batch.watermark = timestamp_from_ns((first + count) * 1000);
  return batch;
}

TEST(Retention, RunningForEverStaysWithinTheLimitAndCountsWhatWent) {
  constexpr std::size_t kLimit = 4 << 20;
  Trace trace;
  trace.append(definitions());
  for (std::int64_t i = 0; i < 400; ++i) {
    trace.append(stretch(i * 1000, 1000));
    const std::size_t before = trace.size_bytes();
    trace.retain_at_most(kLimit);
    // Below the limit nothing is evicted. Above the limit, more rows are evicted than necessary, so that
    // there is room for the next rows.
    const std::size_t now = trace.size_bytes();
    ASSERT_LE(now, before > kLimit ? kLimit - kLimit / 16 : before);
    ASSERT_GT(now, before > kLimit ? kLimit / 2 : before - 1);
  }
  const TraceCounts counts = trace.counts();
  const std::uint64_t here =
      counts.slices + counts.counter_samples + counts.ops + counts.flows + counts.dependencies;
  EXPECT_GT(here, 40'000u);
  EXPECT_EQ(trace.losses().of(LossCause::kEvicted) + here, 5u * 400'000 - 1);
  EXPECT_FALSE(trace.losses().facts_missing());
}

TEST(Retention, LetsGoByOneTimeForAllAndKeepsRowNumbers) {
  Trace trace;
  trace.append(definitions());
  for (std::int64_t i = 0; i < 100; ++i) trace.append(stretch(i * 1000, 1000));
  trace.retain_at_most(trace.size_bytes() / 2);
  const Lane& lane = trace.track(TrackId{0}).lanes[0];
  ASSERT_GT(lane.first_row(), 0u);
  EXPECT_EQ(lane.end_row(), 100'000u);
  EXPECT_EQ(ns_from(lane.begin(lane.first_row())), static_cast<std::int64_t>(lane.first_row()) * 1000);
  // After the eviction, all tables start at about the same time. A table evicts whole blocks, so its start
  // may differ from the lane's start by the rows of a block or two.
  const std::int64_t first_us = static_cast<std::int64_t>(lane.first_row());
  const auto near = [&](std::int64_t us) {
    return std::abs(us - first_us) <= 2 * static_cast<std::int64_t>(kBlockRows);
  };
  EXPECT_TRUE(near(static_cast<std::int64_t>(trace.track(TrackId{1}).counter.first_row())));
  EXPECT_TRUE(near(ns_from(trace.op_row(0).enqueued) / 1000));
  EXPECT_TRUE(near(ns_from(trace.flow(0).from_time) / 1000));
  EXPECT_TRUE(near(ns_from(trace.dependency(0).at) / 1000));
  EXPECT_EQ(trace.op(OpId{1}), std::nullopt);
  EXPECT_EQ(trace.op(OpId{100'000})->id, OpId{100'000});
  EXPECT_EQ(trace.op(trace.op_row(0).id), trace.op_row(0));
  std::vector<Flow> found;
  EXPECT_EQ(trace.flows_of_op(OpId{90'000}, 5, found), 1u);
  std::vector<Dependency> before;
  EXPECT_EQ(trace.dependencies_of(OpId{90'000}, 5, before), 1u);
  EXPECT_EQ(trace.dependencies_of(OpId{2}, 5, before), 0u);
}

TEST(Retention, WhatIsHeldStaysKnownUntilItIsGivenBack) {
  Trace trace;
  trace.append(definitions());
  const auto rows = [&](std::uint64_t first, std::uint64_t count, bool ended) {
    Batch batch;
    for (std::uint64_t i = first; i < first + count; ++i) {
      const Timestamp begin = timestamp_from_ns(static_cast<std::int64_t>(i) * 1000);
      batch.allocations.push_back({.block = i, .begin = begin, .end = ended ? begin + 500_ns : kNever});
    }
    trace.append(std::move(batch));
  };
  rows(0, 3000, false);
  rows(0, 1500, true);  // frees the first 1500 allocations
  for (std::uint64_t i = 0; i < 50; ++i) rows(10'000 + i * 1000, 1000, true);
  trace.retain_at_most(trace.size_bytes() / 2);
  std::set<std::uint64_t> held;
  trace.allocations().each(Timestamp::max(), [&](const Allocation& row) {
    if (row.end == kNever) held.insert(row.block);
  });
  EXPECT_EQ(held.size(), 1500u);
  EXPECT_EQ(*held.begin(), 1500u);
  EXPECT_EQ(*held.rbegin(), 2999u);
}

TEST(Retention, AnImpossibleLimitReleasesWhatIsWholeAndStops) {
  Trace trace;
  trace.append(definitions());
  trace.append(stretch(0, 5000));
  trace.retain_at_most(1);
  EXPECT_GT(trace.counts().slices, 0u);  // the rows that are not in a sealed block are still there
  EXPECT_LT(trace.counts().slices, kBlockRows);
}

TEST(Retention, ASnapshotKeepsWhatTheTraceLetsGo) {
  Trace trace;
  trace.append(definitions());
  trace.append(stretch(0, 10'000));
  const Trace snapshot = trace.snapshot();
  trace.retain_at_most(1);
  EXPECT_EQ(snapshot.counts().slices, 10'000u);
  EXPECT_EQ(snapshot.track(TrackId{0}).lanes[0].slice(0).op, OpId{1});
  EXPECT_TRUE(snapshot.losses().none());
}

// In the tsan preset, the test shows that the reader of a snapshot and the trace's owner have no data race.
TEST(Snapshot, IsReadOnAnotherThreadWhileTheOwnerAppendsAndLetsGo) {
  Trace trace;
  trace.append(definitions());
  std::int64_t next = 0;
  for (int round = 0; round < 12; ++round) {
    trace.append(stretch(next, 700));
    next += 700;
    std::jthread reader([snapshot = trace.snapshot(), until = next] {
      const Lane& lane = snapshot.track(TrackId{0}).lanes[0];
      ASSERT_EQ(lane.end_row(), static_cast<std::uint64_t>(until));
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const Slice slice = lane.slice(row);
        ASSERT_EQ(slice.op, OpId(row + 1));
        ASSERT_EQ(snapshot.string(slice.name), "work");
      }
      const CounterSeries& counter = snapshot.track(TrackId{1}).counter;
      for (std::uint64_t row = counter.first_row(); row < counter.end_row(); ++row) {
        ASSERT_EQ(counter.sample(row).value, static_cast<double>(row));
      }
      for (std::uint64_t i = 0; i < snapshot.op_count(); ++i) ASSERT_NE(snapshot.op_row(i).id, kNoOp);
      for (std::uint64_t i = 0; i < snapshot.flow_count(); ++i) ASSERT_NE(snapshot.flow(i).op, kNoOp);
    });
    for (int i = 0; i < 30; ++i) {
      Batch batch = stretch(next, 40);
      batch.strings = {"another"};
      trace.append(std::move(batch));
      next += 40;
      trace.retain_at_most(400 << 10);
    }
  }
}

}  // namespace
}  // namespace runahead::trace
