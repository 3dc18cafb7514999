// ActivityBuffers: the memory that CUPTI fills, within a limit. Any thread.
//
// CUPTI must never be given a null buffer (it crashed before 12.9): at the limit the oldest full one that
// nobody has read yet is given out again, its records counted as lost. Only where CUPTI itself holds all of
// them is the limit exceeded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "instrumentation/base/mutex.h"

namespace runahead::cupti {

struct FullBuffer {
  std::uint8_t* bytes = nullptr;
  std::size_t used = 0;
};

class ActivityBuffers {
 public:
  // How many records lie in a full buffer.
  using CountRecords = std::uint64_t (*)(const FullBuffer& buffer);

  ActivityBuffers(std::size_t buffer_bytes, std::size_t most_bytes, CountRecords count)
      : buffer_bytes_(buffer_bytes), most_bytes_(most_bytes), count_(count) {}
  ~ActivityBuffers();
  ActivityBuffers(const ActivityBuffers&) = delete;
  ActivityBuffers& operator=(const ActivityBuffers&) = delete;

  // ---- what CUPTI calls ----
  [[nodiscard]] std::uint8_t* give();  // null only where the system has no memory
  void filled(FullBuffer buffer);

  // ---- the reader: one thread ----
  [[nodiscard]] std::optional<FullBuffer> next();
  void give_back(std::uint8_t* bytes);
  // Records dropped since the last call.
  [[nodiscard]] std::uint64_t take_lost();

  [[nodiscard]] std::size_t buffer_bytes() const { return buffer_bytes_; }
  [[nodiscard]] std::size_t held_bytes() const;

 private:
  const std::size_t buffer_bytes_, most_bytes_;
  const CountRecords count_;
  mutable Mutex mutex_;  // nothing of CUPTI's is called while it is held
  std::deque<FullBuffer> full_ RUNAHEAD_GUARDED_BY(mutex_);
  std::vector<std::uint8_t*> free_ RUNAHEAD_GUARDED_BY(mutex_);
  std::size_t made_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::uint64_t lost_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
};

}  // namespace runahead::cupti
