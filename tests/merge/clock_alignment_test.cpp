// Tests what messages say about the clocks of processes.
#include "instrumentation/merge/clock_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/random.h"

namespace runahead::merge {
namespace {

constexpr std::int64_t kUs = 1'000, kMs = 1'000'000, kSecond = 1'000'000'000, kDay = 86'400 * kSecond;
constexpr std::int64_t kYear = 365 * kDay;

// What the clock of a process shows at the true time.
struct TrueClock {
  std::int64_t offset_ns = 0;  // at the true time 0
  double drift = 0;            // ns of this process per true ns, minus 1

  [[nodiscard]] long double shown_at(long double true_ns) const {
    return static_cast<long double>(offset_ns) + true_ns * (1 + static_cast<long double>(drift));
  }
  [[nodiscard]] long double true_time(std::int64_t shown_ns) const {
    return static_cast<long double>(shown_ns - offset_ns) / (1 + static_cast<long double>(drift));
  }
};

// Lets processes exchange messages. Times are times of the reference.
class Network {
 public:
  Network(std::vector<TrueClock> clocks, std::uint64_t seed) : clocks_(std::move(clocks)), random_(seed) {}

  void send(std::size_t from, std::size_t to, std::int64_t sent_ns, std::int64_t transit_ns) {
    messages_.push_back({.from = from,
                         .to = to,
                         .sent_ns = shown_at(from, sent_ns),
                         .received_ns = shown_at(to, sent_ns + transit_ns)});
  }
  // 5 us and a random time of 20 us on average.
  [[nodiscard]] std::int64_t transit_ns() {
    return 5 * kUs + std::llround(std::exponential_distribution<double>(1 / 20e3)(random_.engine()));
  }
  // In each round, a message goes once around all processes.
  void send_around(int rounds, std::int64_t length_ns) {
    for (int round = 0; round < rounds; ++round) {
      std::int64_t at_ns = length_ns / rounds * round + random_.integer(0, 100 * kUs);
      for (std::size_t i = 0; i < clocks_.size(); ++i) {
        const std::int64_t transit = transit_ns();
        send(i, (i + 1) % clocks_.size(), at_ns, transit);
        at_ns += transit + random_.integer(0, 50 * kUs);
      }
    }
  }
  void ask_and_answer(std::size_t a, std::size_t b, int times, std::int64_t begin_ns, std::int64_t end_ns) {
    for (int i = 0; i < times; ++i) {
      const std::int64_t at_ns = random_.integer(begin_ns, end_ns);
      send(a, b, at_ns, transit_ns());
      send(b, a, at_ns + 200 * kUs, transit_ns());
    }
  }

  // Checks all clocks that are known against the truth. Returns what align_clocks() returns.
  [[nodiscard]] std::vector<std::optional<AlignedClock>> align(std::size_t reference = 0) const {
    const auto aligned = align_clocks(clocks_.size(), reference, messages_);
    EXPECT_EQ(aligned.size(), clocks_.size());
    for (std::size_t i = 0; i < aligned.size(); ++i) {
      if (aligned[i]) expect_within_error(*aligned[i], clocks_[i], clocks_[reference]);
    }
    return aligned;
  }
  [[nodiscard]] std::vector<Message>& messages() { return messages_; }
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] testing::Random& random() { return random_; }
  [[nodiscard]] const std::vector<TrueClock>& clocks() const { return clocks_; }

 private:
  [[nodiscard]] std::int64_t shown_at(std::size_t process, std::int64_t true_ns) const {
    return std::llrint(clocks_[process].shown_at(static_cast<long double>(true_ns)));
  }
  static void expect_within_error(const AlignedClock& aligned, const TrueClock& clock,
                                  const TrueClock& reference) {
    const std::int64_t length_ns = aligned.last_ns - aligned.first_ns;
    for (std::int64_t part = -20; part <= 30; ++part) {
      const std::int64_t ns = aligned.first_ns + length_ns / 10 * part;
      const long double truth = reference.shown_at(clock.true_time(ns));
      const long double error = std::abs(truth - static_cast<long double>(aligned.map.to_reference(ns)));
      const std::int64_t limit = part >= 0 && part <= 10 ? aligned.error_ns : aligned.error_at(ns);
      ASSERT_LE(error, static_cast<long double>(limit) + 3) << part << " tenths of " << length_ns << " ns";
    }
    EXPECT_LE(std::abs(aligned.map.drift - ((1 + reference.drift) / (1 + clock.drift) - 1)),
              aligned.drift_error + 1e-12);
  }

  std::vector<TrueClock> clocks_;
  testing::Random random_;
  std::vector<Message> messages_;
};

TEST(ClockMap, IsExactAfterYearsAndNeverGoesBack) {
  const ClockMap map{.base_ns = 3 * kYear, .offset_ns = -2 * kYear, .drift = -200e-6};
  EXPECT_EQ(map.to_reference(3 * kYear), kYear);
  EXPECT_EQ(map.to_reference(3 * kYear + 50 * kDay), kYear + 50 * kDay - 50 * kDay / 5000);
  EXPECT_EQ(map.to_reference(3 * kYear - 50 * kDay), kYear - 50 * kDay + 50 * kDay / 5000);
  for (const double drift : {-0.49, -1e-3, 1e-3, 0.49}) {
    const ClockMap steep{.base_ns = 0, .offset_ns = 7, .drift = drift};
    for (std::int64_t ns = -2000; ns < 2000; ++ns) {
      ASSERT_LE(steep.to_reference(ns + 50 * kDay), steep.to_reference(ns + 50 * kDay + 1));
    }
  }
}

TEST(ClockMap, AResultThatDoesNotFitIsTheNearestTime) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ((ClockMap{.base_ns = -5, .offset_ns = kMost, .drift = 0.4}).to_reference(kMost), kMost);
  EXPECT_EQ((ClockMap{.base_ns = 5, .offset_ns = kLeast, .drift = 0.4}).to_reference(kLeast), kLeast);
  EXPECT_EQ((ClockMap{.base_ns = 0, .offset_ns = 0, .drift = 1e300}).to_reference(kMost), kMost);
}

TEST(AlignClocks, ARingOfFourWithDriftIsKnownTo20Us) {
  Network network({{}, {5 * kSecond, 50e-6}, {-3 * kMs, -200e-6}, {2 * kDay, 0}}, 1);
  network.send_around(20'000, 60 * kSecond);
  const auto aligned = network.align();
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(aligned[i].has_value()) << i;
    EXPECT_LT(aligned[i]->error_ns, 20 * kUs);
    EXPECT_NEAR(aligned[i]->map.drift, 1 / (1 + network.clocks()[i].drift) - 1, 1e-6);
    EXPECT_EQ(aligned[i]->contradiction_ns, 0);
  }
  EXPECT_EQ(aligned[0]->error_ns, 0);
  EXPECT_EQ(aligned[0]->map.to_reference(17), 17);
}

void expect_no_message_goes_back(const Network& network,
                                 const std::vector<std::optional<AlignedClock>>& aligned) {
  for (const Message& message : network.messages()) {
    ASSERT_LE(aligned[message.from]->map.to_reference(message.sent_ns),
              aligned[message.to]->map.to_reference(message.received_ns));
  }
}

TEST(AlignClocks, EveryMessageArrivesAfterItWasSent) {
  Network network({{}, {5 * kSecond, 50e-6}, {-3 * kMs, -200e-6}, {2 * kDay, 0}}, 2);
  network.send_around(5'000, 60 * kSecond);
  expect_no_message_goes_back(network, network.align());
}

TEST(AlignClocks, ProcessesNearEachOtherFitWellAlsoIfTheReferenceIsFar) {
  Network network({{}, {kSecond, 80e-6}, {kDay, -90e-6}, {-kDay, 20e-6}}, 15);
  for (int i = 0; i < 2'000; ++i) {
    for (std::size_t a = 1; a < 4; ++a) {
      network.send(0, a, i * kMs * 30, 5 * kMs + 100 * network.transit_ns());
      network.send(a, 0, i * kMs * 30, 5 * kMs + 100 * network.transit_ns());
      network.send(a, a % 3 + 1, i * kMs * 30, network.transit_ns());
    }
  }
  expect_no_message_goes_back(network, network.align());
}

TEST(AlignClocks, QuestionsAndAnswersOfTwoProcessesBoundTheClock) {
  Network network({{}, {40 * kYear, 1000e-6}}, 3);
  network.ask_and_answer(0, 1, 5'000, 0, 3600 * kSecond);
  for (const std::size_t reference : {0u, 1u}) {
    const auto aligned = network.align(reference);
    ASSERT_TRUE(aligned[1 - reference].has_value());
    EXPECT_LT(aligned[1 - reference]->error_ns, 8 * kUs);
    EXPECT_LT(aligned[1 - reference]->drift_error, 1e-8);
  }
}

TEST(AlignClocks, AClockWithoutDriftGetsNone) {
  Network network({{}, {-7 * kSecond, 0}}, 4);
  network.ask_and_answer(0, 1, 5'000, 0, 100 * kSecond);
  const auto aligned = network.align();
  ASSERT_TRUE(aligned[1].has_value());
  EXPECT_NEAR(aligned[1]->map.drift, 0, 1e-7);
  EXPECT_LT(aligned[1]->error_ns, 8 * kUs);
}

TEST(AlignClocks, MessagesOverDaysAreKnownAsWell) {
  Network network({{}, {-40 * kYear, -999e-6}, {40 * kYear, 1000e-6}}, 5);
  network.ask_and_answer(0, 1, 3'000, 0, 30 * kDay);
  network.ask_and_answer(2, 1, 3'000, 0, 30 * kDay);
  const auto aligned = align_clocks(3, 0, network.messages(), 0.003);
  ASSERT_TRUE(aligned[2].has_value());
  EXPECT_LT(aligned[2]->error_ns, 30 * kUs);
  static_cast<void>(network.align());
}

TEST(AlignClocks, WithoutAWayBackAClockIsUnknown) {
  Network tree({{}, {kSecond, 0}, {0, 0}, {0, 0}, {0, 0}}, 6);  // 4 exchanges no messages
  tree.ask_and_answer(0, 1, 10, 0, kSecond);
  for (int i = 0; i < 10; ++i) tree.send(1, 2, i * kMs, 10 * kUs);
  for (int i = 0; i < 10; ++i) tree.send(3, 1, i * kMs, 10 * kUs);
  const auto aligned = tree.align();
  EXPECT_TRUE(aligned[0].has_value());
  EXPECT_TRUE(aligned[1].has_value());
  EXPECT_FALSE(aligned[2].has_value());
  EXPECT_FALSE(aligned[3].has_value());
  EXPECT_FALSE(aligned[4].has_value());
}

TEST(AlignClocks, WithoutMessagesOnlyTheReferenceIsKnown) {
  const auto aligned = align_clocks(3, 1, {});
  ASSERT_EQ(aligned.size(), 3u);
  EXPECT_FALSE(aligned[0].has_value());
  ASSERT_TRUE(aligned[1].has_value());
  EXPECT_EQ(aligned[1]->map.to_reference(-kYear), -kYear);
  EXPECT_EQ(aligned[1]->error_at(kYear), 0);
  EXPECT_FALSE(aligned[2].has_value());
}

TEST(AlignClocks, OthersAreUnknownIfTheReferenceHasNoMessages) {
  Network network({{}, {kSecond, 0}, {2 * kSecond, 0}}, 7);
  network.ask_and_answer(1, 2, 10, 0, kSecond);
  const auto aligned = network.align();
  EXPECT_TRUE(aligned[0].has_value());
  EXPECT_FALSE(aligned[1].has_value());
  EXPECT_FALSE(aligned[2].has_value());
}

TEST(AlignClocks, ASingleRoundTripGivesTheOffsetWithHalfItsTimeAsError) {
  Network network({{}, {3 * kYear, 100e-6}}, 8);
  network.send(0, 1, 5 * kSecond, 30 * kUs);
  network.send(1, 0, 5 * kSecond + 100 * kUs, 50 * kUs);
  const auto aligned = network.align();
  ASSERT_TRUE(aligned[1].has_value());
  EXPECT_EQ(aligned[1]->map.drift, 0);
  EXPECT_GE(aligned[1]->error_ns, 40 * kUs);
  EXPECT_LE(aligned[1]->error_ns, 41 * kUs);
  EXPECT_NEAR(aligned[1]->drift_error, kMostDrift, 1e-6);
}

TEST(AlignClocks, WaysOfDifferentLengthsAreWithinTheError) {
  Network network({{}, {-kSecond, -40e-6}}, 9);
  for (int i = 0; i < 1'000; ++i) {
    network.send(0, 1, i * kMs, 2 * kUs + network.random().integer(0, 10 * kUs));
    network.send(1, 0, i * kMs + 500 * kUs, 900 * kUs + network.random().integer(0, 10 * kUs));
  }
  const auto aligned = network.align();
  ASSERT_TRUE(aligned[1].has_value());
  EXPECT_GT(aligned[1]->error_ns, 440 * kUs);
  EXPECT_LT(aligned[1]->error_ns, 470 * kUs);
}

TEST(AlignClocks, PairsThatTalkAtDifferentTimesAreJoined) {
  Network network({{}, {kSecond, 300e-6}, {kDay, -70e-6}}, 10);
  network.ask_and_answer(0, 1, 2'000, 0, 50 * kSecond);
  network.ask_and_answer(1, 2, 2'000, 50 * kSecond, 100 * kSecond);
  const auto aligned = network.align();
  ASSERT_TRUE(aligned[2].has_value());
  EXPECT_LT(aligned[2]->error_ns, 60 * kUs);
}

TEST(AlignClocks, MessagesAtOneTimeAreNoProblem) {
  const std::vector<Message> equal{{0, 1, 5, 5}, {0, 1, 5, 5}, {1, 0, 5, 5}, {1, 0, 5, 5}};
  const auto aligned = align_clocks(2, 0, equal);
  ASSERT_TRUE(aligned[1].has_value());
  EXPECT_EQ(aligned[1]->map.to_reference(5), 5);
  EXPECT_LE(aligned[1]->error_ns, 4);
}

TEST(AlignClocks, AWrongMessageMakesTheErrorLarge) {
  for (const std::int64_t wrong_ns : {kMs, kSecond, kYear}) {
    Network network({{}, {5 * kSecond, 50e-6}, {-3 * kMs, -200e-6}, {2 * kDay, 0}}, 11);
    network.send_around(1'000, 60 * kSecond);
    network.messages()[2'000].received_ns -= wrong_ns;
    const auto aligned = network.align();
    for (std::size_t i = 1; i < 4; ++i) {
      ASSERT_TRUE(aligned[i].has_value());
      EXPECT_GT(aligned[i]->contradiction_ns, wrong_ns / 5);
      EXPECT_GT(aligned[i]->error_ns, wrong_ns / 2);
    }
  }
}

TEST(AlignClocks, AWrongMessageOfProcessesThatAreUnknownAnywayDoesNoHarm) {
  Network network({{}, {5 * kSecond, 50e-6}, {}, {}}, 12);
  network.ask_and_answer(0, 1, 1'000, 0, kSecond);
  network.ask_and_answer(2, 3, 1'000, 0, kSecond);
  network.send(2, 3, kSecond, -kSecond);
  network.send(2, 0, kSecond, kMs);
  const auto aligned = network.align();
  EXPECT_EQ(aligned[1]->contradiction_ns, 0);
  EXPECT_LT(aligned[1]->error_ns, 10 * kUs);
}

TEST(AlignClocks, AClockThatWasSetIsAContradiction) {
  Network network({{}, {}}, 13);
  network.ask_and_answer(0, 1, 1'000, 0, 100 * kSecond);
  for (Message& message : network.messages()) {
    std::int64_t& shown_ns = message.from == 1 ? message.sent_ns : message.received_ns;
    if (shown_ns > 30 * kSecond) shown_ns += 500 * kMs;
  }
  const auto aligned = align_clocks(2, 0, network.messages());
  ASSERT_TRUE(aligned[1].has_value());
  EXPECT_GT(aligned[1]->contradiction_ns, 100 * kMs);
  EXPECT_GT(aligned[1]->error_ns, 250 * kMs);
}

TEST(AlignClocks, MessagesThatCannotBeAreIgnored) {
  Network network({{}, {5 * kSecond, 50e-6}}, 14);
  network.ask_and_answer(0, 1, 1'000, 0, kSecond);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const std::vector<Message> wrong{{0, 0, 0, 0},      {0, 2, 0, 0},        {2, 0, 0, 0},
                                   {0, 1, kMost, 0},  {0, 1, 0, kLeast},   {1, 0, kLeast, kMost},
                                   {7, 9, kMost, 99}, {1, 0, 0, kMost / 2}};
  network.messages().insert(network.messages().begin(), wrong.begin(), wrong.end());
  const auto aligned = network.align();
  EXPECT_EQ(aligned[1]->contradiction_ns, 0);
  EXPECT_LT(aligned[1]->error_ns, 10 * kUs);
}

TEST(AlignClocks, AnyTimesEndWithoutACrash) {
  testing::Random random;
  for (int round = 0; round < 300; ++round) {
    const std::int64_t processes = random.integer(1, 6), limit = random.magnitude(std::int64_t{1} << 62);
    std::vector<Message> messages(static_cast<std::size_t>(random.integer(0, 60)));
    for (Message& message : messages) {
      message = {.from = static_cast<std::size_t>(random.integer(0, processes)),
                 .to = static_cast<std::size_t>(random.integer(0, processes)),
                 .sent_ns = random.integer(-limit, limit),
                 .received_ns = random.integer(-limit, limit)};
    }
    for (const auto& clock : align_clocks(static_cast<std::size_t>(processes), 0, messages)) {
      if (!clock) continue;
      EXPECT_GE(clock->error_ns, 0);
      EXPECT_LE(std::abs(clock->map.drift), kMostDrift * 1.001);
      EXPECT_GE(clock->drift_error, 0);
    }
  }
}

// Some processes, which talk along random pairs, in bursts or all the time, often or rarely.
void talk_at_random(Network& network) {
  testing::Random& random = network.random();
  const auto last = static_cast<std::int64_t>(network.clocks().size()) - 1;
  const std::int64_t length_ns = random.magnitude(10 * kDay) + 1;
  for (std::int64_t pair = random.integer(1, 3 * (last + 1)); pair > 0; --pair) {
    const auto from = static_cast<std::size_t>(random.integer(0, last));
    const auto to = static_cast<std::size_t>(random.integer(0, last));
    if (from == to) continue;
    const std::int64_t begin_ns = random.integer(0, length_ns), end_ns = random.integer(begin_ns, length_ns);
    const std::int64_t shortest_ns = random.magnitude(10 * kMs), random_ns = random.magnitude(kSecond);
    for (std::int64_t i = random.magnitude(1'000) + 1; i > 0; --i) {
      const std::int64_t transit_ns = shortest_ns + random.magnitude(random_ns);
      network.send(from, to, random.integer(begin_ns, end_ns), transit_ns);
    }
  }
}

TEST(AlignClocks, TheTruthIsWithinTheErrorForAnyTopology) {
  testing::Random random;
  std::size_t known = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<TrueClock> clocks(static_cast<std::size_t>(random.integer(2, 8)));
    for (TrueClock& clock : clocks) {
      const std::int64_t offset_ns = random.magnitude(40 * kYear);
      clock = {random.chance(0.5) ? offset_ns : -offset_ns, random.real(-499e-6, 499e-6)};
    }
    Network network(clocks, random.engine()());
    talk_at_random(network);
    const auto aligned = network.align(static_cast<std::size_t>(round) % clocks.size());
    for (const auto& clock : aligned) {
      if (!clock) continue;
      ASSERT_EQ(clock->contradiction_ns, 0);
      ++known;
    }
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(known, 500u);
}

}  // namespace
}  // namespace runahead::merge
