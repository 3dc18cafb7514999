#include "engine/op_queue.h"

namespace runahead::engine {

OpQueue::OpQueue() : writing_(new Chunk), reading_(writing_) {}

OpQueue::~OpQueue() {
  while (reading_ != nullptr) {
    Chunk* const next = reading_->next.load(std::memory_order_relaxed);
    delete reading_;
    reading_ = next;
  }
  delete spare_.load(std::memory_order_relaxed);
}

OpQueue::Chunk* OpQueue::spare_or_new() {
  // pairs with the release in next_chunk()
  Chunk* const spare = spare_.exchange(nullptr, std::memory_order_acquire);
  if (spare == nullptr) return new Chunk;
  spare->next.store(nullptr, std::memory_order_relaxed);
  spare->lap ^= 1;  // after this change all places of the chunk count as empty
  return spare;
}

[[gnu::noinline]] void OpQueue::begin_chunk() {
  Chunk* const next = spare_or_new();
  writing_->next.store(next, std::memory_order_release);  // pairs with the acquire in next_chunk()
  writing_ = next;
  write_at_ = 0;
}

// Goes to the next chunk. False: the producer has not begun the next chunk.
[[gnu::noinline]] bool OpQueue::next_chunk() {
  Chunk* const done = reading_;
  Chunk* const next = done->next.load(std::memory_order_acquire);
  if (next == nullptr) return false;
  reading_ = next;
  read_at_ = 0;
  delete spare_.exchange(done, std::memory_order_acq_rel);
  return true;
}

}  // namespace runahead::engine
