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
static_assert(kOwnPagesBytes == kHugePage, "such blocks are aligned to it");
// Smaller blocks touch few pages: they share small regions, of ordinary pages.
constexpr std::size_t kLeastHuge = std::size_t{32} << 10;
// Blocks of one size share a region; what nobody touches costs addresses only.
constexpr std::size_t kRegion = 8 * kHugePage;
constexpr std::size_t kSmallRegion = std::size_t{1} << 20;

constexpr std::size_t region_bytes(std::size_t block_bytes) {
  return block_bytes < kLeastHuge ? kSmallRegion : kRegion;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kShares = false;  // so that a write past a block's end is seen
#else
constexpr bool kShares = true;
#endif

// The address space is asked for whenever something is taken: threads and recordings have their part of it.
std::size_t machine_capacity_bytes() {
  HostBounds bounds = host_bounds();
  bounds.address_bytes = kNoBound;
  return capacity_within(bounds);
}

// Of all sources of the process: what the host has is shared by its devices.
constinit std::atomic<std::size_t> taken_of_host{0};

// Takes `size_bytes` into account, if there is room for them; then host_given() does the opposite.
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
  madvise(begin + before, size_bytes, MADV_HUGEPAGE);  // a hint: it may be refused
  return begin + before;
}

// The first touch of 4 KiB pages costs a virtual machine 0.4 to 0.7 ns a byte, as much as computing what is
// written there, and is added to the first op that writes a block. So blocks come from huge pages: large ones
// have their own, those of kLeastHuge and more share regions, a size each. Smaller ones share regions too:
// taking each aligned from malloc() costs more than what most ops do with them. Called under its pool's lock.
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
  void give(void* data, std::size_t size_bytes) override {
    if (const auto tell = before_host_block_goes.load(); tell != nullptr && size_bytes >= kOwnPagesBytes)
      tell(data);
    if (is_shared(size_bytes)) return give_shared(static_cast<std::byte*>(data), size_bytes);
    std::free(data);  // NOLINT: of posix_memalign
    host_given(size_bytes);
  }

 private:
  struct Region {
    std::size_t size_bytes = 0;
    std::size_t taken = 0;  // blocks
  };
  struct Size {
    std::vector<std::byte*> spares;  // blocks of regions that nobody has
    // What nobody ever had of the region added last.
    std::byte* next = nullptr;
    std::byte* end = nullptr;
  };

  [[nodiscard]] static bool is_shared(std::size_t size_bytes) { return kShares && size_bytes < kHugePage; }
  void* take_shared(std::size_t size_bytes);
  void give_shared(std::byte* data, std::size_t size_bytes);
  bool add_region(Size& size, std::size_t size_bytes);
  static void unmap(std::byte* begin, std::size_t size_bytes) {
    size_bytes == kSmallRegion ? std::free(begin)  // NOLINT: of posix_memalign
                               : static_cast<void>(munmap(begin, size_bytes));
    host_given(size_bytes);
  }

  const std::size_t most_bytes_ = machine_capacity_bytes();
  std::map<std::byte*, Region, std::less<>> regions_;  // by where they begin
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

// The last block of a region to come back gives all of it to the system; one before that gives its whole
// pages.
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
