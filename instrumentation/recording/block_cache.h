// BlockCache: retains loaded parts of a recording (chunks, levels of detail) within a memory limit, and
// evicts the least recently used parts. It also lists the wanted parts, that is, the parts that a view has
// requested and that are not loaded yet. May be used on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "instrumentation/base/mutex.h"

namespace runahead::recordings {

// Each part has a slot. Slots are numbered from 0. The owner decides which part a slot is for.
class BlockCache {
 public:
  using Slot = std::uint32_t;
  using Value = std::shared_ptr<const void>;

  explicit BlockCache(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  // Call it once, before any other function.
  void set_slots(std::size_t n) {
    const MutexLock lock(mutex_);
    slots_.resize(n);
  }

  // Null: the slot is empty.
  [[nodiscard]] Value find(Slot slot);
  // Works like find(), for a view. If the slot is empty, it is added to the wanted slots, unless the parts
  // that the view has found or requested would then take more than three quarters of the limit.
  // `about_bytes`: the estimated size of the part.
  [[nodiscard]] Value find_or_want(Slot slot, std::size_t about_bytes);
  // Puts a value into an empty slot. If the limit is exceeded, evicts other values, the least recently used
  // first. A value larger than the limit evicts all others and stays. Returns the content of the slot. If
  // another thread filled the slot meanwhile, the result is the value of that thread.
  Value put(Slot slot, Value value, std::size_t size_bytes);
  // True if the slot is empty and the current view has requested it.
  [[nodiscard]] bool wants(Slot slot) const;
  // True if put_if_room() would store a value of about this size.
  [[nodiscard]] bool has_room(Slot slot, std::size_t about_bytes) const;
  // Puts the value only into an empty slot, and only if nothing must be evicted for it.
  void put_if_room(Slot slot, Value value, std::size_t size_bytes);

  void begin_view();                                // starts a new view; forgets the wanted slots
  [[nodiscard]] std::optional<Slot> next_wanted();  // the oldest wanted slot that is still empty
  void set_limit_bytes(std::size_t limit);
  [[nodiscard]] std::size_t limit_bytes() const;
  [[nodiscard]] std::size_t used_bytes() const;
  [[nodiscard]] std::size_t wanted() const;

 private:
  static constexpr Slot kNone = UINT32_MAX;
  struct Entry {
    Value value;
    std::uint32_t size_bytes = 0;
    Slot newer = kNone, older = kNone;  // neighbours in the order of use
    std::uint32_t view = 0;             // the last view that found this part, or requested it within the
                                        // limit
  };
  void link(Slot slot) RUNAHEAD_REQUIRES(mutex_);    // inserts the slot as the most recently used one
  void unlink(Slot slot) RUNAHEAD_REQUIRES(mutex_);  // REQUIRES: linked
  void touch(Slot slot) RUNAHEAD_REQUIRES(mutex_);
  void store(Slot slot, Value value, std::size_t size_bytes) RUNAHEAD_REQUIRES(mutex_);
  void evict(Slot keep, std::vector<Value>& gone)
      RUNAHEAD_REQUIRES(mutex_);  // evicts until the limit is met; never evicts `keep`

  mutable Mutex mutex_;
  std::vector<Entry> slots_ RUNAHEAD_GUARDED_BY(mutex_);
  Slot newest_ RUNAHEAD_GUARDED_BY(mutex_) = kNone;
  Slot oldest_ RUNAHEAD_GUARDED_BY(mutex_) = kNone;
  std::size_t limit_bytes_ RUNAHEAD_GUARDED_BY(mutex_);
  std::size_t used_bytes_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::uint32_t view_ RUNAHEAD_GUARDED_BY(mutex_) = 1;
  // bytes that the current view has found or requested
  std::size_t view_bytes_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::vector<Slot> wanted_ RUNAHEAD_GUARDED_BY(mutex_);
  std::size_t next_wanted_ RUNAHEAD_GUARDED_BY(mutex_) = 0;  // index in wanted_
};

}  // namespace runahead::recordings
