#include "engine/device/pinned_blocks.h"

#include <algorithm>
#include <utility>

#include "engine/device/memory/host_memory.h"

namespace runahead::engine {

PinnedBlocks& PinnedBlocks::get() {
  static PinnedBlocks pins;
  return pins;
}

// The entry of a block that no other thread unpins.
PinnedBlocks::Block& PinnedBlocks::settled(const void* block, MutexLock& lock) {
  changed_.wait(lock.native(), [&]() RUNAHEAD_REQUIRES(mutex_) {
    const auto found = blocks_.find(block);
    return found == blocks_.end() || !found->second.unpinning;
  });
  return blocks_[block];
}

void PinnedBlocks::drop_if_empty(const void* block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  const Block& entry = found->second;
  if (entry.pinned_bytes == 0 && entry.pageable_copies == 0 && !entry.unpinning) blocks_.erase(found);
}

// An error is that of the copy, whose op says it.
void PinnedBlocks::Use::await() const {
  (void)(has_event ? stream.api->await_event(stream.device, event)
                   : stream.api->await_stream(stream.device, stream.stream));
}

// Waits and unpins without the lock, because a stream may execute a call of the host that frees another
// block.
void PinnedBlocks::make_pageable(const void* block, MutexLock& lock) {
  Block& entry = settled(block, lock);
  if (entry.pinned_bytes == 0) return;
  const RunaheadDeviceApi& api = *entry.api;
  const auto uses = std::exchange(entry.uses, {});
  entry.unpinning = true;
  lock.unlock();
  for (const auto& [key, use] : uses) {
    use.await();
    use.stream.api->free_event(use.stream.device, use.event);
  }
  (void)api.unpin(const_cast<void*>(block));
  lock.lock();
  entry.pinned_bytes = 0;
  entry.unpinning = false;
  changed_.notify_all();
}

bool PinnedBlocks::make_pinned(const Stream& stream, const void* block, std::size_t bytes, MutexLock& lock) {
  if (settled(block, lock).pinned_bytes >= bytes) return true;
  if (bytes < kOwnPagesBytes) return false;
  make_pageable(block, lock);
  Block& entry = settled(block, lock);
  if (entry.pinned_bytes >= bytes) return true;
  if (entry.pinned_bytes > 0 || entry.pageable_copies > 0) return false;
  if (stream.api->pin(const_cast<void*>(block), bytes) != 0) return false;
  entry.api = stream.api;
  entry.pinned_bytes = bytes;
  before_host_block_goes.store([](void* given) { get().unpin(given); });
  return true;
}

std::int32_t PinnedBlocks::put_pinned(const Stream& stream, Block& block,
                                      const std::function<std::int32_t()>& put) {
  const auto [place, is_new] = block.uses.try_emplace(stream.stream, Use{stream, nullptr});
  Use& use = place->second;
  if (is_new) {
    if (const std::int32_t status = stream.api->make_event(stream.device, &use.event); status != 0) {
      block.uses.erase(place);
      return status;
    }
  }
  const std::int32_t status = put();
  const std::int32_t noted =
      stream.api->record_event(stream.device, use.event, stream.stream, kRunaheadAfterWork);
  use.has_event = noted == 0;
  return status != 0 ? status : noted;
}

std::int32_t PinnedBlocks::copy(const Stream& stream, const void* block, std::size_t bytes, HostMemory memory,
                                const std::function<std::int32_t()>& put) {
  if (bytes == 0) return put();
  {
    MutexLock lock(mutex_);
    if (memory == HostMemory::kPinned && make_pinned(stream, block, bytes, lock))
      return put_pinned(stream, blocks_[block], put);
    make_pageable(block, lock);
    ++settled(block, lock).pageable_copies;
  }
  const std::int32_t status = put();
  const MutexLock lock(mutex_);
  --blocks_[block].pageable_copies;
  drop_if_empty(block);
  return status;
}

void PinnedBlocks::unpin(const void* block) {
  MutexLock lock(mutex_);
  if (!blocks_.contains(block)) return;
  make_pageable(block, lock);
  drop_if_empty(block);
}

void PinnedBlocks::forget(const Stream& stream) {
  MutexLock lock(mutex_);
  changed_.wait(lock.native(), [this]() RUNAHEAD_REQUIRES(mutex_) {
    return std::ranges::none_of(blocks_, [](const auto& entry) { return entry.second.unpinning; });
  });
  for (auto& [key, block] : blocks_) {
    const auto found = block.uses.find(stream.stream);
    if (found == block.uses.end()) continue;
    stream.api->free_event(stream.device, found->second.event);
    block.uses.erase(found);
  }
}

}  // namespace runahead::engine
