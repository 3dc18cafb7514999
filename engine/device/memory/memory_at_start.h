// MemoryAtStart: the memory of one op on a device that computes values before their modelled time
// (Device::lookahead_ticks), if ops allocate when they run (AllocationTime::kAtExecution). The op's function
// needs the memory ahead; it counts as live from the op's modelled start. The thread that follows the clock
// counts it there, in order with the ends of ops, which free memory. So the live bytes, their peak and the
// recording are those of the model.
//
// Roles.
//   the op's thread  allocate(), wait()
//   clock's thread   start(), once
#pragma once

#include <condition_variable>
#include <cstddef>
#include <optional>
#include <vector>

#include "engine/device/memory/memory_pool.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

class MemoryAtStart {
 public:
  // Allocates ahead. If the pool allows that no more (MemoryPool::allocate_ahead), waits for the modelled
  // start. REQUIRES: `out` is empty, and stays where it is until start().
  [[nodiscard]] Status allocate(MemoryPool& pool, std::size_t size_bytes, MemoryOwner owner, Block& out);
  // Waits for the modelled start. For an op that must not be computed ahead.
  void wait();
  // The modelled start has come: the memory counts. Allocates the memory for which allocate() waits.
  void start();

 private:
  struct Request {
    MemoryPool& pool;
    const std::size_t size_bytes;
    const MemoryOwner owner;
    Block& out;
    std::optional<Status> result;
  };
  [[nodiscard]] bool has_started();
  void wait_locked(MutexLock& lock) RUNAHEAD_REQUIRES(mutex_);

  Mutex mutex_;
  std::condition_variable started_now_;
  bool started_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  std::vector<Block*> ahead_ RUNAHEAD_GUARDED_BY(mutex_);   // allocated, and not yet counted
  Request* waiting_ RUNAHEAD_GUARDED_BY(mutex_) = nullptr;  // null: allocate() does not wait
};

}  // namespace runahead::engine
