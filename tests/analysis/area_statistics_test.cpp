#include "instrumentation/analysis/timeline/area_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace runahead::testing;
using trace::SliceKind;
using trace::Trace;

AreaStatistics statistics_of(const Trace& trace, const Area& area) {
  const std::atomic<bool> cancel{false};
  return area_statistics(trace, area, cancel).value();
}

const AreaName* find_name(const AreaStatistics& statistics, std::string_view name) {
  const auto it = std::ranges::find(statistics.names, name, &AreaName::name);
  return it != statistics.names.end() ? &*it : nullptr;
}

// Nested slices on three tracks, with three names, and two counters whose first sample is at a random time.
Trace random_trace(Random& random) {
  TraceBuilder builder;
  for (const char* const track : {"a", "b", "c"}) {
    builder.track(track);
    std::int64_t at = 0;
    while (at < 3000) {
      const std::int64_t length = random.integer(0, 120);
      builder.slice("name " + std::to_string(random.integer(0, 2)), Duration{at}, Duration{length},
                    random.chance(0.5) ? SliceKind::kWait : SliceKind::kExecute);
      if (length > 10) builder.slice("inner", Duration{at + 1}, Duration{random.integer(0, length - 2)});
      at += length + random.integer(1, 40);
    }
  }
  for (const char* const counter : {"x", "y"}) {
    builder.counter(counter);
    std::int64_t at = random.integer(0, 1500);
    for (int i = 0; i < 40; ++i, at += random.integer(0, 90))
      builder.sample(Duration{at}, static_cast<double>(random.integer(-50, 50)));
  }
  return builder.build();
}

// The statistics of a lane, from each nanosecond of each slice.
void add_naively(const trace::Lane& lane, TimeRange range,
                 std::map<std::pair<std::string, SliceKind>, std::pair<std::uint64_t, std::int64_t>>& out,
                 const Trace& trace) {
  for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
    const trace::Slice slice = lane.slice(row);
    std::int64_t inside = 0;
    for (Timestamp t = slice.begin; t < slice.end; t += Duration{1}) inside += range.contains(t);
    if (inside == 0 && !(slice.begin == slice.end && range.contains(slice.begin))) continue;
    auto& [count, total] = out[{std::string(trace.string(slice.name)), slice.kind}];
    ++count;
    total += inside;
  }
}

// The values that apply at each nanosecond of the range.
std::vector<double> values_naively(const trace::CounterSeries& counter, TimeRange range, Timestamp end) {
  std::vector<double> values;
  for (Timestamp t = range.begin; t < std::min(range.end, end); t += Duration{1}) {
    if (const auto value = counter.value_at(t)) values.push_back(*value);
  }
  return values;
}

TEST(AreaStatistics, OfRandomTracesAreThoseOfEachNanosecond) {
  Random random;
  for (int round = 0; round < 40; ++round) {
    const Trace trace = random_trace(random);
    const std::int64_t begin = random.integer(-100, 3300);
    Area area{.range = range(Duration{begin}, Duration{begin + random.integer(1, 2000)})};
    std::set<TrackId> tracks;
    std::map<std::pair<std::string, SliceKind>, std::pair<std::uint64_t, std::int64_t>> expected;
    for (const trace::Track& track : trace.tracks()) {
      for (std::uint32_t depth = 0; depth < track.lanes.size(); ++depth) {
        if (random.chance(0.4)) continue;
        area.lanes.push_back({track.info.id, depth});
        tracks.insert(track.info.id);
        add_naively(track.lanes[depth], area.range, expected, trace);
      }
      if (track.info.kind != trace::TrackKind::kCounter || random.chance(0.3)) continue;
      area.counters.push_back(track.info.id);
      tracks.insert(track.info.id);
    }
    const AreaStatistics actual = statistics_of(trace, area);
    EXPECT_EQ(actual.tracks, tracks.size());
    std::int64_t total_ns = 0;
    for (const auto& [key, sum] : expected) total_ns += sum.second;
    EXPECT_EQ(actual.total.count(), total_ns);
    ASSERT_EQ(actual.names.size(), expected.size());
    for (const AreaName& name : actual.names) {
      const auto& [count, name_ns] = expected.at({name.name, name.kind});
      EXPECT_EQ(name.count, count);
      EXPECT_EQ(name.total.count(), name_ns);
      EXPECT_EQ(name.mean.count(), name_ns / static_cast<std::int64_t>(count));
      EXPECT_DOUBLE_EQ(name.share,
                       total_ns > 0 ? static_cast<double>(name_ns) / static_cast<double>(total_ns) : 0);
    }
    EXPECT_TRUE(std::ranges::is_sorted(actual.names, std::ranges::greater{}, &AreaName::total));
    ASSERT_EQ(actual.counters.size(), area.counters.size());
    const Timestamp end = std::max(trace.extent().end, trace.watermark());
    for (const AreaCounter& counter : actual.counters) {
      const auto values = values_naively(trace.track(counter.counter).counter, area.range, end);
      ASSERT_EQ(counter.values.has_value(), !values.empty());
      if (values.empty()) continue;
      // A sample that another one replaces at the same time applies for no time, but it is an extreme.
      EXPECT_LE(counter.values->min, *std::ranges::min_element(values));
      EXPECT_GE(counter.values->max, *std::ranges::max_element(values));
      double sum = 0;
      for (const double value : values) sum += value;
      EXPECT_NEAR(counter.values->mean, sum / static_cast<double>(values.size()), 1e-9);
    }
  }
}

TEST(AreaStatistics, CountOnlyThePartOfASliceInTheRange) {
  const Trace trace =
      TraceBuilder{}.track("a").slice("long", 0_us, 100_us).slice("later", 200_us, 1_us).build();
  const AreaStatistics statistics =
      statistics_of(trace, {.range = range(40_us, 60_us), .lanes = {{TrackId{0}, 0}}});
  ASSERT_EQ(statistics.names.size(), 1u);
  EXPECT_EQ(statistics.names[0].name, "long");
  EXPECT_EQ(statistics.names[0].total, 20_us);
  EXPECT_EQ(statistics.filled, 1.0);
}

TEST(AreaStatistics, CountASliceThatStillRunsUpToTheWatermark) {
  const Trace trace = TraceBuilder{}
                          .track("a")
                          .open_slice("wait", 10_us, SliceKind::kWait)
                          .track("b")
                          .open_slice("other", 10_us)
                          .watermark(50_us)
                          .build();
  const AreaStatistics statistics =
      statistics_of(trace, {.range = range(30_us, 90_us), .lanes = {{TrackId{0}, 0}}});
  ASSERT_NE(find_name(statistics, "wait"), nullptr);
  EXPECT_EQ(find_name(statistics, "wait")->total, 20_us);
  EXPECT_EQ(find_name(statistics, "other"), nullptr);
}

TEST(AreaStatistics, WeighACountersValuesByTheTimeForWhichTheyApply) {
  const Trace trace = TraceBuilder{}
                          .counter("x")
                          .sample(10_us, 4)
                          .sample(20_us, 8)
                          .track("a")
                          .slice("s", 0_us, 100_us)
                          .build();
  const auto values = [&](TimeRange of) {
    return statistics_of(trace, {.range = of, .counters = {TrackId{0}}}).counters.at(0).values;
  };
  ASSERT_TRUE(values(range(0_us, 40_us)));
  EXPECT_DOUBLE_EQ(values(range(0_us, 40_us))->mean, (10 * 4 + 20 * 8) / 30.0);
  EXPECT_EQ(values(range(0_us, 40_us))->min, 4);
  EXPECT_EQ(values(range(0_us, 40_us))->max, 8);
  // No value is known before the first sample, or after the end of the trace.
  EXPECT_FALSE(values(range(0_us, 10_us)));
  EXPECT_FALSE(values(range(100_us, 110_us)));
  EXPECT_DOUBLE_EQ(values(range(90_us, 200_us))->mean, 8);
}

TEST(AreaStatistics, OfTracksThatAreNotThereAreEmpty) {
  const Trace trace = TraceBuilder{}.track("a").slice("s", 0_us, 1_us).build();
  const AreaStatistics statistics = statistics_of(
      trace,
      {.range = range(0_us, 1_us), .lanes = {{TrackId{0}, 3}, {TrackId{9}, 0}}, .counters = {TrackId{7}}});
  EXPECT_EQ(statistics.count, 0u);
  EXPECT_FALSE(statistics.counters.at(0).values);
}

TEST(AreaStatistics, EndSoonWhenCancelled) {
  const Trace trace = TraceBuilder{}.track("a").slice("s", 0_us, 1_us).build();
  const std::atomic<bool> cancel{true};
  EXPECT_FALSE(area_statistics(trace, {.range = range(0_us, 1_us), .lanes = {{TrackId{0}, 0}}}, cancel));
}

}  // namespace
}  // namespace runahead::analysis
