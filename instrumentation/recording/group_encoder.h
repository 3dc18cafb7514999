// A group is the blocks that one flush appends to the file: first definitions, then rows, at the end a commit
// (a block with the watermark). encode_group() splits rows into blocks of a size that compresses well and can
// be read alone.
#pragma once

#include <cstdint>
#include <string>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/row_sealers.h"

namespace runahead::recordings {
using namespace trace;

// Size limit of one string. A longer string is cut; the result of encode_group() counts the cut strings.
inline constexpr std::size_t kMaxStringBytes = 16u << 20;

struct GroupFacts {
  std::uint64_t first_string = 1;  // id of the first string in the batch
  std::uint64_t first_args = 1;    // id of the first argument set in the batch
  bool with_open = true;           // also write the lists of open slices and ops
};

// Emits the batch as blocks, and passes the rows to `sealers`. Returns the number of strings that were cut.
// REQUIRES: instants are sorted.
std::uint64_t encode_group(const Batch& rows, const GroupFacts& facts, RowSealers& sealers,
                           const EmitBlock& emit);

}  // namespace runahead::recordings
