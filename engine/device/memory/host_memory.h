// Host memory for the pools of cpu and virtual devices.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "engine/device/memory/memory_pool.h"

namespace runahead::engine {

// The blocks of the source are 64-byte aligned.
[[nodiscard]] std::unique_ptr<MemoryPool::Source> make_host_source();

// A block of at least this size shares no page with another such block, so it can be pinned alone.
inline constexpr std::size_t kOwnPagesBytes = std::size_t{2} << 20;
// If set, this function is called before a block of at least kOwnPagesBytes goes back to the system. No lock
// of the pool is held then. PinnedBlocks sets it, to unpin the block. Written by the code that pins (any
// thread), read by each HostSource.
inline constinit std::atomic<void (*)(void* block)> before_host_block_goes{nullptr};
// Returns the total bytes that arrays may use on this machine: within host_bounds(), minus a reserve.
[[nodiscard]] std::size_t host_capacity_bytes();

}  // namespace runahead::engine
