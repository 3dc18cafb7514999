#include "instrumentation/recording/group_encoder.h"

#include <algorithm>
#include <span>

namespace runahead::recordings {
using namespace trace;
namespace {

// Maximum number of rows in a block: about 64 KiB of slices. This is large enough for zstd to find
// repetitions, and small enough for a view that needs only one block.
constexpr std::size_t kRowsInBlock = 8 * kBlockRows;
constexpr std::size_t kBlockBytes = 256u << 10;  // size of a block of definitions
// Open rows beyond this number are omitted from the block. They are written when they end.
constexpr std::size_t kMaxOpenRows = 100'000;

// Splits `items` into groups of at most kRowsInBlock items and about kBlockBytes.
template <typename T, typename SizeOf, typename Emit>
void in_runs(std::span<const T> items, SizeOf size_of, Emit emit) {
  std::size_t begin = 0, bytes = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t size = size_of(items[i]);
    if (i > begin && (i - begin >= kRowsInBlock || bytes + size > kBlockBytes)) {
      emit(begin, items.subspan(begin, i - begin));
      begin = i;
      bytes = 0;
    }
    bytes += size;
  }
  if (begin < items.size()) emit(begin, items.subspan(begin));
}

// Collects rows of lanes (or counters) until they fill a block. Chunk: the type of the rows of one lane or
// counter.
template <typename Chunk, typename Emit>
void in_shared_blocks(std::span<const Chunk> lists, Emit emit) {
  std::vector<Chunk> chunks;
  std::size_t rows = 0;
  const auto end_block = [&] {
    if (!chunks.empty()) emit(std::span<const Chunk>(chunks));
    chunks.clear();
    rows = 0;
  };
  for (const Chunk& list : lists) {
    for (std::size_t at = 0; at < list.rows.size(); at += kRowsInBlock) {
      Chunk chunk = list;
      chunk.rows = list.rows.subspan(at, std::min(kRowsInBlock, list.rows.size() - at));
      if (rows + chunk.rows.size() > kRowsInBlock) end_block();
      rows += chunk.rows.size();
      chunks.push_back(chunk);
    }
  }
  end_block();
}

template <typename Chunk, typename Sealer>
void emit_loose(std::span<const Chunk> chunks, BlockKind kind, Payload (*encode)(std::span<const Chunk>),
                Sealer& sealer, const EmitBlock& emit) {
  in_shared_blocks(chunks, [&](std::span<const Chunk> block) { emit(kind, encode(block)); });
  for (const Chunk& chunk : chunks) sealer.add_loose(chunk, emit);
}

// Writes the rows of lanes or counters in three parts: first rows that complete chunks that earlier groups
// began, then complete chunks in separate blocks, then rows that begin the next chunks. The rows of each lane
// stay in order.
template <typename Chunk, typename Sealer>
void emit_rows(std::span<const Chunk> all, BlockKind kind, Payload (*encode)(std::span<const Chunk>),
               Sealer& sealer, const EmitBlock& emit) {
  std::vector<Chunk> heads, rests, bodies;
  for (const Chunk& chunk : all) {
    const std::size_t head = std::min(chunk.rows.size(), sealer.missing(chunk));
    const std::size_t body = (chunk.rows.size() - head) / kBlockRows * kBlockRows;
    const auto add_part = [&chunk](std::vector<Chunk>& to, std::size_t at, std::size_t n) {
      if (n == 0) return;
      to.push_back(chunk);
      to.back().rows = chunk.rows.subspan(at, n);
    };
    add_part(heads, 0, head);
    add_part(bodies, head, body);
    add_part(rests, head + body, chunk.rows.size() - head - body);
  }
  emit_loose(std::span<const Chunk>(heads), kind, encode, sealer, emit);
  for (const Chunk& body : bodies) {
    in_shared_blocks(std::span(&body, 1), [&](std::span<const Chunk> block) {
      sealer.add_block(block.front(), emit(kind, encode(block)), emit);
    });
  }
  emit_loose(std::span<const Chunk>(rests), kind, encode, sealer, emit);
}

void emit_slices(const std::vector<LaneRows>& lanes, SliceSealer& sealer, const EmitBlock& emit) {
  std::vector<LaneChunk> chunks;
  for (const LaneRows& lane : lanes) chunks.push_back({lane.track, lane.depth, lane.rows});
  emit_rows(std::span<const LaneChunk>(chunks), BlockKind::kSlices, encode_slices, sealer, emit);
}

void emit_counters(const std::vector<CounterRows>& counters, CounterSealer& sealer, const EmitBlock& emit) {
  std::vector<CounterChunk> chunks;
  for (const CounterRows& counter : counters) chunks.push_back({counter.track, counter.rows});
  emit_rows(std::span<const CounterChunk>(chunks), BlockKind::kCounters, encode_counters, sealer, emit);
}

std::uint64_t emit_strings(const Batch& rows, std::uint64_t first_id, const EmitBlock& emit) {
  std::uint64_t cut = 0;
  std::vector<std::string> shortened;
  const auto too_long = [](const std::string& text) { return text.size() > kMaxStringBytes; };
  if (std::any_of(rows.strings.begin(), rows.strings.end(), too_long)) {
    shortened = rows.strings;
    for (std::string& text : shortened) {
      if (!too_long(text)) continue;
      text.resize(kMaxStringBytes);
      ++cut;
    }
  }
  in_runs(
      std::span<const std::string>(cut != 0 ? shortened : rows.strings),
      [](const std::string& text) { return text.size() + 10; },
      [&](std::size_t at, std::span<const std::string> run) {
        emit(BlockKind::kStrings, encode_strings(first_id + at, run));
      });
  return cut;
}

void emit_definitions(const Batch& rows, std::uint64_t first_args, const EmitBlock& emit) {
  in_runs(
      std::span<const TrackInfo>(rows.tracks),
      [](const TrackInfo& track) { return track.name.size() + track.device.size() + 50; },
      [&](std::size_t, std::span<const TrackInfo> run) { emit(BlockKind::kTracks, encode_tracks(run)); });
  in_runs(
      std::span<const ArgSet>(rows.args), [](const ArgSet& set) { return 20 * set.size() + 10; },
      [&](std::size_t at, std::span<const ArgSet> run) {
        emit(BlockKind::kArgs, encode_args(first_args + at, run));
      });
}

template <typename T>
std::span<const T> at_most(const std::vector<T>& rows, std::size_t n) {
  return std::span<const T>(rows).first(std::min(n, rows.size()));
}

}  // namespace

std::uint64_t encode_group(const Batch& rows, const GroupFacts& facts, RowSealers& sealers,
                           const EmitBlock& emit) {
  const std::uint64_t cut = emit_strings(rows, facts.first_string, emit);
  emit_definitions(rows, facts.first_args, emit);
  emit_slices(rows.lanes, sealers.slices, emit);
  emit_counters(rows.counters, sealers.counters, emit);
  sealers.instants.write(rows.instants, kRowsInBlock, emit);
  sealers.ops.write(rows.ops, kRowsInBlock, emit);
  sealers.flows.write(rows.flows, kRowsInBlock, emit);
  sealers.dependencies.write(rows.dependencies, kRowsInBlock, emit);
  sealers.allocations.write(rows.allocations, kRowsInBlock, emit);
  if (!rows.losses.none()) emit(BlockKind::kLosses, encode_losses(rows.losses));
  if (facts.with_open) {
    emit(BlockKind::kOpen,
         encode_open(at_most(rows.open_slices, kMaxOpenRows), at_most(rows.open_ops, kMaxOpenRows)));
  }
  emit(BlockKind::kCommit, encode_commit(rows.watermark));
  return cut;
}

}  // namespace runahead::recordings
