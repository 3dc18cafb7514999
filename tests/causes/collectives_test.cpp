// Tests which collectives of two ranks are taken for the same operation, and the line between their clocks.
#include "instrumentation/causes/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/causes/gpu_trace.h"
#include "tests/support/random.h"

namespace runahead::causes {
namespace {

using namespace testing;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

constexpr std::int64_t kOffsetNs = 731'000'000;
constexpr double kDrift = 50e-6;

// What a trace says of a collective beside its times.
enum class Stated { kSequence, kStep, kNothing };

struct TwoRanks {
  std::vector<Collective> of, reference;
};

// A program of 200 steps with 3 collectives each. Each rank arrives at a random time; both leave within 4 us
// of each other. The clock of `of` is slow by kOffsetNs and kDrift.
TwoRanks simulate(Random& random, Stated stated) {
  TwoRanks out;
  std::int64_t now = 0;
  for (std::int64_t i = 0; i < 600; ++i) {
    const std::int64_t arrived[2] = {now + random.integer(200'000, 900'000),
                                     now + random.integer(200'000, 900'000)};
    const std::int64_t end = std::max(arrived[0], arrived[1]) + random.integer(40'000, 150'000);
    now = end;
    for (int rank = 0; rank < 2; ++rank) {
      Collective one;
      one.kind = CollectiveKind::kAllReduce;
      one.elements = 1000 + i % 3;
      if (stated == Stated::kSequence) one.sequence = i;
      if (stated == Stated::kStep) one.step = i / 3;
      const auto local = [&](std::int64_t t) {
        const auto skewed = static_cast<double>(t) * (1 - kDrift) - static_cast<double>(kOffsetNs);
        return timestamp_from_ns(rank == 0 ? std::llround(skewed) : t);
      };
      one.begin = local(arrived[rank]);
      one.end = local(end + random.integer(0, 4'000));
      (rank == 0 ? out.of : out.reference).push_back(one);
    }
  }
  return out;
}

// The largest error of the line at the times of the collectives, in ns.
double worst_error(const CollectivePairs& matched, const std::vector<Collective>& of) {
  double worst = 0;
  for (const Collective& one : of) {
    const auto local = static_cast<double>(ns_from(one.end));
    const double truth = (local + static_cast<double>(kOffsetNs)) / (1 - kDrift);
    worst = std::max(worst, std::abs(matched.line.to_reference(local) - truth));
  }
  return worst;
}

class MatchCollectives : public ::testing::TestWithParam<Stated> {};

TEST_P(MatchCollectives, FindsOffsetAndDriftAlsoIfEachTraceLacksAnotherPart) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    TwoRanks ranks = simulate(random, GetParam());
    ranks.of.erase(ranks.of.begin(), ranks.of.begin() + random.integer(0, 40));
    ranks.reference.resize(ranks.reference.size() - static_cast<std::size_t>(random.integer(0, 40)));
    const auto matched = match_collectives(ranks.of, ranks.reference);
    ASSERT_TRUE(matched) << seed;
    EXPECT_GT(matched->pairs.size(), 500U);
    EXPECT_LT(worst_error(*matched, ranks.of), 5'000) << seed;
    EXPECT_NEAR(matched->line.drift, kDrift / (1 - kDrift), 1e-6) << seed;
    EXPECT_LE(matched->line.spread_ns, 10'000);
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, MatchCollectives,
                         ::testing::Values(Stated::kSequence, Stated::kStep, Stated::kNothing));

TEST(MatchCollectivesRefuses, CollectivesOfDifferentRuns) {
  Random random(7), other(8);
  for (const Stated stated : {Stated::kSequence, Stated::kStep, Stated::kNothing}) {
    const TwoRanks one = simulate(random, stated), another = simulate(other, stated);
    EXPECT_FALSE(match_collectives(one.of, another.reference)) << static_cast<int>(stated);
  }
}

TEST(MatchCollectivesRefuses, AnotherRunThatIsSlower) {
  for (const double slower : {1.3, 1.02}) {  // no clock is
    Random random(7);
    TwoRanks ranks = simulate(random, Stated::kSequence);
    for (Collective& one : ranks.of) {
      const auto scaled = [&](Timestamp t) {
        return timestamp_from_ns(std::llround(static_cast<double>(ns_from(t)) * slower));
      };
      one.begin = scaled(one.begin);
      one.end = scaled(one.end);
    }
    EXPECT_FALSE(match_collectives(ranks.of, ranks.reference)) << slower;
  }
}

TEST(MatchCollectivesRefuses, AFewThatFitByTheirOrder) {
  Random random(3);
  TwoRanks ranks = simulate(random, Stated::kNothing);
  ranks.of.resize(30);
  ranks.reference.erase(ranks.reference.begin(),
                        ranks.reference.begin() + 25);  // 5 are of the same operations
  ranks.reference.resize(30);
  EXPECT_FALSE(match_collectives(ranks.of, ranks.reference));
}

// Rank 0 is in the group {0, 1}, rank 2 in {2, 3}, but both call it "1". Both are in the group "0".
TEST(MatchCollectivesOfGroups, ANameOfTwoGroupsIsSeenByTheirTimesOrMembers) {
  Random random(5), other(6);
  for (const bool members : {false, true}) {
    TwoRanks ranks = simulate(random, Stated::kSequence), strangers = simulate(other, Stated::kSequence);
    for (TwoRanks* const of : {&ranks, &strangers}) {
      for (auto* const all : {&of->of, &of->reference}) {
        for (Collective& one : *all) one.group = of == &ranks ? "0" : "1";
      }
    }
    const std::size_t common = ranks.of.size();
    for (Collective one : strangers.of) {
      if (members) one.members = "[0, 1]";
      ranks.of.push_back(one);
    }
    Random another(60);
    for (Collective one : simulate(another, Stated::kSequence).reference) {
      one.group = "1";
      if (members) one.members = "[2, 3]";
      ranks.reference.push_back(one);
    }
    const auto matched = match_collectives(ranks.of, ranks.reference);
    ASSERT_TRUE(matched) << members;
    EXPECT_LT(
        worst_error(*matched, {ranks.of.begin(), ranks.of.begin() + static_cast<std::ptrdiff_t>(common)}),
        5'000);
    EXPECT_EQ(std::ranges::count_if(matched->pairs, [&](const auto& pair) { return pair.first < common; }),
              static_cast<std::ptrdiff_t>(common));
    EXPECT_LT(matched->pairs.size(), common + common / 10) << "few strangers fit by chance";
  }
}

// A graph launches collectives without their numbers.
TEST(MatchCollectivesOfGroups, ThoseWithoutANumberAreAddedByTheirStep) {
  Random random(12);
  TwoRanks ranks = simulate(random, Stated::kSequence);
  for (auto* const all : {&ranks.of, &ranks.reference}) {
    for (std::size_t i = 0; i < all->size(); ++i) {
      (*all)[i].step = static_cast<std::int64_t>(i / 3);
      if (i % 3 != 0) (*all)[i].sequence = -1;
    }
  }
  const auto matched = match_collectives(ranks.of, ranks.reference);
  ASSERT_TRUE(matched);
  EXPECT_EQ(matched->pairs.size(), ranks.of.size());
}

TEST(MatchCollectivesRefuses, AnOrderThatFitsInTwoWays) {
  std::vector<Collective> of, reference;
  for (std::int64_t i = 0; i < 100; ++i) {  // exactly periodic: any shift fits
    Collective one;
    one.kind = CollectiveKind::kAllReduce;
    one.begin = timestamp_from_ns(i * 1'000'000);
    one.end = timestamp_from_ns(i * 1'000'000 + 50'000);
    of.push_back(one);
    reference.push_back(one);
  }
  EXPECT_FALSE(match_collectives(of, reference));
  for (std::int64_t i = 0; i < 100; ++i) {
    of[static_cast<std::size_t>(i)].sequence = reference[static_cast<std::size_t>(i)].sequence = i;
  }
  EXPECT_TRUE(match_collectives(of, reference)) << "their numbers say which belong together";
}

TEST(MatchCollectivesRefuses, TooFew) {
  Random random(9);
  TwoRanks ranks = simulate(random, Stated::kSequence);
  ranks.of.resize(3);
  EXPECT_FALSE(match_collectives(ranks.of, ranks.reference));
  EXPECT_FALSE(match_collectives({}, ranks.reference));
  EXPECT_FALSE(match_collectives({}, {}));
}

TEST(MatchCollectivesRefuses, TransfersBetweenSingleRanks) {
  Random random(10);
  TwoRanks ranks = simulate(random, Stated::kSequence);
  for (auto* const all : {&ranks.of, &ranks.reference}) {
    for (Collective& one : *all) one.kind = CollectiveKind::kSendReceive;
  }
  EXPECT_FALSE(match_collectives(ranks.of, ranks.reference));
}

TEST(FindCollectives, NamesOfKernelsAndOfPyTorch) {
  using enum CollectiveKind;
  EXPECT_EQ(collective_kind("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            kAllReduce);
  EXPECT_EQ(collective_kind("ncclKernel_ReduceScatter_RING_LL_Sum_half"), kReduceScatter);
  EXPECT_EQ(collective_kind("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t"), kSendReceive);
  EXPECT_EQ(collective_kind("_allgather_base"), kAllGather);
  EXPECT_EQ(collective_kind("reduce_scatter_tensor_coalesced"), kReduceScatter);
  EXPECT_EQ(collective_kind("all_to_allv"), kAllToAll);
  EXPECT_EQ(collective_kind("gemm"), std::nullopt);
}

TEST(FindCollectives, TheArgumentsOfPyTorchSayKindGroupNumberAndSize) {
  TraceBuilder builder = two_streams();
  builder.on("main").slice("ProfilerStep#41", 0_us, 100_us, SliceKind::kStep);
  launch(builder, "gemm", 1_us, "stream 7", 10_us, 20_us);
  launch(builder, "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", 8_us, "stream 20", 31_us,
         9_us);
  builder.on("stream 20").arg("Collective name", "_reduce_scatter_base").arg("Process Group Name", "3");
  builder.arg("Seq", std::int64_t{12}).arg("In msg nelems", std::int64_t{64});
  launch(builder, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20_us, "stream 20", 50_us, 9_us);
  const Trace trace = builder.build();
  const Execution execution(trace);
  const std::vector<Collective> found = find_collectives(execution, find_steps(execution));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, CollectiveKind::kReduceScatter);
  EXPECT_EQ(found[0].group, "3");
  EXPECT_EQ(found[0].sequence, 12);
  EXPECT_EQ(found[0].elements, 64);
  EXPECT_EQ(found[0].step, 41);
  EXPECT_EQ(found[1].kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(found[1].group, "");
  EXPECT_EQ(found[1].sequence, -1);
  EXPECT_EQ(found[1].begin - Timestamp{}, Duration{50_us});
}

}  // namespace
}  // namespace runahead::causes
