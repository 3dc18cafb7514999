// ReadyFeed: ready ops from the enqueuing side to an executor's workers, in the order of enqueueing, without
// a lock and without a bound.
//   producer  under the engine's enqueue lock: push()
//   consumer  one thread at a time (the executor's queue lock): drain()
//   anyone    has_more()
// Invariant: ops [consumed_, published_) are the consumer's, in chunks of kChunk from reading_ on; a chunk
// that has been read to its end goes back to the producer, who has begun the next by then or will ask for it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace runahead::engine {

struct OpNode;

class ReadyFeed {
 public:
  ReadyFeed();
  ~ReadyFeed();
  ReadyFeed(const ReadyFeed&) = delete;
  ReadyFeed& operator=(const ReadyFeed&) = delete;

  void push(OpNode& node);
  [[nodiscard]] bool has_more() const {
    return published_.load(std::memory_order_acquire) != consumed_.load(std::memory_order_acquire);
  }
  // Calls take(node) for all that is there.
  template <typename Take>
  void drain(Take take) {
    const std::uint64_t end = published_.load(std::memory_order_acquire);  // pairs with push()
    std::uint64_t at = consumed_.load(std::memory_order_relaxed);
    if (at == end) return;
    for (; at != end; ++at) {
      if (at % kChunk == 0 && at != 0) next_chunk();
      take(*reading_->ops[at % kChunk]);
    }
    consumed_.store(at, std::memory_order_release);  // pairs with has_more()
  }

 private:
  static constexpr std::uint32_t kChunk = 256;
  struct Chunk {
    std::array<OpNode*, kChunk> ops;
    Chunk* next = nullptr;  // set by the producer before it publishes an op of the next
  };
  void next_chunk();
  Chunk* spare_or_new();

  alignas(64) Chunk* writing_;                      // producer's
  std::atomic<std::uint64_t> published_{0};         // producer writes (release), anyone reads (acquire)
  alignas(64) Chunk* reading_;                      // consumer's
  std::atomic<std::uint64_t> consumed_{0};          // consumer writes (release), anyone reads (acquire)
  alignas(64) std::atomic<Chunk*> spare_{nullptr};  // one that has been read: consumer to producer
};

}  // namespace runahead::engine
