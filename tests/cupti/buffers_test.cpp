// Tests the buffers that CUPTI fills: their memory is bounded, a buffer is never null, and dropped records
// are counted.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "instrumentation/cupti/activity_buffers.h"

namespace runahead::cupti {
namespace {

std::uint64_t one_per_byte(const FullBuffer& buffer) { return buffer.used; }

TEST(ActivityBuffers, ABufferThatWasReadIsGivenOutAgain) {
  ActivityBuffers buffers(1024, 8192, one_per_byte);
  std::uint8_t* const first = buffers.give(0);
  ASSERT_NE(first, nullptr);
  buffers.filled({first, 10});
  const auto full = buffers.next();
  ASSERT_TRUE(full);
  EXPECT_EQ(full->bytes, first);
  EXPECT_EQ(full->used, 10u);
  buffers.give_back(first);
  EXPECT_EQ(buffers.give(0), first);
  EXPECT_EQ(buffers.held_bytes(), 1024u);
  EXPECT_FALSE(buffers.next());
  buffers.filled({first, 0});
}

TEST(ActivityBuffers, AtTheLimitTheOldestUnreadOneGoesAndItsRecordsAreCounted) {
  ActivityBuffers buffers(1024, 2048, one_per_byte);
  std::uint8_t* const a = buffers.give(0);
  std::uint8_t* const b = buffers.give(0);
  buffers.filled({a, 30});
  buffers.filled({b, 40});
  EXPECT_EQ(buffers.give(0), a);
  EXPECT_EQ(buffers.take_lost(), 30u);
  EXPECT_EQ(buffers.take_lost(), 0u);
  EXPECT_EQ(buffers.held_bytes(), 2048u);
  EXPECT_EQ(buffers.next()->bytes, b);
  buffers.give_back(a);
  buffers.give_back(b);
}

TEST(ActivityBuffers, WhereCuptiHoldsThemAllItGetsOneMoreAndNeverNull) {
  ActivityBuffers buffers(1024, 2048, one_per_byte);
  std::set<std::uint8_t*> given;
  for (int i = 0; i < 5; ++i) given.insert(buffers.give(0));
  EXPECT_EQ(given.size(), 5u);
  EXPECT_FALSE(given.contains(nullptr));
  EXPECT_EQ(buffers.take_lost(), 0u);
  for (std::uint8_t* const bytes : given) buffers.filled({bytes, 0});
  EXPECT_EQ(buffers.held_bytes(), 2048u);  // the buffers above the limit of 2048 bytes were freed
}

TEST(ActivityBuffers, TheOldestBufferAtCuptiIsKnown) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  ActivityBuffers buffers(1024, 8192, one_per_byte);
  EXPECT_EQ(buffers.oldest_given_ns(), kNone);
  std::uint8_t* const a = buffers.give(10);
  std::uint8_t* const b = buffers.give(20);
  EXPECT_EQ(buffers.oldest_given_ns(), 10);
  buffers.filled({a, 5});
  EXPECT_EQ(buffers.oldest_given_ns(), 20);
  EXPECT_EQ(buffers.next()->bytes, a);
  buffers.give_back(a);
  EXPECT_EQ(buffers.give(30), a);  // the same memory, given again
  EXPECT_EQ(buffers.oldest_given_ns(), 20);
  buffers.filled({b, 0});
  EXPECT_EQ(buffers.oldest_given_ns(), 30);
  buffers.filled({a, 0});
  EXPECT_EQ(buffers.oldest_given_ns(), kNone);
}

}  // namespace
}  // namespace runahead::cupti
