// MemoryTracker: blocks of memory from taken to given back, whichever thread did which, as rows of holdings.
// A block that is given back soon makes one row; one that outlives the batch it was taken in makes a row
// without an end there, so that it is in the recording whatever becomes of the program, and the whole one
// when it is given back. Used under the collector's work mutex only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

class MemoryTracker {
 public:
  explicit MemoryTracker(BatchBuilder& batch) : batch_(batch) {}

  // awaits_op: named() will come, from the same thread.
  void taken(const trace::Allocation& block, bool awaits_op);
  void named(std::uint64_t block, OpId op);
  // With all facts but, where taken() was seen, its op. Threads are drained one after the other, so this may
  // come before taken().
  void given(const trace::Allocation& block);
  // Given back, and more is not known: the event was lost. May come before taken(), as given().
  void ended(std::uint64_t block, Timestamp at);
  // Nothing is heard any more of the blocks that are held, as recording stopped at `at`.
  void forget_all(Timestamp at);
  // Before a batch is taken: the rows of what was given back, and of what is held and has none yet.
  // `everything`: nothing more is to be heard of it, as of a taking on a thread that was not drained yet.
  void write_rows(bool everything);
  // What has a row without an end, for a file that begins now.
  void held(std::vector<trace::Allocation>& out) const;
  [[nodiscard]] std::size_t held_count() const { return blocks_.size(); }

 private:
  struct Block {
    trace::Allocation row;  // end: once it was given back
    bool known = true;      // false: of the row, but the end
    bool written = false;   // as held
    bool seen_taken = false;
    bool awaits_op = false;
    std::uint8_t rounds = 0;  // of write_rows() that it was waited with
  };
  [[nodiscard]] static bool complete(const Block& block) {
    return block.row.end != trace::kNever && block.seen_taken && !block.awaits_op;
  }
  // Adds the row of a block of which nothing more is to be heard, if anything is known of it.
  void add(const Block& block) {
    if (block.known) batch_.add(block.row);
  }
  void touch(std::uint64_t number) { touched_.push_back(number); }

  using Blocks = std::unordered_map<std::uint64_t, Block>;
  void end(Blocks::iterator found, Timestamp at);

  BatchBuilder& batch_;
  Blocks blocks_;                       // by number
  std::vector<std::uint64_t> touched_;  // that may have a row to write
};

}  // namespace runahead::record
