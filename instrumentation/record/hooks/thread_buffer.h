// ThreadBuffer: a queue of one thread's events for the collector. SPSC: single producer, single consumer.
//   producer: the owning thread, push()      consumer: the thread that drains for the collector, drain()
// Invariants:
// - A position (head_, tail_) counts slots since the buffer was made. The slots from tail_ to head_ are
//   published: the consumer may read them. The producer writes at head_ and later. Each chunk is filled to
//   its end (if necessary with kPad) before the next chunk begins.
// - At most max_chunks chunks are in the queue, and all buffers of a recorder share a budget of chunks.
//   Beyond either limit a record is counted as lost: push() never blocks and never waits.
// - Losses can begin only where a new chunk is needed. When there is room again, the producer first writes a
//   kGap. The kGap says how the lost records changed the stack of open scopes, so that later ends still find
//   their begins.
// The thread and the recorder share ownership (shared_ptr). If the recorder ends first, a push in flight
// still writes to memory that its own thread keeps alive.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/base/mutex.h"
#include "instrumentation/record/hooks/bell.h"
#include "instrumentation/record/hooks/event.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::record {

// 16 KiB: small, so that many short-lived threads cost little. A chunk change per 512 slots has no measurable
// cost.
inline constexpr std::size_t kChunkEvents = 512;

struct EventChunk {
  std::array<Event, kChunkEvents> events;
  // The producer sets `next` before it publishes the first slot of the next chunk (by a store to head_).
  EventChunk* next = nullptr;
};

// Limits the number of chunks in all buffers of a recorder, including spares. Any thread may use it. A race
// may make `used` wrong by one chunk.
struct ChunkBudget {
  std::size_t max_chunks = 0;
  // all buffers change it, relaxed: it is only a count and publishes no other data
  std::atomic<std::size_t> used{0};
  // A producer that needs a chunk rings the bell if its buffer or the budget is filled to kPressedShare or
  // more.
  Bell bell;
};

// A share of a buffer's limit, or of the budget. If at least this share is filled, the collector does not
// wait for its next period.
inline constexpr double kPressedShare = 1.0 / 4;

// Properties of a thread: its kind, name, sort order and number.
struct ThreadFacts {
  trace::TrackKind kind = trace::TrackKind::kThread;
  std::string name;  // empty: the thread has no name
  std::int32_t sort_order = 0;
  std::int64_t tid = 0;
};

// A freed block of memory whose free event did not fit into the buffer.
struct LostEnd {
  std::uint64_t block = 0, ticks = 0;
};

class ThreadBuffer {
 public:
  ThreadBuffer(std::size_t max_events, std::shared_ptr<ChunkBudget> budget);
  ~ThreadBuffer();
  ThreadBuffer(const ThreadBuffer&) = delete;
  ThreadBuffer& operator=(const ThreadBuffer&) = delete;

  // ---- producer ------------------------------------------------------------------------------------
  void push(const Event& event) noexcept {
    if (!try_push(event)) (void)push_at_boundary(event, nullptr);
  }
  // Pushes a record of two slots, which are next to each other and are published together. False: there was
  // no room.
  bool push_pair(const Event& first, const Event& second) noexcept {
    return try_push_pair(first, second) || push_at_boundary(first, &second);
  }
  // The fast path of push() and push_pair(). Both functions write only if the current chunk has room.
  // Otherwise they do nothing and return false.
  [[nodiscard]] bool try_push(const Event& event) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);  // only this thread writes it
    const std::size_t at = head % kChunkEvents;
    if (at == 0) [[unlikely]]
      return false;
    Event& slot = chunk_->events[at];
    fetch_ahead(slot);
    slot = event;
    head_.store(head + 1, std::memory_order_release);  // pairs with the acquire in drain()
    return true;
  }
  [[nodiscard]] bool try_push_pair(const Event& first, const Event& second) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::size_t at = head % kChunkEvents;
    if (at == 0 || at == kChunkEvents - 1) [[unlikely]]
      return false;
    Event* const slots = &chunk_->events[at];
    fetch_ahead(*slots);
    slots[0] = first;
    slots[1] = second;
    head_.store(head + 2, std::memory_order_release);  // pairs with the acquire in drain()
    return true;
  }
  void set_facts(const ThreadFacts& facts);
  // The owner will push no more. Release: a consumer that sees ended() as true also sees every earlier push.
  void end() noexcept { ended_.store(true, std::memory_order_release); }

  // ---- consumer ------------------------------------------------------------------------------------
  // Calls take(std::span<const Event>) for the published events, oldest first, in spans that never split a
  // record. Returns the number of slots that this call consumed.
  template <typename Take>
  std::uint64_t drain(Take&& take) {
    const std::uint64_t head = head_.load(std::memory_order_acquire);  // pairs with the release in push()
    const std::uint64_t count = head - tail_;
    while (tail_ != head) {
      const std::size_t at = tail_ % kChunkEvents;
      if (at == 0) enter_next_chunk();
      const std::size_t room = kChunkEvents - at;
      const std::size_t size = head - tail_ < room ? static_cast<std::size_t>(head - tail_) : room;
      take(std::span<const Event>(&reading_->events[at], size));
      tail_ += size;
      // This chunk has the address of the next chunk, so it is only released when the next chunk is entered.
      if (at + size == kChunkEvents)
        chunks_done_.fetch_add(1, std::memory_order_release);  // pairs with begin_chunk()
    }
    return count;
  }
  [[nodiscard]] bool ended() const noexcept {
    return ended_.load(std::memory_order_acquire);  // pairs with end()
  }
  // Appends the blocks whose allocation is recorded and whose free event was lost since the last call;
  // otherwise these blocks would seem to be live forever. Clears the list.
  void take_lost_ends(std::vector<LostEnd>& out);
  // Prepares the drained buffer of an ended thread for another thread. REQUIRES: ended() is true, all events
  // are drained, and no other thread uses the buffer.
  void reuse();

  // ---- any thread ----------------------------------------------------------------------------------
  // Number of slots written by the thread that owns the buffer now.
  [[nodiscard]] std::uint64_t written() const noexcept {
    return head_.load(std::memory_order_relaxed) - events_before_;
  }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  // The share of max_chunks that is in use.
  [[nodiscard]] double fill_ratio() const noexcept;
  // Changes with each set_facts(). facts() returns a copy.
  [[nodiscard]] std::uint64_t facts_version() const noexcept {
    return facts_version_.load(std::memory_order_acquire);
  }
  [[nodiscard]] ThreadFacts facts() const;

 private:
  // The maximum number of spare chunks: chunks that the consumer has read, and that the producer will use
  // again. It is twice the default limit of a buffer. Fresh memory costs a page fault per 128 slots, which is
  // 10 ns per zone (bench_record, zone_on_fresh_memory). Therefore the chunks of a burst are kept until the
  // thread ends.
  static constexpr std::uint64_t kMostSpares = 1024;
  // A thread that fills this many chunks gets a ring for spare chunks. Most short-lived threads never fill so
  // many chunks.
  static constexpr std::uint64_t kChunksBeforeSpares = 2;

  // The collector was the last to use a spare chunk, so the chunk's cache lines are in the cache of the
  // collector's core. Prefetches the lines that will be written soon. Past the end of the chunk the prefetch
  // is harmless.
  static void fetch_ahead(const Event& slot) noexcept {
    constexpr std::uintptr_t kBytes = 12 * sizeof(Event);
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&slot) + kBytes), 1);
  }
  bool push_at_boundary(const Event& first, const Event* second) noexcept;
  [[nodiscard]] bool begin_chunk() noexcept;
  [[nodiscard]] Event gap_event() const noexcept;
  void count_lost(const Event& first, const Event* second) noexcept;
  [[nodiscard]] EventChunk* take_chunk() noexcept;
  [[nodiscard]] EventChunk* take_spare() noexcept;
  void enter_next_chunk();
  void free_chunk(EventChunk* chunk) noexcept;

  // Written by the producer, on its own cache line.
  alignas(64) std::atomic<std::uint64_t> head_{0};  // producer writes; consumer reads with acquire
  EventChunk* chunk_ = nullptr;                     // the chunk that is being filled
  std::uint64_t chunks_begun_ = 0;
  std::uint64_t gap_count_ = 0;  // records lost since the last written record
  std::uint64_t gap_ticks_ = 0;  // ticks of the first lost record
  // gap_depth_: the number of scopes that the lost records opened, minus the number that they closed.
  // gap_lowest_: the lowest value that gap_depth_ has had.
  std::int64_t gap_depth_ = 0, gap_lowest_ = 0;
  std::atomic<std::uint64_t> lost_{0};  // producer writes; any thread reads, relaxed: it is only a count
  // The number of chunks taken from the ring. Written by the producer (release), read by the consumer
  // (acquire), which may then use their places in the ring again.
  std::atomic<std::uint64_t> spares_taken_{0};

  // Written by the consumer, on its own cache line.
  alignas(64) std::uint64_t tail_ = 0;
  EventChunk* reading_ = nullptr;
  // The number of chunks read to their end. Written by the consumer (release), read by the producer (acquire)
  // to check max_chunks_.
  std::atomic<std::uint64_t> chunks_done_{0};
  // The number of chunks put into the ring. Written by the consumer (release), read by the producer
  // (acquire), which may then take these chunks.
  std::atomic<std::uint64_t> spares_given_{0};

  // Shared.
  alignas(64) EventChunk* first_ = nullptr;  // producer writes before the first release of head_
  const std::uint64_t max_chunks_, pressed_chunks_;
  const std::uint64_t most_spares_;
  // The ring of spare chunks. The elements from spares_taken_ to spares_given_ are in use. The elements are
  // accessed relaxed; these two counters order the accesses. The producer makes the ring before it begins
  // chunk kChunksBeforeSpares, counted from 0. The consumer uses the ring only for that chunk and later
  // chunks, which head_ has published.
  std::unique_ptr<std::atomic<EventChunk*>[]> spares_;
  const std::shared_ptr<ChunkBudget> budget_;
  std::uint64_t events_before_ = 0;  // position at the last reuse()
  std::atomic<bool> ended_{false};   // producer sets once; consumer reads
  // Written under facts_mutex_ (release), read by the consumer (acquire).
  std::atomic<std::uint64_t> facts_version_{0};
  // Lock order: facts_mutex_ may be locked while the registry's mutex is locked. A thread that holds
  // facts_mutex_ locks no other mutex.
  mutable Mutex facts_mutex_;
  ThreadFacts facts_ RUNAHEAD_GUARDED_BY(facts_mutex_);
  static constexpr std::size_t kMostLostEnds = 1u << 18;  // 4 MiB per thread between two drains
  Mutex lost_ends_mutex_;                                 // no mutex is locked under it
  std::vector<LostEnd> lost_ends_ RUNAHEAD_GUARDED_BY(lost_ends_mutex_);
};

}  // namespace runahead::record
