#include "engine/waiter.h"

#include <gtest/gtest.h>

namespace runahead::engine::test {
namespace {

constexpr std::uint64_t kMost = 80'000;

TEST(SpinHabit, WhatPaysIsKept) {
  SpinHabit habit;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t spun = habit.next(kMost);
    EXPECT_EQ(spun, kMost);
    habit.note(spun, true);
  }
}

TEST(SpinHabit, WhatDoesNotPayIsGivenUpSoonAndTriedAgainSeldom) {
  SpinHabit habit;
  std::uint64_t spun_in_all = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t spun = habit.next(kMost);
    spun_in_all += spun;
    habit.note(spun, false);
  }
  EXPECT_LE(spun_in_all, 2 * kMost + 1000 / 16 * kMost / 2);
  EXPECT_GT(spun_in_all, 2 * kMost) << "it is tried again";
}

TEST(SpinHabit, ItComesBackWhenItPaysAgain) {
  SpinHabit habit;
  for (int i = 0; i < 100; ++i) habit.note(habit.next(kMost), false);
  int waits = 0;
  while (habit.next(kMost) != kMost && ++waits < 1000) habit.note(habit.next(kMost), true);
  EXPECT_LT(waits, 32);
}

TEST(SpinHabit, WithoutSpinningThereIsNone) {
  SpinHabit habit;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(habit.next(0), 0u);
}

}  // namespace
}  // namespace runahead::engine::test
