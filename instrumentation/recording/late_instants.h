// InstantRun: instants in time order, in a file that is being written. merge_instants() merges several runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "instrumentation/recording/table_sealer.h"

namespace runahead::recordings {
using namespace trace;

// Instants in time order, first in blocks of the file, then in memory.
struct InstantRun {
  // offsets of blocks of instants (kInstants), or of blocks of repeated instants (kRowsAgain)
  std::vector<std::uint64_t> blocks;
  std::size_t skip = 0;  // number of rows at the start of the first block that do not belong to the run
  std::span<const Instant> rest;  // rows in memory, which come after the rows of all blocks
  Timestamp first{}, last{};      // first and last time; set only for late instants that are not merged yet
};

// Passes all instants of the runs to `take` in time order. Instants at equal times come in the order of their
// runs. Passes kRowsAgainAtOnce instants at a time. Keeps one block of each run in memory. False: a block
// cannot be read or is not in order, so not all instants were passed.
[[nodiscard]] bool merge_instants(std::span<const InstantRun> runs, const ReadBlock& read,
                                  const std::function<void(std::span<const Instant>)>& take);

}  // namespace runahead::recordings
