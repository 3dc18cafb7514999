// Tests what is read from the metadata of a process, and the clock that two processes share.
#include "instrumentation/merge/process_facts.h"

#include <gtest/gtest.h>

namespace runahead::merge {
namespace {

TEST(ProcessFacts, TheNameHasTheRankTheProgramAndTheNumber) {
  EXPECT_EQ(name_of_process(process_facts_of(
                {{"command", "/opt/bin/ring --fast"}, {"pid", "4711"}, {"process.rank", "2"}})),
            "rank 2: ring (4711)");
  EXPECT_EQ(name_of_process(process_facts_of({{"command", "ring"}, {"pid", "4711"}})), "ring (4711)");
  EXPECT_EQ(name_of_process(process_facts_of(
                {{"command", "python3 train.py"}, {"pid", "4711"}, {"process.name", "DataLoader worker 0"}})),
            "DataLoader worker 0 (4711)");
  EXPECT_EQ(name_of_process(process_facts_of({})), "process");
  EXPECT_EQ(name_of_process(process_facts_of({{"process.rank", "2x"}, {"pid", ""}})), "process");
}

TEST(SharedClock, TheTscGivesTheOffsetAndRemovesTheDifferenceOfTheRates) {
  // The true rate is 2 GHz. The second process has measured 100 ppm too much, so its times are too short.
  const ClockFacts first = clock_facts_of(
      {{"clock.boot", "a"}, {"clock.origin_tsc", "1000000"}, {"clock.tsc_per_s", "2000000000"}});
  const ClockFacts second = clock_facts_of(
      {{"clock.boot", "a"}, {"clock.origin_tsc", "5000000"}, {"clock.tsc_per_s", "2000200000"}});
  const auto map = shared_clock(second, first);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->to_reference(0), 2'000'000);
  // 2,000,200,000 ticks are one second of the second process, and 1.0001 s of the first.
  EXPECT_EQ(map->to_reference(1'000'000'000), 2'000'000 + 1'000'100'000);
  EXPECT_EQ(shared_clock(first, first)->to_reference(123), 123);
}

TEST(SharedClock, AProcessWithoutTscUsesTheMonotonicClock) {
  const ClockFacts first = clock_facts_of({{"clock.boot", "a"},
                                           {"clock.origin_monotonic_ns", "500"},
                                           {"clock.origin_tsc", "1000000"},
                                           {"clock.tsc_per_s", "2000000000"}});
  const ClockFacts second = clock_facts_of({{"clock.boot", "a"}, {"clock.origin_monotonic_ns", "700"}});
  EXPECT_EQ(shared_clock(second, first)->to_reference(0), 200);
  EXPECT_EQ(shared_clock(first, second)->to_reference(0), -200);
}

TEST(SharedClock, OtherMachinesAndUnknownOnesShareNone) {
  const Metadata clock{{"clock.origin_monotonic_ns", "500"}};
  const auto of_boot = [&](const std::string& boot) {
    Metadata metadata = clock;
    metadata["clock.boot"] = boot;
    return clock_facts_of(metadata);
  };
  EXPECT_FALSE(shared_clock(of_boot("a"), of_boot("b")));
  EXPECT_FALSE(shared_clock(clock_facts_of(clock), clock_facts_of(clock)));
  EXPECT_FALSE(shared_clock(of_boot("a"), clock_facts_of({{"clock.boot", "a"}})));
}

TEST(SharedClock, ClocksThatCannotBeOfOneMachineShareNone) {
  const auto tsc = [](const char* origin, const char* rate) {
    return clock_facts_of({{"clock.boot", "a"}, {"clock.origin_tsc", origin}, {"clock.tsc_per_s", rate}});
  };
  EXPECT_FALSE(shared_clock(tsc("1", "1000001"), tsc("1", "99999999999")));
  EXPECT_FALSE(shared_clock(tsc("9223372036854775807", "1000001"), tsc("0", "1000001")));
  const auto monotonic = [](const char* origin) {
    return clock_facts_of({{"clock.boot", "a"}, {"clock.origin_monotonic_ns", origin}});
  };
  EXPECT_FALSE(shared_clock(monotonic("-9223372036854775808"), monotonic("9223372036854775807")));
}

TEST(SharedClock, ARateThatCannotBeIsIgnored) {
  for (const char* const rate : {"0", "-5", "nan", "inf", "1e300", "fast", ""}) {
    const ClockFacts clock =
        clock_facts_of({{"clock.boot", "a"}, {"clock.origin_tsc", "1"}, {"clock.tsc_per_s", rate}});
    EXPECT_FALSE(clock.origin_tsc) << rate;
  }
}

}  // namespace
}  // namespace runahead::merge
