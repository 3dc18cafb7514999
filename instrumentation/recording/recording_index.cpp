#include "instrumentation/recording/recording_index.h"

#include <algorithm>
#include <optional>

#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/block_scanner.h"
#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/recording/recording.h"

namespace runahead::recordings {
using namespace trace;
namespace {

RecordingIndex index_from_blocks(std::string_view bytes) {
  RecordingIndex index;
  files::MemorySource source(bytes);
  BlockScanner scanner(source);
  BlockOpener opener;
  while (const std::optional<ScannedBlock> block = scanner.next()) {
    IndexEntry entry{block->offset, static_cast<BlockKind>(block->header.kind), {}};
    if (entry.kind == BlockKind::kFooter || !BlockOpener::can_decode(block->header.codec)) continue;
    const std::optional<std::string_view> payload = opener.open(block->header, block->stored);
    if (!payload || (has_summary(entry.kind) && !decode_summary(*payload, entry.rows))) continue;
    index.blocks.push_back(entry);
  }
  return index;
}

}  // namespace

bool has_summary(BlockKind kind) {
  switch (kind) {
    case BlockKind::kSlices:
    case BlockKind::kCounters:
    case BlockKind::kInstants:
    case BlockKind::kOps:
    case BlockKind::kFlows:
    case BlockKind::kDependencies:
    case BlockKind::kAllocations:
      return true;
    default:
      return false;
  }
}

bool is_for_opening(BlockKind kind) {
  return kind == BlockKind::kRowsAgain || kind == BlockKind::kDigest || kind == BlockKind::kChunks ||
         kind == BlockKind::kOpening || kind == BlockKind::kTableChunks;
}

std::string encode_footer(std::span<const IndexEntry> entries, std::uint64_t previous_footer) {
  ByteWriter out;
  out.varint(previous_footer);
  out.varint(entries.size());
  const auto column = [&](auto field) {
    std::vector<std::int64_t> values;
    values.reserve(entries.size());
    for (const IndexEntry& entry : entries) values.push_back(static_cast<std::int64_t>(field(entry)));
    return values;
  };
  out.column(column([](const IndexEntry& e) { return e.offset; }));
  out.column(column([](const IndexEntry& e) { return static_cast<std::uint8_t>(e.kind); }));
  out.column(column([](const IndexEntry& e) { return columns::code_of_optional_track(e.rows.track); }));
  out.column(column([](const IndexEntry& e) { return e.rows.depth; }));
  out.column(column([](const IndexEntry& e) { return e.rows.rows; }));
  out.column(column([](const IndexEntry& e) { return ns_from(e.rows.first); }));
  out.column(column([](const IndexEntry& e) { return ns_from(e.rows.last); }));
  return out.take();
}

bool decode_footer(std::string_view payload, std::vector<IndexEntry>& entries,
                   std::uint64_t& previous_footer) {
  ByteReader in(payload);
  previous_footer = in.varint();
  const std::uint64_t n = in.varint();
  // The number of entries, n, cannot exceed the number of bytes that are left. The offsets of entries differ,
  // so their column takes at least one byte per entry. Only the column of a single entry may be a kSame
  // column, which takes a few bytes.
  if (!in.ok() || n > kMaxBlockRows || n > in.left()) return false;
  entries.assign(static_cast<std::size_t>(n), {});
  std::vector<std::int64_t> values;
  const auto column = [&](std::int64_t high, auto set) {
    in.column(entries.size(), values);
    for (std::size_t i = 0; i < entries.size() && in.ok(); ++i) {
      if (values[i] < 0 || values[i] > high) return in.fail();
      set(entries[i], values[i]);
    }
  };
  const auto time_column = [&](auto set) {
    in.column(entries.size(), values);
    for (std::size_t i = 0; i < entries.size() && in.ok(); ++i) set(entries[i], timestamp_from_ns(values[i]));
  };
  column(INT64_MAX, [](IndexEntry& e, std::int64_t v) { e.offset = static_cast<std::uint64_t>(v); });
  column(255, [](IndexEntry& e, std::int64_t v) { e.kind = static_cast<BlockKind>(v); });
  column(kMaxId + 1, [](IndexEntry& e, std::int64_t v) { e.rows.track = *columns::optional_track_of(v); });
  column(kMaxDepth, [](IndexEntry& e, std::int64_t v) { e.rows.depth = static_cast<std::uint32_t>(v); });
  column(INT64_MAX, [](IndexEntry& e, std::int64_t v) { e.rows.rows = static_cast<std::uint64_t>(v); });
  time_column([](IndexEntry& e, Timestamp t) { e.rows.first = t; });
  time_column([](IndexEntry& e, Timestamp t) { e.rows.last = t; });
  return in.ok() && in.at_end();
}

std::string make_trailer(std::uint64_t footer_offset) {
  ByteWriter out;
  out.u64(footer_offset);
  out.raw(kEndMagic);
  return out.take();
}

std::optional<std::vector<IndexEntry>> footer_entries(const RecordingFile& file) {
  std::optional<std::uint64_t> offset = file.footer_offset();
  if (!offset) return {};
  std::vector<std::vector<IndexEntry>> parts;  // the entries of each footer, last footer first
  std::uint64_t before = file.size();
  while (*offset != 0) {
    // Each footer comes before the footer that refers to it, so a cycle means damage.
    const std::optional<WholeBlock> footer = *offset < before ? file.block(*offset) : std::nullopt;
    if (!footer || footer->kind != BlockKind::kFooter) return {};
    before = *offset;
    parts.emplace_back();
    if (!decode_footer(footer->payload, parts.back(), *offset)) return {};
  }
  std::vector<IndexEntry> entries;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    entries.insert(entries.end(), part->begin(), part->end());
  }
  return entries;
}

Result<RecordingIndex> read_recording_index(std::span<const std::byte> bytes) {
  const std::string_view chars(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const RecordingFile file(memory_bytes(std::string(chars)));
  if (!file.version_fits()) {
    return Error{"not a recording of version " + std::to_string(kRecordingVersion)};
  }
  if (auto entries = footer_entries(file)) return RecordingIndex{*std::move(entries), true};
  return index_from_blocks(chars);
}

}  // namespace runahead::recordings
