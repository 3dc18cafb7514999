#include "instrumentation/trace/io/slice_sealer.h"

#include <algorithm>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/io/payload.h"

namespace runahead::trace::io {
namespace {

// Index entries are written once there are so many: 0.4 MiB that a recording without end keeps at most.
constexpr std::size_t kUnwrittenPieces = 4096;
// Beyond this there are too many lanes to keep the rows of: 2,000 that are half full.
constexpr std::size_t kMostKeptBytes = 128u << 20;

std::uint64_t lane_key(const LaneChunk& of) {
  return static_cast<std::uint64_t>(raw(of.track)) << 32 | of.depth;
}

}  // namespace

SliceSealer::Lane& SliceSealer::lane(const LaneChunk& of) {
  const auto [place, is_new] = places_.try_emplace(lane_key(of), lanes_.size());
  if (is_new) {
    lanes_.emplace_back();
    lanes_.back().unwritten.track = of.track;
    lanes_.back().unwritten.depth = of.depth;
  }
  return lanes_[place->second];
}

std::size_t SliceSealer::missing(const LaneChunk& of) const {
  const auto place = places_.find(lane_key(of));
  if (place == places_.end()) return 0;
  const std::size_t pending = lanes_[place->second].pending.size();
  return pending == 0 ? 0 : kBlockRows - pending;
}

void SliceSealer::add_loose(const LaneChunk& chunk, const EmitBlock& emit) {
  if (abandoned_ || chunk.rows.empty()) return;
  Lane& to = lane(chunk);
  to.pending.insert(to.pending.end(), chunk.rows.begin(), chunk.rows.end());
  RUNAHEAD_CHECK_OP(to.pending.size(), <=, kBlockRows);
  pending_rows_ += chunk.rows.size();
  if (to.pending.size() == kBlockRows) {
    const LaneChunk whole{chunk.track, chunk.depth, to.pending};
    const Payload again = rows_again(BlockKind::kSlices, encode_slices(std::span(&whole, 1)));
    add_piece(to, to.pending, emit(BlockKind::kRowsAgain, again), 0, emit);
    pending_rows_ -= kBlockRows;
    to.pending.clear();
  }
  keep_within_limit();
}

void SliceSealer::add_block(const LaneChunk& chunk, std::uint64_t offset, const EmitBlock& emit) {
  if (abandoned_) return;
  Lane& to = lane(chunk);
  RUNAHEAD_CHECK(to.pending.empty() && chunk.rows.size() % kBlockRows == 0);
  for (std::size_t at = 0; at < chunk.rows.size(); at += kBlockRows) {
    add_piece(to, chunk.rows.subspan(at, kBlockRows), offset, at, emit);
  }
  keep_within_limit();
}

void SliceSealer::add_piece(Lane& lane, std::span<const Slice> rows, std::uint64_t offset,
                            std::uint64_t first_row, const EmitBlock& emit) {
  std::int64_t busy_ns = 0;
  for (std::size_t at = 0; at < rows.size(); at += kCellRows) {
    lane.cells.push_back(cell_of(rows.subspan(at, kCellRows)));
    busy_ns += lane.cells.back().busy_ns;
  }
  cells_ += kCellsPerBlock;
  lane.unwritten.pieces.push_back({offset, first_row, busy_ns, summary_of(rows)});
  if (lane.cells.size() == kDigestBlocks * kCellsPerBlock) write_digest(lane, emit);
  if (++unwritten_ == kUnwrittenPieces) write_pieces(emit);
}

void SliceSealer::write_digest(Lane& lane, const EmitBlock& emit) {
  if (lane.cells.empty()) return;
  lane.unwritten.digests.push_back(emit(BlockKind::kDigest, encode_digest(lane.cells)));
  cells_ -= lane.cells.size();
  lane.cells.clear();
}

void SliceSealer::write_pieces(const EmitBlock& emit) {
  std::vector<LanePieces> written;
  for (Lane& lane : lanes_) {
    LanePieces& own = lane.unwritten;
    if (own.pieces.empty() && own.digests.empty()) continue;
    written.push_back({own.track, own.depth, std::move(own.pieces), std::move(own.digests)});
    own.pieces.clear();
    own.digests.clear();
  }
  if (!written.empty()) written_.push_back(emit(BlockKind::kPieces, encode_pieces(written)));
  unwritten_ = 0;
}

void SliceSealer::write_tails(const EmitBlock& emit, Opening& opening) {
  TailWriter<LaneChunk> tails(BlockKind::kSlices, encode_slices, emit, opening);
  for (const Lane& lane : lanes_) tails.add({lane.unwritten.track, lane.unwritten.depth, lane.pending});
  tails.finish();
}

bool SliceSealer::finish(const EmitBlock& emit, Opening& opening) {
  if (abandoned_) return false;
  for (Lane& lane : lanes_) write_digest(lane, emit);
  write_pieces(emit);
  write_tails(emit, opening);
  opening.pieces = std::move(written_);
  abandon();
  return true;
}

void SliceSealer::keep_within_limit() {
  if (pending_rows_ * sizeof(Slice) + cells_ * sizeof(SliceCell) > kMostKeptBytes) abandon();
}

void SliceSealer::abandon() {
  abandoned_ = true;
  places_.clear();
  lanes_.clear();
  pending_rows_ = cells_ = unwritten_ = 0;
}

}  // namespace runahead::trace::io
