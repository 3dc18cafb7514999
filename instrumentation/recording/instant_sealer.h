// InstantSealer: the TableSealer for instants. An instant may come late (from another source, or from a
// thread drained late): an earlier group then already has an instant with a later time. Chunks must be in
// time order.
// Method: late instants go into separate blocks. At the end they are merged with the other instants: all rows
// at or after the first late instant in time order are written again, in complete chunks. A reader only sees
// ordered chunks. Until the merge, memory has only the offsets of the blocks with late instants.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "instrumentation/recording/late_instants.h"
#include "instrumentation/recording/sealer_limits.h"
#include "instrumentation/recording/table_sealer.h"

namespace runahead::recordings {
using namespace trace;

class InstantSealer {
 public:
  void set_limits(const SealerLimits& limits) { limits_ = limits; }  // before any other call
  void write(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit);  // REQUIRES: sorted
  // If late instants cannot be read again, opening.has_instants is false. A reader then takes all instants
  // from the blocks in which they arrived.
  void finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening);

 private:
  void write_late(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit);
  void write_blocks(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit, InstantRun& run);
  [[nodiscard]] bool merge_late(const EmitBlock& emit, const ReadBlock& read);
  [[nodiscard]] bool merge_to_few_runs(const EmitBlock& emit, const ReadBlock& read);
  [[nodiscard]] InstantRun in_time_from(std::span<const TableChunk> chunks) const;

  SealerLimits limits_;
  TableSealer<InstantBlock> table_;
  Timestamp last_ = Timestamp::min();  // time of the last instant in the table
  std::vector<InstantRun> late_;       // each run ends before the previous run ends
};

}  // namespace runahead::recordings
