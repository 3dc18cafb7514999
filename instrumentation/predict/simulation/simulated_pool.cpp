#include "instrumentation/predict/simulation/simulated_pool.h"

#include "instrumentation/base/wrapping.h"

namespace runahead::predict {

SimulatedPool::SimulatedPool(const Program& program) : program_(program), classes_(program.pool_classes) {
  if (classes_.empty()) return;
  for (const Memory& memory : program.memories) spare_.push_back(memory.spare_bytes);
  states_.resize(program.blocks.size());
}

void SimulatedPool::take(BlockIndex block) {
  const std::uint32_t index = program_.blocks[block].pool_class;
  if (index == kNone) return;
  PoolClass& of = classes_[index];
  states_[block] = is_at_hand(of) ? State::kUsedAgain : State::kNew;
  if (of.free_blocks > 0) {
    --of.free_blocks;
  } else if (states_[block] == State::kUsedAgain) {
    spare_[of.device] -= of.size_bytes;
  }
}

void SimulatedPool::give(BlockIndex block) {
  const std::uint32_t index = program_.blocks[block].pool_class;
  if (index != kNone) ++classes_[index].free_blocks;
}

void SimulatedPool::add_new_bytes(std::span<const BlockIndex> blocks, NewBytes& sum) const {
  for (const BlockIndex block : blocks) {
    const Block& row = program_.blocks[block];
    if (row.pool_class == kNone) continue;
    const State state = states_[block];
    const bool is_new =
        state == State::kNotTaken ? !is_at_hand(classes_[row.pool_class]) : state == State::kNew;
    if (row.is_new) sum.recorded = wrapping_sum(sum.recorded, row.size_bytes);
    if (is_new) sum.simulated = wrapping_sum(sum.simulated, row.size_bytes);
  }
}

}  // namespace runahead::predict
