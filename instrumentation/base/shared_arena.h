// SharedArena: stores arrays of elements at addresses that never change, in chunks. A copy of an arena shares
// the chunks of the arena. A view that store() returns stays valid while this arena, or any copy that was
// made after this store(), lives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace runahead {

// The thread roles and invariants are those of SharedTail (shared_tail.h). Only the SharedArena that
// allocated a chunk writes to this chunk, and only after the existing elements.
template <typename T>
class SharedArena {
 public:
  SharedArena() = default;
  SharedArena(const SharedArena& other) : chunks_(other.chunks_), size_bytes_(other.size_bytes_) {}
  SharedArena& operator=(const SharedArena&) = delete;
  SharedArena(SharedArena&&) noexcept = default;
  SharedArena& operator=(SharedArena&&) noexcept = default;

  // Copies `elements` into the arena. The view stays valid while this arena or any later copy of it lives.
  [[nodiscard]] std::span<const T> store(std::span<const T> elements) {
    if (elements.empty()) return {};
    if (room_ < elements.size()) add_chunk(elements.size());
    T* to = chunks_.back().get() + used_;
    std::copy(elements.begin(), elements.end(), to);
    used_ += elements.size();
    room_ -= elements.size();
    return {to, elements.size()};
  }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  static constexpr std::size_t kFirstBytes = 1024, kMostBytes = 256 * 1024;

  void add_chunk(std::size_t least) {
    const std::size_t bytes = std::clamp(size_bytes_, kFirstBytes, kMostBytes);
    const std::size_t count = std::max(least, bytes / sizeof(T));
    chunks_.push_back(std::make_shared<T[]>(count));
    used_ = 0;
    room_ = count;
    size_bytes_ += count * sizeof(T);
  }

  std::vector<std::shared_ptr<T[]>> chunks_;
  // Numbers of used and free elements in the last chunk. A copy of the arena starts with no free elements, so
  // its first store() adds a chunk of its own.
  std::size_t used_ = 0, room_ = 0;
  std::size_t size_bytes_ = 0;
};

}  // namespace runahead
