// Runs of instants in a file that is being written, and their merge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "instrumentation/recording/table_sealer.h"

namespace runahead::recordings {
using namespace trace;

// Instants in the order of time, in blocks of the file and then in memory.
struct InstantRun {
  std::vector<std::uint64_t> blocks;  // offsets; of rows of kind kInstants, also again
  std::size_t skip = 0;               // rows of the first block that are no part of it
  std::span<const Instant> rest;      // after all blocks
  Timestamp first{}, last{};          // of late ones that have not been merged
};

// Hands over all instants of the runs, in the order of time, kRowsAgainAtOnce at once. Those of one moment:
// in the order of the runs. Keeps one block of each run. False where one cannot be read, or is not in order:
// what was handed over then is not all.
[[nodiscard]] bool merge_instants(std::span<const InstantRun> runs, const ReadBlock& read,
                                  const std::function<void(std::span<const Instant>)>& take);

}  // namespace runahead::recordings
