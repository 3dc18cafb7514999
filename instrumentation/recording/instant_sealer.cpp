#include "instrumentation/recording/instant_sealer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "instrumentation/recording/format/payload.h"

namespace runahead::recordings {
using namespace trace;
namespace {

bool before(const Instant& instant, Timestamp t) { return instant.at < t; }

}  // namespace

void InstantSealer::write(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit) {
  if (rows.empty()) return;
  const auto in_time = std::lower_bound(rows.begin(), rows.end(), last_, before);
  const auto late = static_cast<std::size_t>(in_time - rows.begin());
  last_ = std::max(last_, rows.back().at);
  table_.write(rows.subspan(late), most, emit);
  write_late(rows.first(late), most, emit);
}

// A run is a sorted sequence of late instants. Each row goes to the first run whose last row is not later
// than this row. Therefore there are as few runs as possible. If two rows have the same time, the row that
// arrived later is in the same run or in a later run, so that a merge keeps their order.
void InstantSealer::write_late(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit) {
  while (!rows.empty()) {
    const auto ends_after = [&](const InstantRun& run) { return run.last > rows.back().at; };
    auto run = std::partition_point(late_.begin(), late_.end(), ends_after);
    if (run == late_.end()) run = late_.insert(run, {.first = rows.front().at, .last = rows.front().at});
    const auto begin = std::lower_bound(rows.begin(), rows.end(), run->last, before);
    const auto earlier = static_cast<std::size_t>(begin - rows.begin());
    write_blocks(rows.subspan(earlier), most, emit, *run);
    rows = rows.first(earlier);
  }
}

void InstantSealer::write_blocks(std::span<const Instant> rows, std::size_t most, const EmitBlock& emit,
                                 InstantRun& run) {
  for (std::size_t at = 0; at < rows.size(); at += most) {
    const auto block = rows.subspan(at, std::min(most, rows.size() - at));
    run.blocks.push_back(emit(BlockKind::kInstants, encode_instants(block)));
  }
  run.last = rows.back().at;
}

// Returns a run of the instants that came in time, starting with the first row of `chunks`. REQUIRES:
// `chunks` includes the last chunk of the table.
InstantRun InstantSealer::in_time_from(std::span<const TableChunk> chunks) const {
  InstantRun out;
  if (!chunks.empty()) out.skip = static_cast<std::size_t>(chunks.front().part) * kBlockRows;
  for (const TableChunk& chunk : chunks) {
    const bool same = !out.blocks.empty() && out.blocks.back() == chunk.block_offset;
    if (!same) out.blocks.push_back(chunk.block_offset);
  }
  out.rest = table_.chunks().pending();
  return out;
}

bool InstantSealer::merge_to_few_runs(const EmitBlock& emit, const ReadBlock& read) {
  const auto merge = [&](std::span<const InstantRun> some) -> std::optional<InstantRun> {
    InstantRun merged;
    const auto take = [&](std::span<const Instant> rows) {
      const Payload again = rows_again(BlockKind::kInstants, encode_instants(rows));
      merged.blocks.push_back(emit(BlockKind::kRowsAgain, again));
    };
    if (!merge_instants(some, read, take)) return {};
    return merged;
  };
  return merge_to_fewer(late_, limits_.runs_at_once, merge);
}

bool InstantSealer::merge_late(const EmitBlock& emit, const ReadBlock& read) {
  const auto chunks = table_.chunks().chunks(read);
  if (!chunks) return false;
  Timestamp first_late = Timestamp::max();
  for (const InstantRun& run : late_) first_late = std::min(first_late, run.first);
  if (!merge_to_few_runs(emit, read)) return false;
  ChunkSealer<InstantBlock> merged;
  auto chunk = chunks->begin();
  for (; chunk != chunks->end(); ++chunk) {
    if (TableFormat<InstantBlock>::summary(chunk->facts).last > first_late) break;
    merged.add_chunk(*chunk, emit);
  }
  late_.insert(late_.begin(), in_time_from({chunk, chunks->end()}));
  const auto take = [&](std::span<const Instant> rows) { merged.add_again(rows, emit); };
  if (!merge_instants(late_, read, take)) return false;
  table_.set_chunks(std::move(merged));
  return true;
}

void InstantSealer::finish(const EmitBlock& emit, const ReadBlock& read, Opening& opening) {
  opening.has_instants = late_.empty() || merge_late(emit, read);
  if (opening.has_instants) table_.finish(emit, opening);
}

}  // namespace runahead::recordings
