#include "engine/op_feed.h"

namespace runahead::engine {

OpFeed::OpFeed() : writing_(new Chunk), reading_(writing_) {}

OpFeed::~OpFeed() {
  while (reading_ != nullptr) {
    Chunk* const next = reading_->next;
    delete reading_;
    reading_ = next;
  }
  delete spare_.load(std::memory_order_relaxed);
}

OpFeed::Chunk* OpFeed::spare_or_new() {
  Chunk* const spare = spare_.exchange(nullptr, std::memory_order_acquire);  // pairs with next_chunk()
  if (spare == nullptr) return new Chunk;
  spare->next = nullptr;
  return spare;
}

void OpFeed::begin_chunk() {
  writing_->next = spare_or_new();
  writing_ = writing_->next;
}

void OpFeed::next_chunk() {
  Chunk* const done = reading_;
  reading_ = done->next;
  delete spare_.exchange(done, std::memory_order_acq_rel);
}

}  // namespace runahead::engine
