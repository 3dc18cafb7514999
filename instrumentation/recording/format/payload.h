// Payloads: encodes rows and definitions of a Batch to the bytes of a block, and decodes them. Decoding
// trusts no value: it checks lengths, value ranges and order within the payload, and returns false for
// anything invalid. The reader checks whether ids are defined (recording_reader.cpp).
// Method: each field of the rows becomes a column (bytes.h); times are stored as gaps or differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/rows/column.h"

namespace runahead::recordings {
using namespace trace;

// Columns that a file has and this version does not know: the name of the row type, and the column's id.
using UnknownColumns = std::set<std::pair<std::string_view, std::uint64_t>>;
// The largest column id.
inline constexpr std::uint64_t kMaxColumnId = 1u << 16;

// A block holds at most this many rows, so that decoding a damaged block cannot take much memory.
inline constexpr std::size_t kMaxBlockRows = 1u << 18;
using trace::kMaxSizeBytes;
using trace::kMaxTimeNs;
// All depths are smaller than this. The limit is high, because each operation in flight may need its own lane
// of a queue's track.
inline constexpr std::uint32_t kMaxDepth = 1u << 20;

// The start of every payload of rows: enough to know whether a view needs the block.
struct RowSummary {
  TrackId track = kNoTrack;  // kNoTrack: rows of several tracks or lanes
  std::uint32_t depth = 0;
  std::uint64_t rows = 0;
  Timestamp first{}, last{};  // earliest begin, latest end
  friend bool operator==(const RowSummary&, const RowSummary&) = default;
};

struct LaneChunk {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::span<const Slice> rows;  // not empty
};
struct CounterChunk {
  TrackId track = kNoTrack;
  std::span<const CounterSample> rows;  // not empty
};

using Metadata = std::map<std::string, std::string>;
[[nodiscard]] std::string encode_metadata(const Metadata& metadata);
[[nodiscard]] std::string encode_strings(std::uint64_t first_id, std::span<const std::string> strings);
[[nodiscard]] std::string encode_tracks(std::span<const TrackInfo> tracks);
[[nodiscard]] std::string encode_args(std::uint64_t first_id, std::span<const ArgSet> sets);
[[nodiscard]] Payload encode_slices(std::span<const LaneChunk> lanes);
[[nodiscard]] Payload encode_counters(std::span<const CounterChunk> counters);
[[nodiscard]] Payload encode_instants(std::span<const Instant> instants);  // sorted by time
[[nodiscard]] Payload encode_ops(std::span<const OpRow> ops);
[[nodiscard]] Payload encode_flows(std::span<const Flow> flows);
[[nodiscard]] Payload encode_dependencies(std::span<const Dependency> dependencies);
[[nodiscard]] Payload encode_allocations(std::span<const Allocation> allocations);
// Turns a payload of rows of `kind` into a payload of repeated rows (kRowsAgain): rows that are in the file a
// second time.
[[nodiscard]] Payload rows_again(BlockKind kind, Payload rows);
[[nodiscard]] std::string encode_losses(const LossCounts& losses);
[[nodiscard]] std::string encode_open(std::span<const OpenSlice> slices, std::span<const OpRow> ops);
[[nodiscard]] std::string encode_commit(Timestamp watermark);

// Each function clears `out` (except metadata and losses, which are added to `out`). If the payload does not
// match its kind, the function returns false and leaves `out` unspecified. Extra bytes at the end are refused
// too.
[[nodiscard]] bool decode_metadata(std::string_view payload, Metadata& out);
[[nodiscard]] bool decode_strings(std::string_view payload, std::uint64_t& first_id,
                                  std::vector<std::string>& out);
[[nodiscard]] bool decode_tracks(std::string_view payload, std::vector<TrackInfo>& out);
[[nodiscard]] bool decode_args(std::string_view payload, std::uint64_t& first_id, std::vector<ArgSet>& out);
[[nodiscard]] bool decode_slices(std::string_view payload, std::vector<LaneRows>& out,
                                 UnknownColumns* unknown = nullptr);
[[nodiscard]] bool decode_counters(std::string_view payload, std::vector<CounterRows>& out,
                                   UnknownColumns* unknown = nullptr);
[[nodiscard]] bool decode_instants(std::string_view payload, std::vector<Instant>& out,
                                   UnknownColumns* unknown = nullptr);
[[nodiscard]] bool decode_ops(std::string_view payload, std::vector<OpRow>& out,
                              UnknownColumns* unknown = nullptr);
[[nodiscard]] bool decode_flows(std::string_view payload, std::vector<Flow>& out,
                                UnknownColumns* unknown = nullptr);
[[nodiscard]] bool decode_dependencies(std::string_view payload, std::vector<Dependency>& out,
                                       UnknownColumns* unknown = nullptr);
[[nodiscard]] bool decode_allocations(std::string_view payload, std::vector<Allocation>& out,
                                      UnknownColumns* unknown = nullptr);
// Losses with a cause that this version does not know are added to `unknown`.
[[nodiscard]] bool decode_losses(std::string_view payload, LossCounts& out, std::uint64_t& unknown);
[[nodiscard]] bool decode_open(std::string_view payload, std::vector<OpenSlice>& slices,
                               std::vector<OpRow>& ops, UnknownColumns* unknown = nullptr);
[[nodiscard]] bool decode_commit(std::string_view payload, Timestamp& watermark);
// The summary at the start of a payload of slices, counters, instants, ops, flows, dependencies or
// allocations.
[[nodiscard]] bool decode_summary(std::string_view payload, RowSummary& out);

}  // namespace runahead::recordings
