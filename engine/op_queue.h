// OpQueue: an unbounded SPSC (single-producer, single-consumer) queue of ops, in order, without a lock or a
// read-modify-write per op. It carries ready ops from the enqueuing side to an executor's workers, and
// finished ops from a worker back to the OpNodePool.
//
// Roles.
//   producer  one thread at a time: push(), prefetch_push()
//   consumer  one thread at a time: drain(), has_next(), has_long()
//   any       has_more()
//
// Invariants.
// - The places of a chunk are filled in order. A place contains a node and a lap bit. A place is filled if
// its bit equals the chunk's lap. The lap flips each time the chunk is reused, so old contents count as
// empty. Therefore the consumer reads only one cache line for eight ops and needs no counter.
// - The producer only fills the places of a chunk and sets `next`. Only the consumer removes a chunk from the
//   queue.
// - A chunk that was read to its end goes back to the producer through spare_. At that time the producer has
//   already started the next chunk.
// Memory order.
// - places: release in push(), acquire in read().
// - Chunk::next: release in begin_chunk(), acquire in next_chunk(), has_next() and has_long(). Chunk::next
//   also publishes `lap`.
// - published_: release in push(), acquire in has_more(). consumed_: release in drain(), acquire in
//   has_more().
// - spare_: release in next_chunk(), acquire in spare_or_new().
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace runahead::engine {

struct OpNode;

class OpQueue {
 public:
  OpQueue();
  ~OpQueue();
  OpQueue(const OpQueue&) = delete;
  OpQueue& operator=(const OpQueue&) = delete;

  void push(OpNode& node) {
    if (write_at_ == kChunk) begin_chunk();
    const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(&node) | writing_->lap;
    writing_->places[write_at_++].store(place, std::memory_order_release);
    published_.store(++pushed_, std::memory_order_release);
  }
  // Prefetches what push() writes. Producer only.
  void prefetch_push() const {
    if (write_at_ != kChunk) __builtin_prefetch(&writing_->places[write_at_], 1);
  }
  // True: drain() finds an op now, or will very soon. Consumer only.
  [[nodiscard]] bool has_next() const {
    if (read_at_ == kChunk) return reading_->next.load(std::memory_order_acquire) != nullptr;
    return is_filled(*reading_, reading_->places[read_at_].load(std::memory_order_relaxed));
  }
  // True: at least `count` more ops can be read from the chunk that is being read, and push() already writes
  // to a later chunk. Therefore the function does not touch the cache line that push() writes for each op.
  // Consumer only.
  [[nodiscard]] bool has_long(std::size_t count) const {
    return read_at_ + count <= kChunk && reading_->next.load(std::memory_order_acquire) != nullptr;
  }
  // True: an op has been pushed and not drained. Any thread.
  [[nodiscard]] bool has_more() const {
    return published_.load(std::memory_order_acquire) != consumed_.load(std::memory_order_acquire);
  }
  // Calls take(ops) with the queued ops, up to 64 ops per call and at most `most` in total. Returns the
  // number of ops taken.
  template <typename Take>
  std::size_t drain(Take take, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    constexpr std::size_t kAtOnce = 64;
    std::array<OpNode*, kAtOnce> ops;
    std::size_t all = 0, count = 0;
    do {
      count = read(std::span(ops).first(std::min(kAtOnce, most - all)));
      if (count != 0) take(std::span<OpNode* const>(ops.data(), count));
      all += count;
    } while (count == kAtOnce);
    if (all != 0) {
      consumed_.store(consumed_.load(std::memory_order_relaxed) + all, std::memory_order_release);
    }
    return all;
  }

 private:
  static constexpr std::size_t kChunk = 128;
  struct alignas(64) Chunk {
    std::array<std::atomic<std::uintptr_t>, kChunk> places{};  // a node's address; lowest bit: lap
    // written by the producer once it has the next chunk, read by the consumer
    std::atomic<Chunk*> next{nullptr};
    // 0 or 1; written by the producer before it publishes the chunk through `next` of the previous chunk
    std::uintptr_t lap = 1;
  };
  static bool is_filled(const Chunk& chunk, std::uintptr_t place) { return (place & 1) == chunk.lap; }
  // Reads up to to.size() ops. Returns the number of ops read.
  std::size_t read(std::span<OpNode*> to) {
    std::size_t count = 0;
    for (; count != to.size(); ++count) {
      if (read_at_ == kChunk && !next_chunk()) break;
      // Pairs with the release in push().
      const std::uintptr_t place = reading_->places[read_at_].load(std::memory_order_acquire);
      if (!is_filled(*reading_, place)) break;
      to[count] = reinterpret_cast<OpNode*>(place & ~std::uintptr_t{1});
      ++read_at_;
    }
    return count;
  }
  void begin_chunk();
  bool next_chunk();
  Chunk* spare_or_new();

  alignas(64) Chunk* writing_;                           // producer only
  std::size_t write_at_ = 0;                             // producer only
  std::uint64_t pushed_ = 0;                             // producer only
  alignas(64) std::atomic<std::uint64_t> published_{0};  // producer writes, any thread reads
  alignas(64) Chunk* reading_;                           // consumer only
  std::size_t read_at_ = 0;                              // consumer only
  std::atomic<std::uint64_t> consumed_{0};               // consumer writes, any thread reads
  // a chunk that was read to its end; the consumer stores it here, the producer takes it
  alignas(64) std::atomic<Chunk*> spare_{nullptr};
};

}  // namespace runahead::engine
