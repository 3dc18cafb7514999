#include "instrumentation/base/unique_function.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace runahead {
namespace {

TEST(UniqueFunction, HoldsAMoveOnlyCallable) {
  auto number = std::make_unique<int>(7);
  UniqueFunction<int(int)> f = [n = std::move(number)](int x) { return *n + x; };
  UniqueFunction<int(int)> moved = std::move(f);
  EXPECT_FALSE(f);
  EXPECT_EQ(moved(3), 10);
}

TEST(UniqueFunction, AVoidFunctionDropsWhatItsCallableReturns) {
  int calls = 0;
  UniqueFunction<void()> f = [&calls] { return ++calls; };
  f();
  EXPECT_EQ(calls, 1);
}

TEST(UniqueFunction, KeepsLargeCallablesOnTheHeapAndDestroysThemOnce) {
  auto alive = std::make_shared<int>(1);
  {
    std::array<char, 200> large{};
    large[199] = 'x';
    UniqueFunction<char()> f = [alive, large] { return large[199]; };
    UniqueFunction<char()> other = std::move(f);
    EXPECT_EQ(other(), 'x');
    EXPECT_EQ(alive.use_count(), 2);
    other = nullptr;
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_FALSE(other);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(UniqueFunction, OverwritesOneThatOwnsNothing) {
  int called = 0;
  UniqueFunction<void()> function = [&called] { ++called; };
  ASSERT_FALSE(function.owns());
  auto counter = std::make_shared<int>(0);
  UniqueFunction<void()> other = [counter] { ++*counter; };
  function.overwrite(std::move(other));
  EXPECT_FALSE(static_cast<bool>(other));  // NOLINT: the test checks the moved-from state
  EXPECT_EQ(counter.use_count(), 2);
  function();
  EXPECT_EQ(*counter, 1);
  EXPECT_EQ(called, 0);
  function.reset();
  EXPECT_EQ(counter.use_count(), 1);
  function.overwrite(UniqueFunction<void()>());
  EXPECT_FALSE(static_cast<bool>(function));
}

TEST(UniqueFunction, PassesReferencesAndMoveOnlyArgumentsThrough) {
  UniqueFunction<int&(int&, std::unique_ptr<int>)> f = [](int& x, std::unique_ptr<int> y) -> int& {
    x += *y;
    return x;
  };
  int value = 1;
  EXPECT_EQ(&f(value, std::make_unique<int>(4)), &value);
  EXPECT_EQ(value, 5);
}

}  // namespace
}  // namespace runahead
