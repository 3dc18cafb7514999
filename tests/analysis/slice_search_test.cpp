#include "instrumentation/analysis/slice_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::analysis {
namespace {

using namespace runahead::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

constexpr TimeRange kWholeTime{Timestamp{}, Timestamp{std::chrono::seconds(1)}};

// Op 7 of step 3 and op 8 of step 4. The queue's track has one slice: op 7, from its enqueue to its end.
Trace sample() {
  return TraceBuilder{}
      .track("main", TrackKind::kFrontend)
      .slice("MatMul", 1_us, 1_us, SliceKind::kEnqueue, OpId{7})
      .slice("wait for a loss", 20_us, 80_us, SliceKind::kWait, OpId{8})
      .group("virtual:0")
      .track("compute", TrackKind::kStream)
      .slice("MatMul", 10_us, 30_us, SliceKind::kExecute, OpId{7})
      .slice("relu", 40_us, 5_us, SliceKind::kExecute, OpId{8})
      .track("copy to host", TrackKind::kStream)
      .slice("copy", 50_us, 10_us, SliceKind::kCopyToHost)
      .bytes(4'000'000)
      .end_group()
      .track("op lives", TrackKind::kQueue)
      .slice("MatMul", 1_us, 39_us, SliceKind::kExecute, OpId{7})
      .op(OpId{7}, "MatMul", {1_us, 2_us, 10_us, 40_us}, {.step = 3})
      .op(OpId{8}, "relu", {2_us, 40_us, 40_us, 45_us}, {.step = 4})
      .build();
}

// Each slice as "name@begin us", in the order of the result.
std::vector<std::string> found(std::string_view words, FoundOrder order = FoundOrder::kByTime,
                               std::size_t most = 100, TimeRange range = kWholeTime) {
  static const Trace trace = sample();
  const Result<SliceSearch> search = parse_slice_search(words);
  if (!search) return {search.error().message};
  const std::atomic<bool> cancel{false};
  std::vector<std::string> out;
  for (const FoundSlice& slice : find_slices(trace, *search, range, order, most, cancel).slices) {
    const auto at_us =
        std::chrono::duration_cast<std::chrono::microseconds>(slice.slice.begin.time_since_epoch());
    out.push_back(std::string(trace.string(slice.slice.name)) + "@" + std::to_string(at_us.count()));
  }
  return out;
}

TEST(SliceSearch, FindsNamesThatHoldEachWordNoMatterTheCase) {
  EXPECT_THAT(found("matmul"), ElementsAre("MatMul@1", "MatMul@10"));
  EXPECT_THAT(found("loss WAIT"), ElementsAre("wait for a loss@20"));
  EXPECT_THAT(found("\"for a\""), ElementsAre("wait for a loss@20"));
  EXPECT_THAT(found("\"a for\""), IsEmpty());
  EXPECT_THAT(found("name=MatMul track=main"), ElementsAre("MatMul@1"));
  EXPECT_THAT(found("name=Mat"), IsEmpty());
}

TEST(SliceSearch, OfNothingFindsAllButTheLivesOfOps) {
  EXPECT_THAT(found("  "), ElementsAre("MatMul@1", "MatMul@10", "wait for a loss@20", "relu@40", "copy@50"));
}

TEST(SliceSearch, BoundsWhatASliceTookAndMoved) {
  EXPECT_THAT(found("dur>30us"), ElementsAre("wait for a loss@20"));
  EXPECT_THAT(found("dur>=30us"), ElementsAre("MatMul@10", "wait for a loss@20"));
  EXPECT_THAT(found("dur<=5us dur>1us"), ElementsAre("relu@40"));
  EXPECT_THAT(found("dur=10us"), ElementsAre("copy@50"));
  EXPECT_THAT(found("bytes>=4M"), ElementsAre("copy@50"));
  EXPECT_THAT(found("bytes>4MB"), IsEmpty());
  EXPECT_THAT(found("bytes=0 relu"), ElementsAre("relu@40"));
}

TEST(SliceSearch, FindsWhatBelongsToAStepOrAnOp) {
  EXPECT_THAT(found("step=3"), ElementsAre("MatMul@1", "MatMul@10"));
  EXPECT_THAT(found("op=8"), ElementsAre("wait for a loss@20", "relu@40"));
  EXPECT_THAT(found("op=8 kind=execute"), ElementsAre("relu@40"));
  EXPECT_THAT(found("step=5"), IsEmpty());
}

TEST(SliceSearch, FindsByKindAndByTrackOrItsGroup) {
  EXPECT_THAT(found("kind=copy"), ElementsAre("copy@50"));
  EXPECT_THAT(found("kind=copy kind=wait"), ElementsAre("wait for a loss@20", "copy@50"));
  EXPECT_THAT(found("track=VIRTUAL"), ElementsAre("MatMul@10", "relu@40", "copy@50"));
  EXPECT_THAT(found("track=\"copy to\" track=virtual"), ElementsAre("copy@50"));
}

TEST(SliceSearch, GivesTheLongestFirstWhereAsked) {
  EXPECT_THAT(found("", FoundOrder::kLongestFirst, 2), ElementsAre("wait for a loss@20", "MatMul@10"));
}

TEST(SliceSearch, LooksAtWhatBeginsWithinTheRange) {
  EXPECT_THAT(found("", FoundOrder::kByTime, 100, {Timestamp{10_us}, Timestamp{40_us}}),
              ElementsAre("MatMul@10", "wait for a loss@20"));
}

TEST(SliceSearch, SaysWhichWordItCannotReadAndWhatItCan) {
  for (const char* const wrong : {"dur>", "dur>5", "dur<1parsec", "bytes>x", "step>3", "step=", "op=-1",
                                  "kind=nap", "track=", "bytes=9223372036854775807"}) {
    const Result<SliceSearch> search = parse_slice_search(std::string("relu ") + wrong);
    ASSERT_FALSE(search) << wrong;
    EXPECT_THAT(search.error().message, HasSubstr(std::string("'") + wrong + "'"));
    EXPECT_THAT(search.error().message, HasSubstr("kind="));
  }
}

TEST(SliceSearch, TakesOperatorsInNamesAsNames) {
  EXPECT_THAT(parse_slice_search("operator== std::less<int>")->name_words,
              ElementsAre("operator==", "std::less<int>"));
  EXPECT_TRUE(parse_slice_search(" \"\" ")->empty());
}

TEST(SliceSearch, CountsAllAndKeepsTheBestOfManyInEitherOrder) {
  Random random;
  TraceBuilder builder;
  builder.track("a", TrackKind::kThread);
  std::vector<std::int64_t> durations;
  for (int i = 0; i < 20'000; ++i) {
    durations.push_back(random.integer(1, 1000));
    builder.slice("x", Duration{2000 * i}, Duration{durations.back()});
  }
  const Trace trace = builder.build();
  const std::atomic<bool> cancel{false};
  const auto longest = find_slices(trace, {}, kWholeTime, FoundOrder::kLongestFirst, 37, cancel);
  EXPECT_EQ(longest.durations.size(), durations.size());
  EXPECT_EQ(longest.count, durations.size());
  EXPECT_EQ(std::accumulate(longest.durations.begin(), longest.durations.end(), Duration{}).count(),
            std::accumulate(durations.begin(), durations.end(), std::int64_t{0}));
  std::ranges::sort(durations, std::greater<>());
  ASSERT_EQ(longest.slices.size(), 37u);
  for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(longest.slices[i].slice.duration().count(), durations[i]);
  const auto first = find_slices(trace, {}, kWholeTime, FoundOrder::kByTime, 37, cancel);
  ASSERT_EQ(first.slices.size(), 37u);
  for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(first.slices[i].row, i);
  const auto counted =
      find_slices(trace, {}, kWholeTime, FoundOrder::kByTime, 37, cancel, FoundDetail::kLeftOut);
  EXPECT_EQ(counted.count, durations.size());
  EXPECT_TRUE(counted.durations.empty());
}

TEST(SliceSearch, EndsSoonWhenCancelledAndSaysSo) {
  TraceBuilder builder;
  builder.track("a", TrackKind::kThread);
  for (int i = 0; i < 20'000; ++i) builder.slice("x", Duration{2000 * i}, Duration{5});
  const std::atomic<bool> cancel{true};
  const auto found = find_slices(builder.build(), {}, kWholeTime, FoundOrder::kByTime, 10, cancel);
  EXPECT_TRUE(found.cancelled);
  EXPECT_LT(found.durations.size(), 20'000u);
}

}  // namespace
}  // namespace runahead::analysis
