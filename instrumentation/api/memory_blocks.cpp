#include "instrumentation/api/memory_blocks.h"

#include <pthread.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace record = runahead::record;

namespace {

// Numbers are unique in the process. Relaxed: they publish nothing.
std::atomic<std::uint64_t> last_number{0};

record::MemoryBlock block_of(const record::MemoryKind& kind, const record::Site* by, std::uint64_t number,
                             std::int64_t size_bytes, std::int64_t live_bytes) {
  return {.kind = &kind,
          .site = by,
          .op = runahead::kNoOp,
          .number = number,
          .size_bytes = size_bytes,
          .live_bytes = live_bytes,
          .category_bytes = 0,
          .has_op = false};
}

}  // namespace

void runahead_memory::allocated(const record::Site* by, const void* address, std::size_t size_bytes) {
  Block block{.number = last_number.fetch_add(1, std::memory_order_relaxed) + 1,
              .size_bytes = static_cast<std::int64_t>(size_bytes),
              .by = by,
              .allocated = {}};
  std::optional<Block> replaced;
  std::int64_t live_before = 0, live_bytes = 0;
  {
    const runahead::MutexLock lock(mutex_);
    block.allocated.ticks = record::now_ticks();
    const auto [known, is_new] = blocks_.try_emplace(address, block);
    if (!is_new) {
      replaced = std::exchange(known->second, block);
      live_bytes_ -= replaced->size_bytes;
    }
    live_before = live_bytes_;
    live_bytes = live_bytes_ += block.size_bytes;
  }
  if (replaced) end(*replaced, live_before, block.allocated.ticks);
  if (record::memory_allocated(block_of(kind_, by, block.number, block.size_bytes, live_bytes),
                               block.allocated.ticks))
    return;
  const runahead::MutexLock lock(mutex_);
  const auto known = blocks_.find(address);
  if (known != blocks_.end() && known->second.number == block.number) known->second.allocated.lost = true;
}

void runahead_memory::freed(const void* address) {
  Block block;
  std::int64_t live_bytes = 0;
  std::uint64_t ticks = 0;
  {
    const runahead::MutexLock lock(mutex_);
    const auto known = blocks_.find(address);
    if (known == blocks_.end()) return;
    ticks = record::now_ticks();
    block = known->second;
    blocks_.erase(known);
    live_bytes = live_bytes_ -= block.size_bytes;
  }
  end(block, live_bytes, ticks);
}

void runahead_memory::end(const Block& block, std::int64_t live_bytes, std::uint64_t ticks) const {
  record::memory_freed(block_of(kind_, block.by, block.number, block.size_bytes, live_bytes), block.allocated,
                       ticks);
}

namespace runahead::api {
namespace {

struct Memories {
  Mutex mutex;  // locked before the mutex of a memory, and only around a fork together with it
  std::map<std::pair<std::string, std::string>, std::unique_ptr<runahead_memory>> all
      RUNAHEAD_GUARDED_BY(mutex);
};
// Never destroyed: programs keep pointers to the memories.
Memories& memories() {
  static Memories& instance = *new Memories;
  return instance;
}

// The analysis does not see that the three handlers of a fork belong together.
void lock_all() RUNAHEAD_NOT_ANALYSED {
  memories().mutex.lock();
  for (const auto& [key, memory] : memories().all) memory->lock();
}
void unlock_all() RUNAHEAD_NOT_ANALYSED {
  for (const auto& [key, memory] : memories().all) memory->unlock();
  memories().mutex.unlock();
}

}  // namespace

runahead_memory& memory_of(const char* group, const char* name) {
  static const int registered = ::pthread_atfork(lock_all, unlock_all, unlock_all);
  (void)registered;
  const record::TrackDesc& live = record::intern_track({.kind = trace::TrackKind::kCounter,
                                                        .group = group,
                                                        .name = name,
                                                        .device = {},
                                                        .unit = trace::Unit::kBytes,
                                                        .role = trace::CounterRole::kLiveBytes});
  const record::MemoryKind& kind = record::intern_memory({.live = &live});
  const MutexLock lock(memories().mutex);
  std::unique_ptr<runahead_memory>& memory = memories().all[{group, name}];
  if (!memory) memory = std::make_unique<runahead_memory>(kind);
  return *memory;
}

}  // namespace runahead::api
