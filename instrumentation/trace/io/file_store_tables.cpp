// The part of FileStore that loads ops, flows and dependencies.
#include <algorithm>
#include <utility>

#include "instrumentation/trace/io/file_store.h"

namespace runahead::trace::io {

template <typename Block>
class FileStore::TableSource final : public BlockSource<Block> {
 public:
  TableSource(std::shared_ptr<FileStore> store, const Table& table)
      : store_(std::move(store)), table_(table) {}

  [[nodiscard]] std::shared_ptr<const Block> load(std::uint64_t number) const override {
    if (auto here = if_here(number)) return here;
    return store_->load<Block>(table_, static_cast<std::size_t>(number));
  }
  // No frame draws a table: nothing is noted as wanted.
  [[nodiscard]] std::shared_ptr<const Block> if_here(std::uint64_t number) const override {
    const Slot slot = table_.first_slot + static_cast<Slot>(number);
    return std::static_pointer_cast<const Block>(store_->cache_.find(slot));
  }

 private:
  const std::shared_ptr<FileStore> store_;  // which owns the table
  const Table& table_;
};

void FileStore::add_table(TablePieces table) {
  const auto first = static_cast<Slot>(slots_);
  slots_ += table.pieces.size();
  tables_[table.kind] = {std::move(table.pieces), first};
}

bool FileStore::known(const OpRow& row) const {
  return raw(row.name) < known_.strings && track_known(row.enqueue_track) && track_known(row.execute_track);
}

bool FileStore::known(const Flow& row) const {
  return raw(row.name) < known_.strings && track_known(row.from_track) && track_known(row.to_track);
}

template <typename Block>
std::shared_ptr<const Block> FileStore::make_block(const Table& table, std::size_t index,
                                                   std::span<const typename Block::Row> rows) {
  using Row = typename Block::Row;
  const TablePiece& piece = table.pieces[index];
  const std::size_t first = static_cast<std::size_t>(piece.part) * kBlockRows;
  if (first <= rows.size() && rows.size() - first >= kBlockRows) {
    const std::span<const Row> own = rows.subspan(first, kBlockRows);
    const bool fits = Block::summary_of(own) == TableFormat<Block>::summary(piece.facts) &&
                      std::all_of(own.begin(), own.end(), [this](const Row& row) { return known(row); });
    if (fits) return std::make_shared<const Block>(own);
  }
  count_unreadable(table.first_slot + static_cast<Slot>(index));
  return std::make_shared<const Block>(std::vector<Row>(kBlockRows));
}

template <typename Block>
std::shared_ptr<const Block> FileStore::load(const Table& table, std::size_t index) {
  loads_.fetch_add(1, std::memory_order_relaxed);
  using Format = TableFormat<Block>;
  const std::uint64_t offset = table.pieces[index].block_offset;
  std::vector<typename Block::Row> rows;
  const std::string payload = read_payload(offset, Format::kKind);
  if (payload.empty() || !Format::decode(payload, rows)) rows.clear();
  const auto same = [&](std::size_t i) { return table.pieces[i].block_offset == offset; };
  std::size_t first = index, last = index + 1;
  while (first > 0 && same(first - 1)) --first;
  while (last < table.pieces.size() && same(last)) ++last;
  const auto keep = [&](std::size_t i) {
    auto block = make_block<Block>(table, i, rows);
    const std::size_t bytes = block->size_bytes();
    return cache_.put(table.first_slot + static_cast<Slot>(i), std::move(block), bytes);
  };
  // The pieces of one block are kept too: who reads one mostly reads the next.
  for (std::size_t i = first; i < last; ++i) {
    if (i != index) keep(i);
  }
  return std::static_pointer_cast<const Block>(keep(index));
}

template <typename Block>
StoredBlocks<Block> FileStore::blocks() {
  const auto found = tables_.find(TableFormat<Block>::kKind);
  if (found == tables_.end()) return {};
  StoredBlocks<Block> out;
  out.source = std::make_shared<TableSource<Block>>(shared_from_this(), found->second);
  for (const TablePiece& piece : found->second.pieces) {
    out.summaries.push_back(TableFormat<Block>::summary(piece.facts));
  }
  return out;
}

template StoredBlocks<OpBlock> FileStore::blocks();
template StoredBlocks<FlowBlock> FileStore::blocks();
template StoredBlocks<DependencyBlock> FileStore::blocks();

}  // namespace runahead::trace::io
