#include "engine/slab.h"

#include <utility>

namespace runahead::engine {

Slab::Free Slab::kReleased{nullptr};

void Slab::change_outstanding(std::int64_t by) {
  // Acquire and release: the end of the slab comes after everything that was done with it.
  if (outstanding_.fetch_add(by, std::memory_order_acq_rel) + by == 0) delete this;
}

#if defined(__SANITIZE_ADDRESS__)
// Here outstanding_ counts the objects all the time, and one for the owner.
void* Slab::take(std::size_t size_bytes) {
  if (chunks_.empty()) {
    chunks_.emplace_back();
    outstanding_.fetch_add(1, std::memory_order_relaxed);
  }
  outstanding_.fetch_add(1, std::memory_order_relaxed);
  return ::operator new(size_bytes);
}
void Slab::give(void* object, std::size_t size_bytes) noexcept {
  ::operator delete(object, size_bytes);
  change_outstanding(-1);
}
void Slab::release() {
  if (chunks_.empty()) {
    delete this;
  } else {
    change_outstanding(-1);
  }
}
#else
void* Slab::take(std::size_t size_bytes) {
  constexpr std::size_t kAlign = alignof(std::max_align_t);
  if (object_bytes_ == 0) object_bytes_ = (size_bytes + kAlign - 1) / kAlign * kAlign;
  RUNAHEAD_CHECK(size_bytes <= object_bytes_);
  if (mine_ == nullptr)
    mine_ = returned_.exchange(nullptr, std::memory_order_acquire);  // all at once: no ABA
  if (mine_ == nullptr) grow();
  return std::exchange(mine_, mine_->next);
}

void Slab::give(void* object, std::size_t) noexcept {
  auto* const free = ::new (object) Free{returned_.load(std::memory_order_relaxed)};
  do {
    if (free->next == &kReleased) {
      change_outstanding(-1);
      return;
    }
  } while (!returned_.compare_exchange_weak(free->next, free, std::memory_order_release,
                                            std::memory_order_relaxed));
}

void Slab::release() {
  auto out = static_cast<std::int64_t>(chunks_.size() * kObjectsPerChunk);
  for (const Free* free = mine_; free != nullptr; free = free->next) --out;
  const Free* free = returned_.exchange(&kReleased, std::memory_order_acq_rel);
  for (; free != nullptr; free = free->next) --out;
  change_outstanding(out);
}
#endif

void Slab::grow() {
  auto& chunk = chunks_.emplace_back(new std::byte[object_bytes_ * kObjectsPerChunk]);
  for (std::size_t i = kObjectsPerChunk; i-- > 0;) {
    mine_ = ::new (static_cast<void*>(chunk.get() + i * object_bytes_)) Free{mine_};
  }
}

}  // namespace runahead::engine
