#include "samples/touch_memory.h"

#include <cstring>
#include <utility>
#include <vector>

namespace runahead::samples {

void touch_memory(engine::Device& device, std::int64_t count, std::size_t size_bytes) {
  touch_memory(device, count, std::span(&size_bytes, 1));
}

void touch_memory(engine::Device& device, std::int64_t count, std::span<const std::size_t> sizes_bytes) {
  if (!device.holds_values()) return;
  std::vector<engine::Block> blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const std::size_t size_bytes : sizes_bytes) {
      Result<engine::Block> block = device.pool().allocate(size_bytes);
      if (!block.ok()) return;
      std::memset(block->data(), 0, size_bytes);
      blocks.push_back(std::move(block).value());
    }
  }
}

}  // namespace runahead::samples
