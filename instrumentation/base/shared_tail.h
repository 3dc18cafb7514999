// SharedTail: a growing array whose copies share what was there when they were made. The owner appends behind
// them; they never see it. The trace store keeps the rows that are not packed yet in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "instrumentation/base/check.h"

namespace runahead {

// Roles: one owner appends; copies only read, on any thread that got them by a synchronising hand-over.
// Invariants, which make this free of data races without any atomic of its own:
//   - elements [0, size_) of an array are never written again once they are there;
//   - only the value that made an array may write behind them: a copy has capacity_ == size_, so its own
//     first append makes an array of its own;
//   - size_ lives in each value, not beside the shared elements.
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

  // Grows by doubling, never beyond `most` elements. REQUIRES: size() < most.
  void push_back(const T& row, std::size_t most) {
    if (size_ == capacity_) grow(most);
    rows_[size_++] = row;
  }
  // Empty again, without touching what copies share.
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
