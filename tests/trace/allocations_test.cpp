// Tests allocations as rows: packed rows unpack unchanged, and live allocations are kept when their rows are
// evicted.
#include <gtest/gtest.h>

#include <map>

#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/trace.h"
#include "tests/support/random.h"

namespace runahead::trace {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms

Allocation random_row(Random& random, std::uint64_t block, std::int64_t begin_ns) {
  Allocation row{.block = (block << 44) + block,
                 .counter = TrackId{static_cast<std::uint32_t>(random.integer(0, 3))},
                 .category = StringId{static_cast<std::uint32_t>(random.integer(0, 5))},
                 .name = StringId{static_cast<std::uint32_t>(random.integer(0, 50))},
                 .op = OpId{static_cast<std::uint64_t>(random.integer(0, 1 << 20))},
                 .size_bytes = random.magnitude(std::int64_t{1} << 40),
                 .begin = timestamp_from_ns(begin_ns),
                 .flags = static_cast<std::uint8_t>(random.integer(0, 3))};
  if (random.chance(0.7)) row.end = row.begin + Duration{random.magnitude(1'000'000)};
  if (row.end != kNever && random.chance(0.7))
    row.dropped = row.end - Duration{random.integer(0, ns_from(row.end - row.begin))};
  if (row.dropped == row.begin) row.early_drop_ns = random.magnitude(1'000'000'000);
  return row;
}

TEST(Holdings, AreWhatWasAppended) {
  Random random;
  Trace trace;
  std::vector<Allocation> all;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Batch batch;
    batch.allocations.push_back(random_row(random, i + 1, static_cast<std::int64_t>(i) * 100));
    all.push_back(batch.allocations.back());
    trace.append(std::move(batch));
  }
  ASSERT_EQ(trace.allocations().size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(trace.allocations().row(i), all[i]);
  std::size_t next = 0;
  trace.allocations().each(Timestamp::max(), [&](const Allocation& row) { ASSERT_EQ(row, all[next++]); });
  EXPECT_EQ(next, all.size());
  std::size_t early = 0;
  trace.allocations().each(timestamp_from_ns(50'000), [&](const Allocation& row) {
    early += row.begin <= timestamp_from_ns(50'000) ? 1 : 0;
  });
  EXPECT_EQ(early, 501u) << "an allocation that had begun is missing";
}

TEST(Holdings, WhatIsHeldStaysKnownWhenTheRowsOfItsTimeAreLetGo) {
  Trace trace;
  const auto row = [](std::uint64_t block, std::int64_t begin_ns, Timestamp end) {
    return Allocation{.block = block, .size_bytes = 8, .begin = timestamp_from_ns(begin_ns), .end = end};
  };
  std::map<std::uint64_t, Allocation> held;
  std::uint64_t number = 0;
  for (std::int64_t i = 0; i < 400; ++i) {
    Batch batch;
    for (std::int64_t n = 0; n < 1000; ++n) {
      const std::int64_t begin = (i * 1000 + n) * 10;
      const bool stays = n == 0;  // one allocation of each batch is freed a hundred batches later
      batch.allocations.push_back(row(++number, begin, stays ? kNever : timestamp_from_ns(begin + 5)));
      if (stays) held[number] = batch.allocations.back();
    }
    if (held.size() > 100) {
      Allocation given = held.begin()->second;
      given.end = timestamp_from_ns(i * 10'000);
      batch.allocations.push_back(given);
      held.erase(held.begin());
    }
    trace.append(std::move(batch));
    trace.retain_at_most(1 << 20);
  }
  EXPECT_GT(trace.losses().of(LossCause::kEvicted), 100'000u);
  std::map<std::uint64_t, Allocation> here;
  trace.allocations().each(Timestamp::max(), [&](const Allocation& found) {
    if (found.end == kNever) {
      here[found.block] = found;
    } else {
      here.erase(found.block);
    }
  });
  EXPECT_EQ(here, held);
}

}  // namespace
}  // namespace runahead::trace
