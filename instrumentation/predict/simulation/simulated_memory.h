// The memory of the devices in a simulation: which blocks are live, and the peaks. Internal to
// predict/simulation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "instrumentation/predict/program/program.h"
#include "instrumentation/predict/simulation/agenda.h"
#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/predict/simulation/simulated_pool.h"

namespace runahead::predict {

class SimulatedMemory {
 public:
  // `program`, `agenda` and `out` must outlive this. `out` gets the peaks and, with `keep_times`, the times
  // of the blocks and the samples of live_bytes.
  SimulatedMemory(const Program& program, const Agenda& agenda, bool keep_times, Outcome& out);

  // The blocks that an op allocates, and those of its parts. A block is allocated once.
  void allocate(OpIndex op);
  void allocate_blocks(std::span<const BlockIndex> blocks);
  // With Settings::allocates_at_execution: an op allocates its blocks, or those of its first part; a part
  // begins, and the part before it ends.
  void allocate_first(OpIndex op);
  void begin_part(std::uint32_t part);
  void end_op(OpIndex op);
  void leave_out(OpIndex op);  // instead of end_op(): the op does not run
  // The program drops its handle of the block.
  void drop(BlockIndex block);

  // Of the op's blocks, which are allocated or will be now. A bulk has none: its ops keep their times.
  [[nodiscard]] NewBytes new_bytes_of(OpIndex op);

  // The peaks count from now on.
  void begin_steps() { out_.peak_bytes = live_; }
  // The peaks of the settled run count from now on.
  void begin_settled() { settled_ = live_; }
  [[nodiscard]] std::int64_t settled_peak() const;            // the sum over the devices
  [[nodiscard]] std::int64_t live() const { return total_; }  // of all devices
  // The op's device has had at least half as much live memory as Op::late_live_bytes. Also true if the
  // program says nothing about the device's memory.
  [[nodiscard]] bool has_grown(OpIndex op) const;

 private:
  void let_go(BlockIndex block);

  const Program& program_;
  const Agenda& agenda_;
  const bool keep_times_;
  Outcome& out_;
  SimulatedPool pool_;
  std::vector<std::uint32_t> holders_;  // of each block: ops that use it, and the program
  std::vector<std::uint8_t> allocated_;
  std::vector<std::uint32_t> memory_of_;  // of each queue: its device; kNone: no memory is known
  std::vector<std::int64_t> live_;        // of each device
  std::vector<std::int64_t> most_;        // of each device: the most that was live
  std::int64_t total_ = 0;
  std::vector<std::int64_t> settled_;  // of each device: the peak since begin_settled()
};

}  // namespace runahead::predict
