// Storage: the memory of one array. Its users are its array and the function of each unfinished op that reads
// or writes it. The last user frees the memory, on a frontend or a worker thread.
//
// Reference counting. The uses are counted in two places, so that frontends and workers do not share one
// counter. The array counts the uses that it gave to ops (OwnStorage::uses_). The storage counts the uses
// that ended (released_). When the array is destroyed, it subtracts uses_ from released_. After that,
// released_ is negative until the last use ends. Then released_ is 0, and the memory is freed. Source: biased
// reference counting; Choi, Shull and Torrellas, PACT 2018. Difference: in the paper, one of the two counters
// belongs to one thread; here, it belongs to the array.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "engine/device/device.h"
#include "engine/device/memory/memory_owner.h"
#include "engine/device/memory/memory_pool.h"
#include "engine/engine.h"
#include "instrumentation/base/freelist.h"
#include "instrumentation/base/result.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {

// A Storage needs no lock. Its block is allocated either by the frontend before it enqueues the op that
// writes the block, or by that op. The engine runs all ops that read the block after the op that writes it.
struct Storage : public FreelistAllocated<Storage> {
  Device* device = nullptr;
  std::int64_t size_bytes = 0;
  MemoryOwner owner{};  // `op` is set when the op that writes the block is enqueued
  Block block;

  // Allocates the block, if it is not allocated yet. An array without elements has no block. context: of the
  // op that calls this function; null: the frontend calls it, before it enqueues the op.
  [[nodiscard]] Status allocate(OpContext* context = nullptr);
  [[nodiscard]] float* values() const { return static_cast<float*>(block.data()); }
  ~Storage() { block.free(dropped_ticks_); }

 private:
  friend class StorageUse;
  friend class OwnStorage;
  // The array drops the Storage; `uses`: the number of uses that it gave to ops.
  void drop(std::int64_t uses) {
    if (record::recording()) dropped_ticks_ = ticks_of_drop(uses);
    release(-uses);
  }
  // If all uses have ended, release() frees the block now, so the clock is read only once, by the pool.
  [[nodiscard]] std::uint64_t ticks_of_drop(std::int64_t uses) const {
    return released_.load(std::memory_order_relaxed) == uses ? record::kDroppedWithFree : record::now_ticks();
  }
  void release(std::int64_t by) {
    if (released_.fetch_add(by, std::memory_order_acq_rel) + by == 0) delete this;
  }
  // While the array lives: the number of uses that have ended. Afterwards: this number minus the number of
  // all uses. Any thread changes it, with acq_rel.
  std::atomic<std::int64_t> released_{0};
  // When the array dropped the Storage, for recordings; 0: not recording. Written by the array's drop()
  // before its release(), read by the last release(), which has synchronised with all others.
  std::uint64_t dropped_ticks_ = 0;
};

// A StorageUse represents one op's use of a Storage. Any thread. A default-constructed StorageUse is empty.
class StorageUse {
 public:
  StorageUse() = default;
  StorageUse(StorageUse&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageUse& operator=(StorageUse&& other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageUse() {
    if (storage_ != nullptr) storage_->release(1);
  }
  Storage* operator->() const { return storage_; }

 private:
  friend class OwnStorage;
  explicit StorageUse(Storage* storage) : storage_(storage) {}
  Storage* storage_ = nullptr;
};

// The array's own use of the Storage. use(): any thread, while this object lives.
class OwnStorage {
 public:
  OwnStorage() : storage_(new Storage) {}
  OwnStorage(const OwnStorage&) = delete;
  OwnStorage& operator=(const OwnStorage&) = delete;
  ~OwnStorage() { storage_->drop(uses_.load(std::memory_order_relaxed)); }
  [[nodiscard]] StorageUse use() {
    uses_.fetch_add(1, std::memory_order_relaxed);
    return StorageUse(storage_);
  }
  Storage* operator->() const { return storage_; }

 private:
  Storage* const storage_;
  std::atomic<std::int64_t> uses_{0};  // number of uses given to ops; any thread adds
};

}  // namespace runahead::engine
