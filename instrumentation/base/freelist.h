// Recycler: memory for objects that one thread makes by the million and another lets go: an op's function, an
// array's state. malloc() moves such memory between its threads' caches one piece at a time, by way of its
// arenas; here what others gave back comes in one exchange.
//   take(), give()   any thread
// It is taken from the system a page at a time. What is given is kept for the next of its size until the
// process ends; memory in use is not bounded by this. Under the address sanitizer all goes to malloc(), so
// that a use after the end is seen.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace runahead {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kUsesFreelist = false;
#else
inline constexpr bool kUsesFreelist = true;
#endif

template <std::size_t kBytes>
class Freelist {
 public:
  [[nodiscard]] static void* take() {
    if constexpr (!kUsesFreelist) return ::operator new(kBytes);
    Mine& my = mine();
    my.takes = true;
    if (my.free == nullptr) my.free = given.exchange(nullptr, std::memory_order_acquire);
    if (my.free == nullptr) my.free = fresh();
    Piece* const piece = std::exchange(my.free, my.free->next);
    for (std::size_t at = 0; my.free != nullptr && at < kBytes; at += kLine)
      __builtin_prefetch(reinterpret_cast<char*>(my.free) + at, 1);
    return piece;
  }
  static void give(void* memory) noexcept {
    if constexpr (!kUsesFreelist) return ::operator delete(memory, kBytes);
    auto* const piece = ::new (memory) Piece;
    Mine& my = mine();
    if (my.takes) {  // it will want it again
      piece->next = std::exchange(my.free, piece);
    } else {
      give_to_all(piece, piece);
    }
  }

 private:
  struct Piece {
    Piece* next = nullptr;
  };
  struct Mine {
    Piece* free = nullptr;
    bool takes = false;
    ~Mine() {  // what comes later from this thread goes to all
      takes = false;
      Piece* const first = std::exchange(free, nullptr);
      if (first == nullptr) return;
      Piece* last = first;
      while (last->next != nullptr) last = last->next;
      give_to_all(first, last);
    }
  };
  static_assert(kBytes >= sizeof(Piece));
  static constexpr std::size_t kLine = 64, kPageBytes = 4096;

  // Some, the first of a list. Each in lines of its own: the threads that use neighbours would hand one line
  // to and fro.
  static Piece* fresh() {
    constexpr std::size_t kStride = (kBytes + kLine - 1) / kLine * kLine;
    constexpr std::size_t kCount = kStride < kPageBytes ? kPageBytes / kStride : 1;
    constexpr std::size_t kBytesAtOnce = kCount * kStride;
    void* const memory = ::operator new (kBytesAtOnce, std::align_val_t{kLine});
    Piece* next = nullptr;
    for (std::size_t i = kCount; i-- > 0;)
      next = ::new (static_cast<char*>(memory) + i * kStride) Piece{next};
    return next;
  }
  static Mine& mine() {
    static thread_local Mine my;
    return my;
  }
  static void give_to_all(Piece* first, Piece* last) noexcept {
    Piece* head = given.load(std::memory_order_relaxed);
    do {
      last->next = head;
    } while (!given.compare_exchange_weak(head, first, std::memory_order_release, std::memory_order_relaxed));
  }
  // Pushed by those who give (release); who takes takes all of it (acquire), so that there is no ABA.
  alignas(64) static inline std::atomic<Piece*> given{nullptr};
};

// For std::allocate_shared.
template <typename T>
struct FreelistAllocator {
  using value_type = T;
  FreelistAllocator() = default;
  template <typename U>
  FreelistAllocator(const FreelistAllocator<U>&) {}  // NOLINT: a conversion, as allocators have it
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count != 1) return static_cast<T*>(::operator new(count * sizeof(T)));
    return static_cast<T*>(Freelist<sizeof(T)>::take());
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    count != 1 ? ::operator delete(memory, count * sizeof(T)) : Freelist<sizeof(T)>::give(memory);
  }
  friend bool operator==(const FreelistAllocator&, const FreelistAllocator&) { return true; }
};

// A base (or `using`) for classes made by new: their memory is recycled.
template <typename T>
struct FreelistAllocated {
  static void* operator new(std::size_t bytes) {
    return bytes == sizeof(T) ? Freelist<sizeof(T)>::take() : ::operator new(bytes);
  }
  static void operator delete(void* memory, std::size_t bytes) noexcept {
    bytes == sizeof(T) ? Freelist<sizeof(T)>::give(memory) : ::operator delete(memory, bytes);
  }
};

}  // namespace runahead
