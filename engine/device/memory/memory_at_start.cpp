#include "engine/device/memory/memory_at_start.h"

#include <optional>
#include <utility>

namespace runahead::engine {

Status MemoryAtStart::allocate(MemoryPool& pool, std::size_t size_bytes, MemoryOwner owner, Block& out) {
  {
    MutexLock lock(mutex_);
    std::optional<Block> ahead;
    if (!started_ && may_be_ahead_) ahead = pool.allocate_ahead(size_bytes, owner);
    if (ahead) {
      out = *std::move(ahead);
      ahead_.push_back(&out);
      return Ok{};
    }
    started_now_.wait(lock.native(), [this]() RUNAHEAD_REQUIRES(mutex_) { return started_; });
  }
  return pool.allocate(size_bytes, owner, out);
}

void MemoryAtStart::start() {
  const MutexLock lock(mutex_);
  started_ = true;
  for (Block* const block : ahead_) block->count();
  ahead_.clear();
  started_now_.notify_all();
}

}  // namespace runahead::engine
