// FileStore: loads the chunks of a recording's lanes, counters and tables from its file when they are needed,
// and retains them within a memory limit. FileStore never trusts the file: each time it loads a chunk, it
// checks that the chunk matches the index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/base/mutex.h"
#include "instrumentation/recording/block_cache.h"
#include "instrumentation/recording/format/chunk_index.h"
#include "instrumentation/recording/format/table_chunks.h"
#include "instrumentation/recording/recording_file.h"
#include "instrumentation/trace/trace.h"

namespace runahead::recordings {
using namespace trace;

//   owner:       add_table(), then add_lane(), then ready(), before any other call
//   any thread:  the other functions
class FileStore final : public BlockStore, public std::enable_shared_from_this<FileStore> {
 public:
  FileStore(std::unique_ptr<RecordingFile> file, std::size_t limit_bytes);

  [[nodiscard]] static std::size_t lods_of(std::size_t chunks) {
    return (chunks + kLodBlocks - 1) / kLodBlocks;
  }
  // Adds a lane and returns its number. REQUIRES: the chunks are in order, and busy_before_ns of their
  // summaries is set.
  std::size_t add_lane(LaneChunks lane);
  // Adds the chunks of a table or a counter, in order. Call it once for each table or counter. REQUIRES: no
  // lane was added.
  void add_table(TableChunks table);
  struct Known {
    std::uint64_t strings = 0, args = 0, tracks = 0;
    [[nodiscard]] bool string(StringId id) const { return raw(id) < strings; }
    [[nodiscard]] bool args_set(ArgsId id) const { return raw(id) <= args; }
    [[nodiscard]] bool track(TrackId id) const { return raw(id) < tracks; }
    [[nodiscard]] bool counter(TrackId id) const { return track(id); }
  };
  // Sets how many strings, argument sets and tracks are defined. A loaded row that refers to a higher id
  // counts as damaged.
  void ready(const Known& known);
  [[nodiscard]] std::shared_ptr<const LaneSource> source(std::size_t lane);
  // Returns the blocks of the table (or of the samples of `counter`); empty if the table was not added.
  template <typename Block>
  [[nodiscard]] StoredBlocks<Block> blocks(TrackId counter = kNoTrack);

  [[nodiscard]] Stats stats() const override;
  void set_limit_bytes(std::size_t limit) override { cache_.set_limit_bytes(limit); }
  void begin_view() override { cache_.begin_view(); }
  bool load_wanted() override;

 private:
  class Source;
  template <typename Block>
  class TableSource;
  using Slot = BlockCache::Slot;
  struct Lane {
    LaneChunks chunks;
    // the lane's slots begin here: one for each chunk, then one for each LOD, then one for the FineLod of
    // each chunk
    Slot first_slot = 0;
    [[nodiscard]] Slot lod_slot(std::size_t number) const {
      return first_slot + static_cast<Slot>(chunks.chunks.size() + number);
    }
    [[nodiscard]] Slot fine_slot(std::size_t chunk) const {
      return lod_slot(lods_of(chunks.chunks.size()) + chunk);
    }
  };
  struct Table {
    TableChunks chunks;
    Slot first_slot = 0;
  };
  // Estimated size of a block in memory. The estimate limits how many blocks a view may request. For
  // comparison: a block of a worker's slices takes 8 to 14 kB.
  static constexpr std::size_t kBlockBytes = 16u << 10;
  // When a chunk is loaded for a view, at most this many chunks before it and after it in the same file block
  // are retained too.
  static constexpr std::size_t kChunksBeside = 8;
  // Which other chunks of the same file block are retained. kAll: all chunks, for a caller that will read
  // them next. kForView: chunks that the view has requested, and further chunks near the loaded chunk if
  // nothing must be evicted for them.
  enum class Others { kAll, kForView };

  [[nodiscard]] std::shared_ptr<const SliceBlock> load(const Lane& lane, std::size_t chunk, Others others);
  void load_fine(const Lane& lane, std::size_t chunk);
  // Stores the result of make(chunk) in the chunk's slot, and returns it. Also stores the results for other
  // chunks of the same file block; `others` chooses these chunks. `about_bytes`: the estimated size of a
  // result.
  template <typename Chunk, typename Make>
  auto keep(const std::vector<Chunk>& chunks, std::size_t chunk, Slot first_slot, std::size_t about_bytes,
            Others others, Make make);
  [[nodiscard]] std::shared_ptr<const SliceLod> load_lod(const Lane& lane, std::size_t number);
  // The rows of the lane in the block at `offset`; empty if they cannot be read.
  [[nodiscard]] std::vector<Slice> read_rows(const Lane& lane, std::uint64_t offset) const;
  [[nodiscard]] bool fits(const SliceChunk& chunk, std::span<const Slice> rows) const;
  [[nodiscard]] bool fits(const Lane& lane, std::size_t number, std::span<const LodBin> bins) const;
  // `rows`: all rows of the chunk's file block. Calls make() with the chunk's own rows and returns the
  // result. If these rows are damaged, counts the chunk as unreadable, and calls make() with replacement rows
  // (a stand-in).
  template <typename Make>
  [[nodiscard]] auto made_of(const Lane& lane, std::size_t chunk, std::span<const Slice> rows, Make make);
  [[nodiscard]] std::shared_ptr<const SliceBlock> make_block(const Lane& lane, std::size_t chunk,
                                                             std::span<const Slice> rows);
  template <typename Block>
  std::shared_ptr<const Block> load(const Table& table, std::size_t chunk, Others others);
  void load_wanted(const Table& table, std::size_t chunk);
  void load_wanted(const Lane& lane, std::size_t slot_in_lane);
  template <typename Block>
  [[nodiscard]] std::shared_ptr<const Block> make_block(const Table& table, std::size_t chunk,
                                                        std::span<const typename Block::Row> rows);
  void count_unreadable(Slot slot);

  const std::unique_ptr<RecordingFile> file_;
  std::vector<Lane> lanes_;  // in slot order, not changed after ready()
  std::size_t slots_ = 0;
  std::map<std::pair<BlockKind, TrackId>, Table> tables_;  // key: kind and counter
  std::vector<const Table*> tables_by_slot_;
  Known known_;
  BlockCache cache_;
  // Loading threads write these counts, any thread reads them. The order is relaxed, because the counts are
  // only displayed.
  std::atomic<std::uint64_t> loads_{0};
  std::atomic<std::uint64_t> unreadable_{0};  // each chunk counts once
  Mutex unreadable_mutex_;
  std::vector<bool> known_unreadable_ RUNAHEAD_GUARDED_BY(unreadable_mutex_);  // index: slot
};

template <typename Chunk, typename Make>
auto FileStore::keep(const std::vector<Chunk>& chunks, std::size_t chunk, Slot first_slot,
                     std::size_t about_bytes, Others others, Make make) {
  const std::size_t most = others == Others::kAll ? chunks.size() : kChunksBeside;
  const auto same = [&](std::size_t i) { return chunks[i].block_offset == chunks[chunk].block_offset; };
  const auto slot_of = [&](std::size_t i) { return first_slot + static_cast<Slot>(i); };
  const auto keep_one = [&](std::size_t i) {
    auto made = make(i);
    const std::size_t bytes = made->size_bytes();
    return std::static_pointer_cast<typename decltype(made)::element_type>(
        cache_.put(slot_of(i), std::move(made), bytes));
  };
  const auto keep_other = [&](std::size_t i) {
    if (others == Others::kAll || cache_.wants(slot_of(i))) {
      keep_one(i);
    } else if (cache_.has_room(slot_of(i), about_bytes)) {
      auto made = make(i);
      const std::size_t bytes = made->size_bytes();
      cache_.put_if_room(slot_of(i), std::move(made), bytes);
    }
  };
  for (std::size_t i = chunk; i > 0 && chunk - i < most && same(i - 1); --i) keep_other(i - 1);
  for (std::size_t i = chunk + 1; i < chunks.size() && i - chunk <= most && same(i); ++i) keep_other(i);
  return keep_one(chunk);
}

}  // namespace runahead::recordings
