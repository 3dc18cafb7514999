#include "instrumentation/trace/io/file_store.h"

#include <algorithm>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/io/payload.h"

namespace runahead::trace::io {
namespace {

// What one takes, about: for deciding how much a view may want. A block of a worker's slices is 8 to 14 kB.
constexpr std::size_t kBlockBytes = 16u << 10;
constexpr std::size_t kDigestBytes = kDigestBlocks * kCellsPerBlock * sizeof(SliceCell);

// Rows that agree with a summary and say nothing: all at the begin, but the last.
std::vector<Slice> stand_in(const SliceBlock::Summary& summary) {
  std::vector<Slice> rows(kBlockRows, Slice{.begin = summary.begin, .end = summary.begin});
  rows.back() = {.begin = summary.last_begin, .end = summary.end};
  return rows;
}

}  // namespace

class FileStore::Source final : public LaneSource {
 public:
  Source(std::shared_ptr<FileStore> store, const Lane& lane) : store_(std::move(store)), lane_(lane) {}

  [[nodiscard]] std::shared_ptr<const SliceBlock> load(std::uint64_t number) const override {
    const auto piece = static_cast<std::size_t>(number);
    BlockCache::Value here = store_->cache_.find(lane_.first_slot + static_cast<Slot>(piece));
    if (here != nullptr) return std::static_pointer_cast<const SliceBlock>(std::move(here));
    return store_->load(lane_, piece, Room::kMake);
  }
  [[nodiscard]] std::shared_ptr<const SliceBlock> if_here(std::uint64_t number) const override {
    const Slot slot = lane_.first_slot + static_cast<Slot>(number);
    return std::static_pointer_cast<const SliceBlock>(store_->cache_.find_or_want(slot, kBlockBytes));
  }
  [[nodiscard]] std::shared_ptr<const SliceDigest> digest_if_here(std::uint64_t number) const override {
    const Slot slot = lane_.first_slot + static_cast<Slot>(lane_.pieces.pieces.size() + number);
    return std::static_pointer_cast<const SliceDigest>(store_->cache_.find_or_want(slot, kDigestBytes));
  }

 private:
  const std::shared_ptr<FileStore> store_;  // which owns the lane
  const Lane& lane_;
};

FileStore::FileStore(std::unique_ptr<RecordingFile> file, std::size_t limit_bytes)
    : file_(std::move(file)), cache_(limit_bytes) {}

std::size_t FileStore::add_lane(LanePieces lane) {
  const auto first = static_cast<Slot>(slots_);
  slots_ += lane.pieces.size() + digests_of(lane.pieces.size());
  lanes_.push_back({std::move(lane), first});
  return lanes_.size() - 1;
}

void FileStore::ready(const Known& known) {
  known_ = known;
  cache_.set_slots(slots_);
  known_unreadable_.resize(slots_);
}

std::shared_ptr<const LaneSource> FileStore::source(std::size_t lane) {
  return std::make_shared<Source>(shared_from_this(), lanes_[lane]);
}

BlockStore::Stats FileStore::stats() const {
  return {.limit_bytes = cache_.limit_bytes(),
          .used_bytes = cache_.used_bytes(),
          .loads = loads_.load(std::memory_order_relaxed),
          .unreadable = unreadable_.load(std::memory_order_relaxed),
          .wanted = cache_.wanted()};
}

void FileStore::count_unreadable(Slot slot) {
  const std::scoped_lock lock(unreadable_mutex_);
  if (known_unreadable_[slot]) return;
  known_unreadable_[slot] = true;
  unreadable_.fetch_add(1, std::memory_order_relaxed);
}

std::string FileStore::read_payload(std::uint64_t offset, BlockKind kind) const {
  std::optional<WholeBlock> block = file_->block(offset);
  if (!block) return {};
  if (block->kind == kind) return std::move(block->payload);
  const bool again = block->kind == BlockKind::kRowsAgain && !block->payload.empty() &&
                     static_cast<BlockKind>(block->payload.front()) == kind;
  return again ? block->payload.substr(1) : std::string{};
}

std::vector<Slice> FileStore::read_rows(const Lane& lane, std::uint64_t offset) const {
  const std::string payload = read_payload(offset, BlockKind::kSlices);
  std::vector<LaneRows> lanes;
  if (payload.empty() || !decode_slices(payload, lanes)) return {};
  const bool own =
      lanes.size() == 1 && lanes[0].track == lane.pieces.track && lanes[0].depth == lane.pieces.depth;
  return own ? std::move(lanes[0].rows) : std::vector<Slice>{};
}

bool FileStore::fits(const SlicePiece& piece, std::span<const Slice> rows) const {
  const auto known = [this](const Slice& s) {
    return raw(s.name) < known_.strings && raw(s.args) <= known_.args;
  };
  if (!std::all_of(rows.begin(), rows.end(), known)) return false;
  SliceBlock::Summary summary = summary_of(rows);
  summary.busy_before_ns = piece.summary.busy_before_ns;
  return summary == piece.summary && cell_of(rows).busy_ns == piece.busy_ns;
}

std::shared_ptr<const SliceBlock> FileStore::make_block(const Lane& lane, std::size_t index,
                                                        std::span<const Slice> rows) {
  const SlicePiece& piece = lane.pieces.pieces[index];
  const auto first = static_cast<std::size_t>(piece.first_row);
  if (first <= rows.size() && rows.size() - first >= kBlockRows) {
    const std::span<const Slice> own = rows.subspan(first, kBlockRows);
    if (fits(piece, own)) return pack(own, piece.summary.busy_before_ns);
  }
  count_unreadable(lane.first_slot + static_cast<Slot>(index));
  return pack(stand_in(piece.summary), piece.summary.busy_before_ns);
}

std::shared_ptr<const SliceBlock> FileStore::load(const Lane& lane, std::size_t index, Room room) {
  loads_.fetch_add(1, std::memory_order_relaxed);
  const std::vector<SlicePiece>& pieces = lane.pieces.pieces;
  const std::uint64_t offset = pieces[index].block_offset;
  const std::vector<Slice> rows = read_rows(lane, offset);
  // The pieces of one block lie side by side. They are kept too: who reads one mostly reads the next.
  const auto same = [&](std::size_t i) { return pieces[i].block_offset == offset; };
  std::size_t first = index, last = index + 1;
  while (first > 0 && same(first - 1)) --first;
  while (last < pieces.size() && same(last)) ++last;
  for (std::size_t i = first; i < last; ++i) {
    if (i == index) continue;
    const Slot slot = lane.first_slot + static_cast<Slot>(i);
    if (room == Room::kMake) {
      auto block = make_block(lane, i, rows);
      const std::size_t bytes = block->size_bytes();
      cache_.put(slot, std::move(block), bytes);
    } else if (cache_.used_bytes() + kBlockBytes <= cache_.limit_bytes()) {
      auto block = make_block(lane, i, rows);
      const std::size_t bytes = block->size_bytes();
      cache_.put_if_room(slot, std::move(block), bytes);
    }
  }
  auto block = make_block(lane, index, rows);
  const std::size_t bytes = block->size_bytes();
  return std::static_pointer_cast<const SliceBlock>(
      cache_.put(lane.first_slot + static_cast<Slot>(index), std::move(block), bytes));
}

bool FileStore::fits(const Lane& lane, std::size_t number, std::span<const SliceCell> cells) const {
  const std::vector<SlicePiece>& pieces = lane.pieces.pieces;
  const std::size_t first = number * kDigestBlocks;
  const std::size_t count = std::min(kDigestBlocks, pieces.size() - first);
  if (cells.size() != count * kCellsPerBlock) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const SliceBlock::Summary& summary = pieces[first + i].summary;
    const auto own = cells.subspan(i * kCellsPerBlock, kCellsPerBlock);
    if (own.front().begin != summary.begin || own.back().end != summary.end) return false;
  }
  return std::all_of(cells.begin(), cells.end(),
                     [this](const SliceCell& cell) { return raw(cell.longest.name) < known_.strings; });
}

std::shared_ptr<const SliceDigest> FileStore::load_digest(const Lane& lane, std::size_t number) {
  loads_.fetch_add(1, std::memory_order_relaxed);
  const auto slot = lane.first_slot + static_cast<Slot>(lane.pieces.pieces.size() + number);
  std::vector<SliceCell> cells;
  const std::optional<WholeBlock> block = file_->block(lane.pieces.digests[number]);
  const bool read = block && block->kind == BlockKind::kDigest && decode_digest(block->payload, cells) &&
                    fits(lane, number, cells);
  if (!read) cells.clear();  // the rows themselves will do
  auto digest = std::make_shared<const SliceDigest>(cells);
  const std::size_t bytes = digest->size_bytes();
  return std::static_pointer_cast<const SliceDigest>(cache_.put(slot, std::move(digest), bytes));
}

bool FileStore::load_wanted() {
  const std::optional<Slot> slot = cache_.next_wanted();
  if (!slot) return false;
  const auto after = std::upper_bound(lanes_.begin(), lanes_.end(), *slot,
                                      [](Slot s, const Lane& lane) { return s < lane.first_slot; });
  RUNAHEAD_CHECK(after != lanes_.begin());
  const Lane& lane = *std::prev(after);
  const std::size_t index = *slot - lane.first_slot, pieces = lane.pieces.pieces.size();
  if (index < pieces) {
    (void)load(lane, index, Room::kOnlyIfFree);
  } else {
    (void)load_digest(lane, index - pieces);
  }
  return true;
}

}  // namespace runahead::trace::io
