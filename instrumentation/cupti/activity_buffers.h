// ActivityBuffers: the buffers that CUPTI fills with records. The size of all buffers together has a limit.
// Any thread may call the functions.
//
// CUPTI must never get a null buffer (CUPTI before 12.9 crashed). At the limit, the oldest full buffer that
// was not read yet is reused, and the records in this buffer are counted as lost. The buffers exceed the
// limit only if CUPTI itself holds all of them, so that there is no full buffer to reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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
  // Returns the number of records in a full buffer.
  using CountRecords = std::uint64_t (*)(const FullBuffer& buffer);

  ActivityBuffers(std::size_t buffer_bytes, std::size_t most_bytes, CountRecords count)
      : buffer_bytes_(buffer_bytes), most_bytes_(most_bytes), count_(count) {}
  ~ActivityBuffers();
  ActivityBuffers(const ActivityBuffers&) = delete;
  ActivityBuffers& operator=(const ActivityBuffers&) = delete;

  // ---- called by CUPTI ----
  // now_ns: the time of the call. Null only if the system has no memory.
  [[nodiscard]] std::uint8_t* give(std::int64_t now_ns);
  void filled(FullBuffer buffer);

  // ---- the reader: one thread ----
  [[nodiscard]] std::optional<FullBuffer> next();
  void give_back(std::uint8_t* bytes);
  // The number of records dropped since the last call.
  [[nodiscard]] std::uint64_t take_lost();

  // The time at which CUPTI got the oldest of the buffers that it still fills. CUPTI gives each thread of the
  // program its own buffer. It keeps a buffer as long as a call or a kernel of one of its records has not
  // ended. So activity that ended after this time may still be missing. The largest time if CUPTI has no
  // buffer.
  [[nodiscard]] std::int64_t oldest_given_ns() const;

  [[nodiscard]] std::size_t buffer_bytes() const { return buffer_bytes_; }
  [[nodiscard]] std::size_t held_bytes() const;

 private:
  [[nodiscard]] std::uint8_t* take_free();

  const std::size_t buffer_bytes_, most_bytes_;
  const CountRecords count_;
  mutable Mutex mutex_;  // no function of CUPTI is called while it is locked
  std::deque<FullBuffer> full_ RUNAHEAD_GUARDED_BY(mutex_);
  std::vector<std::uint8_t*> free_ RUNAHEAD_GUARDED_BY(mutex_);
  std::map<std::uint8_t*, std::int64_t> given_ns_ RUNAHEAD_GUARDED_BY(mutex_);  // buffers that CUPTI fills
  std::size_t made_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
  std::uint64_t lost_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
};

}  // namespace runahead::cupti
