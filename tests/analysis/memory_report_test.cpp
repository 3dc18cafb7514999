// Tests memory_report(): who holds memory at a given time, and when memory use peaks. The results are
// compared with those of a slow, simple implementation that looks at every block.
#include "instrumentation/analysis/memory_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace runahead::testing;
using trace::Allocation;
using trace::CounterRole;
using trace::Trace;
using trace::Unit;

struct Block {
  std::uint64_t number = 0;
  std::string op, category;
  // if `end` is after kEnd, the block is still live when the trace ends
  std::int64_t bytes = 0, begin = 0, end = 0;
};

constexpr std::int64_t kEnd = 10'000;

std::vector<Block> random_blocks(Random& random, std::size_t count) {
  const std::array<const char*, 4> ops{"dense", "relu", "add", ""};
  const std::array<const char*, 3> categories{"activations", "parameters", ""};
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    Block block{.number = i + 1,
                .op = ops[static_cast<std::size_t>(random.integer(0, 3))],
                .category = categories[static_cast<std::size_t>(random.integer(0, 2))],
                .bytes = random.integer(0, 1000),
                .begin = random.integer(0, kEnd - 1)};
    block.end = block.begin + random.magnitude(2 * kEnd);
    blocks.push_back(block);
  }
  return blocks;
}

// A trace of two devices. Blocks with even numbers are on the first device. Rows are in the order in which a
// recording writes them. A block that was freed may have two rows: the first was written after its
// allocation, the second after its free.
struct MadeTrace {
  Trace trace;
  std::array<TrackId, 2> counters{TrackId{0}, TrackId{1}};
};

MadeTrace trace_of(Random& random, const std::vector<Block>& blocks) {
  MadeTrace made;
  trace::Batch batch;
  batch.strings = {"", "dense", "relu", "add", "activations", "parameters"};
  const auto id_of = [&](const std::string& text) {
    return StringId(
        static_cast<std::uint32_t>(std::ranges::find(batch.strings, text) - batch.strings.begin()));
  };
  std::multimap<std::int64_t, Allocation> rows;  // key: time at which the row is written
  std::array<std::map<std::int64_t, std::int64_t>, 2> changes;
  for (const Block& block : blocks) {
    Allocation row{.block = block.number,
                   .counter = made.counters[block.number % 2],
                   .category = id_of(block.category),
                   .name = id_of(block.op),
                   .op = OpId{block.number},
                   .size_bytes = block.bytes,
                   .begin = timestamp_from_ns(block.begin)};
    if (block.end >= kEnd || random.chance(0.4)) rows.emplace(block.begin, row);
    // the same row again, as in a recording that was joined from two files
    if (block.end >= kEnd && random.chance(0.1)) rows.emplace(block.begin + 1, row);
    row.end = timestamp_from_ns(block.end);
    if (block.end < kEnd) rows.emplace(block.end, row);
    changes[block.number % 2][block.begin] += block.bytes;
    if (block.end < kEnd) changes[block.number % 2][block.end] -= block.bytes;
  }
  for (std::uint32_t device = 0; device < 2; ++device) {
    batch.tracks.push_back({.id = TrackId{device},
                            .kind = trace::TrackKind::kCounter,
                            .unit = Unit::kBytes,
                            .role = CounterRole::kLiveBytes,
                            .name = "live",
                            .device = "virtual:" + std::to_string(device)});
    trace::CounterRows samples{TrackId{device}, {}};
    double live = 0;
    for (const auto& [at, change] : changes[device]) {
      live += static_cast<double>(change);
      samples.rows.push_back({timestamp_from_ns(at), live});
    }
    batch.counters.push_back(std::move(samples));
  }
  for (const auto& [at, row] : rows) batch.allocations.push_back(row);
  batch.watermark = timestamp_from_ns(kEnd);
  made.trace.append(std::move(batch));
  return made;
}

TEST(MemoryReport, SaysOfEveryMomentWhatATwinSaysThatLooksAtEveryBlock) {
  Random random;
  const std::vector<Block> blocks = random_blocks(random, 4000);
  const MadeTrace made = trace_of(random, blocks);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t at = random.integer(0, kEnd);
    const auto device = static_cast<std::size_t>(random.integer(0, 1));
    std::map<std::pair<std::string, std::string>, MemoryHolder> expected;
    std::map<std::string, std::int64_t> by_category;
    std::int64_t all = 0, largest = 0;
    std::uint64_t count = 0;
    for (const Block& block : blocks) {
      if (block.number % 2 != device || block.begin > at || block.end <= at) continue;
      MemoryHolder& holder = expected[{block.op, block.category}];
      const auto begin = timestamp_from_ns(block.begin);
      holder.since = holder.blocks == 0 ? begin : std::min(holder.since, begin);
      holder.bytes += block.bytes;
      ++holder.blocks;
      by_category[block.category] += block.bytes;
      all += block.bytes;
      largest = std::max(largest, block.bytes);
      ++count;
    }
    const MemoryReport report = memory_report(made.trace, made.counters[device], timestamp_from_ns(at));
    ASSERT_TRUE(report.lifetimes);
    ASSERT_EQ(report.named_bytes, all) << "at " << at;
    ASSERT_EQ(report.blocks, count);
    ASSERT_EQ(report.unnamed_bytes(), 0) << "at " << at;
    ASSERT_EQ(report.holders.size(), expected.size());
    for (const MemoryHolder& holder : report.holders) {
      const MemoryHolder& twin = expected[{holder.op, holder.category}];
      ASSERT_EQ(holder.bytes, twin.bytes);
      ASSERT_EQ(holder.blocks, twin.blocks);
      ASSERT_EQ(holder.since, twin.since);
    }
    ASSERT_TRUE(std::ranges::is_sorted(report.holders, std::ranges::greater{}, &MemoryHolder::bytes));
    for (const MemoryShare& share : report.by_category) ASSERT_EQ(share.bytes, by_category[share.category]);
    ASSERT_EQ(report.by_category.size(), by_category.size());
    ASSERT_EQ(report.largest.size(), std::min<std::size_t>(count, kLargestBlocks));
    ASSERT_EQ(report.largest.empty() ? 0 : report.largest.front().size_bytes, largest);
  }
}

TEST(MemoryReport, ThePeakIsTheFirstMomentOfTheGreatestValueInTheRange) {
  Random random;
  const MadeTrace made = trace_of(random, random_blocks(random, 4000));
  const trace::CounterSeries& counter = made.trace.track(made.counters[0]).counter;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t begin = random.integer(0, kEnd - 1);
    const TimeRange range{timestamp_from_ns(begin), timestamp_from_ns(random.integer(begin + 1, kEnd))};
    std::optional<MemoryPeak> expected;
    if (const auto initial = counter.value_at(range.begin)) expected = MemoryPeak{range.begin, *initial};
    for (std::uint64_t row = counter.first_row(); row < counter.end_row(); ++row) {
      const trace::CounterSample sample = counter.sample(row);
      if (!range.contains(sample.at)) continue;
      if (!expected || sample.value > expected->bytes) expected = MemoryPeak{sample.at, sample.value};
    }
    ASSERT_EQ(memory_peak(counter, range), expected);
  }
}

TEST(MemoryReport, ARowLeadsToTheOpOfTheLargestBlockAndSaysSinceWhenTheOldestIsHeld) {
  const Trace trace = TraceBuilder{}
                          .counter("live virtual:0", CounterRole::kLiveBytes, Unit::kBytes)
                          .device("virtual:0")
                          .sample(0_ns, 30)
                          .allocation({"dense", "activations", OpId{1}, 10}, 1_ns, std::nullopt)
                          .allocation({"dense", "activations", OpId{2}, 20}, 2_ns, 9_ns)
                          .allocation({"dense", "activations", OpId{3}, 20}, 3_ns, 4_ns)
                          .build();
  const TrackId counter = memory_counters(trace).at(0);
  const MemoryReport report = memory_report(trace, counter, at(5_ns));
  ASSERT_EQ(report.holders.size(), 1u);
  EXPECT_EQ(report.holders[0].largest, OpId{2});
  EXPECT_EQ(report.holders[0].oldest, OpId{1});
  EXPECT_EQ(report.holders[0].since, at(1_ns));
  EXPECT_EQ(memory_report(trace, counter, at(9_ns)).named_bytes, 10) << "freed at this time";
}

TEST(MemoryReport, OfARecordingWithoutBlocksTheCategoriesCountersTell) {
  const Trace trace = TraceBuilder{}
                          .counter("live virtual:0", CounterRole::kLiveBytes, Unit::kBytes)
                          .device("virtual:0")
                          .sample(0_ns, 30)
                          .counter("activations virtual:0", CounterRole::kCategoryBytes, Unit::kBytes)
                          .device("virtual:0")
                          .sample(0_ns, 20)
                          .counter("inputs virtual:0", CounterRole::kCategoryBytes, Unit::kBytes)
                          .device("virtual:0")
                          .sample(0_ns, 10)
                          .counter("inputs virtual:1", CounterRole::kCategoryBytes, Unit::kBytes)
                          .device("virtual:1")
                          .sample(0_ns, 99)
                          .build();
  const MemoryReport report = memory_report(trace, memory_counters(trace).at(0), at(1_ns));
  EXPECT_FALSE(report.lifetimes);
  EXPECT_EQ(report.counted, 30.0);
  EXPECT_EQ(report.by_category, (std::vector<MemoryShare>{{"activations", 20, 0}, {"inputs", 10, 0}}));
  EXPECT_TRUE(report.holders.empty());
}

TEST(MemoryReport, WhatIsCountedAndNotKnownIsSaid) {
  const Trace trace = TraceBuilder{}
                          .counter("live virtual:0", CounterRole::kLiveBytes, Unit::kBytes)
                          .device("virtual:0")
                          .sample(0_ns, 100)
                          .sample(10_ns, 20)
                          .allocation({"dense", "activations", OpId{1}, 40}, 0_ns, std::nullopt)
                          .build();
  const TrackId counter = memory_counters(trace).at(0);
  EXPECT_EQ(memory_report(trace, counter, at(5_ns)).unnamed_bytes(), 60);
  EXPECT_EQ(memory_report(trace, counter, at(10_ns)).unnamed_bytes(), -20) << "its end was lost";
}

}  // namespace
}  // namespace runahead::analysis
