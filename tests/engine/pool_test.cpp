#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "engine/device/memory/host_memory.h"
#include "engine/device/memory/memory_pool.h"
#include "tests/engine/engine_fixture.h"

namespace runahead::engine {
namespace {

using ::testing::HasSubstr;

// A source of host memory that counts its allocations. A test can make the source run out of memory.
struct CountingSource final : MemoryPool::Source {
  explicit CountingSource(int& of_taken, bool& of_empty) : taken(of_taken), empty(of_empty) {}
  void* take(std::size_t size_bytes) override {
    if (empty) return nullptr;
    ++taken;
    return host->take(size_bytes);
  }
  void give(void* data, std::size_t size_bytes) override {
    --taken;
    host->give(data, size_bytes);
  }
  int& taken;
  bool& empty;
  std::unique_ptr<MemoryPool::Source> host = make_host_source();
};

struct Pool : ::testing::Test {
  int taken = 0;
  bool empty = false;
  MemoryPool pool{"cpu", false, 1'000'000, std::make_unique<CountingSource>(taken, empty)};
};

TEST_F(Pool, CountsLivePeakAndReserved) {
  {
    const Block a = pool.allocate(1000).value();
    const Block b = pool.allocate(5000).value();
    EXPECT_EQ(pool.stats().live_bytes, 6000u);
    EXPECT_GE(pool.stats().reserved_bytes, 6000u);
    EXPECT_LE(pool.stats().reserved_bytes, 6000u * 9 / 8 + 128);
  }
  EXPECT_EQ(pool.stats().live_bytes, 0u);
  EXPECT_EQ(pool.stats().peak_bytes, 6000u);
  EXPECT_EQ(pool.stats().allocations, 2u);
  pool.reset_peak();
  EXPECT_EQ(pool.stats().peak_bytes, 0u);
  EXPECT_EQ(pool.stats().capacity_bytes, 1'000'000u);
}

TEST_F(Pool, WhatIsReservedIsFreeAndNeverLive) {
  const std::vector<std::size_t> sizes{1000, 5000, 5000};
  pool.reserve(sizes, 2);
  EXPECT_EQ(taken, 6);
  EXPECT_EQ(pool.stats().live_bytes, 0u);
  EXPECT_EQ(pool.stats().peak_bytes, 0u);
  EXPECT_EQ(pool.stats().allocations, 0u);
  EXPECT_GE(pool.stats().reserved_bytes, 22'000u);
  pool.reserve(sizes, 2);  // has no effect: the memory is already reserved
  EXPECT_EQ(taken, 6);
  {
    std::vector<Block> blocks;
    for (const std::size_t size : {1000, 1000, 5000, 5000, 5000, 5000})
      blocks.push_back(pool.allocate(size).value());
    EXPECT_EQ(taken, 6);  // no block came from the system
    EXPECT_EQ(pool.stats().peak_bytes, 22'000u);
  }
  pool.trim();
  EXPECT_EQ(taken, 0);
}

TEST_F(Pool, WhatIsReservedStaysWithinTheCapacityAndGivesWayToWhatIsAskedFor) {
  const std::vector<std::size_t> sizes{100'000};
  pool.reserve(sizes, 50);
  EXPECT_LE(pool.stats().reserved_bytes, 1'000'000u);
  EXPECT_GE(pool.stats().reserved_bytes, 800'000u);
  EXPECT_TRUE(pool.allocate(900'000).ok());
  empty = true;
  const std::size_t before = pool.stats().reserved_bytes;
  pool.reserve(std::vector<std::size_t>{300}, 5);  // has no effect: the system has no more memory
  EXPECT_EQ(pool.stats().reserved_bytes, before);
}

TEST_F(Pool, BlocksAreAlignedAndCanBeWrittenToTheirEnd) {
  std::vector<Block> blocks;
  for (std::size_t size : {0u, 1u, 63u, 64u, 65u, 1000u, 4097u, 100'000u}) {
    blocks.push_back(pool.allocate(size).value());
    EXPECT_TRUE(blocks.back());
    EXPECT_EQ(blocks.back().size_bytes(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().data()) % 64, 0u);
    std::memset(blocks.back().data(), 0xab, size);
  }
}

TEST_F(Pool, AFreedBlockIsUsedAgainForOneOfAboutItsSize) {
  const void* first = pool.allocate(10'000).value().data();
  const Block again = pool.allocate(9'900).value();
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(taken, 1);
}

// Allocates and frees blocks of small and large size classes, in random order. Some classes have more free
// blocks than fit into SmallFree::top, other classes have fewer. A block is allocated from the system only if
// its class has no free block. No block is handed out twice. All blocks are freed at the end.
TEST_F(Pool, FreeBlocksOfAClassAreAllUsedAgainAndNoneTwice) {
  std::mt19937 random(7);
  for (const std::size_t size : {64u, 1000u, 4000u, 20'000u}) {
    std::vector<Block> blocks;
    std::set<void*> lent;
    std::size_t most = 0;
    const int before = taken;
    for (int turn = 0; turn < 2000; ++turn) {
      if (blocks.empty() || (blocks.size() < 20 && random() % 2 == 0)) {
        blocks.push_back(pool.allocate(size).value());
        EXPECT_TRUE(lent.insert(blocks.back().data()).second);
        most = std::max(most, blocks.size());
      } else {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        lent.erase(blocks.back().data());
        blocks.pop_back();
      }
      ASSERT_EQ(taken - before, static_cast<int>(most)) << size << " bytes, turn " << turn;
    }
  }
  pool.trim();
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(pool.stats().reserved_bytes, 0u);
}

TEST_F(Pool, TrimGivesFreeMemoryBack) {
  const Block kept = pool.allocate(5000).value();
  { const Block freed = pool.allocate(50'000).value(); }
  EXPECT_EQ(taken, 2);
  pool.trim();
  EXPECT_EQ(taken, 1);
  EXPECT_LT(pool.stats().reserved_bytes, 10'000u);
}

// A source whose before_give() calls the test.
struct TellingSource final : MemoryPool::Source {
  void* take(std::size_t size_bytes) override {
    taken_bytes += size_bytes;
    most_bytes = std::max(most_bytes, taken_bytes);
    return host->take(size_bytes);
  }
  void give(void* data, std::size_t size_bytes) override {
    taken_bytes -= size_bytes;
    host->give(data, size_bytes);
  }
  void before_give(void*, std::size_t) override { tell(); }
  std::size_t taken_bytes = 0, most_bytes = 0;  // guarded by the pool's lock
  std::function<void()> tell = [] {};
  std::unique_ptr<MemoryPool::Source> host = make_host_source();
};

// What a source does before it gives a block may wait for a device, which may need the pool.
TEST(PoolThatTrims, IsOpenForOthersBeforeABlockGoes) {
  auto source = std::make_unique<TellingSource>();
  TellingSource& told = *source;
  MemoryPool pool("cpu", false, 1'000'000, std::move(source));
  std::vector<std::size_t> live_bytes;
  told.tell = [&] { live_bytes.push_back(pool.stats().live_bytes); };
  const Block kept = pool.allocate(5000).value();
  { const Block freed = pool.allocate(700'000).value(); }
  pool.trim();
  { const Block freed = pool.allocate(600'000).value(); }
  const Block larger = pool.allocate(900'000).value();
  EXPECT_EQ(live_bytes, (std::vector<std::size_t>{5000, 5000}));
  told.tell = [] {};
}

TEST(PoolThatTrims, TakesNoMoreThanItsCapacityWhileAnotherThreadGivesABlock) {
  auto source = std::make_unique<TellingSource>();
  TellingSource& told = *source;
  MemoryPool pool("cpu", false, 1'000'000, std::move(source));
  { const Block freed = pool.allocate(700'000).value(); }
  std::promise<void> gives;
  test::Door door;
  told.tell = [&] {
    gives.set_value();
    door.wait();
  };
  const auto allocate = [&pool](std::size_t bytes) {
    return std::async(std::launch::async, [&pool, bytes] { return pool.allocate(bytes); });
  };
  std::future<Result<Block>> first = allocate(500'000);
  gives.get_future().wait();
  std::future<Result<Block>> second = allocate(400'000);
  EXPECT_FALSE(pool.allocate(600'000).ok()) << "the first thread's block counts already";
  door.open();
  const Result<Block> one = first.get(), other = second.get();
  EXPECT_TRUE(one.ok());
  EXPECT_TRUE(other.ok());
  EXPECT_LE(told.most_bytes, 1'000'000u);
  told.tell = [] {};
}

TEST_F(Pool, AFullPoolIsAnErrorThatNamesDeviceAskedLiveAndCapacity) {
  const Block most = pool.allocate(900'000).value();
  const auto refused = pool.allocate(200'000);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(
      refused.error().message,
      "cpu: out of memory: 200 kB requested, 900 kB live of 1.00 MB capacity (other 900 kB; most of it by "
      "no op, 900 kB in 1 block); wait more often, or use smaller sizes");
  EXPECT_FALSE(pool.allocate(2'000'000).ok());
  EXPECT_FALSE(pool.allocate(~std::size_t{0}).ok());
  EXPECT_EQ(pool.stats().live_bytes, 900'000u);
}

TEST_F(Pool, TellsWhoHoldsItByCategoryAndByOp) {
  static const record::Site kDense{"dense", trace::SliceKind::kExecute};
  static const record::Site kNormal{"normal", trace::SliceKind::kExecute};
  const Block input = pool.allocate(100'000, {MemoryCategory::kInput, &kNormal}).value();
  const Block one = pool.allocate(200'000, {MemoryCategory::kActivation, &kDense}).value();
  {
    const Block other = pool.allocate(300'000, {MemoryCategory::kActivation, &kDense}).value();
    const auto refused = pool.allocate(900'000);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message,
                HasSubstr("(inputs 100 kB, activations 500 kB; most of it by dense, 500 kB in 2 blocks)"));
  }
  const MemoryStats stats = pool.stats();
  const auto of = [](const BytesByCategory& bytes, MemoryCategory category) {
    return bytes[static_cast<std::size_t>(category)];
  };
  EXPECT_EQ(of(stats.live_by_category, MemoryCategory::kInput), 100'000u);
  EXPECT_EQ(of(stats.live_by_category, MemoryCategory::kActivation), 200'000u);
  EXPECT_EQ(of(stats.peak_by_category, MemoryCategory::kActivation), 500'000u);
  const std::vector<MemoryHolder> holders = pool.holders(5);
  ASSERT_EQ(holders.size(), 2u);
  EXPECT_EQ(holders[0].op, "dense");
  EXPECT_EQ(holders[0].live_bytes, 200'000u);
  EXPECT_EQ(holders[0].blocks, 1u);
  EXPECT_EQ(holders[1].op, "normal");
  pool.reset_peak();
  EXPECT_EQ(of(pool.stats().peak_by_category, MemoryCategory::kActivation), 200'000u);
}

TEST_F(Pool, FreeListsOfOtherSizesDoNotMakeItFull) {
  { const Block other = pool.allocate(700'000).value(); }
  // 700 kB are reserved but free. The pool must return this memory to the system before it can allocate more.
  EXPECT_TRUE(pool.allocate(400'000).ok());
  EXPECT_TRUE(pool.allocate(1'000'000).ok());
}

TEST_F(Pool, ASystemWithoutMemoryIsAnError) {
  empty = true;
  const auto refused = pool.allocate(1000);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("the system has no more"));
  EXPECT_EQ(pool.stats().live_bytes, 0u);
}

TEST_F(Pool, AMovedBlockIsGivenBackOnce) {
  Block a = pool.allocate(1000).value();
  Block b = std::move(a);
  EXPECT_FALSE(a);  // NOLINT: the state of a moved-from block is part of the contract
  a = std::move(b);
  EXPECT_TRUE(a);
  EXPECT_EQ(pool.stats().live_bytes, 1000u);
  a = Block();
  EXPECT_EQ(pool.stats().live_bytes, 0u);
}

TEST(TimingOnlyPool, CountsBytesAndHoldsNone) {
  MemoryPool pool("virtual:0", true, std::size_t{80'000'000'000}, nullptr);
  const Block block = pool.allocate(40'000'000'000).value();
  EXPECT_TRUE(block);
  EXPECT_EQ(block.data(), nullptr);
  EXPECT_EQ(pool.stats().live_bytes, 40'000'000'000u);
  EXPECT_FALSE(pool.allocate(50'000'000'000).ok());
  pool.trim();
  EXPECT_EQ(pool.stats().reserved_bytes, 40'000'000'000u);
}

// Several blocks may be on the same page of memory. No block overlaps another block, and no block loses its
// bytes when other blocks are freed.
TEST(HostPool, BlocksKeepTheirBytesWhateverOthersDo) {
  const std::uint64_t seed = test::test_seed();
  SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  MemoryPool pool("cpu", false, 256 << 20, make_host_source());
  const std::size_t sizes[] = {1000, 32'768, 40'000, 800'000, 2'000'000, 2'097'152, 3'000'000};
  struct Held {
    Block block;
    std::uint8_t tag;
  };
  std::vector<Held> held;
  const auto is_intact = [](const Held& of) {
    const auto* bytes = static_cast<const std::uint8_t*>(of.block.data());
    return std::all_of(bytes, bytes + of.block.size_bytes(),
                       [&](std::uint8_t byte) { return byte == of.tag; });
  };
  for (int i = 0; i < 600; ++i) {
    if (held.size() < 30 && random() % 5 < 3) {
      held.push_back(
          {pool.allocate(sizes[random() % std::size(sizes)]).value(), static_cast<std::uint8_t>(i)});
      std::memset(held.back().block.data(), held.back().tag, held.back().block.size_bytes());
    } else if (!held.empty()) {
      const auto at = held.begin() + static_cast<std::ptrdiff_t>(random() % held.size());
      EXPECT_TRUE(is_intact(*at));
      held.erase(at);
    }
    if (random() % 10 == 0) pool.trim();
  }
  EXPECT_TRUE(std::ranges::all_of(held, is_intact));
  held.clear();
  pool.trim();
  EXPECT_EQ(pool.stats().reserved_bytes, 0u);
}

TEST(SharedPool, ManyThreadsAllocateAndFree) {
  MemoryPool pool("cpu", false, 1 << 30, make_host_source());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      std::vector<Block> held;
      for (int i = 0; i < 500; ++i) {
        held.push_back(pool.allocate(static_cast<std::size_t>(64 * (i % 20) + t)).value());
        if (i % 3 == 0) held.erase(held.begin());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.stats().live_bytes, 0u);
  EXPECT_EQ(pool.stats().allocations, 2000u);
}

}  // namespace
}  // namespace runahead::engine
