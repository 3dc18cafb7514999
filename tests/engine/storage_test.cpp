// Tests the lifetime of an array's memory: the array and the ops that use it may release the memory in any
// order, on any thread.
#include "engine/array/storage.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "tests/engine/engine_fixture.h"

namespace runahead::engine {
namespace {

class StorageTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kBytes = 4096;
  // Allocates kBytes from the cpu's pool.
  void take(OwnStorage& storage) {
    storage->device = cpu_;
    storage->size_bytes = kBytes;
    ASSERT_TRUE(storage->allocate().ok());
  }
  [[nodiscard]] std::size_t live() const { return cpu_->pool().stats().live_bytes; }

  std::unique_ptr<Engine> engine_ = Engine::create({});
  Device* cpu_ = engine_->device("cpu").value();
};

TEST_F(StorageTest, AnArrayThatNoOpUsesGivesItsMemoryBackAtItsEnd) {
  std::optional<OwnStorage> array(std::in_place);
  take(*array);
  EXPECT_EQ(live(), std::size_t{kBytes});
  array.reset();
  EXPECT_EQ(live(), 0u);
}

TEST_F(StorageTest, TheLastToLetGoGivesTheMemoryBackWhoeverItIs) {
  for (const int before : {0, 1, 2, 3}) {  // number of uses that end before the array ends
    std::optional<OwnStorage> array(std::in_place);
    take(*array);
    std::vector<StorageUse> uses;
    for (int i = 0; i < 3; ++i) uses.push_back(array->use());
    for (int i = 0; i < before; ++i) uses.pop_back();
    EXPECT_EQ(live(), std::size_t{kBytes});
    array.reset();
    while (!uses.empty()) {
      EXPECT_EQ(live(), std::size_t{kBytes});
      uses.pop_back();
    }
    EXPECT_EQ(live(), 0u) << before;
  }
}

TEST_F(StorageTest, AUseThatIsMovedCountsOnce) {
  std::optional<OwnStorage> array(std::in_place);
  take(*array);
  StorageUse use = array->use();
  StorageUse other = std::move(use);
  StorageUse last;
  last = std::move(other);
  array.reset();
  EXPECT_EQ(live(), std::size_t{kBytes});
  last = StorageUse();
  EXPECT_EQ(live(), 0u);
}

// Two threads release uses, as workers do. At the same time a third thread makes new uses, and then ends the
// array.
TEST_F(StorageTest, LettingGoOnSeveralThreadsGivesBackOnce) {
  constexpr int kRounds = 300, kUses = 50;
  for (int round = 0; round < kRounds; ++round) {
    std::optional<OwnStorage> array(std::in_place);
    take(*array);
    std::vector<StorageUse> first, second;
    for (int i = 0; i < kUses; ++i) (i % 2 == 0 ? first : second).push_back(array->use());
    std::thread one([&] { first.clear(); }), two([&] { second.clear(); });
    for (int i = 0; i < kUses; ++i) (void)array->use();
    array.reset();
    one.join();
    two.join();
    ASSERT_EQ(live(), 0u) << round;
  }
}

}  // namespace
}  // namespace runahead::engine
