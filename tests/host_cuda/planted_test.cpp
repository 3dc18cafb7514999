// Shows that the checks of the kernels find faults. Each fault of planted_faults.cmake is in the kernels of
// this program, and has to be found in whatever order the blocks and threads run.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/host_cuda/grid.h"
#include "tests/host_cuda/kernel_checks.h"
#include "tests/host_cuda/runtime.h"
#include "tests/support/random.h"

namespace runahead::host_cuda {
namespace {

TEST(PlantedFaults, AreFoundByTheChecksOfTheKernels) {
  controls().keep_going = true;
  const std::uint64_t seed = runahead::testing::test_seed();
  for (int number = 1; planted_faults()[number - 1] != nullptr; ++number) {
    planted_fault = number;
    const std::string found = wrong_with_kernels(seed + static_cast<std::uint64_t>(number));
    EXPECT_NE(found, "") << planted_faults()[number - 1];
    std::printf("%-50s %s\n", planted_faults()[number - 1], found.c_str());
  }
  planted_fault = 0;
  controls().keep_going = false;
}

}  // namespace
}  // namespace runahead::host_cuda
