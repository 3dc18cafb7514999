// OpQueue: ops from one thread to another, in order, without a lock, a read-modify-write or a bound: ready
// ops from the enqueuing side to an executor's workers, and done ones from a worker back to the OpNodePool.
//   producer  one thread at a time: push()
//   consumer  one thread at a time: drain(), has_next()
//   anyone    has_more()
// Invariant: the places of chunks are filled in turn, each for itself saying that it is: a place holds a node
// and the lap in which it was written, which changes each time its chunk is used again. So the consumer reads
// one line for eight ops and no count beside it. A chunk that has been read to its end goes back to the
// producer, who has begun the next by then.
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
  // Start to bring what push() writes into this core's cache. The producer's.
  void prefetch_push() const {
    if (write_at_ != kChunk) __builtin_prefetch(&writing_->places[write_at_], 1);
  }
  // Whether drain() would find one, or soon will. The consumer's.
  [[nodiscard]] bool has_next() const {
    if (read_at_ == kChunk) return reading_->next.load(std::memory_order_acquire) != nullptr;
    return is_filled(*reading_, reading_->places[read_at_].load(std::memory_order_relaxed));
  }
  // True: so many at least are there, before the chunk that is being written; which is known without a look
  // at what push() writes for each op. The consumer's.
  [[nodiscard]] bool has_long(std::size_t count) const {
    return read_at_ + count <= kChunk && reading_->next.load(std::memory_order_acquire) != nullptr;
  }
  [[nodiscard]] bool has_more() const {
    return published_.load(std::memory_order_acquire) != consumed_.load(std::memory_order_acquire);
  }
  // Calls take(ops) for what is there, some of it at a time, at most `most` in all. Returns how many.
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
    std::array<std::atomic<std::uintptr_t>, kChunk> places{};  // a node, + lap
    std::atomic<Chunk*> next{nullptr};  // set by the producer (release) once it has the next
    std::uintptr_t lap = 1;  // 0 or 1; changed by the producer before its predecessor's next is set
  };
  static bool is_filled(const Chunk& chunk, std::uintptr_t place) { return (place & 1) == chunk.lap; }
  // As many of the next as there are, and as there is room for. Returns how many.
  std::size_t read(std::span<OpNode*> to) {
    std::size_t count = 0;
    for (; count != to.size(); ++count) {
      if (read_at_ == kChunk && !next_chunk()) break;
      // Pairs with push().
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

  alignas(64) Chunk* writing_;                           // producer's
  std::size_t write_at_ = 0;                             // ditto
  std::uint64_t pushed_ = 0;                             // ditto
  alignas(64) std::atomic<std::uint64_t> published_{0};  // producer writes (release), anyone reads (acquire)
  alignas(64) Chunk* reading_;                           // consumer's
  std::size_t read_at_ = 0;                              // ditto
  std::atomic<std::uint64_t> consumed_{0};               // consumer writes (release), anyone reads (acquire)
  alignas(64) std::atomic<Chunk*> spare_{nullptr};       // one that has been read: consumer to producer
};

}  // namespace runahead::engine
