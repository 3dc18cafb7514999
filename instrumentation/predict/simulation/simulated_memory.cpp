#include "instrumentation/predict/simulation/simulated_memory.h"

#include <algorithm>

#include "instrumentation/base/check.h"
#include "instrumentation/base/wrapping.h"

namespace runahead::predict {

SimulatedMemory::SimulatedMemory(const Program& program, const Agenda& agenda, bool keep_times, Outcome& out)
    : program_(program),
      agenda_(agenda),
      keep_times_(keep_times),
      out_(out),
      pool_(program),
      holders_(program.blocks.size(), 1),
      allocated_(program.blocks.size()) {
  for (const BlockIndex block : program.uses.items) ++holders_[block];
  for (const Part& part : program.parts) {
    for (const BlockIndex block : part.uses) ++holders_[block];
  }
  for (const Memory& memory : program.memories) {
    live_.push_back(memory.begin_bytes);
    total_ = wrapping_sum(total_, memory.begin_bytes);
  }
  for (const Queue& queue : program.queues) {
    const auto of = std::ranges::find(program.memories, queue.device, &Memory::device);
    memory_of_.push_back(
        of == program.memories.end() ? kNone : static_cast<std::uint32_t>(of - program.memories.begin()));
  }
  for (BlockIndex block = 0; block < program.blocks.size(); ++block)
    allocated_[block] = program.blocks[block].began_before ? 1 : 0;
  out_.peak_bytes = settled_ = most_ = live_;
  if (!keep_times) return;
  out_.timeline.blocks.resize(program.blocks.size());
  for (const std::int64_t bytes : live_) out_.timeline.live_bytes.push_back({{Duration{}, bytes}});
}

void SimulatedMemory::allocate(OpIndex op) {
  allocate_blocks(program_.allocates.of(op));
  for (const Part& part : program_.parts_of(op)) allocate_blocks(part.allocates);
}

void SimulatedMemory::allocate_blocks(std::span<const BlockIndex> blocks) {
  for (const BlockIndex block : blocks) {
    if (allocated_[block] != 0) continue;
    allocated_[block] = 1;
    pool_.take(block);
    const Block& row = program_.blocks[block];
    std::int64_t& live = live_[row.device];
    live = wrapping_sum(live, row.size_bytes);
    total_ = wrapping_sum(total_, row.size_bytes);
    most_[row.device] = std::max(most_[row.device], live);
    if (agenda_.counts) out_.peak_bytes[row.device] = std::max(out_.peak_bytes[row.device], live);
    settled_[row.device] = std::max(settled_[row.device], live);
    if (!keep_times_) continue;
    out_.timeline.blocks[block].begin = agenda_.now;
    out_.timeline.live_bytes[row.device].push_back({agenda_.now, live});
  }
}

void SimulatedMemory::allocate_first(OpIndex op) {
  const auto parts = program_.parts_of(op);
  parts.empty() ? allocate(op) : allocate_blocks(parts.front().allocates);
}

void SimulatedMemory::begin_part(std::uint32_t part) {
  for (const BlockIndex block : program_.parts[part - 1].uses) let_go(block);
  allocate_blocks(program_.parts[part].allocates);
}

void SimulatedMemory::end_op(OpIndex op) {
  leave_out(op);
  if (const auto parts = program_.parts_of(op); !parts.empty()) {
    for (const BlockIndex block : parts.back().uses) let_go(block);
  }
}

void SimulatedMemory::leave_out(OpIndex op) {
  for (const BlockIndex block : program_.uses.of(op)) let_go(block);
}

void SimulatedMemory::drop(BlockIndex block) {
  if (keep_times_) out_.timeline.blocks[block].dropped = agenda_.now;
  let_go(block);
}

void SimulatedMemory::let_go(BlockIndex block) {
  RUNAHEAD_CHECK(holders_[block] > 0);
  if (--holders_[block] > 0 || allocated_[block] == 0) return;
  pool_.give(block);
  const Block& row = program_.blocks[block];
  std::int64_t& live = live_[row.device];
  live = wrapping_difference(live, row.size_bytes);
  total_ = wrapping_difference(total_, row.size_bytes);
  if (!keep_times_) return;
  out_.timeline.blocks[block].end = agenda_.now;
  out_.timeline.live_bytes[row.device].push_back({agenda_.now, live});
}

NewBytes SimulatedMemory::new_bytes_of(OpIndex op) {
  if (program_.pool_classes.empty() || !program_.parts_of(op).empty()) return {};
  return pool_.new_bytes_of(program_.allocates.of(op));
}

bool SimulatedMemory::has_grown(OpIndex op) const {
  const std::uint32_t memory = memory_of_[program_.ops[op].queue];
  return memory == kNone || most_[memory] >= program_.ops[op].late_live_bytes / 2;
}

std::int64_t SimulatedMemory::settled_peak() const {
  std::int64_t sum = 0;
  for (const std::int64_t bytes : settled_) sum = wrapping_sum(sum, bytes);
  return sum;
}

}  // namespace runahead::predict
