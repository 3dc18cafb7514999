// Opens a recording by its index: reads the definitions, the summaries of the chunks, and the tails (the last
// rows of a lane, a counter or a table, which do not fill a chunk). The rows of the chunks stay in the file
// until they are needed.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "instrumentation/files/byte_source.h"
#include "instrumentation/recording/block_scanner.h"
#include "instrumentation/recording/file_store.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_assembler.h"
#include "instrumentation/recording/recording_index.h"

namespace runahead::recordings {
using namespace trace;
namespace {

// A chunk takes at least this many bytes of a file, so the file size limits the number of chunks. The reason:
// each row of a chunk takes at least 1 byte before compression, and the decoded size of a file is limited to
// about 64 times the file size (raw_bytes_allowed).
constexpr std::uint64_t kLeastChunkBytes = kBlockRows / 64;
constexpr std::uint64_t kMostPiecesOfSmallFile = (std::uint64_t{16} << 20) / kBlockRows;
// Progress is reported each time that this number of bytes was read.
constexpr std::uint64_t kTellEveryBytes = 1u << 20;

// Returns the damaged bytes of the recording, in order. Empty if the file is not checked, because it is
// larger than options.check_bytes or will be read in order. nullopt: `progress` cancelled.
std::optional<std::vector<ByteRange>> damage_of(files::ByteSource& source, const OpenOptions& options,
                                                const Progress& progress) {
  if (source.size() > options.check_bytes || !recordings_supported()) return std::vector<ByteRange>();
  // A file without a trailer will be read in order. Reading in order checks every block, so no check is
  // needed here.
  if (source.size() < kTrailerBytes) return std::vector<ByteRange>();
  if (!source.view(source.size() - kTrailerBytes, kTrailerBytes).ends_with(kEndMagic))
    return std::vector<ByteRange>();
  BlockScanner scanner(source);
  std::uint64_t reported = 0;
  while (const std::optional<ScannedBlock> block = scanner.next()) {
    if (!progress || block->end - reported < kTellEveryBytes) continue;
    reported = block->end;
    if (!progress(static_cast<double>(reported) / static_cast<double>(source.size()))) return std::nullopt;
  }
  return scanner.damaged();
}

// Opens a recording by its index. If any step fails, the recording is read in order instead, and no data is
// lost. A file has most rows twice: in the blocks in which they arrived, and in chunks and tails. If the
// check found damage and the chunks or tails of a kind are incomplete, the rows of this kind are taken from
// the undamaged blocks in which they arrived.
class Opener {
 public:
  // `damage`: the result of damage_of().
  Opener(std::unique_ptr<FileBytes> bytes, const OpenOptions& options, std::vector<ByteRange> damage)
      : for_store_(std::make_unique<RecordingFile>(std::move(bytes))),
        file_(*for_store_),
        options_(options),
        damage_(std::move(damage)) {}

  std::optional<Trace> open();

 private:
  [[nodiscard]] std::optional<WholeBlock> block(std::uint64_t offset, BlockKind kind);
  [[nodiscard]] bool read_entries();
  [[nodiscard]] bool read_in_order();
  [[nodiscard]] bool read_chunks();
  [[nodiscard]] bool add_chunks(LaneChunks&& chunks);
  [[nodiscard]] bool count_chunks(std::size_t more);
  [[nodiscard]] bool read_tables();
  [[nodiscard]] bool adopt_tables();
  [[nodiscard]] bool adopt_lanes();
  [[nodiscard]] bool read_tails();
  [[nodiscard]] bool add_tails();
  [[nodiscard]] bool damaged(std::uint64_t block_offset) const;
  void leave_out_incomplete_kinds();
  // rows_of_entries(): the number of rows of the kind in the file, from the footers. rows_by_index(): how
  // many of these rows the chunks and tails contain.
  [[nodiscard]] std::uint64_t rows_of_entries(BlockKind kind) const;
  [[nodiscard]] std::uint64_t rows_by_index(BlockKind kind) const;
  [[nodiscard]] bool add_rows_in_order();

  std::unique_ptr<RecordingFile> for_store_;  // passed on to the store at the end
  const RecordingFile& file_;
  const OpenOptions options_;
  const std::vector<ByteRange> damage_;
  std::vector<IndexEntry> entries_;
  Opening opening_;
  RecordingAssembler assembler_;
  std::map<std::pair<TrackId, std::uint32_t>, LaneChunks> lanes_;
  std::map<std::pair<BlockKind, TrackId>, TableChunks> tables_;  // key: kind and counter
  std::set<BlockKind> incomplete_;                               // kinds whose chunks or tails are damaged
  std::uint64_t chunks_ = 0;                                     // number of chunks of lanes and tables
  std::uint64_t raw_bytes_ = 0;
  std::vector<WholeBlock> tails_;
  std::shared_ptr<FileStore> store_;
};

bool Opener::damaged(std::uint64_t block_offset) const {
  const auto after = std::ranges::upper_bound(damage_, block_offset, {}, &ByteRange::begin);
  return after != damage_.begin() && block_offset < std::prev(after)->end;
}

std::optional<WholeBlock> Opener::block(std::uint64_t offset, BlockKind kind) {
  std::optional<WholeBlock> block = file_.block(offset);
  if (!block || block->kind != kind) return {};
  raw_bytes_ += block->payload.size();
  if (raw_bytes_ > raw_bytes_allowed(file_.size())) return {};
  return block;
}

bool Opener::read_entries() {
  if (!file_.version_fits()) return false;
  std::optional<std::vector<IndexEntry>> entries = footer_entries(file_);
  if (!entries || entries->empty() || entries->back().kind != BlockKind::kOpening) return false;
  entries_ = *std::move(entries);
  const auto in_order = [](const IndexEntry& a, const IndexEntry& b) { return a.offset >= b.offset; };
  if (std::adjacent_find(entries_.begin(), entries_.end(), in_order) != entries_.end()) return false;
  const std::optional<WholeBlock> last = block(entries_.back().offset, BlockKind::kOpening);
  return last && decode_opening(last->payload, opening_);
}

// True if rows of this kind are in chunks, or the kind is an index of chunks.
bool in_chunks(BlockKind kind, const Opening& opening) {
  switch (kind) {
    case BlockKind::kCounters:
      return opening.has_counters;
    case BlockKind::kInstants:
      return opening.has_instants;
    case BlockKind::kSlices:
    case BlockKind::kOps:
    case BlockKind::kFlows:
    case BlockKind::kDependencies:
    case BlockKind::kAllocations:
    case BlockKind::kTableChunks:
    case BlockKind::kRowsAgain:
    case BlockKind::kDigest:
    case BlockKind::kChunks:
    case BlockKind::kOpening:
      return true;
    default:
      return false;
  }
}

// Reads everything that is not in chunks. Each list of open rows and each commit replaces the previous one:
// only the last list and the last commit are read.
bool Opener::read_in_order() {
  std::array<const IndexEntry*, 2> last{};
  for (const IndexEntry& entry : entries_) {
    if (in_chunks(entry.kind, opening_)) continue;
    if (damaged(entry.offset) && !is_definition(entry.kind)) continue;
    if (entry.kind == BlockKind::kOpen || entry.kind == BlockKind::kCommit) {
      last[entry.kind == BlockKind::kOpen ? 0 : 1] = &entry;
      continue;
    }
    const std::optional<WholeBlock> whole = block(entry.offset, entry.kind);
    if (!whole) return false;
    assembler_.add(entry.kind, whole->payload, whole->end);
  }
  for (const IndexEntry* entry : last) {
    if (entry == nullptr) continue;
    const std::optional<WholeBlock> whole = block(entry->offset, entry->kind);
    if (!whole) return false;
    assembler_.add(entry->kind, whole->payload, whole->end);
  }
  return true;
}

bool Opener::add_rows_in_order() {
  for (const IndexEntry& entry : entries_) {
    if (!incomplete_.contains(entry.kind) || damaged(entry.offset)) continue;
    const std::optional<WholeBlock> whole = block(entry.offset, entry.kind);
    if (!whole) return false;
    assembler_.add(entry.kind, whole->payload, whole->end);
  }
  return true;
}

std::uint64_t Opener::rows_of_entries(BlockKind kind) const {
  std::uint64_t rows = 0;
  for (const IndexEntry& entry : entries_) rows += entry.kind == kind ? entry.rows.rows : 0;
  return rows;
}

std::uint64_t Opener::rows_by_index(BlockKind kind) const {
  std::uint64_t chunks = 0, rows = 0;
  if (kind == BlockKind::kSlices) {
    for (const auto& [name, lane] : lanes_) chunks += lane.chunks.size();
  }
  for (const auto& [name, table] : tables_) chunks += table.kind == kind ? table.chunks.size() : 0;
  for (const WholeBlock& tail : tails_) {
    RowSummary summary;
    const bool of_kind = static_cast<BlockKind>(tail.payload.front()) == kind;
    if (of_kind && decode_summary(std::string_view(tail.payload).substr(1), summary)) rows += summary.rows;
  }
  return chunks * kBlockRows + rows;
}

// Finds the incomplete kinds, and removes their chunks and tails. A damaged block of tails does not state the
// kind of its rows, so the numbers of rows are compared: if rows of a kind are missing, the kind is
// incomplete.
void Opener::leave_out_incomplete_kinds() {
  if (damage_.empty()) return;
  for (const BlockKind kind :
       {BlockKind::kSlices, BlockKind::kCounters, BlockKind::kInstants, BlockKind::kOps, BlockKind::kFlows,
        BlockKind::kDependencies, BlockKind::kAllocations}) {
    if (in_chunks(kind, opening_) && rows_by_index(kind) != rows_of_entries(kind)) incomplete_.insert(kind);
  }
  if (incomplete_.contains(BlockKind::kSlices)) lanes_.clear();
  std::erase_if(tables_, [this](const auto& table) { return incomplete_.contains(table.second.kind); });
  std::erase_if(tails_, [this](const WholeBlock& tail) {
    return incomplete_.contains(static_cast<BlockKind>(tail.payload.front()));
  });
}

bool Opener::count_chunks(std::size_t more) {
  chunks_ += more;
  return chunks_ <= kMostPiecesOfSmallFile + file_.size() / kLeastChunkBytes;
}

bool Opener::add_chunks(LaneChunks&& chunks) {
  if (!count_chunks(chunks.chunks.size())) return false;
  LaneChunks& lane = lanes_[{chunks.track, chunks.depth}];
  lane.track = chunks.track;
  lane.depth = chunks.depth;
  std::uint64_t busy_ns = 0;
  if (!lane.chunks.empty()) {
    const SliceChunk& before = lane.chunks.back();
    if (!chunks.chunks.empty() && chunks.chunks.front().summary.begin < before.summary.end) return false;
    busy_ns = static_cast<std::uint64_t>(before.summary.busy_before_ns + before.busy_ns);
  }
  for (SliceChunk& chunk : chunks.chunks) {
    if (damaged(chunk.block_offset)) incomplete_.insert(BlockKind::kSlices);
    chunk.summary.busy_before_ns = static_cast<std::int64_t>(busy_ns);
    busy_ns += static_cast<std::uint64_t>(chunk.busy_ns);  // modulo 2^64
  }
  lane.chunks.insert(lane.chunks.end(), chunks.chunks.begin(), chunks.chunks.end());
  lane.lods.insert(lane.lods.end(), chunks.lods.begin(), chunks.lods.end());
  return true;
}

bool Opener::read_chunks() {
  std::vector<LaneChunks> lanes;
  for (const std::uint64_t offset : opening_.chunks) {
    if (damaged(offset)) {
      incomplete_.insert(BlockKind::kSlices);
      return true;
    }
    const std::optional<WholeBlock> whole = block(offset, BlockKind::kChunks);
    if (!whole || !decode_chunks(whole->payload, lanes)) return false;
    for (LaneChunks& lane : lanes) {
      if (!add_chunks(std::move(lane))) return false;
    }
  }
  return true;
}

bool Opener::read_tables() {
  for (const std::uint64_t offset : opening_.tables) {
    if (damaged(offset)) continue;
    const std::optional<WholeBlock> whole = block(offset, BlockKind::kTableChunks);
    TableChunks more;
    if (!whole || !decode_table_chunks(whole->payload, more) || !count_chunks(more.chunks.size()))
      return false;
    if (more.chunks.empty() || !in_chunks(more.kind, opening_)) return false;
    const auto lost = [this](const TableChunk& chunk) { return damaged(chunk.block_offset); };
    if (std::ranges::any_of(more.chunks, lost)) incomplete_.insert(more.kind);
    TableChunks& table = tables_[{more.kind, more.counter}];
    table.kind = more.kind;
    table.counter = more.counter;
    table.chunks.insert(table.chunks.end(), more.chunks.begin(), more.chunks.end());
  }
  return true;
}

bool Opener::adopt_tables() {
  for (const auto& [name, table] : tables_) {
    const auto& [kind, counter] = name;
    if (kind == BlockKind::kCounters && !assembler_.adopt(counter, store_->blocks<CounterBlock>(counter)))
      return false;
  }
  return assembler_.adopt(StoredTables{.ops = store_->blocks<OpBlock>(),
                                       .flows = store_->blocks<FlowBlock>(),
                                       .dependencies = store_->blocks<DependencyBlock>(),
                                       .allocations = store_->blocks<AllocationBlock>(),
                                       .instants = store_->blocks<InstantBlock>()});
}

bool Opener::adopt_lanes() {
  std::vector<std::vector<SliceBlock::Summary>> summaries;
  std::vector<std::pair<TrackId, std::uint32_t>> names;
  std::vector<Duration> busy;
  for (auto& [name, lane] : lanes_) {
    if (lane.chunks.empty() || lane.lods.size() != FileStore::lods_of(lane.chunks.size())) return false;
    names.push_back(name);
    const SliceChunk& last = lane.chunks.back();
    busy.emplace_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(last.summary.busy_before_ns) +
                                                static_cast<std::uint64_t>(last.busy_ns)));
    summaries.emplace_back();
    summaries.back().reserve(lane.chunks.size());
    for (const SliceChunk& chunk : lane.chunks) {
      if (raw(chunk.summary.longest.name) >= assembler_.string_count()) return false;
      summaries.back().push_back(chunk.summary);
    }
    store_->add_lane(std::move(lane));
  }
  store_->ready({assembler_.string_count(), assembler_.args_count(), assembler_.track_count()});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [track, depth] = names[i];
    if (!assembler_.adopt(track, depth, store_->source(i), summaries[i], busy[i])) return false;
  }
  return true;
}

bool Opener::read_tails() {
  for (const std::uint64_t offset : opening_.tails) {
    if (damaged(offset)) continue;
    std::optional<WholeBlock> whole = block(offset, BlockKind::kRowsAgain);
    if (!whole || whole->payload.empty()) return false;
    tails_.push_back(*std::move(whole));
  }
  return true;
}

bool Opener::add_tails() {
  for (const WholeBlock& tail : tails_) {
    const auto kind = static_cast<BlockKind>(tail.payload.front());
    if ((kind != BlockKind::kSlices && fact_count(kind) == 0) || !in_chunks(kind, opening_)) return false;
    assembler_.add(kind, std::string_view(tail.payload).substr(1), tail.end);
  }
  return true;
}

std::optional<Trace> Opener::open() {
  if (!read_entries() || !read_chunks() || !read_tables() || !read_tails() || !read_in_order()) return {};
  leave_out_incomplete_kinds();
  store_ = std::make_shared<FileStore>(std::move(for_store_), options_.memory_bytes);
  // The store takes the chunks of the tables. The keys of tables_ stay here for adopt_tables().
  for (auto& [name, table] : tables_) store_->add_table(std::move(table));
  if (!adopt_lanes() || !adopt_tables() || !add_rows_in_order() || !add_tails()) return {};
  if (assembler_.refused() > 0) return {};
  Trace trace = assembler_.finish(true);
  trace.set_store(store_);
  for (const ByteRange& range : damage_) trace.add_loss(LossCause::kFileDamaged, range.end - range.begin);
  trace.set_metadata("format", "runahead " + std::to_string(kRecordingVersion));
  trace.set_metadata("recording.ended", "yes");
  return trace;
}

}  // namespace

Result<Trace> open_recording(const std::filesystem::path& path, const Progress& progress,
                             const OpenOptions& options) {
  Result<std::unique_ptr<FileBytes>> bytes = open_file_bytes(path);
  if (!bytes) return bytes.error();
  const Result<std::unique_ptr<files::FileSource>> source = files::FileSource::open("recording", path);
  if (!source) return source.error();
  std::optional<std::vector<ByteRange>> damage = damage_of(**source, options, progress);
  if (!damage) return file_error("recording", path, "loading was cancelled");
  if (std::optional<Trace> trace = Opener(std::move(bytes).value(), options, *std::move(damage)).open()) {
    return *std::move(trace);
  }
  return load_recording(path, progress);
}

Result<Trace> open_recording_bytes(std::string bytes, const OpenOptions& options, const std::string& name) {
  files::MemorySource source(bytes);
  std::vector<ByteRange> damage = *damage_of(source, options, {});
  if (std::optional<Trace> trace = Opener(memory_bytes(bytes), options, std::move(damage)).open()) {
    return *std::move(trace);
  }
  return read_recording(std::as_bytes(std::span(bytes)), name);
}

}  // namespace runahead::recordings
