// Tests the messages between a watcher and the agent on another machine, and the round trips of the link.
#include "instrumentation/link/frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "instrumentation/link/round_trip.h"
#include "tests/support/random.h"

namespace runahead::link {
namespace {

using ::testing::HasSubstr;

TEST(Frames, ArriveWholeInPiecesOfAnySize) {
  testing::Random random;
  const std::string data(100'000, 'x');
  const std::string bytes = "Welcome to this machine\n" + std::string(kAgentLine) +
                            frame_bytes(FrameKind::kHello, "4711\ta.runahead\t1:2\tmake\t\there") +
                            frame_bytes(FrameKind::kData, 1'234'567'890'123, data) +
                            frame_bytes(FrameKind::kEnded, "3\t0");
  FrameReader reader(true);
  std::vector<Frame> frames;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t n = std::min(bytes.size() - at, static_cast<std::size_t>(random.integer(1, 9000)));
    ASSERT_TRUE(reader.add(std::string_view(bytes).substr(at, n)).ok());
    at += n;
    while (std::optional<Frame> frame = reader.next()) frames.push_back(std::move(*frame));
  }
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(split_fields(frames[0].payload, '\t').size(), 6u);
  EXPECT_EQ(frames[1].kind, FrameKind::kData);
  EXPECT_EQ(first_number(frames[1].payload), 1'234'567'890'123u);
  EXPECT_EQ(frames[1].payload.substr(8), data);
  EXPECT_EQ(frames[2].payload, "3\t0");
}

TEST(Frames, APayloadThatIsTooLongOrOfAnUnknownKindEndsTheConnection) {
  FrameReader longer(false);
  EXPECT_THAT(longer.add(std::string("\xff\xff\xff\x7f\x01", 5)).error().message, HasSubstr("no message"));
  EXPECT_FALSE(longer.add(frame_bytes(FrameKind::kAskTime, "1")).ok());  // the error stays
  FrameReader unknown(false);
  EXPECT_FALSE(unknown.add(std::string("\0\0\0\0\x63", 5)).ok());
  FrameReader second(false);  // a good frame, then a bad one
  ASSERT_TRUE(second.add(frame_bytes(FrameKind::kAskTime, "1") + std::string("\0\0\0\0\x63", 5)).ok());
  EXPECT_TRUE(second.next().has_value());
  EXPECT_FALSE(second.next().has_value());
  EXPECT_FALSE(second.add("").ok());
}

TEST(Frames, SomethingElseThanAnAgentIsToldApart) {
  FrameReader reader(true);
  EXPECT_TRUE(reader.add("bash: runahead: command not found\n").ok());
  EXPECT_THAT(reader.add(std::string(kMostFrameBytes, 'x')).error().message,
              HasSubstr("not `runahead agent`"));
}

TEST(RoundTrips, ArriveAsTheyWereSentAndOtherLinesAreLeftOut) {
  const std::vector<RoundTrip> trips{{{1, 2}, {3, 0}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
  EXPECT_EQ(trips_in(text_of_trips(trips) + "\n"), trips);
  EXPECT_EQ(trips_in("1\t2\t3\t4\t5\n-1\t2\t3\t4\t5\t6\n1\t2\t3\t4\t5\tx\n" + text_of_trips(trips)), trips);
  EXPECT_TRUE(trips_in("1\t2\t3\t4\t5\t99999999999999999999\n1\t2\t3\t4\t5\t9000000000000000000\n").empty());
  const ClockReading before = read_clocks(), after = read_clocks();
  EXPECT_LE(before.monotonic_ns, after.monotonic_ns);
  EXPECT_LE(before.tsc, after.tsc);
}

}  // namespace
}  // namespace runahead::link
