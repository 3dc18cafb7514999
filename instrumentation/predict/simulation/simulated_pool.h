// The pools of cpu memory in a simulation, with the rules of the engine: a block takes a free block of its
// size class, or else new memory of the system. Internal to predict/simulation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// Bytes of new memory that an op writes first.
struct NewBytes {
  std::int64_t recorded = 0, simulated = 0;
};

class SimulatedPool {
 public:
  explicit SimulatedPool(const Program& program);  // must outlive this

  void take(BlockIndex block);  // it is allocated
  void give(BlockIndex block);  // it is free
  // Of an op that allocates these blocks. Those that are not allocated yet count as if they were now.
  [[nodiscard]] NewBytes new_bytes_of(std::span<const BlockIndex> blocks);

 private:
  enum class State : std::uint8_t { kNotTaken, kUsedAgain, kSpare, kNew };
  void untake(BlockIndex block);

  const Program& program_;
  std::vector<PoolClass> classes_;
  std::vector<std::int64_t> spare_;  // of each memory: Memory::spare_bytes that are left
  std::vector<State> states_;        // of each block
};

}  // namespace runahead::predict
