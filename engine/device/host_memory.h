// Memory of the host, for the pools of cpu and virtual devices.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/device/memory_pool.h"

namespace runahead::engine {

[[nodiscard]] std::unique_ptr<MemoryPool::Source> make_host_source();  // 64-byte aligned
[[nodiscard]] std::size_t host_memory_bytes();                         // of this machine

}  // namespace runahead::engine
