#include "instrumentation/recording/file_store.h"

#include <algorithm>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/format/row_coding.h"

namespace runahead::recordings {
using namespace trace;
namespace {

// Estimated sizes of a SliceLod and of a FineLod in memory, like kBlockBytes for a block.
constexpr std::size_t kDigestBytes = kLodBlocks * kLodBinsPerBlock * sizeof(LodBin);
constexpr std::size_t kFineBytes = 2 * kBlockRows / FineLod::kRows * sizeof(LodBin);

// Makes rows that replace the rows of an unreadable chunk. The times of these rows match the summary of the
// chunk: the last row has the begin and the end of the chunk's last row. All other rows have zero length and
// are at the start of the chunk.
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
    const auto chunk = static_cast<std::size_t>(number);
    BlockCache::Value here = store_->cache_.find(lane_.first_slot + static_cast<Slot>(chunk));
    if (here != nullptr) return std::static_pointer_cast<const SliceBlock>(std::move(here));
    return store_->load(lane_, chunk, Others::kAll);
  }
  [[nodiscard]] std::shared_ptr<const SliceBlock> if_here(std::uint64_t number) const override {
    const Slot slot = lane_.first_slot + static_cast<Slot>(number);
    return std::static_pointer_cast<const SliceBlock>(store_->cache_.find_or_want(slot, kBlockBytes));
  }
  [[nodiscard]] std::shared_ptr<const SliceLod> lod_if_here(std::uint64_t number) const override {
    const Slot slot = lane_.lod_slot(static_cast<std::size_t>(number));
    return std::static_pointer_cast<const SliceLod>(store_->cache_.find_or_want(slot, kDigestBytes));
  }
  [[nodiscard]] std::shared_ptr<const FineLod> fine_if_here(std::uint64_t number) const override {
    const Slot slot = lane_.fine_slot(static_cast<std::size_t>(number));
    return std::static_pointer_cast<const FineLod>(store_->cache_.find_or_want(slot, kFineBytes));
  }

 private:
  const std::shared_ptr<FileStore> store_;  // keeps the lane alive
  const Lane& lane_;
};

FileStore::FileStore(std::unique_ptr<RecordingFile> file, std::size_t limit_bytes)
    : file_(std::move(file)), cache_(limit_bytes) {}

std::size_t FileStore::add_lane(LaneChunks lane) {
  const auto first = static_cast<Slot>(slots_);
  slots_ += 2 * lane.chunks.size() + lods_of(lane.chunks.size());
  lanes_.push_back({std::move(lane), first});
  return lanes_.size() - 1;
}

void FileStore::ready(const Known& known) {
  known_ = known;
  cache_.set_slots(slots_);
  const MutexLock lock(unreadable_mutex_);
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
  const MutexLock lock(unreadable_mutex_);
  if (known_unreadable_[slot]) return;
  known_unreadable_[slot] = true;
  unreadable_.fetch_add(1, std::memory_order_relaxed);
}

std::vector<Slice> FileStore::read_rows(const Lane& lane, std::uint64_t offset) const {
  const std::string payload = rows_of(file_->block(offset), BlockKind::kSlices);
  std::vector<LaneRows> lanes;
  if (payload.empty() || !decode_slices(payload, lanes)) return {};
  const bool own =
      lanes.size() == 1 && lanes[0].track == lane.chunks.track && lanes[0].depth == lane.chunks.depth;
  return own ? std::move(lanes[0].rows) : std::vector<Slice>{};
}

bool FileStore::fits(const SliceChunk& chunk, std::span<const Slice> rows) const {
  const auto known = [this](const Slice& slice) { return names_known(slice, known_); };
  if (!std::all_of(rows.begin(), rows.end(), known)) return false;
  SliceBlock::Summary summary = summary_of(rows);
  summary.busy_before_ns = chunk.summary.busy_before_ns;
  return summary == chunk.summary && bin_of(rows).busy_ns == chunk.busy_ns;
}

template <typename Make>
auto FileStore::made_of(const Lane& lane, std::size_t index, std::span<const Slice> rows, Make make) {
  const SliceChunk& chunk = lane.chunks.chunks[index];
  const auto first = static_cast<std::size_t>(chunk.first_row);
  if (first <= rows.size() && rows.size() - first >= kBlockRows) {
    const std::span<const Slice> own = rows.subspan(first, kBlockRows);
    if (fits(chunk, own)) return make(own);
  }
  count_unreadable(lane.first_slot + static_cast<Slot>(index));
  const std::vector<Slice> instead = stand_in(chunk.summary);
  return make(std::span<const Slice>(instead));
}

std::shared_ptr<const SliceBlock> FileStore::make_block(const Lane& lane, std::size_t index,
                                                        std::span<const Slice> rows) {
  return made_of(lane, index, rows, [&](std::span<const Slice> own) {
    return pack(own, lane.chunks.chunks[index].summary.busy_before_ns);
  });
}

std::shared_ptr<const SliceBlock> FileStore::load(const Lane& lane, std::size_t index, Others others) {
  loads_.fetch_add(1, std::memory_order_relaxed);
  const std::vector<Slice> rows = read_rows(lane, lane.chunks.chunks[index].block_offset);
  return keep(lane.chunks.chunks, index, lane.first_slot, kBlockBytes, others,
              [&](std::size_t i) { return make_block(lane, i, rows); });
}

void FileStore::load_fine(const Lane& lane, std::size_t index) {
  loads_.fetch_add(1, std::memory_order_relaxed);
  const std::vector<Slice> rows = read_rows(lane, lane.chunks.chunks[index].block_offset);
  keep(lane.chunks.chunks, index, lane.fine_slot(0), kFineBytes, Others::kForView, [&](std::size_t i) {
    return made_of(lane, i, rows,
                   [](std::span<const Slice> own) { return std::make_shared<const FineLod>(own); });
  });
}

bool FileStore::fits(const Lane& lane, std::size_t number, std::span<const LodBin> bins) const {
  const std::vector<SliceChunk>& chunks = lane.chunks.chunks;
  const std::size_t first = number * kLodBlocks;
  const std::size_t count = std::min(kLodBlocks, chunks.size() - first);
  if (bins.size() != count * kLodBinsPerBlock) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const SliceBlock::Summary& summary = chunks[first + i].summary;
    const auto own = bins.subspan(i * kLodBinsPerBlock, kLodBinsPerBlock);
    if (own.front().begin != summary.begin || own.back().end != summary.end) return false;
  }
  return std::all_of(bins.begin(), bins.end(),
                     [this](const LodBin& bin) { return raw(bin.longest.name) < known_.strings; });
}

std::shared_ptr<const SliceLod> FileStore::load_lod(const Lane& lane, std::size_t number) {
  loads_.fetch_add(1, std::memory_order_relaxed);
  const Slot slot = lane.lod_slot(number);
  std::vector<LodBin> bins;
  const std::optional<WholeBlock> block = file_->block(lane.chunks.lods[number]);
  const bool read = block && block->kind == BlockKind::kDigest && decode_lod(block->payload, bins) &&
                    fits(lane, number, bins);
  if (!read) bins.clear();  // an empty LOD: the rows themselves are used instead
  auto lod = std::make_shared<const SliceLod>(bins);
  const std::size_t bytes = lod->size_bytes();
  return std::static_pointer_cast<const SliceLod>(cache_.put(slot, std::move(lod), bytes));
}

void FileStore::load_wanted(const Lane& lane, std::size_t index) {
  const std::size_t chunks = lane.chunks.chunks.size(), lods = lods_of(chunks);
  if (index < chunks) {
    (void)load(lane, index, Others::kForView);
  } else if (index < chunks + lods) {
    (void)load_lod(lane, index - chunks);
  } else {
    load_fine(lane, index - chunks - lods);
  }
}

bool FileStore::load_wanted() {
  const std::optional<Slot> slot = cache_.next_wanted();
  if (!slot) return false;
  if (lanes_.empty() || *slot < lanes_.front().first_slot) {
    const auto after = std::upper_bound(tables_by_slot_.begin(), tables_by_slot_.end(), *slot,
                                        [](Slot s, const Table* table) { return s < table->first_slot; });
    RUNAHEAD_CHECK(after != tables_by_slot_.begin());
    const Table& table = **std::prev(after);
    load_wanted(table, *slot - table.first_slot);
    return true;
  }
  const auto after = std::upper_bound(lanes_.begin(), lanes_.end(), *slot,
                                      [](Slot s, const Lane& lane) { return s < lane.first_slot; });
  const Lane& lane = *std::prev(after);
  load_wanted(lane, *slot - lane.first_slot);
  return true;
}

}  // namespace runahead::recordings
