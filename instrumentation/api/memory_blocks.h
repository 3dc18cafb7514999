// The live blocks of one kind of memory of the program, for runahead_allocated() and runahead_freed(). The
// program names a block by its address; a recording needs its number, its size and the time of its
// allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "instrumentation/base/mutex.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/site.h"

// Any thread may call allocated() and freed(). Both are for times when recording is on.
struct runahead_memory {
 public:
  explicit runahead_memory(const runahead::record::MemoryKind& kind) : kind_(kind) {}

  // `by` may be null. A block that is live at the same address counts as freed now: its free was not seen.
  void allocated(const runahead::record::Site* by, const void* address, std::size_t size_bytes);
  void freed(const void* address);  // an unknown address is ignored

  // For the handlers of a fork: the child must find the mutex unlocked.
  void lock() RUNAHEAD_NOT_ANALYSED { mutex_.lock(); }
  void unlock() RUNAHEAD_NOT_ANALYSED { mutex_.unlock(); }

 private:
  struct Block {
    std::uint64_t number = 0;
    std::int64_t size_bytes = 0;
    const runahead::record::Site* by = nullptr;
    runahead::record::MemoryAllocated allocated;
  };
  void end(const Block& block, std::int64_t live_bytes, std::uint64_t ticks) const;

  const runahead::record::MemoryKind& kind_;
  // The order of the clock's readings and of live_bytes_ is the same, because both are read under the mutex.
  // No other mutex is locked under it.
  runahead::Mutex mutex_;
  std::unordered_map<const void*, Block> blocks_ RUNAHEAD_GUARDED_BY(mutex_);
  std::int64_t live_bytes_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
};

namespace runahead::api {

// The memory with this group and name. Equal arguments give the same object, which is never deleted.
[[nodiscard]] runahead_memory& memory_of(const char* group, const char* name);

}  // namespace runahead::api
