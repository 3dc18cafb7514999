// Runs: rows of many lanes or counters wait in memory to form chunks. If there are too many such rows, they
// are written to the file a second time, as a run. All runs are merged at the end. In a run the rows of each
// lane are adjacent, and the lanes are ordered by key(). No index refers to the blocks of a run, so readers
// skip them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording_file.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::recordings {
using namespace trace;

// Writes a block and returns its offset in the file.
using EmitBlock = std::function<std::uint64_t(BlockKind kind, const Payload& payload)>;
// The block at an offset of the file being written; nullopt: it cannot be read.
using ReadBlock = std::function<std::optional<WholeBlock>(std::uint64_t offset)>;

// The number of rows that are rewritten together: the same number as in a normal block.
inline constexpr std::size_t kRowsAgainAtOnce = 8 * kBlockRows;

// Chunk: a view of one lane's rows; the caller owns the rows. Rows: an owning copy of one lane's rows. key()
// identifies the lane of a Chunk or of Rows.
struct LaneRunFormat {
  using Chunk = LaneChunk;
  using Rows = LaneRows;
  static constexpr BlockKind kKind = BlockKind::kSlices;
  static constexpr std::size_t kRowBytes = sizeof(Slice);
  static std::uint64_t key(const auto& of) {
    return static_cast<std::uint64_t>(raw(of.track)) << 32 | of.depth;
  }
  static Rows none_of(const Chunk& chunk) { return {chunk.track, chunk.depth, {}}; }
  static Chunk all_of(const Rows& rows) { return {rows.track, rows.depth, rows.rows}; }
  static Payload encode(std::span<const Chunk> chunks) { return encode_slices(chunks); }
  static bool decode(std::string_view payload, std::vector<Rows>& out) { return decode_slices(payload, out); }
};
struct CounterRunFormat {
  using Chunk = CounterChunk;
  using Rows = CounterRows;
  static constexpr BlockKind kKind = BlockKind::kCounters;
  static constexpr std::size_t kRowBytes = sizeof(CounterSample);
  static std::uint64_t key(const auto& of) { return raw(of.track); }
  static Rows none_of(const Chunk& chunk) { return {chunk.track, {}}; }
  static Chunk all_of(const Rows& rows) { return {rows.track, rows.rows}; }
  static Payload encode(std::span<const Chunk> chunks) { return encode_counters(chunks); }
  static bool decode(std::string_view payload, std::vector<Rows>& out) {
    return decode_counters(payload, out);
  }
};

// Adds rows to a started chunk. The capacity of the chunk's vector grows to at most one chunk.
template <typename Row>
void append_to_chunk(std::span<const Row> rows, std::vector<Row>& chunk) {
  const std::size_t wanted = chunk.size() + rows.size();
  if (wanted > chunk.capacity()) chunk.reserve(std::max(wanted, std::min(2 * chunk.capacity(), kBlockRows)));
  chunk.insert(chunk.end(), rows.begin(), rows.end());
}

// Writes rows a second time, into blocks that several lanes share.
template <typename Format>
class SharedBlocks {
 public:
  using Chunk = typename Format::Chunk;
  using Rows = typename Format::Rows;
  // Both references must outlive this object. This object appends the offsets of the blocks that it writes to
  // `offsets`.
  SharedBlocks(const EmitBlock& emit, std::vector<std::uint64_t>& offsets) : emit_(emit), offsets_(offsets) {}
  // Copies the rows.
  void add(Chunk chunk) {
    while (!chunk.rows.empty()) {
      if (count_ == kRowsAgainAtOnce) finish();
      const std::size_t n = std::min(chunk.rows.size(), kRowsAgainAtOnce - count_);
      rows_.push_back(Format::none_of(chunk));
      rows_.back().rows.assign(chunk.rows.begin(), chunk.rows.begin() + static_cast<std::ptrdiff_t>(n));
      count_ += n;
      chunk.rows = chunk.rows.subspan(n);
    }
  }
  void finish() {
    if (rows_.empty()) return;
    std::vector<Chunk> chunks;
    for (const Rows& rows : rows_) chunks.push_back(Format::all_of(rows));
    offsets_.push_back(emit_(BlockKind::kRowsAgain, rows_again(Format::kKind, Format::encode(chunks))));
    rows_.clear();
    count_ = 0;
  }

 private:
  const EmitBlock& emit_;
  std::vector<std::uint64_t>& offsets_;
  std::vector<Rows> rows_;
  std::size_t count_ = 0;
};

using RowRun = std::vector<std::uint64_t>;  // offsets of the run's blocks

// Reads the rows of a run, lane after lane.
template <typename Format>
class RowRunReader {
 public:
  using Rows = typename Format::Rows;
  RowRunReader(const RowRun& run, const ReadBlock& read) : run_(run), read_(read) {}

  // The first call moves to the first rows. Each further call moves to the next rows, of the same lane or
  // another lane. False: the run has ended, or failed().
  [[nodiscard]] bool next() {
    const std::uint64_t before = there() ? Format::key(rows()) : 0;
    if (++at_ >= loaded_.size() && !next_block()) return false;
    failed_ = Format::key(rows()) < before;
    return !failed_;
  }
  [[nodiscard]] bool there() const { return !failed_ && at_ < loaded_.size(); }
  [[nodiscard]] const Rows& rows() const { return loaded_[at_]; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  [[nodiscard]] bool next_block() {
    at_ = 0;
    loaded_.clear();
    if (block_ == run_.size()) return false;
    failed_ = !Format::decode(rows_of(read_(run_[block_++]), Format::kKind), loaded_) || loaded_.empty();
    return !failed_;
  }

  const RowRun& run_;
  const ReadBlock& read_;
  std::vector<Rows> loaded_;
  std::size_t at_ = 0, block_ = 0;  // at_: current rows in loaded_; block_: next block
  bool failed_ = false;
};

// Passes all rows of the runs to `take`, lane after lane in key order. The rows of a lane come in the order
// of the runs. Each call passes kRowsAgainAtOnce rows of one lane. In the last call for a lane, `last` is
// true, and the call passes the remaining rows of the lane (perhaps none). False: a block cannot be read or a
// run is not in order, so not all rows were passed.
template <typename Format, typename Take>  // take(Chunk, bool last)
[[nodiscard]] bool merge_row_runs(std::span<const RowRun> runs, const ReadBlock& read, Take take) {
  std::vector<RowRunReader<Format>> readers;
  for (const RowRun& run : runs) readers.emplace_back(run, read);
  for (auto& reader : readers) {
    if (!reader.next() && reader.failed()) return false;
  }
  while (true) {
    const RowRunReader<Format>* first = nullptr;
    for (const auto& reader : readers) {
      const bool sooner =
          reader.there() && (first == nullptr || Format::key(reader.rows()) < Format::key(first->rows()));
      if (sooner) first = &reader;
    }
    if (first == nullptr) return true;
    const std::uint64_t key = Format::key(first->rows());
    typename Format::Rows merged = Format::none_of(Format::all_of(first->rows()));
    for (auto& reader : readers) {
      while (reader.there() && Format::key(reader.rows()) == key) {
        for (const auto& row : reader.rows().rows) {
          merged.rows.push_back(row);
          if (merged.rows.size() < kRowsAgainAtOnce) continue;
          take(Format::all_of(merged), false);
          merged.rows.clear();
        }
        if (!reader.next() && reader.failed()) return false;
      }
    }
    take(Format::all_of(merged), true);
  }
}

// Merges runs until there are at most `most` runs (`most` is 2 or more). This writes the rows of the runs
// once more, or a few times if there are very many runs. Keeps the order of the runs. merge() makes one run
// from consecutive runs.
template <typename Run, typename Merge>  // optional<Run> merge(span<const Run>)
[[nodiscard]] bool merge_to_fewer(std::vector<Run>& runs, std::size_t most, Merge merge) {
  while (runs.size() > most) {
    std::vector<Run> fewer;
    for (std::size_t at = 0; at < runs.size(); at += most) {
      const auto some = std::span(runs).subspan(at, std::min(most, runs.size() - at));
      std::optional<Run> one = some.size() == 1 ? std::move(some.front()) : merge(std::span<const Run>(some));
      if (!one) return false;
      fewer.push_back(*std::move(one));
    }
    runs = std::move(fewer);
  }
  return true;
}

}  // namespace runahead::recordings
