#include "instrumentation/recording/block_cache.h"

#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/base/mutex.h"

namespace runahead::recordings {

void BlockCache::link(Slot slot) {
  Entry& entry = slots_[slot];
  entry.newer = kNone;
  entry.older = newest_;
  if (newest_ != kNone) slots_[newest_].newer = slot;
  newest_ = slot;
  if (oldest_ == kNone) oldest_ = slot;
}

void BlockCache::unlink(Slot slot) {
  Entry& entry = slots_[slot];
  (entry.newer != kNone ? slots_[entry.newer].older : newest_) = entry.older;
  (entry.older != kNone ? slots_[entry.older].newer : oldest_) = entry.newer;
}

void BlockCache::touch(Slot slot) {
  if (newest_ == slot) return;
  unlink(slot);
  link(slot);
}

void BlockCache::store(Slot slot, Value value, std::size_t size_bytes) {
  slots_[slot].value = std::move(value);
  slots_[slot].size_bytes = static_cast<std::uint32_t>(size_bytes);
  used_bytes_ += size_bytes;
  link(slot);
}

void BlockCache::evict(Slot keep, std::vector<Value>& gone) {
  while (used_bytes_ > limit_bytes_ && oldest_ != kNone && oldest_ != keep) {
    const Slot slot = oldest_;
    unlink(slot);
    used_bytes_ -= slots_[slot].size_bytes;
    gone.push_back(std::move(slots_[slot].value));
  }
}

BlockCache::Value BlockCache::find(Slot slot) {
  const MutexLock lock(mutex_);
  RUNAHEAD_CHECK_OP(slot, <, slots_.size());
  if (slots_[slot].value != nullptr) touch(slot);
  return slots_[slot].value;
}

BlockCache::Value BlockCache::find_or_want(Slot slot, std::size_t about_bytes) {
  const MutexLock lock(mutex_);
  RUNAHEAD_CHECK_OP(slot, <, slots_.size());
  Entry& entry = slots_[slot];
  const bool first = entry.view != view_;
  const std::size_t most = limit_bytes_ / 4 * 3;
  if (entry.value != nullptr) {
    entry.view = view_;
    if (first) view_bytes_ += entry.size_bytes;
    // If the view already uses more than `most` bytes, the entry is not marked as recently used. Otherwise
    // the blocks that the view requests would evict blocks that the view has already found. Then the next
    // view would request the evicted blocks again.
    if (view_bytes_ <= most) touch(slot);
    return entry.value;
  }
  if (!first || view_bytes_ + about_bytes > most) return nullptr;
  entry.view = view_;
  view_bytes_ += about_bytes;
  wanted_.push_back(slot);
  return nullptr;
}

BlockCache::Value BlockCache::put(Slot slot, Value value, std::size_t size_bytes) {
  std::vector<Value> gone;  // destroyed after the lock is released: freeing a block takes time
  const MutexLock lock(mutex_);
  if (slots_[slot].value == nullptr) {
    store(slot, std::move(value), size_bytes);
    evict(slot, gone);
  }
  return slots_[slot].value;
}

bool BlockCache::wants(Slot slot) const {
  const MutexLock lock(mutex_);
  return slots_[slot].value == nullptr && slots_[slot].view == view_;
}

bool BlockCache::has_room(Slot slot, std::size_t about_bytes) const {
  const MutexLock lock(mutex_);
  return slots_[slot].value == nullptr && used_bytes_ + about_bytes <= limit_bytes_;
}

void BlockCache::put_if_room(Slot slot, Value value, std::size_t size_bytes) {
  const MutexLock lock(mutex_);
  if (slots_[slot].value != nullptr || used_bytes_ + size_bytes > limit_bytes_) return;
  store(slot, std::move(value), size_bytes);
}

void BlockCache::begin_view() {
  const MutexLock lock(mutex_);
  ++view_;
  view_bytes_ = 0;
  wanted_.clear();
  next_wanted_ = 0;
}

std::optional<BlockCache::Slot> BlockCache::next_wanted() {
  const MutexLock lock(mutex_);
  while (next_wanted_ < wanted_.size()) {
    const Slot slot = wanted_[next_wanted_++];
    if (slots_[slot].value == nullptr) return slot;
  }
  return std::nullopt;
}

void BlockCache::set_limit_bytes(std::size_t limit) {
  std::vector<Value> gone;
  const MutexLock lock(mutex_);
  limit_bytes_ = limit;
  evict(kNone, gone);
}

std::size_t BlockCache::limit_bytes() const {
  const MutexLock lock(mutex_);
  return limit_bytes_;
}
std::size_t BlockCache::used_bytes() const {
  const MutexLock lock(mutex_);
  return used_bytes_;
}
std::size_t BlockCache::wanted() const {
  const MutexLock lock(mutex_);
  return wanted_.size() - next_wanted_;
}

}  // namespace runahead::recordings
