// What of a card's memory others hold: a counter of the trace, sampled while the device works and something
// records. Others are other processes, and CUDA itself: its contexts, cuBLAS's workspaces, pools of its own.
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
  // `read` may take its time; nullopt: not known now. `pool`: ours, which is not counted.
  CardMemory(const std::string& device_name, bool simulated, const MemoryPool& pool,
             std::function<std::optional<Usage>()> read);

  // Samples, where something records and the last sample is a tenth of a second old. One thread: not one that
  // the engine waits for.
  void work_ended();

 private:
  void sample(std::uint64_t now_ticks) const;

  const MemoryPool& pool_;
  const std::function<std::optional<Usage>()> read_;
  const record::TrackDesc& track_;
  std::uint64_t due_ticks_ = 0;
};

}  // namespace runahead::engine
