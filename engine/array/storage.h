// Storage: the memory of one array. Its array holds it, and so does the function of each unfinished op that
// reads or writes it; whoever lets go last gives the memory back, a frontend or a worker.
//
// Who holds it is counted in two places, so that frontends and workers do not hand a counter to and fro: the
// array counts what it gave out, the storage what was let go. The array's end takes the one from the other;
// from then on the count is below 0 until the last lets go. (Biased reference counting: Choi, Shull and
// Torrellas, PACT 2018, there with a bias for one thread.)
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "engine/device/device.h"
#include "engine/device/memory/memory_owner.h"
#include "engine/device/memory/memory_pool.h"
#include "instrumentation/base/freelist.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

// No lock: the block is taken by the frontend before the op that writes it is enqueued, or by that op; all
// who read it are ordered after that op by the engine.
struct Storage : public FreelistAllocated<Storage> {
  Device* device = nullptr;
  std::int64_t size_bytes = 0;
  MemoryOwner owner{};  // the op is known from its enqueue on
  Block block;

  // Once; ok if it has been. `op`: that it is called in; kNoOp: it is enqueued next.
  [[nodiscard]] Status allocate(OpId op = kNoOp);
  [[nodiscard]] float* values() const { return static_cast<float*>(block.data()); }

 private:
  friend class StorageUse;
  friend class OwnStorage;
  void release(std::int64_t by) {
    if (released_.fetch_add(by, std::memory_order_acq_rel) + by == 0) delete this;
  }
  std::atomic<std::int64_t> released_{0};  // uses that ended, less all there were once the array has
};

// One op's hold on it; any thread. Empty ones may be made and assigned to.
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

// The array's own hold. use() by any thread while this lives.
class OwnStorage {
 public:
  OwnStorage() : storage_(new Storage) {}
  OwnStorage(const OwnStorage&) = delete;
  OwnStorage& operator=(const OwnStorage&) = delete;
  ~OwnStorage() { storage_->release(-uses_.load(std::memory_order_relaxed)); }
  [[nodiscard]] StorageUse use() {
    uses_.fetch_add(1, std::memory_order_relaxed);
    return StorageUse(storage_);
  }
  Storage* operator->() const { return storage_; }

 private:
  Storage* const storage_;
  std::atomic<std::int64_t> uses_{0};
};

}  // namespace runahead::engine
