// Tests ThreadBuffer alone: the order of events, pairs at the end of a chunk, lost events and the gap event
// that reports them, memory.
#include "instrumentation/record/hooks/thread_buffer.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace runahead::record {
namespace {

std::shared_ptr<ChunkBudget> budget(std::size_t chunks) {
  auto made = std::make_shared<ChunkBudget>();
  made->max_chunks = chunks;
  return made;
}

std::vector<Event> drained(ThreadBuffer& buffer) {
  std::vector<Event> events;
  buffer.drain(
      [&](std::span<const Event> chunk) { events.insert(events.end(), chunk.begin(), chunk.end()); });
  return events;
}

void push(ThreadBuffer& buffer, std::uint64_t ticks, EventKind kind = EventKind::kCounter) {
  buffer.push({ticks, nullptr, 0, Event::pack(kind)});
}

TEST(ThreadBuffer, APairLiesSideBySideWhereverAChunkEnds) {
  ThreadBuffer buffer(kChunkEvents * 8, budget(8));
  // After this single event, pairs fill all slots of the chunk except the last. One slot is too few for a
  // pair.
  push(buffer, 1);
  for (std::uint64_t i = 0; i < kChunkEvents; ++i) {
    buffer.push_pair({i, nullptr, 0, Event::pack(EventKind::kInstant)}, {i, nullptr, 7, 0});
  }
  std::uint64_t pairs = 0;
  buffer.drain([&](std::span<const Event> chunk) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      if (chunk[i].kind() != EventKind::kInstant) continue;
      ASSERT_LT(i + 1, chunk.size());
      EXPECT_EQ(chunk[i].ticks, pairs);
      EXPECT_EQ(chunk[i + 1].word, 7u);
      ++pairs, ++i;
    }
  });
  EXPECT_EQ(pairs, kChunkEvents);
  EXPECT_EQ(buffer.lost(), 0u);
}

TEST(ThreadBuffer, WhatDoesNotFitIsCountedAndTheGapSaysHowTheScopesChanged) {
  ThreadBuffer buffer(kChunkEvents, budget(8));
  for (std::uint64_t i = 0; i < kChunkEvents; ++i) push(buffer, i);
  push(buffer, 1000, EventKind::kZoneEnd);
  push(buffer, 1001, EventKind::kZoneEnd);
  push(buffer, 1002, EventKind::kZoneBegin);
  push(buffer, 1003, EventKind::kZoneBegin);
  push(buffer, 1004, EventKind::kZoneBegin);
  push(buffer, 1005, EventKind::kZoneEnd);
  EXPECT_EQ(buffer.lost(), 6u);
  EXPECT_EQ(drained(buffer).size(), kChunkEvents);
  push(buffer, 2000, EventKind::kZoneEnd);
  const std::vector<Event> events = drained(buffer);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind(), EventKind::kGap);
  EXPECT_EQ(events[0].ticks, 1000u);
  EXPECT_EQ(events[0].word, 2u);      // two scopes from before the gap ended during the gap
  EXPECT_EQ(events[0].payload(), 2);  // two scopes that began during the gap are open
  EXPECT_EQ(events[1].ticks, 2000u);
}

TEST(ThreadBuffer, ABudgetSharedByManyBuffersHoldsThemAll) {
  const auto shared = budget(3);
  std::vector<std::unique_ptr<ThreadBuffer>> buffers;
  for (int i = 0; i < 5; ++i) {
    buffers.push_back(std::make_unique<ThreadBuffer>(kChunkEvents * 100, shared));
    push(*buffers.back(), 1);
  }
  EXPECT_EQ(shared->used.load(), 3u);
  EXPECT_EQ(buffers[2]->lost(), 0u);
  EXPECT_EQ(buffers[3]->lost(), 1u);
  buffers.clear();
  EXPECT_EQ(shared->used.load(), 0u);
}

TEST(ThreadBuffer, DrainedChunksAreUsedAgain) {
  const auto shared = budget(1000);
  ThreadBuffer buffer(kChunkEvents * 4, shared);
  for (std::uint64_t i = 0; i < kChunkEvents * 500; ++i) {
    push(buffer, i);
    if (i % kChunkEvents != 100) continue;
    EXPECT_FALSE(drained(buffer).empty());
  }
  EXPECT_EQ(buffer.lost(), 0u);
  EXPECT_LE(shared->used.load(), 4u);
}

TEST(ThreadBuffer, AProducerAndAConsumerAtOnceLoseNothingUncounted) {
  const auto shared = budget(1000);
  ThreadBuffer buffer(kChunkEvents * 2, shared);
  constexpr std::uint64_t kEvents = 300'000;
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      if (i % 3 == 0) {
        buffer.push_pair({i, nullptr, i, Event::pack(EventKind::kInstant)}, {0, nullptr, ~i, 0});
      } else {
        buffer.push({i, nullptr, ~i, Event::pack(EventKind::kCounter)});
      }
    }
    buffer.end();
  });
  std::uint64_t seen = 0, next = 0;
  bool in_order = true, whole = true;
  for (bool ended = false; !ended;) {
    ended = buffer.ended();
    buffer.drain([&](std::span<const Event> chunk) {
      for (std::size_t i = 0; i < chunk.size(); ++i) {
        const Event& event = chunk[i];
        if (event.kind() == EventKind::kPad || event.kind() == EventKind::kGap) continue;
        in_order = in_order && event.ticks >= next;
        next = event.ticks + 1;
        const bool pair = event.kind() == EventKind::kInstant;
        whole = whole && (pair ? chunk[++i].word : event.word) == ~event.ticks;
        ++seen;
      }
    });
  }
  producer.join();
  EXPECT_TRUE(in_order);
  EXPECT_TRUE(whole);
  EXPECT_EQ(seen + buffer.lost(), kEvents);
  EXPECT_LE(shared->used.load(), 70u);
}

}  // namespace
}  // namespace runahead::record
