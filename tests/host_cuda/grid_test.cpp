// Tests that the simulated grid finds faults of kernels. The kernels here use the words of grid.h as
// functions.
#include "tests/host_cuda/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace runahead::host_cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kFirst = 1, kSecond = 2;  // lines of barriers

TEST(Grid, EveryThreadOfEveryBlockRunsOnce) {
  std::vector<int> runs(24 * 6, 0);
  const std::string fault = run_grid({2, 3}, {4, 3, 2}, 7, [&] {
    const dim3 t = here.thread, b = here.block;
    ++runs[(b.y * 2 + b.x) * 24 + (t.z * 3 + t.y) * 4 + t.x];
  });
  EXPECT_THAT(fault, IsEmpty());
  EXPECT_EQ(runs, std::vector<int>(24 * 6, 1));
}

TEST(Grid, AnotherSeedGivesAnotherOrder) {
  std::set<std::vector<unsigned>> orders;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<unsigned> order;
    (void)run_grid(3, 32, seed, [&] { order.push_back(here.block.x * 32 + here.thread.x); });
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 4u);
}

TEST(Grid, NoThreadPassesABarrierBeforeTheLastOneReachesIt) {
  int reached = 0;
  const std::string fault = run_grid(1, 100, 3, [&] {
    for (int turn = 1; turn <= 5; ++turn) {
      ++reached;
      barrier(kFirst);
      EXPECT_EQ(reached, turn * 100);
      barrier(kSecond);
    }
  });
  EXPECT_THAT(fault, IsEmpty());
}

TEST(Grid, ThreadsAtDifferentBarriersAreAFault) {
  EXPECT_THAT(run_grid(1, 64, 1, [] { barrier(here.thread.x < 32 ? kFirst : kSecond); }),
              HasSubstr("wait at different barriers"));
}

TEST(Grid, AThreadThatEndsWhileOthersWaitIsAFault) {
  EXPECT_THAT(
      run_grid(1, 64, 1,
               [] {
                 if (here.thread.x != 5) barrier(kFirst);
               }),
      HasSubstr("1 threads of a block have ended, as thread 5, and 63 wait at the barrier in line 1"));
  EXPECT_THAT(run_grid(1, 64, 1, [] { barrier(kFirst); }), IsEmpty()) << "the next grid has no fault";
}

TEST(Grid, ARaceInSharedMemoryIsAFaultInAnyOrder) {
  const auto shift = [](bool with_barrier) {
    const SharedArray<int[2][16]> cells(__LINE__);
    cells[0][here.thread.x] = 1;
    if (with_barrier) barrier(kFirst);
    cells[1][here.thread.x] = cells[0][(here.thread.x + 1) % 16];
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_THAT(run_grid(4, 16, seed, [&] { shift(true); }), IsEmpty());
    const std::string fault = run_grid(4, 16, seed, [&] { shift(false); });
    EXPECT_TRUE(fault.find("no barrier between") != std::string::npos ||
                fault.find("no thread has written") != std::string::npos)
        << fault;
  }
}

TEST(Grid, AWriteAfterReadsWithoutABarrierIsAFault) {
  EXPECT_THAT(run_grid(1, 8, 2,
                       [] {
                         const SharedArray<int[8]> cells(__LINE__);
                         cells[here.thread.x] = 1;
                         barrier(kFirst);
                         const int next = cells[(here.thread.x + 1) % 8];
                         cells[here.thread.x] = next;
                       }),
              HasSubstr("no barrier between thread"));
}

TEST(Grid, AnAccessOutsideASharedArrayIsAFault) {
  EXPECT_THAT(run_grid(1, 9, 2,
                       [] {
                         const SharedArray<float[2][8]> cells(__LINE__);
                         cells[1][here.thread.x] = 1.0f;
                       }),
              HasSubstr("index 8 of a dimension of 8 of the shared array"));
}

TEST(Grid, ABlockDoesNotSeeTheSharedMemoryOfTheBlockBeforeIt) {
  EXPECT_THAT(run_grid(2, 1, 2,
                       [] {
                         const SharedArray<float[1]> cells(__LINE__);
                         const float old = cells[0];
                         cells[0] = old + 1.0f;
                       }),
              HasSubstr("no thread has written cell 0"));
}

}  // namespace
}  // namespace runahead::host_cuda
