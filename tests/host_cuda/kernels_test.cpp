#include <gtest/gtest.h>

#include "tests/host_cuda/kernel_checks.h"
#include "tests/host_cuda/runtime.h"
#include "tests/support/random.h"

namespace runahead::host_cuda {
namespace {

TEST(CudaKernels, GiveTheValuesOfDoublePrecisionInAnyOrderOfBlocksAndThreads) {
  controls().keep_going = true;
  for (std::uint64_t round = 0; round < 2; ++round)
    EXPECT_EQ(wrong_with_kernels(runahead::testing::test_seed() + round), "");
  controls().keep_going = false;
}

}  // namespace
}  // namespace runahead::host_cuda
