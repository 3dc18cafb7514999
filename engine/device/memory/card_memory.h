// CardMemory: how much of a card's memory others use. A counter of the trace, sampled while the device works
// and something records. Others are other processes, and CUDA itself: its contexts, cuBLAS's workspaces, its
// own pools.
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
    std::size_t free_bytes = 0, total_bytes = 0;  // of the card
  };
  // read: may take long; nullopt: not known now. pool: our own memory, which is not counted.
  CardMemory(const std::string& device_name, bool simulated, const MemoryPool& pool,
             std::function<std::optional<Usage>()> read);

  // Takes a sample if something records and the last sample is at least 0.1 s old. Call it on one thread
  // only, which must not be a thread that the engine waits for.
  void work_ended();

 private:
  void sample(std::uint64_t now_ticks) const;

  const MemoryPool& pool_;
  const std::function<std::optional<Usage>()> read_;
  const record::TrackDesc& track_;
  std::uint64_t due_ticks_ = 0;  // time of the next sample; used by the calling thread of work_ended()
};

}  // namespace runahead::engine
