// MemoryTracker: follows each block of memory from its allocation to its free, which may be on another
// thread, and adds its rows (trace::Allocation) to the batch. A block that is freed before the batch of its
// allocation is handed over has one row. A block that lives longer has two rows. The first row has no end: it
// records the block even if the program dies. The second row is complete and follows when the block is freed.
// Use it only under the collector's work mutex.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

class MemoryTracker {
 public:
  explicit MemoryTracker(BatchBuilder& batch) : batch_(batch) {}

  // awaits_op: the op of the block is not known yet. The enqueue of this op, later on the same thread, will
  // call set_op().
  void allocated(const trace::Allocation& block, bool awaits_op);
  void set_op(std::uint64_t block, OpId op);
  // `block` has all fields, except that the op may be missing. block.dropped may be outside of the block's
  // life: the row gets the nearest time within. If it is before the allocation, early_drop_ns says how long;
  // not so if the block began before the recording. Only allocated() or set_op() can give the missing op.
  // Threads are drained one after another, so this call may come before allocated().
  void freed(const trace::Allocation& block);
  // The block was freed, but the free event was lost, so only the time of the free is known. This call may
  // come before allocated(), like freed().
  void freed_unseen(std::uint64_t block, Timestamp at);
  // Recording stopped at `at`: ends the live blocks at this time, because their real ends will not be known.
  void forget_all(Timestamp at);
  // Call it before a batch is taken. Writes the rows of freed blocks, and of live blocks without a row.
  // `everything`: also writes freed blocks that still wait for an event, such as an allocation on a thread
  // that was not drained yet.
  void write_rows(bool everything);
  // Appends the row of each live block that already has a row without an end in an earlier batch. A file that
  // starts now needs these rows too.
  void live(std::vector<trace::Allocation>& out) const;
  [[nodiscard]] std::size_t live_count() const { return blocks_.size(); }

 private:
  struct Block {
    trace::Allocation row;  // row.end is kNever until the block is freed
    bool known = true;      // false: only the number and the end of the block are known
    bool written = false;   // a row without an end was written
    bool allocation_seen = false;
    bool awaits_op = false;
    std::uint8_t rounds = 0;  // number of write_rows() calls that waited for more events
  };
  [[nodiscard]] static bool complete(const Block& block) {
    return block.row.end != trace::kNever && block.allocation_seen && !block.awaits_op;
  }
  // Adds the final row of the block to the batch. If only the end of the block is known, adds nothing.
  void add(const Block& block) {
    if (block.known) batch_.add(block.row);
  }
  void touch(std::uint64_t number) { touched_.push_back(number); }

  using Blocks = std::unordered_map<std::uint64_t, Block>;
  void end(Blocks::iterator found, Timestamp at, Timestamp dropped = trace::kNever);

  BatchBuilder& batch_;
  Blocks blocks_;                       // indexed by block number
  std::vector<std::uint64_t> touched_;  // blocks that may have a row to write
};

}  // namespace runahead::record
