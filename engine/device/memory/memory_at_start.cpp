#include "engine/device/memory/memory_at_start.h"

#include <utility>

namespace runahead::engine {

bool MemoryAtStart::has_started() {
  const MutexLock lock(mutex_);
  return started_;
}

void MemoryAtStart::wait_locked(MutexLock& lock) {
  started_now_.wait(lock.native(), [this]() RUNAHEAD_REQUIRES(mutex_) { return started_; });
}

void MemoryAtStart::wait() {
  MutexLock lock(mutex_);
  wait_locked(lock);
}

Status MemoryAtStart::allocate(MemoryPool& pool, std::size_t size_bytes, MemoryOwner owner, Block& out) {
  // No lock is held while the pool allocates: it may wait for the system, and start() must not.
  std::optional<Block> ahead;
  if (!has_started()) ahead = pool.allocate_ahead(size_bytes, owner);
  MutexLock lock(mutex_);
  if (ahead) {
    out = *std::move(ahead);
    if (!started_) {
      ahead_.push_back(&out);
    } else {
      out.count();
    }
    return Ok{};
  }
  if (started_) {
    lock.unlock();
    return pool.allocate(size_bytes, owner, out);
  }
  Request request{pool, size_bytes, owner, out, {}};
  waiting_ = &request;
  wait_locked(lock);
  return *std::move(request.result);
}

void MemoryAtStart::start() {
  const MutexLock lock(mutex_);
  started_ = true;
  for (Block* const block : ahead_) block->count();
  ahead_.clear();
  if (Request* const request = std::exchange(waiting_, nullptr))
    request->result = request->pool.allocate(request->size_bytes, request->owner, request->out);
  started_now_.notify_all();
}

}  // namespace runahead::engine
