// CardMemory: how much of a card's memory others use. The trace gets this value as a counter, sampled while
// the device works and a recording is active. "Others" are other processes, and CUDA itself: its contexts,
// cuBLAS's workspaces and CUDA's own pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/device/memory/memory_pool.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

class CardMemory {
 public:
  struct Usage {
    std::size_t free_bytes = 0, total_bytes = 0;  // free and total bytes of the card
  };
  // read: a function that returns the card's free and total bytes. It may take long. It returns nullopt if
  // the values are unknown at the moment. pool: the pool of our own memory, which is not counted.
  CardMemory(const std::string& device_name, bool simulated, const MemoryPool& pool,
             std::function<std::optional<Usage>()> read);

  // Takes a sample if a recording is active and the last sample is at least 0.1 s old. Always call it on the
  // same thread. The engine must not wait for that thread, because `read` may take long.
  void work_ended();

 private:
  void sample(std::uint64_t now_ticks) const;

  const MemoryPool& pool_;
  const std::function<std::optional<Usage>()> read_;
  const record::TrackDesc& track_;
  std::uint64_t due_ticks_ = 0;  // time of the next sample; used only by the thread that calls work_ended()
};

}  // namespace runahead::engine
