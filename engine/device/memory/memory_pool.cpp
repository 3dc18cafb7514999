#include "engine/device/memory/memory_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/device/memory/brief_mutex.h"
#include "instrumentation/base/check.h"
#include "instrumentation/base/format.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

constexpr std::size_t kAlign = 64;

// Returns the number of bytes to allocate for a block of `size_bytes`. There are eight size classes for each
// power of two. Therefore at most an eighth is wasted, and a freed block can serve the next request of about
// the same size.
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

// Block numbers are unique in the process: a pool reserves kNumbersAtOnce numbers at a time.
constexpr std::uint64_t kNumbersAtOnce = 1u << 16;
std::uint64_t next_numbers() {
  static std::atomic<std::uint64_t> ranges{0};
  return (ranges.fetch_add(1, std::memory_order_relaxed) + 1) * kNumbersAtOnce;
}

// SmallFree: the freelist of one small size class. The addresses of the blocks that were freed last are in a
// separate cache line. Therefore, if a block is freed and soon allocated again, no other cache line of the
// freelist moves between cores. Guarded by the pool's mutex.
struct alignas(64) SmallFree {
  static constexpr std::size_t kTop = 6;
  std::size_t count = 0;               // number of blocks in `top`
  std::array<void*, kTop> top;         // blocks freed last; the newest at the end
  std::vector<void*>* rest = nullptr;  // blocks freed earlier than those in `top`; null: class never used

  void give(void* block) {
    if (count == kTop) spill(kTop / 2);
    top[count++] = block;
  }
  [[nodiscard]] void* take() {  // null: no free block
    if (count == 0) refill();
    return count != 0 ? top[--count] : nullptr;
  }
  void spill(std::size_t blocks) {
    rest->insert(rest->end(), top.begin(), top.begin() + static_cast<std::ptrdiff_t>(blocks));
    std::move(top.begin() + static_cast<std::ptrdiff_t>(blocks),
              top.begin() + static_cast<std::ptrdiff_t>(count), top.begin());
    count -= blocks;
  }
  void refill() {
    for (; count < kTop / 2 && !rest->empty(); rest->pop_back()) top[count++] = rest->back();
    std::reverse(top.begin(), top.begin() + static_cast<std::ptrdiff_t>(count));
  }
};

using MemoryKinds = std::array<const record::MemoryKind*, kMemoryCategoryCount>;

MemoryKinds memory_kinds(const std::string& device, bool simulated) {
  MemoryKinds kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const char* const category = memory_category_name(static_cast<MemoryCategory>(i));
    kinds[i] = &record::intern_memory(
        {.live = &memory_track(device, simulated, "live " + device, trace::CounterRole::kLiveBytes),
         .of_category = &memory_track(device, simulated, std::string(category) + " " + device,
                                      trace::CounterRole::kCategoryBytes),
         .category = category});
  }
  return kinds;
}

}  // namespace

// `reserved`, `live_classes` and `ahead_classes` count a block with the size of its size class. All other
// totals count it with its requested size.
struct MemoryPool::State {
  std::string device_name;
  std::unique_ptr<Source> source;  // null: timing only, no memory
  const record::TrackDesc& reserved_track;
  const MemoryKinds kinds;
  const std::size_t capacity;

  struct Held {
    std::size_t bytes = 0, blocks = 0;
  };
  struct FreeBlock {
    void* data = nullptr;
    std::size_t class_size = 0;
  };
  using Lock = std::unique_lock<BriefMutex>;

  // A thread gives blocks to the system, and has opened the lock. Guarded by `mutex`.
  bool trimming = false;
  std::condition_variable_any trimmed;

  // Guards all members below. The time of a change (an allocation or a free) is also read under this mutex,
  // so that the samples of a counter have the order of the changes. Never nests. Each change writes the
  // members from `mutex` to `peak`. These members fill two cache lines, which move between cores together
  // with the mutex.
  alignas(64) mutable BriefMutex mutex;
  std::uint16_t changes = 0;      // number of recorded changes; every 64th also records the reserved bytes
  bool reserved_changed = false;  // the reserved bytes changed after they were last recorded
  std::size_t live = 0, reserved = 0, live_classes = 0;
  std::size_t ahead_classes = 0;  // of allocate_ahead(), not yet counted as live
  std::uint64_t allocations = 0;
  std::uint64_t numbers = 0;  // first number of the range from which the next block gets its number
  // the entry of held_by_op that was used last; usually the next change is for the same op
  std::pair<const record::Site*, Held*> last_held{};
  BytesByCategory live_by_category{};
  // Bytes and blocks that must still be added to *last_held.second. They are collected here, because that
  // entry is in another cache line. The members are unsigned: a negative sum wraps around, and the later
  // addition still gives the correct total.
  Held more_held;
  std::size_t peak = 0;

  BytesByCategory peak_by_category{};
  // key: size class; a new key does not move the lists of other keys
  std::map<std::size_t, std::vector<void*>> free;
  std::array<SmallFree, 64> small_free{};                    // small classes; index: class / kAlign
  std::unordered_map<const record::Site*, Held> held_by_op;  // has an entry for each op that ever had memory

  std::uint64_t next_number() {
    const std::uint64_t at = allocations++ % kNumbersAtOnce;
    if (at == 0) numbers = next_numbers();
    return numbers + at;
  }

  // Returns the number of bytes to allocate for a block. No class is larger than the capacity. REQUIRES:
  // size_bytes <= capacity.
  [[nodiscard]] std::size_t class_of(std::size_t size_bytes) const {
    return source ? std::min(class_bytes(size_bytes), std::max(size_bytes, capacity)) : size_bytes;
  }

  void add_reserved(std::size_t bytes) {
    reserved += bytes;
    reserved_changed = true;
  }
  void take_reserved(std::size_t bytes) {
    reserved -= bytes;
    reserved_changed = true;
  }

  // Null: the class is not small.
  [[nodiscard]] SmallFree* small(std::size_t class_size) {
    const std::size_t index = class_size / kAlign;
    return class_size % kAlign == 0 && index < small_free.size() ? &small_free[index] : nullptr;
  }
  // Prefetches the memory that a change in this size class will write. Called without the lock.
  void prefetch(SmallFree* list) {
    __builtin_prefetch(&live_by_category, 1);
    if (list != nullptr) __builtin_prefetch(list, 1);
  }
  [[nodiscard]] void* take_free(std::size_t class_size, SmallFree* list) {  // null: no free block
    if (list != nullptr) {
      if (list->rest == nullptr) list->rest = &free[class_size];
      return list->take();
    }
    std::vector<void*>& blocks = free[class_size];
    if (blocks.empty()) return nullptr;
    void* const block = blocks.back();
    blocks.pop_back();
    return block;
  }
  Held& held_by(const record::Site* op) {
    if (last_held.second == nullptr || last_held.first != op) {
      flush_held();
      last_held = {op, &held_by_op[op]};
    }
    return more_held;
  }
  void flush_held() {
    if (last_held.second == nullptr) return;
    last_held.second->bytes += more_held.bytes;
    last_held.second->blocks += more_held.blocks;
    more_held = {};
  }

  // Takes a block of the class from the freelist or from the system. False: no memory is left. May open the
  // lock meanwhile.
  bool take(std::size_t class_size, SmallFree* list, Lock& lock, void** out) {
    do {
      *out = take_free(class_size, list);
      if (*out != nullptr) return true;
    } while (reserved + class_size > capacity && trim(lock));
    if (source) {
      *out = source->take(class_size);
      if (*out == nullptr && trim(lock)) *out = source->take(class_size);
      if (*out == nullptr) return false;
    }
    add_reserved(class_size);
    return true;
  }

  [[nodiscard]] std::size_t free_blocks(std::size_t class_size) {
    const SmallFree* const list = small(class_size);
    return free[class_size].size() + (list != nullptr ? list->count : 0);
  }
  void give_free(std::size_t class_size, void* block) {
    SmallFree* const list = small(class_size);
    if (list == nullptr) return free[class_size].push_back(block);
    if (list->rest == nullptr) list->rest = &free[class_size];
    list->give(block);
  }
  // Returns a new block from the system if the capacity allows it without freeing other blocks. Null: the
  // capacity does not allow it, or the system has no memory.
  [[nodiscard]] void* take_new(std::size_t class_size) {
    if (class_size > capacity || reserved > capacity - class_size) return nullptr;
    void* const block = source->take(class_size);
    if (block != nullptr) add_reserved(class_size);
    return block;
  }

  // Removes all blocks from the freelists. They still count as reserved.
  [[nodiscard]] std::vector<FreeBlock> take_all_free() {
    for (SmallFree& list : small_free) {
      if (list.count != 0) list.spill(list.count);
    }
    std::vector<FreeBlock> blocks;
    for (auto& [class_size, list] : free) {
      for (void* const block : list) blocks.push_back({block, class_size});
      list.clear();
    }
    return blocks;
  }
  // Gives the free blocks to the system. Opens the lock meanwhile. A second thread waits for the first one,
  // because the memory is not there before. False: no block was free.
  bool trim(Lock& lock) {
    const bool another = trimming;
    trimmed.wait(lock, [this] { return !trimming; });
    const std::vector<FreeBlock> blocks = take_all_free();
    if (blocks.empty()) return another;
    trimming = true;
    lock.unlock();
    for (const FreeBlock& block : blocks) source->before_give(block.data, block.class_size);
    lock.lock();
    for (const FreeBlock& block : blocks) {
      source->give(block.data, block.class_size);
      take_reserved(block.class_size);
    }
    trimming = false;
    trimmed.notify_all();
    return true;
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

  // The values that a recording needs about one change (an allocation or a free). They are copied under the
  // lock, and describe the state at `ticks`. Therefore they can be recorded after the lock has been released.
  struct Change {
    std::uint64_t ticks = 0;  // 0: nothing is recorded
    record::MemoryBlock block;
    const record::TrackDesc* reserved_track = nullptr;  // null: do not record the reserved bytes
    std::size_t reserved = 0;

    void tell_reserved() const {
      if (reserved_track != nullptr) record::counter(*reserved_track, ticks, static_cast<double>(reserved));
    }
  };
  [[nodiscard]] Change change_of(std::uint64_t number, std::size_t size_bytes, MemoryOwner owner) {
    if (!record::recording()) return {};
    const auto category = static_cast<std::size_t>(owner.category);
    return {.ticks = record::now_ticks(),
            .block = {.kind = kinds[category],
                      .site = owner.op,
                      .op = owner.op_id,
                      .number = number,
                      .size_bytes = static_cast<std::int64_t>(size_bytes),
                      .live_bytes = static_cast<std::int64_t>(live),
                      .category_bytes = static_cast<std::int64_t>(live_by_category[category])},
            .reserved_track = tells_reserved() ? &reserved_track : nullptr,
            .reserved = reserved};
  }
  // True: this change also records the reserved bytes. The reserved bytes rarely change. They are recorded
  // when they change, and also from time to time, for a recording that began after the last change.
  [[nodiscard]] bool tells_reserved() {
    if (changes++ % 64 != 0 && !reserved_changed) return false;
    reserved_changed = false;
    return true;
  }

  void tell_reserved_locked() {
    reserved_changed = false;
    record::counter(reserved_track, record::now_ticks(), static_cast<double>(reserved));
  }

  [[nodiscard]] std::vector<MemoryHolder> holders(std::size_t most) {
    flush_held();
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

  // Returns a text such as " (activations 6.10 GB, inputs 1.20 GB; most of it by dense, 3.10 GB in 120
  // blocks)".
  [[nodiscard]] std::string who_holds_it() {
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

  [[nodiscard]] Error full(std::size_t size_bytes, const char* why) {
    return Error{device_name + ": out of memory: " + format_bytes(static_cast<double>(size_bytes)) +
                 " requested, " + format_bytes(static_cast<double>(live)) + " live of " +
                 format_bytes(static_cast<double>(capacity)) + " capacity" + who_holds_it() + why +
                 "; wait more often, or use smaller sizes"};
  }
};

void MemoryPool::Source::touch(void* data, std::size_t size_bytes) {
  constexpr std::size_t kPage = 4096;
  auto* const bytes = static_cast<volatile std::byte*>(data);
  for (std::size_t i = 0; i < size_bytes; i += kPage) bytes[i] = std::byte{0};
  if (size_bytes > 0) bytes[size_bytes - 1] = std::byte{0};
}

MemoryPool::MemoryPool(std::string device_name, bool simulated, std::size_t capacity_bytes,
                       std::unique_ptr<Source> source)
    : state_(new State{.device_name = device_name,
                       .source = std::move(source),
                       .reserved_track = memory_track(device_name, simulated, "reserved " + device_name,
                                                      trace::CounterRole::kReservedBytes),
                       .kinds = memory_kinds(device_name, simulated),
                       .capacity = capacity_bytes}) {}

MemoryPool::~MemoryPool() {
  // fails if an array outlived its device
  RUNAHEAD_CHECK_OP(state_->live_classes + state_->ahead_classes, ==, std::size_t{0});
  trim();
}

Result<Block> MemoryPool::allocate(std::size_t size_bytes, MemoryOwner owner) {
  State& state = *state_;
  const std::size_t class_size = state.class_of(size_bytes);
  SmallFree* const list = state.small(class_size);
  state.prefetch(list);
  std::unique_lock lock(state.mutex);
  if (size_bytes > state.capacity) return state.full(size_bytes, "");
  if (state.live_classes > state.capacity - class_size) return state.full(size_bytes, "");
  void* data = nullptr;
  state.live_classes += class_size;  // now, because take() may open the lock
  if (!state.take(class_size, list, lock, &data)) {
    state.live_classes -= class_size;
    if (const std::string why = state.source->broken(); !why.empty())
      return Error{state.device_name + ": no memory can be taken: " + why};
    return state.full(size_bytes, ", and the system has no more");
  }
  state.own(size_bytes, owner);
  const std::uint64_t number = state.next_number();
  const State::Change change = state.change_of(number, size_bytes, owner);
  lock.unlock();
  bool lost = false;
  if (change.ticks != 0) {
    lost = !record::memory_allocated(change.block, change.ticks);
    change.tell_reserved();
  }
  return Block(this, data, size_bytes, owner, {number, lost, change.ticks});
}

Status MemoryPool::allocate(std::size_t size_bytes, MemoryOwner owner, Block& out) {
  Result<Block> allocated = allocate(size_bytes, owner);
  if (!allocated.ok()) return allocated.error();
  out = std::move(allocated).value();
  return Ok{};
}

std::optional<Block> MemoryPool::allocate_ahead(std::size_t size_bytes, MemoryOwner owner) {
  State& state = *state_;
  if (size_bytes > state.capacity) return std::nullopt;
  const std::size_t class_size = state.class_of(size_bytes);
  SmallFree* const list = state.small(class_size);
  std::unique_lock lock(state.mutex);
  if (state.live_classes + state.ahead_classes + class_size > state.capacity / 2) return std::nullopt;
  void* data = nullptr;
  state.ahead_classes += class_size;  // now, because take() may open the lock
  if (state.take(class_size, list, lock, &data)) return Block(this, data, size_bytes, owner);
  state.ahead_classes -= class_size;
  return std::nullopt;
}

void MemoryPool::count(Block& block) {
  State& state = *state_;
  const std::size_t class_size = state.class_of(block.size_bytes_);
  State::Change change;
  {
    const std::lock_guard lock(state.mutex);
    state.ahead_classes -= class_size;
    state.live_classes += class_size;
    state.own(block.size_bytes_, block.owner_);
    block.recorded_.number = state.next_number();
    change = state.change_of(block.recorded_.number, block.size_bytes_, block.owner_);
  }
  block.counted_ = true;
  block.recorded_.taken_ticks = change.ticks;
  if (change.ticks == 0) return;
  block.recorded_.lost = record::memory_allocated(change.block, change.ticks) ? 0 : 1;
  change.tell_reserved();
}

void MemoryPool::release(const Block& block, std::uint64_t dropped_ticks) noexcept {
  RUNAHEAD_CHECK(block.counted_);  // fails if an op frees memory before its modelled start
  State& state = *state_;
  const std::size_t class_size = state.class_of(block.size_bytes_);
  SmallFree* const list = state.small(class_size);
  state.prefetch(list);
  std::unique_lock lock(state.mutex);
  state.disown(block.size_bytes_, block.owner_);
  state.live_classes -= class_size;
  if (state.source && list != nullptr) {
    list->give(block.data_);
  } else if (state.source) {
    state.free[class_size].push_back(block.data_);
  } else {
    state.take_reserved(class_size);
  }
  const State::Change change = state.change_of(block.recorded_.number, block.size_bytes_, block.owner_);
  lock.unlock();
  if (change.ticks == 0) return;
  record::memory_freed(change.block, {block.recorded_.taken_ticks, block.recorded_.lost != 0}, change.ticks,
                       dropped_ticks);
  change.tell_reserved();
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

void MemoryPool::reserve(std::span<const std::size_t> sizes_bytes, std::int64_t count) {
  State& state = *state_;
  if (!state.source || count <= 0) return;
  std::map<std::size_t, std::size_t> wanted;  // key: size class; value: number of blocks
  for (const std::size_t size_bytes : sizes_bytes) {
    if (size_bytes <= state.capacity) wanted[state.class_of(size_bytes)] += static_cast<std::size_t>(count);
  }
  for (const auto& [class_size, blocks] : wanted) {
    std::vector<void*> taken;
    {
      const std::lock_guard lock(state.mutex);
      const std::size_t there = state.free_blocks(class_size);
      while (there + taken.size() < blocks) {
        void* const block = state.take_new(class_size);
        if (block == nullptr) break;
        taken.push_back(block);
      }
    }
    for (void* const block : taken) state.source->touch(block, class_size);
    const std::lock_guard lock(state.mutex);
    for (void* const block : taken) state.give_free(class_size, block);
    if (record::recording()) state.tell_reserved_locked();
  }
}

void MemoryPool::reset_peak() {
  const std::lock_guard lock(state_->mutex);
  state_->peak = state_->live;
  state_->peak_by_category = state_->live_by_category;
}

void MemoryPool::trim() {
  State::Lock lock(state_->mutex);
  state_->trim(lock);
  if (!record::recording()) return;
  record::counter(*state_->kinds.front()->live, record::now_ticks(), static_cast<double>(state_->live));
  state_->tell_reserved_locked();
}

Block::Block(Block&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      owner_(other.owner_),
      counted_(other.counted_),
      recorded_(other.recorded_) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(owner_, other.owner_);
  std::swap(counted_, other.counted_);
  std::swap(recorded_, other.recorded_);
  return *this;
}

void Block::count() { pool_->count(*this); }

void Block::free(std::uint64_t dropped_ticks) {
  if (pool_ != nullptr) std::exchange(pool_, nullptr)->release(*this, dropped_ticks);
}

Block::~Block() { free(0); }

}  // namespace runahead::engine
