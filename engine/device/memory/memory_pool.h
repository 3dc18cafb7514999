// MemoryPool: a device's memory. Live, peak and reserved bytes, by category and by op; a capacity; an error,
// not a crash, when it is full. Counts every change as counters of the trace (live bytes of its device, all
// and of the category), and who held each block from when to when; time and value under one lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/device/memory/memory_owner.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

// A block of device memory (host memory behind cpu and virtual devices). Returned to its pool when destroyed.
class MemoryPool;
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  ~Block();
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  explicit operator bool() const { return pool_ != nullptr; }

 private:
  friend class MemoryPool;
  // What a recording calls it, and when it was taken, as record::MemoryAllocated has it.
  struct Recorded {
    std::uint64_t number : 63 = 0, lost : 1 = 0;
    std::uint64_t taken_ticks = 0;
  };
  Block(MemoryPool* pool, void* data, std::size_t size_bytes, MemoryOwner owner, Recorded recorded)
      : pool_(pool), data_(data), size_bytes_(size_bytes), owner_(owner), recorded_(recorded) {}
  MemoryPool* pool_ = nullptr;
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
  MemoryOwner owner_;
  Recorded recorded_;
};

struct MemoryStats {
  std::size_t live_bytes = 0;      // held by blocks
  std::size_t peak_bytes = 0;      // most ever live, since the last reset_peak()
  std::size_t reserved_bytes = 0;  // taken from the system: live and free lists
  std::size_t capacity_bytes = 0;
  std::uint64_t allocations = 0;  // since the start
  BytesByCategory live_by_category{};
  BytesByCategory peak_by_category{};  // what was live when peak_bytes was reached
};

// What the blocks of one op hold.
struct MemoryHolder {
  std::string op;  // its name; "no op" where none was given
  std::size_t live_bytes = 0, blocks = 0;
};

class MemoryPool {
 public:
  // How memory is really taken; cpu and virtual devices use the host's. Any thread.
  struct Source {
    virtual ~Source() = default;
    virtual void* take(std::size_t size_bytes) = 0;  // nullptr: no memory
    virtual void give(void* data, std::size_t size_bytes) = 0;
    // False: the host cannot write to this memory (a real GPU's). It needs no first touch by the host.
    [[nodiscard]] virtual bool host_can_touch() const { return true; }
  };
  // keep_values false (timing only): no memory is taken, blocks have data() == nullptr.
  MemoryPool(std::string device_name, bool simulated, std::size_t capacity_bytes,
             std::unique_ptr<Source> source);
  ~MemoryPool();  // REQUIRES: no block lives

  // 64-byte aligned, uninitialised. The error names the device, what was asked, what is live and who holds
  // most of it. Any thread.
  [[nodiscard]] Result<Block> allocate(std::size_t size_bytes, MemoryOwner owner = {});
  [[nodiscard]] MemoryStats stats() const;
  // The ops that hold most, most first; at most `most`. Any thread.
  [[nodiscard]] std::vector<MemoryHolder> holders(std::size_t most) const;
  // Takes what is missing from the system for `count` blocks of each size at once, and touches its pages
  // where the host can: no later allocation of them waits for the system. Reserved, and never live: no peak
  // grows. Stops where the capacity or the system's memory ends. Nothing on a timing-only device. Any thread.
  void reserve(std::span<const std::size_t> sizes_bytes, std::int64_t count);
  void reset_peak();  // peak = live
  void trim();        // gives free memory back to the system

 private:
  friend class Block;
  void release(const Block& block) noexcept;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::engine
