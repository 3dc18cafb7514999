#include "instrumentation/predict/simulation/simulated_pool.h"

#include <algorithm>

namespace runahead::predict {
namespace {

// Only a damaged file has ops with more; sums must not overflow.
constexpr std::int64_t kMostNewBytes = std::int64_t{1} << 60;

}  // namespace

SimulatedPool::SimulatedPool(const Program& program) : program_(program), classes_(program.pool_classes) {
  if (classes_.empty()) return;
  for (const Memory& memory : program.memories) spare_.push_back(memory.spare_bytes);
  states_.resize(program.blocks.size());
}

void SimulatedPool::take(BlockIndex block) {
  const std::uint32_t index = program_.blocks[block].pool_class;
  if (index == kNone) return;
  PoolClass& size_class = classes_[index];
  if (size_class.free_blocks > 0) {
    --size_class.free_blocks;
    states_[block] = State::kUsedAgain;
  } else if (size_class.uses_spare && spare_[size_class.device] >= size_class.size_bytes) {
    spare_[size_class.device] -= size_class.size_bytes;
    states_[block] = State::kSpare;
  } else {
    states_[block] = State::kNew;
  }
}

void SimulatedPool::untake(BlockIndex block) {
  PoolClass& size_class = classes_[program_.blocks[block].pool_class];
  if (states_[block] == State::kUsedAgain) ++size_class.free_blocks;
  if (states_[block] == State::kSpare) spare_[size_class.device] += size_class.size_bytes;
  states_[block] = State::kNotTaken;
}

void SimulatedPool::give(BlockIndex block) {
  const std::uint32_t index = program_.blocks[block].pool_class;
  if (index != kNone) ++classes_[index].free_blocks;
}

NewBytes SimulatedPool::new_bytes_of(std::span<const BlockIndex> blocks) {
  const auto add = [](std::int64_t& sum, std::int64_t bytes) { sum = std::min(sum + bytes, kMostNewBytes); };
  NewBytes out;
  std::vector<BlockIndex> tried;
  for (const BlockIndex block : blocks) {
    const Block& row = program_.blocks[block];
    if (row.pool_class == kNone) continue;
    if (states_[block] == State::kNotTaken) {
      take(block);
      tried.push_back(block);
    }
    if (row.is_new) add(out.recorded, row.size_bytes);
    if (states_[block] == State::kNew) add(out.simulated, row.size_bytes);
  }
  for (const BlockIndex block : tried) untake(block);
  return out;
}

}  // namespace runahead::predict
