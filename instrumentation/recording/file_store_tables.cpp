// The part of FileStore that loads the samples of counters and the rows of tables. file_store.cpp loads the
// slices of lanes.
#include <algorithm>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/recording/file_store.h"
#include "instrumentation/recording/format/row_coding.h"

namespace runahead::recordings {
using namespace trace;

template <typename Block>
class FileStore::TableSource final : public BlockSource<Block> {
 public:
  TableSource(std::shared_ptr<FileStore> store, const Table& table)
      : store_(std::move(store)), table_(table) {}

  [[nodiscard]] std::shared_ptr<const Block> load(std::uint64_t number) const override {
    if (auto here = store_->cache_.find(slot_of(number)))
      return std::static_pointer_cast<const Block>(std::move(here));
    return store_->load<Block>(table_, static_cast<std::size_t>(number), Others::kAll);
  }
  [[nodiscard]] std::shared_ptr<const Block> if_here(std::uint64_t number) const override {
    return std::static_pointer_cast<const Block>(store_->cache_.find_or_want(slot_of(number), kBlockBytes));
  }

 private:
  [[nodiscard]] Slot slot_of(std::uint64_t number) const {
    return table_.first_slot + static_cast<Slot>(number);
  }
  const std::shared_ptr<FileStore> store_;  // keeps the table alive
  const Table& table_;
};

void FileStore::add_table(TableChunks table) {
  RUNAHEAD_CHECK(lanes_.empty());
  const auto first = static_cast<Slot>(slots_);
  slots_ += table.chunks.size();
  Table& added = tables_[{table.kind, table.counter}];
  added = {std::move(table), first};
  tables_by_slot_.push_back(&added);
}

template <typename Block>
std::shared_ptr<const Block> FileStore::make_block(const Table& table, std::size_t index,
                                                   std::span<const typename Block::Row> rows) {
  using Row = typename Block::Row;
  const TableChunk& chunk = table.chunks.chunks[index];
  const typename Block::Summary summary = TableFormat<Block>::summary(chunk.facts);
  const std::size_t first = static_cast<std::size_t>(chunk.part) * kBlockRows;
  if (first <= rows.size() && rows.size() - first >= kBlockRows) {
    const std::span<const Row> own = rows.subspan(first, kBlockRows);
    const bool fits =
        Block::summary_of(own) == summary &&
        std::all_of(own.begin(), own.end(), [this](const Row& row) { return names_known(row, known_); });
    if (fits) return std::make_shared<const Block>(own);
  }
  count_unreadable(table.first_slot + static_cast<Slot>(index));
  return std::make_shared<const Block>(TableFormat<Block>::stand_in(summary));
}

template <typename Block>
std::shared_ptr<const Block> FileStore::load(const Table& table, std::size_t index, Others others) {
  loads_.fetch_add(1, std::memory_order_relaxed);
  using Format = TableFormat<Block>;
  const std::vector<TableChunk>& chunks = table.chunks.chunks;
  std::vector<typename Block::Row> rows;
  const std::string payload = rows_of(file_->block(chunks[index].block_offset), Format::kKind);
  if (payload.empty() || !Format::decode(payload, table.chunks.counter, rows)) rows.clear();
  return keep(chunks, index, table.first_slot, kBlockBytes, others,
              [&](std::size_t i) { return make_block<Block>(table, i, rows); });
}

void FileStore::load_wanted(const Table& table, std::size_t chunk) {
  const auto load_of = [&]<typename Block>() { load<Block>(table, chunk, Others::kForView); };
  switch (table.chunks.kind) {
    case BlockKind::kCounters:
      return load_of.template operator()<CounterBlock>();
    case BlockKind::kInstants:
      return load_of.template operator()<InstantBlock>();
    case BlockKind::kOps:
      return load_of.template operator()<OpBlock>();
    case BlockKind::kFlows:
      return load_of.template operator()<FlowBlock>();
    case BlockKind::kDependencies:
      return load_of.template operator()<DependencyBlock>();
    case BlockKind::kAllocations:
      return load_of.template operator()<AllocationBlock>();
    default:
      return;
  }
}

template <typename Block>
StoredBlocks<Block> FileStore::blocks(TrackId counter) {
  const auto found = tables_.find({TableFormat<Block>::kKind, counter});
  if (found == tables_.end()) return {};
  StoredBlocks<Block> out;
  out.source = std::make_shared<TableSource<Block>>(shared_from_this(), found->second);
  for (const TableChunk& chunk : found->second.chunks.chunks) {
    out.summaries.push_back(TableFormat<Block>::summary(chunk.facts));
  }
  return out;
}

template StoredBlocks<CounterBlock> FileStore::blocks(TrackId);
template StoredBlocks<InstantBlock> FileStore::blocks(TrackId);
template StoredBlocks<OpBlock> FileStore::blocks(TrackId);
template StoredBlocks<FlowBlock> FileStore::blocks(TrackId);
template StoredBlocks<DependencyBlock> FileStore::blocks(TrackId);
template StoredBlocks<AllocationBlock> FileStore::blocks(TrackId);

}  // namespace runahead::recordings
