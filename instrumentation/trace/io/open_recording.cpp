// Opening a recording by its index: definitions, pieces' summaries and the last rows are read, the rest stays
// in the file.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "instrumentation/trace/io/file_store.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/io/recording_assembler.h"
#include "instrumentation/trace/io/recording_index.h"

namespace runahead::trace::io {
namespace {

// A piece takes at least so many bytes of a file: its rows take 1 each before compression, and a file may
// hold no more than 64 times its bytes (raw_bytes_allowed).
constexpr std::uint64_t kLeastPieceBytes = kBlockRows / 64;
constexpr std::uint64_t kMostPiecesOfSmallFile = (std::uint64_t{16} << 20) / kBlockRows;

// Any step that fails leaves the recording to be read in order: nothing has been lost then.
class Opener {
 public:
  Opener(std::unique_ptr<FileBytes> bytes, const OpenOptions& options)
      : file_(std::make_unique<RecordingFile>(std::move(bytes))), options_(options) {}

  std::optional<Trace> open();

 private:
  [[nodiscard]] std::optional<WholeBlock> block(std::uint64_t offset, BlockKind kind);
  [[nodiscard]] bool read_entries();
  [[nodiscard]] bool read_in_order();
  [[nodiscard]] bool read_pieces();
  [[nodiscard]] bool add_pieces(LanePieces&& pieces);
  [[nodiscard]] bool count_pieces(std::size_t more);
  [[nodiscard]] bool read_tables();
  [[nodiscard]] bool adopt_tables();
  [[nodiscard]] bool adopt_lanes();
  [[nodiscard]] bool read_tails();
  [[nodiscard]] bool add_tails();

  std::unique_ptr<RecordingFile> file_;
  const OpenOptions options_;
  std::vector<IndexEntry> entries_;
  Opening opening_;
  RecordingAssembler assembler_;
  std::map<std::pair<TrackId, std::uint32_t>, LanePieces> lanes_;
  std::map<std::pair<BlockKind, TrackId>, TablePieces> tables_;  // by kind and counter
  std::uint64_t pieces_ = 0;                                     // of lanes and tables
  std::uint64_t raw_bytes_ = 0;
  std::vector<WholeBlock> tails_;
  std::shared_ptr<FileStore> store_;
};

std::optional<WholeBlock> Opener::block(std::uint64_t offset, BlockKind kind) {
  std::optional<WholeBlock> block = file_->block(offset);
  if (!block || block->kind != kind) return {};
  raw_bytes_ += block->payload.size();
  if (raw_bytes_ > raw_bytes_allowed(file_->size())) return {};
  return block;
}

bool Opener::read_entries() {
  if (!file_->version_fits()) return false;
  std::optional<std::vector<IndexEntry>> entries = footer_entries(*file_);
  if (!entries || entries->empty() || entries->back().kind != BlockKind::kOpening) return false;
  entries_ = *std::move(entries);
  const auto in_order = [](const IndexEntry& a, const IndexEntry& b) { return a.offset >= b.offset; };
  if (std::adjacent_find(entries_.begin(), entries_.end(), in_order) != entries_.end()) return false;
  const std::optional<WholeBlock> last = block(entries_.back().offset, BlockKind::kOpening);
  return last && decode_opening(last->payload, opening_);
}

// What is in pieces, or says where they are.
bool in_pieces(BlockKind kind, const Opening& opening) {
  switch (kind) {
    case BlockKind::kCounters:
      return opening.has_counters;
    case BlockKind::kInstants:
      return opening.has_instants;
    case BlockKind::kSlices:
    case BlockKind::kOps:
    case BlockKind::kFlows:
    case BlockKind::kDependencies:
    case BlockKind::kHoldings:
    case BlockKind::kTablePieces:
    case BlockKind::kRowsAgain:
    case BlockKind::kDigest:
    case BlockKind::kPieces:
    case BlockKind::kOpening:
      return true;
    default:
      return false;
  }
}

// Everything but what comes in pieces, and of the lists that each replace the one before only the last.
bool Opener::read_in_order() {
  std::array<const IndexEntry*, 2> last{};
  for (const IndexEntry& entry : entries_) {
    if (in_pieces(entry.kind, opening_)) continue;
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

bool Opener::count_pieces(std::size_t more) {
  pieces_ += more;
  return pieces_ <= kMostPiecesOfSmallFile + file_->size() / kLeastPieceBytes;
}

bool Opener::add_pieces(LanePieces&& pieces) {
  if (!count_pieces(pieces.pieces.size())) return false;
  LanePieces& lane = lanes_[{pieces.track, pieces.depth}];
  lane.track = pieces.track;
  lane.depth = pieces.depth;
  std::uint64_t busy_ns = 0;
  if (!lane.pieces.empty()) {
    const SlicePiece& before = lane.pieces.back();
    if (!pieces.pieces.empty() && pieces.pieces.front().summary.begin < before.summary.end) return false;
    busy_ns = static_cast<std::uint64_t>(before.summary.busy_before_ns + before.busy_ns);
  }
  for (SlicePiece& piece : pieces.pieces) {
    piece.summary.busy_before_ns = static_cast<std::int64_t>(busy_ns);
    busy_ns += static_cast<std::uint64_t>(piece.busy_ns);  // modulo 2^64
  }
  lane.pieces.insert(lane.pieces.end(), pieces.pieces.begin(), pieces.pieces.end());
  lane.digests.insert(lane.digests.end(), pieces.digests.begin(), pieces.digests.end());
  return true;
}

bool Opener::read_pieces() {
  std::vector<LanePieces> lanes;
  for (const std::uint64_t offset : opening_.pieces) {
    const std::optional<WholeBlock> whole = block(offset, BlockKind::kPieces);
    if (!whole || !decode_pieces(whole->payload, lanes)) return false;
    for (LanePieces& lane : lanes) {
      if (!add_pieces(std::move(lane))) return false;
    }
  }
  return true;
}

bool Opener::read_tables() {
  for (const std::uint64_t offset : opening_.tables) {
    const std::optional<WholeBlock> whole = block(offset, BlockKind::kTablePieces);
    TablePieces more;
    if (!whole || !decode_table_pieces(whole->payload, more) || !count_pieces(more.pieces.size()))
      return false;
    if (more.pieces.empty() || !in_pieces(more.kind, opening_)) return false;
    TablePieces& table = tables_[{more.kind, more.counter}];
    table.kind = more.kind;
    table.counter = more.counter;
    table.pieces.insert(table.pieces.end(), more.pieces.begin(), more.pieces.end());
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
                                       .holdings = store_->blocks<HoldingBlock>(),
                                       .instants = store_->blocks<InstantBlock>()});
}

bool Opener::adopt_lanes() {
  std::vector<std::vector<SliceBlock::Summary>> summaries;
  std::vector<std::pair<TrackId, std::uint32_t>> names;
  std::vector<Duration> busy;
  for (auto& [name, lane] : lanes_) {
    if (lane.pieces.empty() || lane.digests.size() != FileStore::digests_of(lane.pieces.size())) return false;
    names.push_back(name);
    const SlicePiece& last = lane.pieces.back();
    busy.emplace_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(last.summary.busy_before_ns) +
                                                static_cast<std::uint64_t>(last.busy_ns)));
    summaries.emplace_back();
    summaries.back().reserve(lane.pieces.size());
    for (const SlicePiece& piece : lane.pieces) {
      if (raw(piece.summary.longest.name) >= assembler_.string_count()) return false;
      summaries.back().push_back(piece.summary);
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
    std::optional<WholeBlock> whole = block(offset, BlockKind::kRowsAgain);
    if (!whole || whole->payload.empty()) return false;
    tails_.push_back(*std::move(whole));
  }
  return true;
}

bool Opener::add_tails() {
  for (const WholeBlock& tail : tails_) {
    const auto kind = static_cast<BlockKind>(tail.payload.front());
    if ((kind != BlockKind::kSlices && fact_count(kind) == 0) || !in_pieces(kind, opening_)) return false;
    assembler_.add(kind, std::string_view(tail.payload).substr(1), tail.end);
  }
  return true;
}

std::optional<Trace> Opener::open() {
  if (!read_entries() || !read_in_order() || !read_pieces() || !read_tables() || !read_tails()) return {};
  store_ = std::make_shared<FileStore>(std::move(file_), options_.memory_bytes);
  // The names stay, the pieces are the store's.
  for (auto& [name, table] : tables_) store_->add_table(std::move(table));
  if (!adopt_lanes() || !adopt_tables() || !add_tails()) return {};
  if (assembler_.refused() > 0) return {};
  Trace trace = assembler_.finish(true);
  trace.set_store(store_);
  return trace;
}

Result<Trace> finish_opening(Trace trace) {
  trace.set_metadata("format", "runahead " + std::to_string(kRecordingVersion));
  trace.set_metadata("recording.ended", "yes");
  return trace;
}

}  // namespace

Result<Trace> open_recording(const std::filesystem::path& path, const Progress& progress,
                             const OpenOptions& options) {
  Result<std::unique_ptr<FileBytes>> bytes = open_file_bytes(path);
  if (!bytes) return bytes.error();
  if (std::optional<Trace> trace = Opener(std::move(bytes).value(), options).open()) {
    return finish_opening(*std::move(trace));
  }
  return load_recording(path, progress);
}

Result<Trace> open_recording_bytes(std::string bytes, const OpenOptions& options, const std::string& name) {
  if (std::optional<Trace> trace = Opener(memory_bytes(bytes), options).open()) {
    return finish_opening(*std::move(trace));
  }
  return read_recording(std::as_bytes(std::span(bytes)), name);
}

}  // namespace runahead::trace::io
