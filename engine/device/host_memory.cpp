#include "engine/device/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace runahead::engine {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Blocks that hold whole huge pages are offered to the kernel as such: the first touch of 4 KiB pages costs a
// virtual machine about 0.45 ns a byte, which would be added to the first op that writes the block.
class HostSource final : public MemoryPool::Source {
 public:
  void* take(std::size_t size_bytes) override {
    const bool huge = size_bytes >= kHugePage;
    void* data = nullptr;
    if (posix_memalign(&data, huge ? kHugePage : kCacheLine, size_bytes) != 0) return nullptr;
    if (huge) madvise(data, size_bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // a hint: it may be refused
    return data;
  }
  void give(void* data, std::size_t) override { std::free(data); }  // NOLINT: of posix_memalign
};

}  // namespace

std::unique_ptr<MemoryPool::Source> make_host_source() { return std::make_unique<HostSource>(); }

std::size_t host_memory_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace runahead::engine
