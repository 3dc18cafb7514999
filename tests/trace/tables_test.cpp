// Tests ops, flows and instants: the tables store them in order, and find them by id, track and time.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "instrumentation/trace/trace.h"
#include "tests/support/literals.h"
#include "tests/support/random.h"

namespace runahead::trace {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms

// Ops of two engines with several workers. Because an engine has several workers, its ops do not end in the
// order of their numbers.
std::vector<OpRow> random_ops(Random& random, std::size_t count, int engines) {
  std::vector<OpRow> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto engine = static_cast<std::uint64_t>(random.integer(1, engines));
    OpRow row{
        .id = OpId((engine << 48) + i + 1), .name = StringId{0}, .step = static_cast<std::int64_t>(i / 50)};
    row.enqueued = timestamp_from_ns(static_cast<std::int64_t>(i) * 1000);
    row.ready = row.enqueued + Duration{random.magnitude(1'000'000)};
    row.started = row.ready + Duration{random.magnitude(100'000)};
    row.ended = row.started + Duration{random.magnitude(50'000)};
    if (random.chance(0.05)) row.ready = kNever;
    row.output_bytes = random.magnitude(1 << 30);
    out.push_back(row);
  }
  std::sort(out.begin(), out.end(), [](const OpRow& a, const OpRow& b) { return a.ended < b.ended; });
  return out;
}

TEST(Ops, AreFoundByIdWhateverTheOrderTheyEndedIn) {
  Random random;
  for (const int engines : {1, 3}) {
    const std::vector<OpRow> ops = random_ops(random, 5000, engines);
    Trace trace;
    for (std::size_t i = 0; i < ops.size(); i += 250) {
      Batch batch;
      batch.ops.assign(ops.begin() + static_cast<std::ptrdiff_t>(i),
                       ops.begin() + static_cast<std::ptrdiff_t>(i + 250));
      trace.append(std::move(batch));
    }
    ASSERT_EQ(trace.op_count(), ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      ASSERT_EQ(trace.op_row(i), ops[i]);
      ASSERT_EQ(trace.op(ops[i].id), ops[i]);
    }
    EXPECT_EQ(trace.op(OpId{0xffff'ffff'ffff'ffff}), std::nullopt);
    EXPECT_EQ(trace.op(OpId{17}), std::nullopt);
  }
}

TEST(Ops, AreCountedByWhenTheyEnded) {
  Random random;
  const std::vector<OpRow> ops = random_ops(random, 5000, 1);
  Trace trace;
  Batch batch;
  batch.ops = ops;
  trace.append(std::move(batch));
  for (int i = 0; i < 100; ++i) {
    const Timestamp begin = ops[static_cast<std::size_t>(random.integer(0, 4999))].ended;
    const TimeRange range{begin, begin + Duration{random.magnitude(10'000'000)}};
    const auto naive =
        std::count_if(ops.begin(), ops.end(), [&](const OpRow& op) { return range.contains(op.ended); });
    ASSERT_EQ(trace.ops_ended_in(range), static_cast<std::uint64_t>(naive));
  }
}

TEST(Ops, InFlightAtATimeAreThoseEnqueuedAndNotEndedOpenOnesToo) {
  Random random;
  const std::vector<OpRow> ops = random_ops(random, 5000, 2);
  const Timestamp last = ops.back().ended;
  Trace trace;
  Batch batch;
  batch.ops = ops;
  batch.open_ops = {{.id = OpId{7'000'000}, .enqueued = last - 10_ns}, {.id = OpId{7'000'001}}};
  trace.append(std::move(batch));
  std::vector<OpRow> found;
  for (int i = 0; i < 100; ++i) {
    const Timestamp t = ops[static_cast<std::size_t>(random.integer(0, 4999))].enqueued;
    std::vector<OpId> naive;
    for (const OpRow& op : ops) {
      if (op.enqueued <= t && op.ended > t) naive.push_back(op.id);
    }
    std::sort(naive.begin(), naive.end());  // in each engine, ops are enqueued in the order of their numbers
    ASSERT_EQ(trace.ops_in_flight_at(t, 1'000'000, found), naive.size());
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
                               [](const OpRow& a, const OpRow& b) { return a.enqueued < b.enqueued; }));
    std::vector<OpId> ids;
    for (const OpRow& op : found) ids.push_back(op.id);
    std::sort(ids.begin(), ids.end());
    ASSERT_EQ(ids, naive);
    const std::vector<OpRow> all = found;
    ASSERT_EQ(trace.ops_in_flight_at(t, 3, found), naive.size());
    ASSERT_EQ(found.size(), std::min<std::size_t>(3, naive.size()));
    ASSERT_TRUE(std::equal(found.begin(), found.end(), all.begin()));
  }
  EXPECT_EQ(trace.ops_in_flight_at(last, 10, found), 1u);
  EXPECT_EQ(found.front().id, OpId{7'000'000});
}

TEST(Dependencies, AreFoundByEitherEnd) {
  Random random;
  std::vector<Dependency> all;
  Trace trace;
  for (std::uint64_t op = 2; op < 3000; ++op) {
    const std::uint64_t engine = std::uint64_t{1 + op % 2} << 48;
    Batch batch;
    for (std::int64_t n = random.integer(0, 4); n > 0; --n) {
      const std::int64_t distance =
          random.chance(0.05) ? random.integer(1, static_cast<std::int64_t>(op) - 1) : random.integer(1, 3);
      if (distance >= static_cast<std::int64_t>(op)) continue;
      batch.dependencies.push_back({OpId{engine + op},
                                    OpId{engine + op - static_cast<std::uint64_t>(distance)},
                                    static_cast<DependencyKind>(random.integer(0, 2)),
                                    timestamp_from_ns(static_cast<std::int64_t>(op) * 100)});
    }
    all.insert(all.end(), batch.dependencies.begin(), batch.dependencies.end());
    trace.append(std::move(batch));
  }
  ASSERT_EQ(trace.dependency_count(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(trace.dependency(i), all[i]);
  std::vector<Dependency> found;
  int bounded = 0;
  for (int i = 0; i < 500; ++i) {
    const Dependency& some =
        all[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(all.size()) - 1))];
    std::vector<Dependency> of, on;
    for (const Dependency& d : all) {
      if (d.op == some.op) of.push_back(d);
      if (d.on == some.on) on.push_back(d);
    }
    ASSERT_EQ(trace.dependencies_of(some.op, 1000, found), of.size());
    ASSERT_EQ(found, of);
    ASSERT_EQ(trace.dependents_of(some.on, 1000, found), on.size());
    ASSERT_EQ(found, on);
    ASSERT_EQ(trace.dependents_of(some.on, 1, found), on.size());
    ASSERT_EQ(found.size(), 1u);
    // A search of few blocks finds some of the rows, in their order. If it leaves out a block, it says so.
    const std::uint64_t told = trace.dependents_of(some.on, 1000, found, 1);
    ASSERT_TRUE(told == found.size() || told == found.size() + 1);
    bounded += told > found.size() ? 1 : 0;
    auto at = on.begin();
    for (const Dependency& row : found) {
      at = std::find(at, on.end(), row);
      ASSERT_NE(at++, on.end());
    }
    ASSERT_EQ(trace.dependents_of(some.on, 1000, found, 1'000'000), on.size());
  }
  EXPECT_GT(bounded, 0) << "no search left out a block";
  EXPECT_EQ(trace.dependencies_of(OpId{5}, 10, found), 0u);  // no engine in this trace has this op
  EXPECT_EQ(trace.dependencies_of(kNoOp, 10, found), 0u);
}

std::vector<Flow> random_flows(Random& random, std::size_t count) {
  std::vector<Flow> out;
  for (std::size_t i = 0; i < count; ++i) {
    Flow flow{.kind = static_cast<FlowKind>(random.integer(0, 4)),
              .from_track = TrackId(static_cast<std::uint32_t>(random.integer(0, 3))),
              .to_track = TrackId(static_cast<std::uint32_t>(random.integer(0, 3))),
              .from_time = timestamp_from_ns(static_cast<std::int64_t>(i) * 100)};
    flow.to_time = flow.from_time + Duration{random.magnitude(20'000)};
    if (random.chance(0.9)) flow.op = OpId(i / 3 + 1 + static_cast<std::uint64_t>(random.integer(0, 500)));
    out.push_back(flow);
  }
  return out;
}

TEST(Flows, AreFoundByOpAndByTrackAndTimeAsANaiveSearchFindsThem) {
  Random random;
  const std::vector<Flow> flows = random_flows(random, 5000);
  Trace trace;
  Batch batch;
  batch.flows = flows;
  trace.append(std::move(batch));
  ASSERT_EQ(trace.flow_count(), flows.size());
  std::vector<Flow> found;
  for (int i = 0; i < 300; ++i) {
    const auto op = OpId(static_cast<std::uint64_t>(random.integer(1, 2200)));
    std::vector<Flow> naive;
    std::copy_if(flows.begin(), flows.end(), std::back_inserter(naive),
                 [&](const Flow& f) { return f.op == op; });
    ASSERT_EQ(trace.flows_of_op(op, 1000, found), naive.size());
    ASSERT_EQ(found, naive);
    const auto track = TrackId(static_cast<std::uint32_t>(random.integer(0, 4)));
    const Timestamp begin = timestamp_from_ns(random.integer(0, 500'000));
    const TimeRange range{begin, begin + Duration{random.magnitude(100'000)}};
    naive.clear();
    std::copy_if(flows.begin(), flows.end(), std::back_inserter(naive), [&](const Flow& f) {
      return (f.from_track == track && range.contains(f.from_time)) ||
             (f.to_track == track && range.contains(f.to_time));
    });
    ASSERT_EQ(trace.flows_touching(track, range, 10'000, found), naive.size());
    ASSERT_EQ(found, naive);
  }
}

TEST(Flows, BeyondTheLimitAreCountedAndNotCopied) {
  Trace trace;
  Batch batch;
  batch.flows.assign(3000, Flow{.from_track = TrackId{0}, .to_track = TrackId{1}, .op = OpId{5}});
  trace.append(std::move(batch));
  std::vector<Flow> found;
  EXPECT_EQ(trace.flows_of_op(OpId{5}, 10, found), 3000u);
  EXPECT_EQ(found.size(), 10u);
  EXPECT_EQ(trace.flows_touching(TrackId{1}, range(0_ns, 1_ns), 7, found), 3000u);
  EXPECT_EQ(found.size(), 7u);
  EXPECT_EQ(trace.flows_of_op(kNoOp, 10, found), 0u);
}

TEST(Instants, AreSortedEvenWhenSourcesHandThemOverOutOfOrder) {
  Random random;
  Trace trace;
  std::vector<std::int64_t> expected;
  std::int64_t around = 0;
  for (int round = 0; round < 60; ++round) {
    Batch batch;
    around += 1000;
    for (int i = 0; i < 100; ++i) {
      batch.instants.push_back(
          {.at = timestamp_from_ns(around + random.integer(-random.magnitude(60'000), 1000))});
      expected.push_back(ns_from(batch.instants.back().at));
    }
    std::sort(batch.instants.begin(), batch.instants.end(),
              [](const auto& a, const auto& b) { return a.at < b.at; });
    trace.append(std::move(batch));
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(trace.instant_count(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(ns_from(trace.instant(i).at), expected[i]);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t t = random.integer(-70'000, 70'000);
    const auto naive = std::lower_bound(expected.begin(), expected.end(), t) - expected.begin();
    ASSERT_EQ(trace.first_instant_from(timestamp_from_ns(t)), static_cast<std::uint64_t>(naive));
  }
}

TEST(Instants, AnInsertionDoesNotChangeASnapshot) {
  Trace trace;
  Batch first, second;
  first.instants = {{.at = at(5_ns)}, {.at = at(10_ns)}};
  second.instants = {{.at = at(7_ns)}};
  trace.append(std::move(first));
  const Trace snapshot = trace.snapshot();
  trace.append(std::move(second));
  ASSERT_EQ(snapshot.instant_count(), 2u);
  EXPECT_EQ(snapshot.instant(1).at, at(10_ns));
  ASSERT_EQ(trace.instant_count(), 3u);
  EXPECT_EQ(trace.instant(1).at, at(7_ns));
}

}  // namespace
}  // namespace runahead::trace
