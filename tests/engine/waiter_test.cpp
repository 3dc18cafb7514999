#include "engine/sync/waiter.h"

#include <gtest/gtest.h>

namespace runahead::engine::test {
namespace {

constexpr std::uint64_t kMost = 80'000;

TEST(SpinPolicy, WhatPaysIsKept) {
  SpinPolicy spin;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t spun = spin.next(kMost);
    EXPECT_EQ(spun, kMost);
    spin.note(spun, true);
  }
}

TEST(SpinPolicy, WhatDoesNotPayIsGivenUpSoonAndTriedAgainSeldom) {
  SpinPolicy spin;
  std::uint64_t spun_in_all = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t spun = spin.next(kMost);
    spun_in_all += spun;
    spin.note(spun, false);
  }
  EXPECT_LE(spun_in_all, 2 * kMost + 1000 / 16 * kMost / 2);
  EXPECT_GT(spun_in_all, 2 * kMost) << "spinning is tried again";
}

TEST(SpinPolicy, ItComesBackWhenItPaysAgain) {
  SpinPolicy spin;
  for (int i = 0; i < 100; ++i) spin.note(spin.next(kMost), false);
  int waits = 0;
  while (spin.next(kMost) != kMost && ++waits < 1000) spin.note(spin.next(kMost), true);
  EXPECT_LT(waits, 32);
}

TEST(SpinPolicy, WithoutSpinningThereIsNone) {
  SpinPolicy spin;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(spin.next(0), 0u);
}

}  // namespace
}  // namespace runahead::engine::test
