#include "engine/slab.h"

#include <utility>

namespace runahead::engine {

#if defined(__SANITIZE_ADDRESS__)
void* Slab::take(std::size_t size_bytes) { return ::operator new(size_bytes); }
void Slab::give(void* object, std::size_t size_bytes) noexcept { ::operator delete(object, size_bytes); }
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
  while (!returned_.compare_exchange_weak(free->next, free, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
}
#endif

void Slab::grow() {
  auto& chunk = chunks_.emplace_back(new std::byte[object_bytes_ * kObjectsPerChunk]);
  for (std::size_t i = kObjectsPerChunk; i-- > 0;) {
    mine_ = ::new (static_cast<void*>(chunk.get() + i * object_bytes_)) Free{mine_};
  }
}

}  // namespace runahead::engine
