// BlockCache: what has been loaded of a recording, within a bound, the least lately used let go first; and
// what a view wants that is not here. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "instrumentation/base/mutex.h"

namespace runahead::recordings {

// Slots are numbered from 0; what is in one is the owner's business.
class BlockCache {
 public:
  using Slot = std::uint32_t;
  using Value = std::shared_ptr<const void>;

  explicit BlockCache(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  // Once, before anything else.
  void set_slots(std::size_t n) {
    const MutexLock lock(mutex_);
    slots_.resize(n);
  }

  // Null where the slot is empty.
  [[nodiscard]] Value find(Slot slot);
  // The same for a view: it notes an empty slot as wanted, unless what the view has found and wanted already
  // comes to three quarters of the limit. `about_bytes`: what it will take.
  [[nodiscard]] Value find_or_want(Slot slot, std::size_t about_bytes);
  // Puts a value into an empty slot, and lets others go for it; one larger than the limit stays alone.
  // Returns what is in the slot: what another thread has put there meanwhile comes first.
  Value put(Slot slot, Value value, std::size_t size_bytes);
  // This view wants it, and it is not here.
  [[nodiscard]] bool wants(Slot slot) const;
  // True where put_if_room() would put something of about that size there.
  [[nodiscard]] bool has_room(Slot slot, std::size_t about_bytes) const;
  // Puts it only into an empty slot, and if that needs no other to go.
  void put_if_room(Slot slot, Value value, std::size_t size_bytes);

  void begin_view();                                // forgets what is wanted
  [[nodiscard]] std::optional<Slot> next_wanted();  // the oldest that is still empty
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
    std::uint32_t view = 0;             // the last that found it, or wanted it and had room for it
  };
  void link(Slot slot) RUNAHEAD_REQUIRES(mutex_);    // as the newest
  void unlink(Slot slot) RUNAHEAD_REQUIRES(mutex_);  // REQUIRES: linked
  void touch(Slot slot) RUNAHEAD_REQUIRES(mutex_);
  void store(Slot slot, Value value, std::size_t size_bytes) RUNAHEAD_REQUIRES(mutex_);
  void evict(Slot keep, std::vector<Value>& gone)
      RUNAHEAD_REQUIRES(mutex_);  // until within the limit; never `keep`

  mutable Mutex mutex_;
  std::vector<Entry> slots_ RUNAHEAD_GUARDED_BY(mutex_);
  Slot newest_ RUNAHEAD_GUARDED_BY(mutex_) = kNone;
  Slot oldest_ RUNAHEAD_GUARDED_BY(mutex_) = kNone;
  std::size_t limit_bytes_ RUNAHEAD_GUARDED_BY(mutex_);
  std::size_t used_bytes_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::uint32_t view_ RUNAHEAD_GUARDED_BY(mutex_) = 1;
  std::size_t view_bytes_ RUNAHEAD_GUARDED_BY(mutex_) = 0;  // found and wanted by this view
  std::vector<Slot> wanted_ RUNAHEAD_GUARDED_BY(mutex_);
  std::size_t next_wanted_ RUNAHEAD_GUARDED_BY(mutex_) = 0;  // in wanted_
};

}  // namespace runahead::recordings
