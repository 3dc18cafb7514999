// MemoryPool: a device's memory. It counts live, peak and reserved bytes, by category and by op. It has a
// capacity; when it is full, allocate() returns an error. It records each change in counters of the trace
// (live bytes in total and of the category), and the lifetime and owner of each block. The pool reads the
// time and the value of a change under one lock. Therefore the samples of a counter, ordered by time, show
// the changes in their true order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/device/memory/memory_owner.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

// A block of device memory (host memory for cpu and virtual devices). The destructor returns it to its pool.
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
  // Counts a block of MemoryPool::allocate_ahead() as live from now on. Must be called once, before the block
  // is freed.
  void count();
  // Returns the block to its pool now, and says when the program dropped its last handle of it, as in
  // record::memory_freed(). Does nothing if the Block is empty. The destructor does not know that time.
  void free(std::uint64_t dropped_ticks);

 private:
  friend class MemoryPool;
  // The block's number in a recording and its allocation time, as in record::MemoryAllocated.
  struct Recorded {
    std::uint64_t number : 63 = 0, lost : 1 = 0;
    std::uint64_t taken_ticks = 0;
  };
  Block(MemoryPool* pool, void* data, std::size_t size_bytes, MemoryOwner owner)
      : pool_(pool), data_(data), size_bytes_(size_bytes), owner_(owner), counted_(false) {}
  Block(MemoryPool* pool, void* data, std::size_t size_bytes, MemoryOwner owner, Recorded recorded)
      : pool_(pool), data_(data), size_bytes_(size_bytes), owner_(owner), recorded_(recorded) {}
  MemoryPool* pool_ = nullptr;
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
  MemoryOwner owner_;
  bool counted_ = true;  // as live; false: of allocate_ahead(), before count()
  Recorded recorded_;
};

struct MemoryStats {
  std::size_t live_bytes = 0;      // bytes of blocks in use
  std::size_t peak_bytes = 0;      // most live bytes since the last reset_peak()
  std::size_t reserved_bytes = 0;  // bytes allocated from the system: live and free blocks
  std::size_t capacity_bytes = 0;
  std::uint64_t allocations = 0;  // number of allocations since the start
  BytesByCategory live_by_category{};
  BytesByCategory peak_by_category{};  // live_by_category at the time when peak_bytes was reached
};

// The memory that one op holds: all live blocks whose owner is this op.
struct MemoryHolder {
  std::string op;  // the op's name; "no op" if none was given
  std::size_t live_bytes = 0, blocks = 0;
};

class MemoryPool {
 public:
  // A Source gives the pool its memory. Cpu and virtual devices use the Source that make_host_source()
  // returns. The pool calls take(), give() and broken() under its lock, and the others without it.
  struct Source {
    virtual ~Source() = default;
    virtual void* take(std::size_t size_bytes) = 0;  // nullptr: no memory left
    virtual void give(void* data, std::size_t size_bytes) = 0;
    // Why the last take() gave nothing, if memory is not the reason; empty: no memory is left.
    [[nodiscard]] virtual std::string broken() const { return {}; }
    // Called before give() with the same arguments, for what may take another lock or wait for a device.
    virtual void before_give(void* /*data*/, std::size_t /*size_bytes*/) {}
    // Writes to each page of a new block, because the system provides a page only at the first write to it.
    virtual void touch(void* data, std::size_t size_bytes);
  };
  // source null (timing only): no memory is allocated, and blocks have data() == nullptr.
  MemoryPool(std::string device_name, bool simulated, std::size_t capacity_bytes,
             std::unique_ptr<Source> source);
  ~MemoryPool();  // REQUIRES: no block is left

  // Allocates a block, 64-byte aligned and uninitialised. The error names the device, the request, the live
  // bytes and the op that holds the most live bytes. Any thread.
  [[nodiscard]] Result<Block> allocate(std::size_t size_bytes, MemoryOwner owner = {});
  // The same, into `out`.
  [[nodiscard]] Status allocate(std::size_t size_bytes, MemoryOwner owner, Block& out);
  // Allocates a block that does not count as live before Block::count(): the memory of an op whose values are
  // computed before its modelled start. Until then, allocate() does not see the block, so an op that begins
  // earlier finds the room that it has in the model. Null: more than half of the capacity would be live or
  // allocated ahead, or there is no memory. If others take the other half before count(), more bytes than the
  // capacity are live for a while. Any thread.
  [[nodiscard]] std::optional<Block> allocate_ahead(std::size_t size_bytes, MemoryOwner owner = {});
  [[nodiscard]] MemoryStats stats() const;
  // Returns the ops with the most live bytes, largest first, at most `most` ops. Any thread.
  [[nodiscard]] std::vector<MemoryHolder> holders(std::size_t most) const;
  // Allocates memory for `count` blocks of each size from the system now, and touches its pages
  // (Source::touch). Then no later allocation of these sizes has to wait for the system. The memory counts as
  // reserved, not as live, so peak_bytes does not grow. The call stops at the capacity, or when the system
  // has no more memory. A timing-only device reserves nothing. Any thread.
  void reserve(std::span<const std::size_t> sizes_bytes, std::int64_t count);
  void reset_peak();  // sets peak = live
  void trim();        // returns unused memory to the system

 private:
  friend class Block;
  void count(Block& block);
  void release(const Block& block, std::uint64_t dropped_ticks) noexcept;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::engine
