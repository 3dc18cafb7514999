// SharedTail: a growing array. A copy shares the elements that existed when the copy was made. The original
// appends its new elements after these elements; the copy never sees the new elements. The trace store keeps
// its rows in SharedTails until it packs them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "instrumentation/base/check.h"

namespace runahead {

// Thread roles: one thread, the owner, appends. Other threads only read copies, which they received through a
// synchronising operation.
// These invariants make the class free of data races without atomics:
//   - elements [0, size_) of an array are never written again;
//   - only the SharedTail that allocated an array may write after these elements. A copy has capacity_ ==
//     size_, so its own first append allocates a new array;
//   - each SharedTail has its own size_; it is not part of the shared array.
template <typename T>
class SharedTail {
 public:
  SharedTail() = default;
  SharedTail(const SharedTail& other) : rows_(other.rows_), size_(other.size_), capacity_(other.size_) {}
  SharedTail& operator=(const SharedTail& other) {
    if (this == &other) return *this;
    rows_ = other.rows_;
    size_ = capacity_ = other.size_;
    return *this;
  }
  SharedTail(SharedTail&& other) noexcept { swap(other); }
  SharedTail& operator=(SharedTail&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedTail() = default;

  [[nodiscard]] std::span<const T> rows() const { return {rows_.get(), size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return rows_[i]; }
  [[nodiscard]] const T& back() const { return rows_[size_ - 1]; }
  [[nodiscard]] std::size_t size_bytes() const { return capacity_ * sizeof(T); }

  // Appends a row. If there is no room, the capacity doubles, up to `most` elements. REQUIRES: size() < most.
  void push_back(const T& row, std::size_t most) {
    if (size_ == capacity_) grow(most);
    rows_[size_++] = row;
  }
  // Makes this array empty. The copies of this array keep the elements that they shared with it.
  void clear() {
    rows_.reset();
    size_ = capacity_ = 0;
  }

 private:
  void grow(std::size_t most) {
    RUNAHEAD_CHECK_OP(size_, <, most);
    const std::size_t capacity = std::min(most, std::max<std::size_t>(8, size_ * 2));
    auto rows = std::make_shared<T[]>(capacity);
    std::copy_n(rows_.get(), size_, rows.get());
    rows_ = std::move(rows);
    capacity_ = capacity;
  }
  void swap(SharedTail& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::shared_ptr<T[]> rows_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace runahead
