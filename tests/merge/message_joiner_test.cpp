// Tests that the halves of messages find each other.
#include "instrumentation/merge/message_joiner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random.h"

namespace runahead::merge {
namespace {

using namespace runahead::testing;
using trace::Flow;

Flow out_half(std::uint64_t id, std::uint32_t track, std::int64_t ns) {
  Flow flow;
  flow.message = id;
  flow.from_track = TrackId{track};
  flow.from_time = flow.to_time = timestamp_from_ns(ns);
  return flow;
}

Flow in_half(std::uint64_t id, std::uint32_t track, std::int64_t ns) {
  Flow flow = out_half(id, track, ns);
  std::swap(flow.from_track, flow.to_track);
  return flow;
}

std::vector<Flow> joined_from(MessageJoiner& joiner, const std::vector<Flow>& halves) {
  std::vector<Flow> joined;
  for (const Flow& half : halves) joiner.add(half, joined);
  return joined;
}

TEST(MessageJoiner, JoinsTheHalvesInAnyOrder) {
  for (const bool out_first : {true, false}) {
    MessageJoiner joiner;
    std::vector<Flow> halves{out_half(7, 1, 100), in_half(7, 2, 150)};
    if (!out_first) std::swap(halves[0], halves[1]);
    const std::vector<Flow> joined = joined_from(joiner, halves);
    ASSERT_EQ(joined.size(), 1u);
    EXPECT_EQ(joined[0].from_track, TrackId{1});
    EXPECT_EQ(joined[0].to_track, TrackId{2});
    EXPECT_EQ(joined[0].from_time, timestamp_from_ns(100));
    EXPECT_EQ(joined[0].to_time, timestamp_from_ns(150));
    EXPECT_EQ(joined[0].message, 7u);
    EXPECT_TRUE(joiner.take_all().empty());
  }
}

TEST(MessageJoiner, AnIdThatIsUsedAgainJoinsInTheOrderOfTime) {
  MessageJoiner joiner;
  const std::vector<Flow> joined = joined_from(
      joiner,
      {out_half(1, 1, 10), out_half(1, 1, 20), in_half(1, 2, 15), in_half(1, 2, 25), out_half(1, 1, 30)});
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].from_time, timestamp_from_ns(10));
  EXPECT_EQ(joined[0].to_time, timestamp_from_ns(15));
  EXPECT_EQ(joined[1].from_time, timestamp_from_ns(20));
  EXPECT_EQ(joined[1].to_time, timestamp_from_ns(25));
  const std::vector<Flow> waiting = joiner.take_all();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].from_time, timestamp_from_ns(30));
}

TEST(MessageJoiner, JoinsEveryMessageOfARandomOrder) {
  constexpr std::uint64_t kMessages = 1000;
  Random random;
  std::vector<Flow> halves;
  for (std::uint64_t id = 1; id <= kMessages; ++id) {
    halves.push_back(out_half(id, 1, static_cast<std::int64_t>(id)));
    halves.push_back(in_half(id, 2, static_cast<std::int64_t>(id) + 5));
  }
  std::ranges::shuffle(halves, random.engine());
  MessageJoiner joiner;
  const std::vector<Flow> joined = joined_from(joiner, halves);
  EXPECT_EQ(joined.size(), kMessages);
  for (const Flow& flow : joined) EXPECT_EQ(flow.to_time - flow.from_time, Duration{5});
  EXPECT_TRUE(joiner.take_all().empty());
}

TEST(MessageJoiner, SaysWhenTooManyWait) {
  MessageJoiner joiner;
  std::vector<Flow> joined;
  for (std::uint64_t id = 1; id <= MessageJoiner::kMostWaiting; ++id) {
    ASSERT_FALSE(joiner.is_full());
    joiner.add(out_half(id, 1, 0), joined);
  }
  EXPECT_TRUE(joiner.is_full());
  const std::vector<Flow> oldest = joiner.take_oldest();
  EXPECT_FALSE(joiner.is_full());
  ASSERT_EQ(oldest.size(), MessageJoiner::kMostWaiting / 8);
  for (std::size_t i = 0; i < oldest.size(); ++i) ASSERT_EQ(oldest[i].message, i + 1);
  EXPECT_EQ(joiner.take_all().size(), MessageJoiner::kMostWaiting * 7 / 8);
}

}  // namespace
}  // namespace runahead::merge
