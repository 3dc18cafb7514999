// Freelist: fast memory for objects of one size. It is meant for objects that one thread allocates and
// another thread frees, millions of times, such as the function of an op or the state of an array. malloc()
// is slow in this case: it moves the objects between its per-thread caches one by one, through its arenas.
// With a Freelist, one atomic exchange gives the allocating thread the memory of all objects that other
// threads freed.
//   take(), give():  any thread
// Memory comes from the system one page at a time. Freed memory stays in the list for the next allocation of
// the same size until the process ends; the list has no size limit. With the address sanitizer every call
// goes to malloc() and free(), so that a use after free is reported.
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
    ThreadCache& cache = thread_cache();
    cache.allocates = true;
    if (cache.free == nullptr) cache.free = shared_list.exchange(nullptr, std::memory_order_acquire);
    if (cache.free == nullptr) cache.free = allocate_page();
    Node* const node = std::exchange(cache.free, cache.free->next);
    for (std::size_t at = 0; cache.free != nullptr && at < kBytes; at += kLine)
      __builtin_prefetch(reinterpret_cast<char*>(cache.free) + at, 1);
    return node;
  }
  static void give(void* memory) noexcept {
    if constexpr (!kUsesFreelist) return ::operator delete(memory, kBytes);
    auto* const node = ::new (memory) Node;
    ThreadCache& cache = thread_cache();
    if (cache.allocates) {  // this thread allocates too, so it will reuse the memory
      node->next = std::exchange(cache.free, node);
    } else {
      push_shared(node, node);
    }
  }

 private:
  struct Node {
    Node* next = nullptr;
  };
  struct ThreadCache {
    Node* free = nullptr;
    bool allocates = false;
    // The thread ends. Memory that it still frees goes to the shared list, because the thread will not
    // allocate again.
    ~ThreadCache() {
      allocates = false;
      Node* const first = std::exchange(free, nullptr);
      if (first == nullptr) return;
      Node* last = first;
      while (last->next != nullptr) last = last->next;
      push_shared(first, last);
    }
  };
  static_assert(kBytes >= sizeof(Node));
  static constexpr std::size_t kLine = 64, kPageBytes = 4096;

  // Allocates one page, divides it into nodes (each has room for one object), and returns the nodes as a
  // list. Each node has its own cache lines: threads that use neighbouring nodes would otherwise share a line
  // (false sharing).
  static Node* allocate_page() {
    constexpr std::size_t kStride = (kBytes + kLine - 1) / kLine * kLine;
    constexpr std::size_t kCount = kStride < kPageBytes ? kPageBytes / kStride : 1;
    constexpr std::size_t kBytesAtOnce = kCount * kStride;
    void* const memory = ::operator new (kBytesAtOnce, std::align_val_t{kLine});
    Node* next = nullptr;
    for (std::size_t i = kCount; i-- > 0;) next = ::new (static_cast<char*>(memory) + i * kStride) Node{next};
    return next;
  }
  static ThreadCache& thread_cache() {
    static thread_local ThreadCache cache;
    return cache;
  }
  static void push_shared(Node* first, Node* last) noexcept {
    Node* head = shared_list.load(std::memory_order_relaxed);
    do {
      last->next = head;
    } while (!shared_list.compare_exchange_weak(head, first, std::memory_order_release,
                                                std::memory_order_relaxed));
  }
  // A thread that frees an object pushes its node to this list (release). A thread that allocates takes the
  // whole list with one exchange (acquire). No thread takes a single node, so there is no ABA problem.
  alignas(64) static inline std::atomic<Node*> shared_list{nullptr};
};

// An allocator for std::allocate_shared.
template <typename T>
struct FreelistAllocator {
  using value_type = T;
  FreelistAllocator() = default;
  template <typename U>
  FreelistAllocator(const FreelistAllocator<U>&) {}  // NOLINT: implicit, as allocators require
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count != 1) return static_cast<T*>(::operator new(count * sizeof(T)));
    return static_cast<T*>(Freelist<sizeof(T)>::take());
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    count != 1 ? ::operator delete(memory, count * sizeof(T)) : Freelist<sizeof(T)>::give(memory);
  }
  friend bool operator==(const FreelistAllocator&, const FreelistAllocator&) { return true; }
};

// A base class for classes whose objects are made by new: the memory comes from a Freelist.
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
