// SmallVector: a list whose maximum length is known when it is made. It has room for kUsual elements inside
// the object, so most lists need no heap allocation.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "instrumentation/base/check.h"

namespace runahead {

template <typename T, std::size_t kUsual>
class SmallVector {
 public:
  explicit SmallVector(std::size_t most)
      : more_(most > kUsual ? std::make_unique<T[]>(most) : nullptr), most_(most) {}
  SmallVector(SmallVector&& other) noexcept
      : usual_(std::move(other.usual_)),
        more_(std::move(other.more_)),
        most_(other.most_),
        size_(std::exchange(other.size_, 0)) {}
  SmallVector& operator=(SmallVector&&) = delete;

  void push_back(T value) {
    RUNAHEAD_CHECK(size_ < most_);
    data()[size_++] = std::move(value);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() { return more_ ? more_.get() : usual_.data(); }
  [[nodiscard]] const T* data() const { return more_ ? more_.get() : usual_.data(); }
  [[nodiscard]] T& operator[](std::size_t i) { return data()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }

 private:
  std::array<T, kUsual> usual_{};
  std::unique_ptr<T[]> more_;
  std::size_t most_;
  std::size_t size_ = 0;
};

}  // namespace runahead
