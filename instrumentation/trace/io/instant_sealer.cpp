#include "instrumentation/trace/io/instant_sealer.h"

#include <algorithm>
#include <utility>

#include "instrumentation/trace/io/payload.h"

namespace runahead::trace::io {
namespace {

// As many runs as sources that are each in order among themselves, at most. A merge keeps a block of each:
// 20 MB of so many.
constexpr std::size_t kMostRuns = 64;

bool before(const Instant& instant, Timestamp t) { return instant.at < t; }

}  // namespace

void InstantSealer::write(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit) {
  if (rows.empty()) return;
  const auto in_time = std::lower_bound(rows.begin(), rows.end(), last_, before);
  const auto late = static_cast<std::size_t>(in_time - rows.begin());
  last_ = std::max(last_, rows.back().at);
  if (abandoned_) return write_blocks(rows, most, emit, nullptr);
  table_.write(rows.subspan(late), most, emit);
  write_late(rows.first(late), most, emit);
}

// Each row goes to the first run that it does not lie before the end of, so that there are no more runs than
// there have to be.
void InstantSealer::write_late(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit) {
  for (InstantRun& run : late_) {
    const auto begin = std::lower_bound(rows.begin(), rows.end(), run.last, before);
    const auto earlier = static_cast<std::size_t>(begin - rows.begin());
    write_blocks(rows.subspan(earlier), most, emit, &run);
    rows = rows.first(earlier);
  }
  if (rows.empty()) return;
  abandoned_ = late_.size() == kMostRuns;
  if (abandoned_) return write_blocks(rows, most, emit, nullptr);
  late_.push_back({.first = rows.front().at});
  write_blocks(rows, most, emit, &late_.back());
}

void InstantSealer::write_blocks(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit,
                                 InstantRun* run) {
  for (std::size_t at = 0; at < rows.size(); at += most) {
    const auto block = rows.subspan(at, std::min(most, rows.size() - at));
    const std::uint64_t offset = emit(BlockKind::kInstants, encode_instants(block));
    if (run != nullptr) run->blocks.push_back(offset);
  }
  if (run != nullptr && !rows.empty()) run->last = rows.back().at;
}

bool InstantSealer::merge_late(const EmitBlock& emit, const ReadBlock& read) {
  const auto pieces = table_.pieces().pieces(read);
  if (!pieces) return false;
  Timestamp first_late = Timestamp::max();
  for (const InstantRun& run : late_) first_late = std::min(first_late, run.first);
  PieceSealer<InstantBlock> merged;
  auto piece = pieces->begin();
  for (; piece != pieces->end(); ++piece) {
    if (TableFormat<InstantBlock>::summary(piece->facts).last > first_late) break;
    merged.add_piece(*piece, emit);
  }
  InstantRun in_time;
  if (piece != pieces->end()) in_time.skip = static_cast<std::size_t>(piece->part) * kBlockRows;
  for (; piece != pieces->end(); ++piece) {
    const bool same = !in_time.blocks.empty() && in_time.blocks.back() == piece->block_offset;
    if (!same) in_time.blocks.push_back(piece->block_offset);
  }
  in_time.rest = table_.pieces().pending();
  std::vector<InstantRun> runs = late_;
  runs.insert(runs.begin(), std::move(in_time));
  const auto take = [&](std::span<const Instant> rows) { merged.add_again(rows, emit); };
  if (!merge_instants(runs, read, take)) return false;
  table_.set_pieces(std::move(merged));
  return true;
}

void InstantSealer::finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening) {
  opening.has_instants = !abandoned_ && (late_.empty() || merge_late(emit, read));
  if (opening.has_instants) table_.finish(emit, opening);
}

}  // namespace runahead::trace::io
