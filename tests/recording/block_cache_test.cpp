#include "instrumentation/recording/block_cache.h"

#include <gtest/gtest.h>

namespace runahead::recordings {
namespace {

BlockCache::Value value(int v) { return std::make_shared<const int>(v); }
int number(const BlockCache::Value& value) { return *static_cast<const int*>(value.get()); }

TEST(BlockCache, LetsTheLeastLatelyUsedGoFirst) {
  BlockCache cache(30);
  cache.set_slots(10);
  for (BlockCache::Slot slot = 0; slot < 3; ++slot) (void)cache.put(slot, value(static_cast<int>(slot)), 10);
  EXPECT_NE(cache.find(0), nullptr);  // now block 1 is the least recently used block
  (void)cache.put(3, value(3), 10);
  EXPECT_NE(cache.find(0), nullptr);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_EQ(cache.used_bytes(), 30u);
}

TEST(BlockCache, WhatIsInUseOutlivesItsPlace) {
  BlockCache cache(10);
  cache.set_slots(2);
  const BlockCache::Value held = cache.put(0, value(7), 10);
  (void)cache.put(1, value(8), 10);
  EXPECT_EQ(cache.find(0), nullptr);
  EXPECT_EQ(number(held), 7);
}

TEST(BlockCache, OneThatIsLargerThanTheLimitStaysAlone) {
  BlockCache cache(10);
  cache.set_slots(2);
  (void)cache.put(0, value(1), 100);
  EXPECT_NE(cache.find(0), nullptr);
  (void)cache.put(1, value(2), 100);
  EXPECT_EQ(cache.find(0), nullptr);
  EXPECT_EQ(cache.used_bytes(), 100u);
}

TEST(BlockCache, TheFirstOfTwoThatLoadTheSameWins) {
  BlockCache cache(100);
  cache.set_slots(1);
  (void)cache.put(0, value(1), 10);
  EXPECT_EQ(number(cache.put(0, value(2), 10)), 1);
  EXPECT_EQ(cache.used_bytes(), 10u);
}

TEST(BlockCache, AViewWantsEachThingOnceAndNoMoreThanFits) {
  BlockCache cache(100);
  cache.set_slots(20);
  cache.begin_view();
  for (int again = 0; again < 2; ++again) {
    for (BlockCache::Slot slot = 0; slot < 20; ++slot) EXPECT_EQ(cache.find_or_want(slot, 10), nullptr);
  }
  EXPECT_EQ(cache.wanted(), 7u);  // a view may request blocks up to three quarters of the limit of 100 bytes
  EXPECT_EQ(cache.next_wanted(), 0u);
  cache.begin_view();
  EXPECT_EQ(cache.next_wanted(), std::nullopt);
}

TEST(BlockCache, AViewWantsWhatItHadRoomForUntilThatComes) {
  BlockCache cache(100);
  cache.set_slots(20);
  cache.begin_view();
  for (BlockCache::Slot slot = 0; slot < 20; ++slot) (void)cache.find_or_want(slot, 10);
  EXPECT_TRUE(cache.wants(0) && cache.wants(6));
  EXPECT_FALSE(cache.wants(7)) << "block 7 did not fit";
  (void)cache.put(6, value(6), 10);
  EXPECT_FALSE(cache.wants(6));
  cache.begin_view();
  EXPECT_FALSE(cache.wants(0)) << "a new view has begun";
}

TEST(BlockCache, WhatOneHappensToHavePutsNothingOut) {
  BlockCache cache(20);
  cache.set_slots(3);
  (void)cache.put(0, value(1), 10);
  cache.put_if_room(1, value(2), 10);
  cache.put_if_room(2, value(3), 10);
  EXPECT_NE(cache.find(0), nullptr);
  EXPECT_NE(cache.find(1), nullptr);
  EXPECT_EQ(cache.find(2), nullptr);
  cache.set_limit_bytes(10);
  EXPECT_EQ(cache.find(0), nullptr);
}

}  // namespace
}  // namespace runahead::recordings
