#include "engine/device/host_memory.h"

#include <unistd.h>

#include <cstdlib>

namespace runahead::engine {
namespace {

class HostSource final : public MemoryPool::Source {
 public:
  void* take(std::size_t size_bytes) override { return std::aligned_alloc(64, (size_bytes + 63) / 64 * 64); }
  void give(void* data, std::size_t) override { std::free(data); }  // NOLINT: of aligned_alloc
};

}  // namespace

std::unique_ptr<MemoryPool::Source> make_host_source() { return std::make_unique<HostSource>(); }

std::size_t host_memory_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace runahead::engine
