// UniqueFunction: a move-only std::function with room for callables of up to kInlineBytes inside the object
// (g++ 12 has no std::move_only_function). Larger callables, and callables with a larger alignment than a
// pointer, go to the heap.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace runahead {

template <typename Signature, std::size_t kRoomBytes = 48>
class UniqueFunction;

template <typename R, typename... Args, std::size_t kRoomBytes>
class UniqueFunction<R(Args...), kRoomBytes> {
 public:
  static constexpr std::size_t kInlineBytes = kRoomBytes;

  UniqueFunction() = default;
  UniqueFunction(std::nullptr_t) {}  // NOLINT: implicit by design

  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction> &&
           std::is_invocable_r_v<R, std::remove_cvref_t<F>&, Args...>)
      UniqueFunction(F&& f) {  // NOLINT: implicit by design
    using Callable = std::remove_cvref_t<F>;
    if constexpr (fits_inline<Callable>()) {
      ::new (static_cast<void*>(room_)) Callable(std::forward<F>(f));
      operations_ = &kInlineOperations<Callable>;
    } else {
      ::new (static_cast<void*>(room_)) Callable*(new Callable(std::forward<F>(f)));
      operations_ = &kHeapOperations<Callable>;
    }
  }

  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~UniqueFunction() { reset(); }
  // REQUIRES: !owns(). Moves `other` in without destroying the present callable.
  void overwrite(UniqueFunction&& other) noexcept {
    if (other.operations_ != nullptr && other.operations_->move != nullptr) {
      other.operations_->move(other.room_, room_);
    } else {
      std::memcpy(room_, other.room_, kInlineBytes);
    }
    operations_ = std::exchange(other.operations_, nullptr);
  }

  explicit operator bool() const { return operations_ != nullptr; }
  // REQUIRES: not empty.
  R operator()(Args... args) { return operations_->call(room_, std::forward<Args>(args)...); }
  // True if there is a callable that must be destroyed. If false, there may still be a callable without a
  // destructor: it can be called, and overwritten.
  [[nodiscard]] bool owns() const { return operations_ != nullptr && operations_->destroy != nullptr; }
  void reset() {
    if (const Operations* const had = std::exchange(operations_, nullptr);
        had != nullptr && had->destroy != nullptr) {
      had->destroy(room_);
    }
  }

 private:
  struct Operations {
    R (*call)(void*, Args&&...);
    // moves the callable from `from` to `to`, then destroys the callable in `from`; null: the callable is
    // moved by copying its bytes
    void (*move)(void* from, void* to) noexcept;
    void (*destroy)(void*) noexcept;  // null: no destructor is needed
  };
  // Like std::invoke_r of C++23: if R is void, the callable may still return a value.
  template <typename Callable>
  static R invoke_as_r(Callable& callable, Args&&... args) {
    if constexpr (std::is_void_v<R>) {
      static_cast<void>(std::invoke(callable, std::forward<Args>(args)...));
    } else {
      return std::invoke(callable, std::forward<Args>(args)...);
    }
  }
  template <typename Callable>
  static constexpr bool fits_inline() {
    return sizeof(Callable) <= kInlineBytes && alignof(Callable) <= alignof(void*) &&
           std::is_nothrow_move_constructible_v<Callable>;
  }
  template <typename Callable>
  static constexpr bool is_bytes() {
    return std::is_trivially_copyable_v<Callable> && std::is_trivially_destructible_v<Callable>;
  }
  template <typename Callable>
  static R call_inline(void* room, Args&&... args) {
    return invoke_as_r(*static_cast<Callable*>(room), std::forward<Args>(args)...);
  }
  template <typename Callable>
  static void move_inline(void* from, void* to) noexcept {
    auto* callable = static_cast<Callable*>(from);
    ::new (to) Callable(std::move(*callable));
    callable->~Callable();
  }
  template <typename Callable>
  static void destroy_inline(void* room) noexcept {
    static_cast<Callable*>(room)->~Callable();
  }
  template <typename Callable>
  static constexpr Operations kInlineOperations{&call_inline<Callable>,
                                                is_bytes<Callable>() ? nullptr : &move_inline<Callable>,
                                                is_bytes<Callable>() ? nullptr : &destroy_inline<Callable>};
  template <typename Callable>
  static constexpr Operations kHeapOperations{
      [](void* room, Args&&... args) -> R {
        return invoke_as_r(**static_cast<Callable**>(room), std::forward<Args>(args)...);
      },
      nullptr, [](void* room) noexcept { delete *static_cast<Callable**>(room); }};

  void take(UniqueFunction& other) noexcept {
    if (other) overwrite(std::move(other));
  }

  alignas(void*) std::byte room_[kInlineBytes];
  const Operations* operations_ = nullptr;
};

}  // namespace runahead
