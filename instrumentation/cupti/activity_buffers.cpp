#include "instrumentation/cupti/activity_buffers.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace runahead::cupti {
namespace {

constexpr std::size_t kAlignment = 8;  // required by CUPTI

}  // namespace

ActivityBuffers::~ActivityBuffers() {
  for (std::uint8_t* const bytes : free_) std::free(bytes);
  for (const FullBuffer& buffer : full_) std::free(buffer.bytes);
}

std::uint8_t* ActivityBuffers::give(std::int64_t now_ns) {
  std::uint8_t* const bytes = take_free();
  const MutexLock lock(mutex_);
  if (bytes != nullptr) given_ns_[bytes] = now_ns;
  return bytes;
}

std::uint8_t* ActivityBuffers::take_free() {
  FullBuffer oldest;
  {
    const MutexLock lock(mutex_);
    if (!free_.empty()) {
      std::uint8_t* const bytes = free_.back();
      free_.pop_back();
      return bytes;
    }
    if ((made_ + 1) * buffer_bytes_ <= most_bytes_ || full_.empty()) {
      ++made_;
    } else {
      oldest = full_.front();
      full_.pop_front();
    }
  }
  if (oldest.bytes != nullptr) {
    const std::uint64_t records = count_(oldest);
    const MutexLock lock(mutex_);
    lost_ += records;
    return oldest.bytes;
  }
  return static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, buffer_bytes_));
}

void ActivityBuffers::filled(FullBuffer buffer) {
  if (buffer.bytes == nullptr) return;
  {
    const MutexLock lock(mutex_);
    given_ns_.erase(buffer.bytes);
    if (buffer.used != 0) return full_.push_back(buffer);
  }
  give_back(buffer.bytes);
}

std::int64_t ActivityBuffers::oldest_given_ns() const {
  const MutexLock lock(mutex_);
  std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [bytes, given_ns] : given_ns_) oldest = std::min(oldest, given_ns);
  return oldest;
}

std::optional<FullBuffer> ActivityBuffers::next() {
  const MutexLock lock(mutex_);
  if (full_.empty()) return std::nullopt;
  const FullBuffer buffer = full_.front();
  full_.pop_front();
  return buffer;
}

void ActivityBuffers::give_back(std::uint8_t* bytes) {
  {
    const MutexLock lock(mutex_);
    if (made_ * buffer_bytes_ <= most_bytes_) {
      free_.push_back(bytes);
      return;
    }
    --made_;
  }
  std::free(bytes);
}

std::uint64_t ActivityBuffers::take_lost() {
  const MutexLock lock(mutex_);
  return std::exchange(lost_, 0);
}

std::size_t ActivityBuffers::held_bytes() const {
  const MutexLock lock(mutex_);
  return made_ * buffer_bytes_;
}

}  // namespace runahead::cupti
