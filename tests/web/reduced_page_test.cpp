// Pages of a part of a trace, and pages of a limited size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gui/web/page.h"
#include "gui/web/reduced_recording.h"
#include "gui/web/report/report.h"
#include "instrumentation/trace/row_reader.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"
#include "tests/timeline/sample_run.h"
#include "tests/web/page_reader.h"

namespace runahead::gui {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kRandomTracks = 3;

// Slices with random lengths from 1 ns to 100 us on a few tracks, with slices nested in some of them, and a
// counter and instants.
trace::Trace random_run(int rows, Random& random) {
  TraceBuilder builder;
  for (int t = 0; t < kRandomTracks; ++t) {
    builder.track("worker " + std::to_string(t), trace::TrackKind::kWorker);
    std::int64_t at = 0;
    for (int i = 0; i < rows / kRandomTracks; ++i) {
      at += random.magnitude(20'000);
      const std::int64_t length = random.magnitude(100'000);
      const auto kind = random.chance(0.5) ? trace::SliceKind::kExecute : trace::SliceKind::kWait;
      builder.slice("op " + std::to_string(random.integer(0, 50)), Duration{at}, Duration{length}, kind)
          .bytes(random.integer(0, 1000));
      if (random.chance(0.3)) builder.slice("inner", Duration{at + length / 4}, Duration{length / 2});
      if (random.chance(0.1)) builder.instant("note", Duration{at});
      at += length;
    }
  }
  builder.counter("live");
  for (int i = 0; i < rows; ++i) builder.sample(Duration{i * 1000}, random.real(-5, 5));
  return builder.build();
}

struct LaneSums {
  std::uint64_t slices = 0;
  std::int64_t busy_ns = 0, size_bytes = 0;
  friend bool operator==(const LaneSums&, const LaneSums&) = default;
};

// The slices of a lane and what they add up to. A block counts as the slices that it stands for; the busy
// time of a block is only in its name, so it is not counted here.
LaneSums sums_of(const trace::Trace& trace, const trace::Lane& lane, Duration at_least, bool blocks) {
  LaneSums sums;
  for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
    const trace::Slice slice = lane.slice(row);
    const std::string name(trace.string(slice.name));
    const bool block = blocks && name.find(" slices, ") != std::string::npos;
    sums.slices += block ? std::strtoull(name.c_str(), nullptr, 10) : 1;
    sums.size_bytes += slice.size_bytes;
    if (!block && slice.duration() >= at_least) sums.busy_ns += slice.duration().count();
  }
  return sums;
}

class Reduced : public ::testing::Test {
 protected:
  // Saves the trace with the reduction, and opens it.
  [[nodiscard]] trace::Trace reduced(const trace::Trace& trace, const Reduction& reduction) {
    const std::filesystem::path path = folder_ / "reduced.runahead";
    Result<TemporaryFile> file = TemporaryFile::create(Destination::kRecording, path);
    EXPECT_TRUE(file);
    const Status saved = save_reduced(*file, path, trace, reduction, {});
    EXPECT_TRUE(saved) << (saved ? "" : saved.error().message);
    EXPECT_TRUE(file->commit());
    Result<trace::Trace> opened = recordings::load_recording(path);
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }
  ScratchFolder folder_;
  Random random_;
};

TEST_F(Reduced, KeepsTheCountOfSlicesTheirBytesAndAllLongOnes) {
  const trace::Trace run = random_run(30'000, random_);
  for (const std::int64_t t : {1, 64, 5000, 1 << 20, 1 << 30}) {
    const Duration limit{t};
    const trace::Trace less = reduced(run, {.range = {}, .joined_below = limit});
    ASSERT_EQ(less.tracks().size(), run.tracks().size());
    for (std::size_t i = 0; i < run.tracks().size(); ++i) {
      ASSERT_EQ(less.tracks()[i].lanes.size(), run.tracks()[i].lanes.size());
      for (std::size_t depth = 0; depth < run.tracks()[i].lanes.size(); ++depth) {
        const trace::Lane &before = run.tracks()[i].lanes[depth], &after = less.tracks()[i].lanes[depth];
        LaneSums all = sums_of(run, before, limit, false), now = sums_of(less, after, limit, true);
        EXPECT_EQ(now, all) << "T " << t;
        for (std::uint64_t row = after.first_row(); row + 1 < after.end_row(); ++row)
          ASSERT_LE(after.end(row), after.begin(row + 1));
      }
    }
    const auto told = reduction_in(less.metadata());
    ASSERT_TRUE(told);
    EXPECT_EQ(told->reduction.joined_below, limit);
    EXPECT_EQ(run.counts().slices - less.counts().slices, told->counts.joined_slices - told->counts.blocks);
  }
}

TEST_F(Reduced, KeepsTheExtremesOfCounters) {
  const trace::Trace run = random_run(5'000, random_);
  const Duration limit{50'000};
  const trace::Trace less = reduced(run, {.range = {}, .joined_below = limit});
  using Extremes = std::map<std::int64_t, std::pair<double, double>>;
  const auto extremes = [&](const trace::CounterSeries& series) {
    Extremes by_interval;
    trace::CounterReader reader(series);
    for (std::uint64_t row = series.first_row(); row < series.end_row(); ++row) {
      const trace::CounterSample sample = reader.sample(row);
      const auto [at, is_new] =
          by_interval.try_emplace(ns_from(sample.at) / limit.count(), sample.value, sample.value);
      if (!is_new)
        at->second = {std::min(at->second.first, sample.value), std::max(at->second.second, sample.value)};
    }
    return by_interval;
  };
  const trace::CounterSeries &before = run.tracks().back().counter, &after = less.tracks().back().counter;
  EXPECT_EQ(extremes(after), extremes(before));
  EXPECT_LE(after.end_row() - after.first_row(), 4 * extremes(before).size());
}

TEST_F(Reduced, ARangeHasTheSlicesThatOverlapItAsTheyAre) {
  const trace::Trace run = random_run(5'000, random_);
  const TimeRange all = run.extent();
  const TimeRange middle{all.begin + all.duration() / 3, all.begin + all.duration() / 2};
  const trace::Trace less = reduced(run, {.range = middle, .joined_below = {}});
  for (std::size_t i = 0; i < run.tracks().size(); ++i) {
    for (std::size_t depth = 0; depth < run.tracks()[i].lanes.size(); ++depth) {
      const trace::Lane& lane = run.tracks()[i].lanes[depth];
      std::vector<std::string> expected, found;
      const auto words = [](const trace::Trace& of, const trace::Slice& slice) {
        return std::string(of.string(slice.name)) + " " + std::to_string(ns_from(slice.begin)) + " " +
               std::to_string(ns_from(slice.end));
      };
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = lane.slice(row);
        if (slice.end > middle.begin && slice.begin < middle.end) expected.push_back(words(run, slice));
      }
      if (depth < less.tracks()[i].lanes.size()) {
        const trace::Lane& kept = less.tracks()[i].lanes[depth];
        for (std::uint64_t row = kept.first_row(); row < kept.end_row(); ++row)
          found.push_back(words(less, kept.slice(row)));
      }
      EXPECT_EQ(found, expected);
    }
  }
  EXPECT_LT(less.string_count(), 60u) << "names that are not used are not written";
}

TEST_F(Reduced, ARangeKeepsTheSampleBeforeIt) {
  TraceBuilder builder;
  builder.counter("live").sample(0_us, 1).sample(10_us, 2).sample(20_us, 3).sample(90_us, 4);
  const trace::Trace less =
      reduced(builder.watermark(100_us).build(), {.range = range(15_us, 50_us), .joined_below = {}});
  const trace::CounterSeries& kept = less.tracks()[0].counter;
  ASSERT_EQ(kept.end_row() - kept.first_row(), 2u);
  EXPECT_EQ(trace::CounterReader(kept).sample(kept.first_row()).value, 2);
}

TEST_F(Reduced, ASummaryOfARunOfTheEngineKeepsLongOpsOnly) {
  const trace::Trace run = sample_run();
  const trace::Trace less = reduced(run, {.range = {}, .joined_below = 150_us});
  EXPECT_EQ(less.op_count(), 2u) << "relu took 50 us";
  EXPECT_TRUE(less.op(kMatmul));
  EXPECT_FALSE(less.op(kRelu));
  const auto told = reduction_in(less.metadata());
  ASSERT_TRUE(told);
  EXPECT_EQ(told->counts.ops, 1u);
}

TEST_F(Reduced, APageIsExactWhereItFitsAndASummaryElsewhere) {
  if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  const trace::Trace run = random_run(60'000, random_);
  const std::filesystem::path path = folder_ / "page.html";
  ASSERT_TRUE(write_page(run, path, {.title = "run"}));
  const auto exact = std::filesystem::file_size(path);
  ASSERT_TRUE(write_page(run, path, {.title = "run", .lesson = {}, .range = {}, .most_bytes = exact}));
  EXPECT_THAT(read_page(path, "note 0"), StartsWith("\n")) << "it fits, so it is exact";
  const std::uint64_t small = exact * 7 / 10;
  const auto summary =
      write_page(run, path, {.title = "run", .lesson = {}, .range = {}, .most_bytes = small});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_GT(summary->joined_below, Duration::zero());
  EXPECT_EQ(summary->bytes, std::filesystem::file_size(path));
  EXPECT_LE(std::filesystem::file_size(path), small);
  EXPECT_GT(std::filesystem::file_size(path), small / 4);
  EXPECT_THAT(read_page(path, "note 0"), HasSubstr("This page is a summary: "));
  EXPECT_THAT(read_page(path, "note 1"), HasSubstr("此页面是摘要"));
}

TEST_F(Reduced, APageThatCannotBeSoSmallIsRefusedInOneLine) {
  if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  const auto written = write_page(sample_run(), folder_ / "page.html",
                                  {.title = "run", .lesson = {}, .range = {}, .most_bytes = 20'000});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("no page fits in 20000 bytes"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "no file is left";
}

TEST_F(Reduced, APageOfARangeBeginsWithIt) {
  if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  const std::filesystem::path path = folder_ / "page.html";
  ASSERT_TRUE(write_page(sample_run(), path, {.title = "run", .lesson = {}, .range = range(380_us, 620_us)}));
  EXPECT_EQ(read_page(path, "note 0"),
            "This page has the time from 380 µs to 620 µs of the trace.\n380000..620000\n");
  EXPECT_EQ(read_page(path, "report"), page_report(sample_run(), {}, {.range = range(380_us, 620_us)}))
      << "its report is about this time";
}

}  // namespace
}  // namespace runahead::gui
