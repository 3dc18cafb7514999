// Slab: memory for objects of one size, taken in chunks. One taker at a time (the engine's enqueue mutex),
// any thread may give back. Its owner lets go of it by release(); it ends itself when the last object has
// come back, so a handle that outlives its engine is harmless. Under the address sanitizer every object is an
// allocation of its own, so that a use after the end is seen.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "instrumentation/base/check.h"

namespace runahead::engine {

class Slab {
 public:
  struct Release {
    void operator()(Slab* slab) const { slab->release(); }
  };
  using Owner = std::unique_ptr<Slab, Release>;
  [[nodiscard]] static Owner make() { return Owner(new Slab); }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  [[nodiscard]] void* take(std::size_t size_bytes);          // one size for all; one thread at a time
  void give(void* object, std::size_t size_bytes) noexcept;  // any thread; `this` may be gone afterwards

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kObjectsPerChunk = 256;
  Slab() = default;
  ~Slab() = default;
  void release();  // by the taker, who takes no more
  void change_outstanding(std::int64_t by);
  void grow();

  std::size_t object_bytes_ = 0;  // taker's
  Free* mine_ = nullptr;          // taker's
  // Objects given back: pushed by any thread (release); the taker takes all (acquire). kReleased: nobody
  // takes any more, and who gives back counts.
  std::atomic<Free*> returned_{nullptr};
  // After release(): objects not yet given back, once release() has added how many were out; below zero until
  // then. Who brings it to zero ends the slab.
  std::atomic<std::int64_t> outstanding_{0};
  std::vector<std::unique_ptr<std::byte[]>> chunks_;  // taker's
  static Free kReleased;
};

// The allocator of std::allocate_shared: object and reference count in one place.
template <typename T>
struct SlabAllocator {
  using value_type = T;
  explicit SlabAllocator(Slab& from) : slab(&from) {}
  template <typename U>
  SlabAllocator(const SlabAllocator<U>& other) : slab(other.slab) {}  // NOLINT: as allocators are

  [[nodiscard]] T* allocate(std::size_t count) {
    RUNAHEAD_CHECK(count == 1);
    return static_cast<T*>(slab->take(sizeof(T)));
  }
  void deallocate(T* object, std::size_t) noexcept { slab->give(object, sizeof(T)); }
  template <typename U>
  bool operator==(const SlabAllocator<U>& other) const {
    return slab == other.slab;
  }

  Slab* slab;
};

}  // namespace runahead::engine
