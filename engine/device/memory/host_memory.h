// Memory of the host, for the pools of cpu and virtual devices.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "engine/device/memory/memory_pool.h"

namespace runahead::engine {

[[nodiscard]] std::unique_ptr<MemoryPool::Source> make_host_source();  // 64-byte aligned
// Blocks from here on have pages that no other such block has.
inline constexpr std::size_t kOwnPagesBytes = std::size_t{2} << 20;
// Called, if set, before such a block goes back to the system: who has pinned it lets it go.
inline constinit std::atomic<void (*)(void* block)> before_host_block_goes{nullptr};
// Of this machine what arrays may have, all together: within host_bounds(), less a reserve.
[[nodiscard]] std::size_t host_capacity_bytes();

}  // namespace runahead::engine
