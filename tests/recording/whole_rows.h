// What a damaged recording has to keep: the rows of an undamaged file's blocks, found without the reader, as
// lines to be compared with those of a trace. Names and arguments are told by their ids: the same whichever
// of them are lost.
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

// The blocks of an undamaged file, by their lengths alone.
[[nodiscard]] std::vector<BlockPlace> blocks_of(std::string_view file);
void flip(std::string& file, std::size_t bit);

// The rows of the undamaged file's blocks but those in `damaged`, by their numbers; sorted. What is there
// again, for opening (kRowsAgain), is left out.
[[nodiscard]] std::vector<std::string> rows_of_others(const std::string& whole,
                                                      const std::vector<BlockPlace>& blocks,
                                                      const std::set<std::size_t>& damaged);
[[nodiscard]] std::vector<std::string> row_lines(const trace::Trace& trace);  // sorted

// A recording of random batches, a group of blocks for each; as its writer leaves it without `finish`.
[[nodiscard]] std::string grouped_recording(std::uint64_t seed, int batches, std::int64_t most_rows = 20,
                                            bool finish = true);

// A finished recording of which so many bytes are damaged, and nothing else is wrong.
inline void expect_damaged(const trace::Trace& trace, std::uint64_t bytes) {
  EXPECT_EQ(trace.losses().of(trace::LossCause::kFileDamaged), bytes);
  EXPECT_EQ(trace.losses().of(trace::LossCause::kFileTruncated), 0u);
  EXPECT_EQ(trace.losses().of(trace::LossCause::kFileUnknown), 0u);
  EXPECT_EQ(trace.losses().of(trace::LossCause::kUnfinishedSlice), 0u);
  EXPECT_EQ(trace.metadata().at("recording.ended"), "yes");
}

}  // namespace runahead::testing
