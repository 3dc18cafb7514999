#include "engine/device/memory_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/device/brief_mutex.h"
#include "instrumentation/base/check.h"
#include "instrumentation/base/format.h"
#include "instrumentation/record/hooks.h"

namespace runahead::engine {
namespace {

constexpr std::size_t kAlign = 64;

// What is taken for `size_bytes`: eight classes to each power of two, so that at most an eighth is wasted and
// a free block fits the next request of about its size.
std::size_t class_bytes(std::size_t size_bytes) {
  const std::size_t size = std::max<std::size_t>(size_bytes, 1);
  const std::size_t step = std::max(kAlign, std::bit_floor(size) / 8);
  return (size + step - 1) / step * step;
}

const record::TrackDesc& memory_track(const std::string& device, bool simulated, std::string name,
                                      trace::CounterRole role) {
  return record::intern_track({.kind = trace::TrackKind::kCounter,
                               .group = "Memory",
                               .name = std::move(name),
                               .device = device,
                               .simulated = simulated,
                               .unit = trace::Unit::kBytes,
                               .role = role});
}

const char* op_name(const record::Site* op) { return op != nullptr ? op->name : "no op"; }

// Of the blocks of all pools, so that a number says which; a pool takes a range of them at once.
std::uint64_t first_number_of_pool() {
  constexpr int kNumbersOfAPool = 44;
  static std::atomic<std::uint64_t> pools{0};
  return (pools.fetch_add(1, std::memory_order_relaxed) + 1) << kNumbersOfAPool;
}

using CategoryTracks = std::array<const record::TrackDesc*, kMemoryCategoryCount>;

CategoryTracks category_tracks(const std::string& device, bool simulated) {
  CategoryTracks tracks;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const std::string name = memory_category_name(static_cast<MemoryCategory>(i));
    tracks[i] = &memory_track(device, simulated, name + " " + device, trace::CounterRole::kCategoryBytes);
  }
  return tracks;
}

}  // namespace

// Sizes of blocks are as asked for in `live`, of their class in everything that is taken.
struct MemoryPool::State {
  std::string device_name;
  std::unique_ptr<Source> source;  // null: timing only
  const record::TrackDesc& live_track;
  const record::TrackDesc& reserved_track;
  const CategoryTracks tracks_by_category;
  const std::uint64_t first_number = first_number_of_pool();

  mutable BriefMutex mutex;  // guards everything below and the order of the counters' samples; never nests
  std::size_t live = 0, peak = 0, reserved = 0, live_classes = 0, capacity = 0;
  std::uint64_t allocations = 0;
  std::map<std::size_t, std::vector<void*>> free;  // by class; its lists stay where they are
  // The lists of the smallest classes, class / kAlign; null: not asked for yet.
  std::array<std::vector<void*>*, 64> small_free{};
  std::size_t reserved_told = 0;  // the last sample of its counter, so many changes ago
  int changes_since = 0;
  BytesByCategory live_by_category{}, peak_by_category{};
  struct Held {
    std::size_t bytes = 0, blocks = 0;
  };
  std::unordered_map<const record::Site*, Held> held_by_op;  // one entry for each op that ever held memory
  std::pair<const record::Site*, Held*> last_held{};         // most often it is asked for again

  // What a block of `size_bytes` <= capacity takes; the largest class ends at the capacity.
  [[nodiscard]] std::size_t class_of(std::size_t size_bytes) const {
    return source ? std::min(class_bytes(size_bytes), std::max(size_bytes, capacity)) : size_bytes;
  }

  std::vector<void*>& free_list(std::size_t class_size) {
    const std::size_t index = class_size / kAlign;
    if (class_size % kAlign != 0 || index >= small_free.size()) return free[class_size];
    if (small_free[index] == nullptr) small_free[index] = &free[class_size];
    return *small_free[index];
  }
  Held& held_by(const record::Site* op) {
    if (last_held.second == nullptr || last_held.first != op) last_held = {op, &held_by_op[op]};
    return *last_held.second;
  }

  // A block of the class from the free list or the system; false: there is none.
  bool take(std::size_t class_size, void** out) {
    *out = nullptr;
    auto& list = free_list(class_size);
    if (!list.empty()) {
      *out = list.back();
      list.pop_back();
      return true;
    }
    if (reserved + class_size > capacity) trim();
    if (source) {
      *out = source->take(class_size);
      if (*out == nullptr) {
        trim();
        *out = source->take(class_size);
      }
      if (*out == nullptr) return false;
    }
    reserved += class_size;
    return true;
  }

  void trim() {
    for (auto& [class_size, list] : free) {
      for (void* block : list) source->give(block, class_size);
      reserved -= class_size * list.size();
      list.clear();
    }
  }

  void own(std::size_t size_bytes, MemoryOwner owner) {
    live += size_bytes;
    live_by_category[static_cast<std::size_t>(owner.category)] += size_bytes;
    Held& held = held_by(owner.op);
    held.bytes += size_bytes;
    ++held.blocks;
    if (live <= peak) return;
    peak = live;
    peak_by_category = live_by_category;
  }
  void disown(std::size_t size_bytes, MemoryOwner owner) {
    live -= size_bytes;
    live_by_category[static_cast<std::size_t>(owner.category)] -= size_bytes;
    Held& held = held_by(owner.op);
    held.bytes -= size_bytes;
    --held.blocks;
  }

  // The reserved bytes change seldom: a sample of them comes when they do, and now and then for a recording
  // that began meanwhile.
  void count(MemoryCategory category, std::uint64_t ticks) {
    const auto index = static_cast<std::size_t>(category);
    record::counter(live_track, ticks, static_cast<double>(live));
    if (reserved_told != reserved || changes_since++ % 64 == 0) {
      record::counter(reserved_track, ticks, static_cast<double>(reserved));
      reserved_told = reserved;
    }
    record::counter(*tracks_by_category[index], ticks, static_cast<double>(live_by_category[index]));
  }

  // Ticks if anyone records, else 0.
  std::uint64_t record_taken(std::uint64_t number, std::size_t size_bytes, MemoryOwner owner) {
    if (!record::recording()) return 0;
    const std::uint64_t ticks = record::now_ticks();
    count(owner.category, ticks);
    record::memory_taken(facts_of(number, size_bytes, owner), ticks);
    return ticks;
  }
  void record_given(std::uint64_t number, std::size_t size_bytes, MemoryOwner owner,
                    std::uint64_t taken_ticks) {
    if (!record::recording()) return;
    const std::uint64_t ticks = record::now_ticks();
    count(owner.category, ticks);
    record::memory_given(facts_of(number, size_bytes, owner), taken_ticks, ticks);
  }
  [[nodiscard]] record::MemoryBlock facts_of(std::uint64_t number, std::size_t size_bytes,
                                             MemoryOwner owner) const {
    return {.counter = &live_track,
            .category = memory_category_name(owner.category),
            .site = owner.op,
            .op = owner.op_id,
            .number = number,
            .size_bytes = static_cast<std::int64_t>(size_bytes)};
  }

  [[nodiscard]] std::vector<MemoryHolder> holders(std::size_t most) const {
    std::vector<MemoryHolder> all;
    for (const auto& [op, held] : held_by_op) {
      if (held.blocks > 0) all.push_back({op_name(op), held.bytes, held.blocks});
    }
    std::ranges::sort(all, [](const MemoryHolder& a, const MemoryHolder& b) {
      return a.live_bytes != b.live_bytes ? a.live_bytes > b.live_bytes : a.op < b.op;
    });
    if (all.size() > most) all.resize(most);
    return all;
  }

  // " (activations 6.10 GB, inputs 1.20 GB; most of it by dense, 3.10 GB in 120 blocks)"
  [[nodiscard]] std::string who_holds_it() const {
    std::string text;
    for (std::size_t i = 0; i < live_by_category.size(); ++i) {
      if (live_by_category[i] == 0) continue;
      text += (text.empty() ? "" : ", ") + std::string(memory_category_name(static_cast<MemoryCategory>(i))) +
              " " + format_bytes(static_cast<double>(live_by_category[i]));
    }
    const std::vector<MemoryHolder> first = holders(1);
    if (first.empty()) return "";
    const MemoryHolder& holder = first.front();
    return " (" + text + "; most of it by " + holder.op + ", " +
           format_bytes(static_cast<double>(holder.live_bytes)) + " in " + std::to_string(holder.blocks) +
           (holder.blocks == 1 ? " block)" : " blocks)");
  }

  [[nodiscard]] Error full(std::size_t size_bytes, const char* why) const {
    return Error{device_name + ": out of memory: " + format_bytes(static_cast<double>(size_bytes)) +
                 " asked for, " + format_bytes(static_cast<double>(live)) + " live of " +
                 format_bytes(static_cast<double>(capacity)) + " capacity" + who_holds_it() + why +
                 "; wait more often, or take smaller sizes"};
  }
};

MemoryPool::MemoryPool(std::string device_name, bool simulated, std::size_t capacity_bytes,
                       std::unique_ptr<Source> source)
    : state_(new State{.device_name = device_name,
                       .source = std::move(source),
                       .live_track = memory_track(device_name, simulated, "live " + device_name,
                                                  trace::CounterRole::kLiveBytes),
                       .reserved_track = memory_track(device_name, simulated, "reserved " + device_name,
                                                      trace::CounterRole::kReservedBytes),
                       .tracks_by_category = category_tracks(device_name, simulated),
                       .capacity = capacity_bytes}) {}

MemoryPool::~MemoryPool() {
  RUNAHEAD_CHECK_OP(state_->live_classes, ==, std::size_t{0});  // an array outlived its device
  trim();
}

Result<Block> MemoryPool::allocate(std::size_t size_bytes, MemoryOwner owner) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (size_bytes > state.capacity) return state.full(size_bytes, "");
  const std::size_t class_size = state.class_of(size_bytes);
  if (state.live_classes > state.capacity - class_size) return state.full(size_bytes, "");
  void* data = nullptr;
  if (!state.take(class_size, &data)) return state.full(size_bytes, ", and the system has no more");
  state.live_classes += class_size;
  state.own(size_bytes, owner);
  const std::uint64_t number = state.first_number + state.allocations++;
  const std::uint64_t taken_ticks = state.record_taken(number, size_bytes, owner);
  return Block(this, data, size_bytes, owner, {number, taken_ticks});
}

void MemoryPool::release(const Block& block) noexcept {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  const std::size_t class_size = state.class_of(block.size_bytes_);
  state.disown(block.size_bytes_, block.owner_);
  state.live_classes -= class_size;
  if (state.source) {
    state.free_list(class_size).push_back(block.data_);
  } else {
    state.reserved -= class_size;
  }
  state.record_given(block.recorded_.number, block.size_bytes_, block.owner_, block.recorded_.taken_ticks);
}

MemoryStats MemoryPool::stats() const {
  const std::lock_guard lock(state_->mutex);
  return {.live_bytes = state_->live,
          .peak_bytes = state_->peak,
          .reserved_bytes = state_->reserved,
          .capacity_bytes = state_->capacity,
          .allocations = state_->allocations,
          .live_by_category = state_->live_by_category,
          .peak_by_category = state_->peak_by_category};
}

std::vector<MemoryHolder> MemoryPool::holders(std::size_t most) const {
  const std::lock_guard lock(state_->mutex);
  return state_->holders(most);
}

void MemoryPool::reset_peak() {
  const std::lock_guard lock(state_->mutex);
  state_->peak = state_->live;
  state_->peak_by_category = state_->live_by_category;
}

void MemoryPool::trim() {
  const std::lock_guard lock(state_->mutex);
  state_->trim();
  if (record::recording()) state_->count(MemoryCategory::kOther, record::now_ticks());
}

Block::Block(Block&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      owner_(other.owner_),
      recorded_(other.recorded_) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(owner_, other.owner_);
  std::swap(recorded_, other.recorded_);
  return *this;
}

Block::~Block() {
  if (pool_ != nullptr) pool_->release(*this);
}

}  // namespace runahead::engine
