#include "engine/device/memory/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "engine/device/memory/host_bounds.h"

namespace runahead::engine {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
static_assert(kOwnPagesBytes == kHugePage, "such blocks are aligned to huge pages");
// Blocks smaller than kLeastHuge touch few pages, so they need no huge pages. They share small regions of
// ordinary pages (4 KiB).
constexpr std::size_t kLeastHuge = std::size_t{32} << 10;
// Blocks of one size share a region. The parts of a region that were never written use address space, but no
// memory.
constexpr std::size_t kRegion = 8 * kHugePage;
constexpr std::size_t kSmallRegion = std::size_t{1} << 20;

constexpr std::size_t region_bytes(std::size_t block_bytes) {
  return block_bytes < kLeastHuge ? kSmallRegion : kRegion;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kShares = false;  // false, so that the sanitizer sees a write past a block's end
#else
constexpr bool kShares = true;
#endif

// This capacity ignores the limit of the address space (RLIMIT_AS). That limit is checked at each allocation
// instead, because threads and recordings use address space too.
std::size_t machine_capacity_bytes() {
  HostBounds bounds = host_bounds();
  bounds.address_bytes = kNoBound;
  return capacity_within(bounds);
}

// Bytes allocated by all HostSources of the process. All HostSources share this counter, because the devices
// share the host's memory. Any thread adds.
constinit std::atomic<std::size_t> taken_of_host{0};

// Counts `size_bytes` as allocated if there is room for that number of bytes. Returns false if there is no
// room. host_given() undoes the counting.
bool host_taken(std::size_t size_bytes, std::size_t most_bytes) {
  if (taken_of_host.fetch_add(size_bytes) + size_bytes <= most_bytes && address_space_has(size_bytes))
    return true;
  taken_of_host.fetch_sub(size_bytes);
  return false;
}
void host_given(std::size_t size_bytes) { taken_of_host.fetch_sub(size_bytes); }

void* aligned_block(std::size_t alignment, std::size_t size_bytes) {
  void* data = nullptr;
  return posix_memalign(&data, alignment, size_bytes) == 0 ? data : nullptr;
}

void* map_huge_pages(std::size_t size_bytes) {
  const std::size_t mapped_bytes = size_bytes + kHugePage;
  void* const mapped =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + size_bytes, kHugePage - before);
  madvise(begin + before, size_bytes, MADV_HUGEPAGE);  // a hint that the system may refuse
  return begin + before;
}

// HostSource: allocates the memory of a pool on the host. The first write to a 4 KiB page is expensive,
// because the system then provides the page. On a virtual machine this costs 0.4 to 0.7 ns per byte, at least
// as much as computing the values. This cost would slow down the first op that writes to a new block.
// Therefore blocks come from huge pages.
// - A block of at least kOwnPagesBytes (the size of a huge page) has its own pages.
// - Smaller blocks, down to kLeastHuge, share regions of huge pages. All blocks of a region have one size.
// - Even smaller blocks share regions of ordinary pages, because an aligned allocation from malloc() costs
//   more than most ops that use such a block.
// Threads: take() and give() are called under the lock of the pool that owns this source.
class HostSource final : public MemoryPool::Source {
 public:
  ~HostSource() override {
    for (const auto& [begin, region] : regions_) unmap(begin, region.size_bytes);
  }
  void* take(std::size_t size_bytes) override {
    if (is_shared(size_bytes)) return take_shared(size_bytes);
    if (!host_taken(size_bytes, most_bytes_)) return nullptr;
    const bool huge = size_bytes >= kHugePage;
    void* const data = aligned_block(huge ? kHugePage : kCacheLine, size_bytes);
    if (data == nullptr) host_given(size_bytes);
    if (huge && data != nullptr) madvise(data, size_bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    return data;
  }
  void before_give(void* data, std::size_t size_bytes) override {
    if (const auto tell = before_host_block_goes.load(); tell != nullptr && size_bytes >= kOwnPagesBytes)
      tell(data);
  }
  void give(void* data, std::size_t size_bytes) override {
    if (is_shared(size_bytes)) return give_shared(static_cast<std::byte*>(data), size_bytes);
    std::free(data);  // NOLINT: allocated by posix_memalign
    host_given(size_bytes);
  }

 private:
  struct Region {
    std::size_t size_bytes = 0;
    std::size_t taken = 0;  // number of blocks in use
  };
  struct Size {
    std::vector<std::byte*> spares;  // free blocks within regions
    // [next, end): the part of the newest region from which no block has been taken yet.
    std::byte* next = nullptr;
    std::byte* end = nullptr;
  };

  [[nodiscard]] static bool is_shared(std::size_t size_bytes) { return kShares && size_bytes < kHugePage; }
  void* take_shared(std::size_t size_bytes);
  void give_shared(std::byte* data, std::size_t size_bytes);
  bool add_region(Size& size, std::size_t size_bytes);
  static void unmap(std::byte* begin, std::size_t size_bytes) {
    size_bytes == kSmallRegion ? std::free(begin)  // NOLINT: allocated by posix_memalign
                               : static_cast<void>(munmap(begin, size_bytes));
    host_given(size_bytes);
  }

  const std::size_t most_bytes_ = machine_capacity_bytes();
  std::map<std::byte*, Region, std::less<>> regions_;  // key: start of the region
  std::map<std::size_t, Size> sizes_;
};

std::size_t stride_of(std::size_t size_bytes) {
  return (size_bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
}

bool HostSource::add_region(Size& size, std::size_t size_bytes) {
  const std::size_t all = region_bytes(size_bytes);
  if (!host_taken(all, most_bytes_)) return false;
  void* const begin = all == kSmallRegion ? aligned_block(kCacheLine, all) : map_huge_pages(all);
  if (begin == nullptr) {
    host_given(all);
    return false;
  }
  size.next = static_cast<std::byte*>(begin);
  size.end = size.next + all / stride_of(size_bytes) * stride_of(size_bytes);
  regions_.emplace(size.next, Region{.size_bytes = all});
  return true;
}

void* HostSource::take_shared(std::size_t size_bytes) {
  Size& size = sizes_[size_bytes];
  std::byte* data = nullptr;
  if (!size.spares.empty()) {
    data = size.spares.back();
    size.spares.pop_back();
  } else {
    if (size.next == size.end && !add_region(size, size_bytes)) return nullptr;
    data = std::exchange(size.next, size.next + stride_of(size_bytes));
  }
  ++std::prev(regions_.upper_bound(data))->second.taken;
  return data;
}

// Frees a block. If no other block of its region is in use, the whole region goes back to the system.
// Otherwise the block is kept for reuse. In a region of huge pages, the system gets back the pages that lie
// completely within the block.
void HostSource::give_shared(std::byte* data, std::size_t size_bytes) {
  Size& size = sizes_[size_bytes];
  const auto found = std::prev(regions_.upper_bound(data));
  std::byte* const begin = found->first;
  std::byte* const end = begin + found->second.size_bytes;
  if (--found->second.taken == 0) {
    std::erase_if(size.spares, [&](const std::byte* spare) { return spare >= begin && spare < end; });
    if (size.end > begin && size.end <= end) size.next = size.end = nullptr;
    unmap(begin, found->second.size_bytes);
    regions_.erase(found);
    return;
  }
  if (found->second.size_bytes == kRegion) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t first = (static_cast<std::size_t>(data - begin) + page - 1) / page * page;
    const std::size_t last = static_cast<std::size_t>(data + size_bytes - begin) / page * page;
    if (first < last) madvise(begin + first, last - first, MADV_DONTNEED);
  }
  size.spares.push_back(data);
}

}  // namespace

std::unique_ptr<MemoryPool::Source> make_host_source() { return std::make_unique<HostSource>(); }

std::size_t host_capacity_bytes() { return capacity_within(host_bounds()); }

}  // namespace runahead::engine
