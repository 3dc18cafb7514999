// PinnedBlocks: the blocks of host memory that copies of modules' devices use, and which of them are pinned.
// A block is pinned when a copy first asks for it. It stays pinned until the cpu's MemoryPool returns it to
// the system, or until a copy asks for pageable memory or for more of the block. Before a block is unpinned,
// the copies of all streams that use it as pinned memory have ended. Any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "engine/device/arithmetic.h"
#include "engine/device/device_module.h"
#include "instrumentation/base/mutex.h"

namespace runahead::engine {

class PinnedBlocks {
 public:
  // A module's stream, and the device that it belongs to.
  struct Stream {
    const RunaheadDeviceApi* api;
    void* device;
    void* stream;
  };
  static PinnedBlocks& get();

  // put() puts a copy of the first `bytes` bytes of the block on the stream. Returns its status.
  // kPinned: the block is pinned first. It stays pageable for this copy if it is smaller than kOwnPagesBytes,
  // if the module refuses to pin it, or if another thread makes a copy of it as pageable memory now.
  // kPageable: the block is unpinned first.
  std::int32_t copy(const Stream& stream, const void* block, std::size_t bytes, HostMemory memory,
                    const std::function<std::int32_t()>& put);
  void unpin(const void* block);      // does nothing if the block is not pinned
  void forget(const Stream& stream);  // call it before the stream ends. REQUIRES: nothing in flight on it

 private:
  // Copies of a stream that use a block as pinned memory. `event` is after the last of them, or the module
  // refused to record it: then all work of the stream is awaited.
  struct Use {
    Stream stream;
    void* event;
    bool has_event = false;
    void await() const;
  };
  struct Block {
    const RunaheadDeviceApi* api = nullptr;
    std::size_t pinned_bytes = 0;     // 0: not pinned
    std::map<const void*, Use> uses;  // key: the stream
    int pageable_copies = 0;          // calls of put() that use the block as pageable memory, now
    bool unpinning = false;           // a thread waits for the uses without the lock
  };
  using Blocks = std::map<const void*, Block>;

  Block& settled(const void* block, MutexLock& lock) RUNAHEAD_REQUIRES(mutex_);
  bool make_pinned(const Stream& stream, const void* block, std::size_t bytes, MutexLock& lock)
      RUNAHEAD_REQUIRES(mutex_);
  // Not analysed: it opens the caller's lock while it waits.
  void make_pageable(const void* block, MutexLock& lock) RUNAHEAD_REQUIRES(mutex_) RUNAHEAD_NOT_ANALYSED;
  static std::int32_t put_pinned(const Stream& stream, Block& block,
                                 const std::function<std::int32_t()>& put);
  void drop_if_empty(const void* block) RUNAHEAD_REQUIRES(mutex_);

  Mutex mutex_;  // held while a pinned copy is put on its stream, but not during a wait for a stream
  std::condition_variable changed_;
  Blocks blocks_ RUNAHEAD_GUARDED_BY(mutex_);
};

}  // namespace runahead::engine
