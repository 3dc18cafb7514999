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
  // Adds what an op has that allocates these blocks. A block that is not allocated yet is new if it would be
  // new now.
  void add_new_bytes(std::span<const BlockIndex> blocks, NewBytes& sum) const;

 private:
  [[nodiscard]] bool is_at_hand(const PoolClass& of) const {
    return of.free_blocks > 0 || (of.uses_spare && spare_[of.device] >= of.size_bytes);
  }
  enum class State : std::uint8_t { kNotTaken, kUsedAgain, kNew };

  const Program& program_;
  std::vector<PoolClass> classes_;
  std::vector<std::int64_t> spare_;  // of each memory: Memory::spare_bytes that are left
  std::vector<State> states_;        // of each block
};

}  // namespace runahead::predict
