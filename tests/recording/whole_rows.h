// The rows that must survive in a damaged recording, as lines of text. A test compares them with the lines of
// a loaded trace. This code decodes the rows from the blocks of the undamaged file, and does not use the
// reader. Names and arguments are written as ids, because ids stay the same when definitions are lost.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/trace/trace.h"

namespace runahead::testing {

struct BlockPlace {
  recordings::BlockKind kind;
  std::size_t begin, end;
};

// Finds the blocks of an undamaged file by the lengths in their headers. Hashes are not checked.
[[nodiscard]] std::vector<BlockPlace> blocks_of(std::string_view file);
void flip(std::string& file, std::size_t bit);

// The rows of all blocks of the undamaged file, sorted. The blocks whose numbers are in `damaged` are
// skipped, and so are the blocks that repeat rows for a faster opening (kRowsAgain).
[[nodiscard]] std::vector<std::string> rows_of_others(const std::string& whole,
                                                      const std::vector<BlockPlace>& blocks,
                                                      const std::set<std::size_t>& damaged);
[[nodiscard]] std::vector<std::string> row_lines(const trace::Trace& trace);  // sorted

// A recording of random batches, with one group of blocks for each batch. If `finish` is false, the file
// stays unfinished.
[[nodiscard]] std::string grouped_recording(std::uint64_t seed, int batches, std::int64_t most_rows = 20,
                                            bool finish = true);

// Expects a finished recording with `bytes` damaged bytes and without other losses in the file.
inline void expect_damaged(const trace::Trace& trace, std::uint64_t bytes) {
  EXPECT_EQ(trace.losses().of(trace::LossCause::kFileDamaged), bytes);
  EXPECT_EQ(trace.losses().of(trace::LossCause::kFileTruncated), 0u);
  EXPECT_EQ(trace.losses().of(trace::LossCause::kFileUnknown), 0u);
  EXPECT_EQ(trace.losses().of(trace::LossCause::kUnfinishedSlice), 0u);
  EXPECT_EQ(trace.metadata().at("recording.ended"), "yes");
}

}  // namespace runahead::testing
