// OpFeed: ops from one thread to another, in order, without a lock, a read-modify-write or a bound: ready ops
// from the enqueuing side to an executor's workers, and done ones from a worker back to the OpSlab.
//   producer  one thread at a time: push()
//   consumer  one thread at a time: drain()
//   anyone    has_more()
// Invariant: ops [consumed_, published_) are the consumer's, in chunks of kChunk from reading_ on; a chunk
// that has been read to its end goes back to the producer, who has begun the next by then or will ask for it.
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

class OpFeed {
 public:
  OpFeed();
  ~OpFeed();
  OpFeed(const OpFeed&) = delete;
  OpFeed& operator=(const OpFeed&) = delete;

  void push(OpNode& node) {
    const std::uint64_t at = pushed_++;
    if (at % kChunk == 0 && at != 0) begin_chunk();
    writing_->ops[at % kChunk] = &node;
    published_.store(at + 1, std::memory_order_release);
  }
  // Start to bring what push() writes into this core's cache. The producer's.
  void prefetch_push() const {
    __builtin_prefetch(&writing_->ops[pushed_ % kChunk], 1);
    __builtin_prefetch(&published_, 1);
  }
  [[nodiscard]] bool has_more() const {
    return published_.load(std::memory_order_acquire) != consumed_.load(std::memory_order_acquire);
  }
  // Calls take(ops) for what is there, a stretch of it at a time, at most `most` in all. Returns how many.
  template <typename Take>
  std::size_t drain(Take take, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    const std::uint64_t begin = consumed_.load(std::memory_order_relaxed);
    const std::uint64_t there = published_.load(std::memory_order_acquire) - begin;  // pairs with push()
    if (there == 0) return 0;
    const std::uint64_t end = begin + std::min<std::uint64_t>(there, most);
    for (std::uint64_t at = begin; at != end;) {
      const std::uint64_t i = at % kChunk, stretch = std::min(end - at, kChunk - i);
      if (i == 0 && at != 0) next_chunk();
      take(std::span<OpNode* const>(reading_->ops.data() + i, stretch));
      at += stretch;
    }
    consumed_.store(end, std::memory_order_release);  // pairs with has_more()
    return end - begin;
  }

 private:
  static constexpr std::uint64_t kChunk = 256;
  struct Chunk {
    std::array<OpNode*, kChunk> ops;
    Chunk* next = nullptr;  // set by the producer before it publishes an op of the next
  };
  void begin_chunk();
  void next_chunk();
  Chunk* spare_or_new();

  // The producer knows its count without a look at published_, whose line the consumer has had since.
  alignas(64) Chunk* writing_;                           // producer's
  std::uint64_t pushed_ = 0;                             // ditto
  alignas(64) std::atomic<std::uint64_t> published_{0};  // producer writes (release), anyone reads (acquire)
  alignas(64) Chunk* reading_;                           // consumer's
  std::atomic<std::uint64_t> consumed_{0};               // consumer writes (release), anyone reads (acquire)
  alignas(64) std::atomic<Chunk*> spare_{nullptr};       // one that has been read: consumer to producer
};

}  // namespace runahead::engine
