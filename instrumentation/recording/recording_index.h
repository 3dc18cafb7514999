// The index of a recording: the place of each block and the rows in it. The index is in the footer. If the
// footer is missing (a cut-off recording) or damaged, the index is rebuilt from the summaries of all whole
// (undamaged) blocks.
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
  std::uint64_t offset = 0;  // offset of the block's header in the file
  BlockKind kind = BlockKind::kMetadata;
  RowSummary rows;  // for blocks without a summary: no track, no times, rows 0
  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

struct RecordingIndex {
  std::vector<IndexEntry> blocks;  // in file order, without footers
  bool from_footer = false;
};

// A footer has the entries of the blocks since the previous footer (at most kMaxBlockRows), and the offset of
// the previous footer; 0: there is no previous footer.
[[nodiscard]] std::string encode_footer(std::span<const IndexEntry> entries, std::uint64_t previous_footer);
[[nodiscard]] bool decode_footer(std::string_view payload, std::vector<IndexEntry>& entries,
                                 std::uint64_t& previous_footer);
[[nodiscard]] std::string make_trailer(std::uint64_t footer_offset);
// True if blocks of `kind` have rows and so begin with a summary.
[[nodiscard]] bool has_summary(BlockKind kind);
// True if a reader that reads everything in order skips blocks of this kind.
[[nodiscard]] bool is_for_opening(BlockKind kind);

// Returns all entries of the footers; nullopt: there is no footer, or a footer is damaged.
[[nodiscard]] std::optional<std::vector<IndexEntry>> footer_entries(const RecordingFile& file);

// The index of the recording in `bytes`. Error: `bytes` are not a recording of this version.
[[nodiscard]] Result<RecordingIndex> read_recording_index(std::span<const std::byte> bytes);

}  // namespace runahead::recordings
