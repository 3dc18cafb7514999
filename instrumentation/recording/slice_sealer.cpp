#include "instrumentation/recording/slice_sealer.h"

#include <algorithm>

#include "instrumentation/base/check.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::recordings {
using namespace trace;
namespace {

// The index entries of chunks are written when this many entries are in memory. Therefore at most 0.4 MiB of
// entries are in memory, however long the recording is.
constexpr std::size_t kUnwrittenChunks = 4096;

}  // namespace

SliceSealer::Lane& SliceSealer::lane(const LaneChunk& of) {
  const auto [place, is_new] = places_.try_emplace(LaneRunFormat::key(of), lanes_.size());
  if (is_new) {
    lanes_.emplace_back();
    lanes_.back().unwritten.track = of.track;
    lanes_.back().unwritten.depth = of.depth;
  }
  return lanes_[place->second];
}

std::size_t SliceSealer::missing(const LaneChunk& of) const {
  const auto place = places_.find(LaneRunFormat::key(of));
  if (place == places_.end()) return 0;
  const std::size_t pending = lanes_[place->second].pending.size();
  return pending == 0 ? 0 : kBlockRows - pending;
}

void SliceSealer::add_loose(const LaneChunk& chunk, const EmitBlock& emit) {
  if (abandoned_ || chunk.rows.empty()) return;
  if (aside_.holds(chunk)) {
    aside_.add(chunk);
    return keep_within_limit(emit);
  }
  Lane& to = lane(chunk);
  to.rows += chunk.rows.size();
  pending_rows_ -= to.pending.capacity();
  append_to_chunk(chunk.rows, to.pending);
  RUNAHEAD_CHECK_OP(to.pending.size(), <=, kBlockRows);
  if (to.pending.size() == kBlockRows) {
    const LaneChunk whole{chunk.track, chunk.depth, to.pending};
    const Payload again = rows_again(BlockKind::kSlices, encode_slices(std::span(&whole, 1)));
    add_chunk(to, to.pending, emit(BlockKind::kRowsAgain, again), 0, emit);
    to.pending = std::vector<Slice>();  // also frees the memory: the lane may get no more rows
  }
  pending_rows_ += to.pending.capacity();
  keep_within_limit(emit);
}

void SliceSealer::add_block(const LaneChunk& chunk, std::uint64_t offset, const EmitBlock& emit) {
  if (abandoned_) return;
  if (aside_.holds(chunk)) {  // later chunks of this lane are made from the rows set aside
    aside_.add(chunk);
    return keep_within_limit(emit);
  }
  Lane& to = lane(chunk);
  to.rows += chunk.rows.size();
  RUNAHEAD_CHECK(to.pending.empty() && chunk.rows.size() % kBlockRows == 0);
  for (std::size_t at = 0; at < chunk.rows.size(); at += kBlockRows) {
    add_chunk(to, chunk.rows.subspan(at, kBlockRows), offset, at, emit);
  }
  keep_within_limit(emit);
}

void SliceSealer::add_chunk(Lane& lane, std::span<const Slice> rows, std::uint64_t offset,
                            std::uint64_t first_row, const EmitBlock& emit) {
  std::int64_t busy_ns = 0;
  for (std::size_t at = 0; at < rows.size(); at += kLodBinRows) {
    lane.bins.push_back(bin_of(rows.subspan(at, kLodBinRows)));
    busy_ns += lane.bins.back().busy_ns;
  }
  bins_ += kLodBinsPerBlock;
  lane.begun.push_back({offset, first_row});
  lane.unwritten.chunks.push_back({offset, first_row, busy_ns, summary_of(rows)});
  if (lane.begun.size() == kLodBlocks) write_lod(lane, emit);
  if (++unwritten_ == kUnwrittenChunks) write_chunks(emit);
}

void SliceSealer::write_lod(Lane& lane, const EmitBlock& emit) {
  if (lane.bins.empty()) return;
  lane.unwritten.lods.push_back(emit(BlockKind::kDigest, encode_lod(lane.bins)));
  bins_ -= lane.bins.size();
  lane.bins.clear();
  lane.begun.clear();
}

void SliceSealer::write_chunks(const EmitBlock& emit) {
  std::vector<LaneChunks> written;
  for (Lane& lane : lanes_) {
    LaneChunks& own = lane.unwritten;
    if (own.chunks.empty() && own.lods.empty()) continue;
    written.push_back({own.track, own.depth, std::move(own.chunks), std::move(own.lods)});
    own.chunks.clear();
    own.lods.clear();
  }
  if (!written.empty()) written_.push_back(emit(BlockKind::kChunks, encode_chunks(written)));
  unwritten_ = 0;
}

bool SliceSealer::finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening) {
  if (abandoned_) return false;
  SharedBlocks<LaneRunFormat> tails(emit, opening.tails);
  if (!seal_set_aside(emit, read, tails)) return false;
  for (Lane& lane : lanes_) {
    if (!restore_bins(lane, read)) return false;
    write_lod(lane, emit);
    tails.add({lane.unwritten.track, lane.unwritten.depth, lane.pending});
  }
  tails.finish();
  write_chunks(emit);
  opening.chunks = std::move(written_);
  abandon();
  return true;
}

// Makes the chunks of one lane after another, so that only rows of one lane are in memory.
bool SliceSealer::seal_set_aside(const EmitBlock& emit, const ReadBlock& read,
                                 SharedBlocks<LaneRunFormat>& tails) {
  bool readable = true;
  const auto take = [&](const LaneChunk& rows, bool last) {
    Lane& to = lane(rows);
    readable = readable && restore_bins(to, read);
    if (!readable) return;
    LaneChunk whole = rows;
    whole.rows = rows.rows.first(rows.rows.size() / kBlockRows * kBlockRows);
    if (!whole.rows.empty()) {
      const Payload again = rows_again(BlockKind::kSlices, encode_slices(std::span(&whole, 1)));
      const std::uint64_t offset = emit(BlockKind::kRowsAgain, again);
      for (std::size_t at = 0; at < whole.rows.size(); at += kBlockRows)
        add_chunk(to, whole.rows.subspan(at, kBlockRows), offset, at, emit);
    }
    if (last) write_lod(to, emit);
    tails.add({rows.track, rows.depth, rows.rows.subspan(whole.rows.size())});
  };
  return aside_.hand_over(limits_.runs_at_once, emit, read, take) && readable;
}

bool SliceSealer::restore_bins(Lane& lane, const ReadBlock& read) {
  if (lane.bins.size() == lane.begun.size() * kLodBinsPerBlock) return true;
  bins_ += lane.begun.size() * kLodBinsPerBlock;
  for (const ChunkAt& chunk : lane.begun) {
    std::vector<LaneRows> lanes;
    const bool readable =
        decode_slices(rows_of(read(chunk.offset), BlockKind::kSlices), lanes) && lanes.size() == 1;
    if (!readable || lanes[0].rows.size() < chunk.first_row + kBlockRows) return false;
    const std::span<const Slice> rows = std::span(lanes[0].rows).subspan(chunk.first_row, kBlockRows);
    for (std::size_t at = 0; at < kBlockRows; at += kLodBinRows)
      lane.bins.push_back(bin_of(rows.subspan(at, kLodBinRows)));
  }
  return true;
}

std::size_t SliceSealer::kept_bytes() const {
  return pending_rows_ * sizeof(Slice) + bins_ * sizeof(LodBin) + aside_.kept_bytes();
}

// Writes a run if the limit is exceeded. If the run would be smaller than an eighth of the limit, sets more
// lanes aside first, so that there are not more runs than necessary.
void SliceSealer::keep_within_limit(const EmitBlock& emit) {
  if (kept_bytes() <= limits_.slice_bytes) return;
  if (aside_.kept_bytes() < limits_.slice_bytes / 8) set_more_aside();
  aside_.write_run(emit);
}

// Sets lanes aside until their rows and bins take half of the limit. Lanes with the fewest rows so far come
// first.
void SliceSealer::set_more_aside() {
  std::vector<Lane*> keeping;
  for (Lane& lane : lanes_) {
    if (!lane.pending.empty() || !lane.bins.empty()) keeping.push_back(&lane);
  }
  std::ranges::sort(keeping, {}, &Lane::rows);
  std::size_t bytes = aside_.kept_bytes();
  for (Lane* lane : keeping) {
    if (bytes > limits_.slice_bytes / 2) break;
    bytes += lane->pending.capacity() * sizeof(Slice) + lane->bins.size() * sizeof(LodBin);
    aside_.add({lane->unwritten.track, lane->unwritten.depth, lane->pending});
    pending_rows_ -= lane->pending.capacity();
    bins_ -= lane->bins.size();
    lane->pending = std::vector<Slice>();
    lane->bins = std::vector<LodBin>();
  }
}

void SliceSealer::abandon() {
  abandoned_ = true;
  places_.clear();
  lanes_.clear();
  aside_ = {};
  pending_rows_ = bins_ = unwritten_ = 0;
}

}  // namespace runahead::recordings
