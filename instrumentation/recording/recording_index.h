// The index of a recording: where each block is and which rows it holds. It stands in the footer, and is
// built again from the whole blocks' own summaries where there is none (a recording that was cut off), or it
// is damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording_file.h"

namespace runahead::recordings {
using namespace trace;

struct IndexEntry {
  std::uint64_t offset = 0;  // of the block's header in the file
  BlockKind kind = BlockKind::kMetadata;
  RowSummary rows;  // of blocks of definitions and others: no track, no times, rows 0
  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

struct RecordingIndex {
  std::vector<IndexEntry> blocks;  // in the order of the file, footers left out
  bool from_footer = false;
};

// A footer holds the entries of the blocks since the footer before it (kMaxBlockRows at most), and that
// footer's offset; 0: there is none.
[[nodiscard]] std::string encode_footer(std::span<const IndexEntry> entries, std::uint64_t previous_footer);
[[nodiscard]] bool decode_footer(std::string_view payload, std::vector<IndexEntry>& entries,
                                 std::uint64_t& previous_footer);
[[nodiscard]] std::string make_trailer(std::uint64_t footer_offset);
// True when `kind` holds rows and so begins with a summary.
[[nodiscard]] bool has_summary(BlockKind kind);
// True when a reader that takes everything in order skips it.
[[nodiscard]] bool is_for_opening(BlockKind kind);

// All entries of the footers; nullopt where there are none, or one is damaged.
[[nodiscard]] std::optional<std::vector<IndexEntry>> footer_entries(const RecordingFile& file);

// The index of the recording in `bytes`. An error when they are not a recording of this version.
[[nodiscard]] Result<RecordingIndex> read_recording_index(std::span<const std::byte> bytes);

}  // namespace runahead::recordings
