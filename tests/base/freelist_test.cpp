#include "instrumentation/base/freelist.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "instrumentation/base/small_vector.h"

namespace runahead {
namespace {

struct Object : FreelistAllocated<Object> {
  explicit Object(int with) : value(with) {}
  int value;
  char room[100] = {};
};

TEST(Freelist, WhatAThreadGivesItTakesAgain) {
  if (!kUsesFreelist) GTEST_SKIP() << "with the address sanitizer, malloc() does the work of the freelist";
  auto first = std::make_unique<Object>(1);
  const Object* const at = first.get();
  first.reset();
  const auto second = std::make_unique<Object>(2);
  EXPECT_EQ(second.get(), at);
  EXPECT_EQ(second->value, 2);
}

// One thread allocates objects and other threads free them, like a frontend and its workers. Each object
// stays intact until it is freed.
TEST(Freelist, ObjectsPassBetweenThreadsWhole) {
  constexpr int kObjects = 20'000, kThreads = 3;
  std::atomic<Object*> handed[kThreads] = {};
  std::atomic<int> wrong{0}, ended{0};
  std::vector<std::thread> threads;
  for (auto& box : handed) {
    threads.emplace_back([&] {
      for (int seen = 0; seen < kObjects; ++seen) {
        Object* object = nullptr;
        while ((object = box.exchange(nullptr)) == nullptr) std::this_thread::yield();
        if (object->value != seen) ++wrong;
        delete object;
        ++ended;
      }
    });
  }
  for (int i = 0; i < kObjects; ++i) {
    for (auto& box : handed) {
      while (box.load() != nullptr) std::this_thread::yield();
      box = new Object(i);
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ended, kObjects * kThreads);
}

TEST(Freelist, SharedPointersMayUseIt) {
  std::vector<std::shared_ptr<Object>> all;
  for (int i = 0; i < 100; ++i) all.push_back(std::allocate_shared<Object>(FreelistAllocator<Object>(), i));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)]->value, i);
}

TEST(SmallVector, HoldsAsManyAsWereSaidWhicheverRoomTheyTake) {
  for (const std::size_t most : {0u, 2u, 3u, 9u}) {
    SmallVector<std::shared_ptr<int>, 3> list(most);
    const auto shared = std::make_shared<int>(7);
    for (std::size_t i = 0; i < most; ++i) list.push_back(shared);
    EXPECT_EQ(list.size(), most);
    EXPECT_EQ(shared.use_count(), static_cast<long>(most) + 1);
    const SmallVector<std::shared_ptr<int>, 3> moved(std::move(list));
    EXPECT_EQ(moved.size(), most);
    EXPECT_EQ(shared.use_count(), static_cast<long>(most) + 1) << "moved, not copied";
    for (const auto& pointer : moved) EXPECT_EQ(pointer, shared);
  }
}

}  // namespace
}  // namespace runahead
