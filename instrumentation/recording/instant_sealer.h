// InstantSealer: as TableSealer, for instants, of which some may come late: in a later group than one after
// them in time (another source's, or one that was read late). Pieces are in the order of time, so late ones
// are put into blocks of their own, and at the end merged with what came in time: every row from the first
// late one on is written again, in whole pieces. A reader sees pieces in their order and nothing else. What
// is kept of late ones is where their blocks are.
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
  void set_limits(const SealerLimits& limits) { limits_ = limits; }                    // before anything else
  void write(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit);  // REQUIRES: sorted
  // Where late ones cannot be read again, no instants are in pieces, and a reader takes all from their
  // blocks.
  void finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening);

 private:
  void write_late(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit);
  void write_blocks(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit, InstantRun& run);
  [[nodiscard]] bool merge_late(const EmitBlock& emit, const ReadBlock& read);
  [[nodiscard]] bool merge_to_few_runs(const EmitBlock& emit, const ReadBlock& read);
  [[nodiscard]] InstantRun in_time_from(std::span<const TableChunk> chunks) const;

  SealerLimits limits_;
  TableSealer<InstantBlock> table_;
  Timestamp last_ = Timestamp::min();  // of those in the table
  std::vector<InstantRun> late_;       // each ends before the one before it
};

}  // namespace runahead::recordings
