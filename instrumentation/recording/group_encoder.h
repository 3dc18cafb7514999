// A group: the blocks that one flush appends, definitions first, ended by a commit. encode_group() cuts rows
// into blocks of a size that compresses well and can be read alone.
#pragma once

#include <cstdint>
#include <string>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/row_sealers.h"

namespace runahead::recordings {
using namespace trace;

// One string may take this much; a longer one is cut (and counted by encode_group's result).
inline constexpr std::size_t kMaxStringBytes = 16u << 20;

struct GroupFacts {
  std::uint64_t first_string = 1;  // ids of the first string and the first set of args in the batch
  std::uint64_t first_args = 1;
  bool with_open = true;  // the lists of open slices and ops, too
};

// Emits the batch as blocks, and gives `sealers` the rows. Returns how many strings were cut. REQUIRES:
// instants sorted.
std::uint64_t encode_group(const Batch& rows, const GroupFacts& facts, RowSealers& sealers,
                           const EmitBlock& emit);

}  // namespace runahead::recordings
