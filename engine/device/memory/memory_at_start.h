// MemoryAtStart: the memory of one op on a device that computes values before their modelled time
// (Device::lookahead_ticks), if ops allocate when they run (AllocationTime::kAtExecution). The op's function
// needs the memory ahead; it counts as live from the op's modelled start. So the live bytes, their peak and
// the recording are those of the model.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <vector>

#include "engine/device/memory/memory_pool.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

class MemoryAtStart {
 public:
  // ahead false: nothing is allocated before start().
  explicit MemoryAtStart(bool ahead) : may_be_ahead_(ahead) {}

  // Called by the op's function. If nothing can be allocated ahead, it waits for start(): then the ops that
  // end before this one have freed their memory, and an error is that of the model.
  // REQUIRES: `out` is empty, and stays where it is until start().
  [[nodiscard]] Status allocate(MemoryPool& pool, std::size_t size_bytes, MemoryOwner owner, Block& out);
  // The modelled start has come: the memory counts. Called once, on the thread that follows the clock.
  void start();

 private:
  const bool may_be_ahead_;
  Mutex mutex_;  // held while the mutex of a pool is taken
  std::condition_variable started_now_;
  bool started_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  std::vector<Block*> ahead_ RUNAHEAD_GUARDED_BY(mutex_);  // allocated, not yet counted
};

}  // namespace runahead::engine
