#include "instrumentation/record/hooks/thread_buffer.h"

#include <algorithm>
#include <new>
#include <utility>

namespace runahead::record {

ThreadBuffer::ThreadBuffer(std::size_t max_events, std::shared_ptr<ChunkBudget> budget)
    : max_chunks_(std::max<std::size_t>(1, (max_events + kChunkEvents - 1) / kChunkEvents)),
      pressed_chunks_(static_cast<std::uint64_t>(static_cast<double>(max_chunks_) * kPressedShare)),
      most_spares_(std::min(max_chunks_, kMostSpares)),
      budget_(std::move(budget)) {}

ThreadBuffer::~ThreadBuffer() {
  // The buffer has no owner any more, so no thread pushes or drains. The shared_ptr's count has ordered all
  // pushes and drains before this destructor.
  for (EventChunk* chunk = reading_ != nullptr ? reading_ : first_; chunk != nullptr;) {
    EventChunk* const next = chunk->next;
    free_chunk(chunk);
    chunk = next;
  }
  while (EventChunk* const spare = take_spare()) free_chunk(spare);
}

void ThreadBuffer::free_chunk(EventChunk* chunk) noexcept {
  delete chunk;
  budget_->used.fetch_sub(1, std::memory_order_relaxed);
}

// ---- producer ------------------------------------------------------------------------------------------

bool ThreadBuffer::push_at_boundary(const Event& first, const Event* second) noexcept {
  std::uint64_t head = head_.load(std::memory_order_relaxed);
  // A record of two slots does not fit into the last slot of the chunk. Fills this slot with kPad.
  if (head % kChunkEvents == kChunkEvents - 1) {
    chunk_->events[kChunkEvents - 1] = Event{};
    head_.store(++head, std::memory_order_release);  // pairs with the acquire in drain()
  }
  if (!begin_chunk()) {
    count_lost(first, second);
    return false;
  }
  std::size_t at = 0;
  if (gap_count_ != 0) {
    chunk_->events[at++] = gap_event();
    gap_count_ = 0;
    gap_depth_ = gap_lowest_ = 0;
  }
  chunk_->events[at++] = first;
  if (second != nullptr) chunk_->events[at++] = *second;
  head_.store(head + at, std::memory_order_release);  // pairs with the acquire in drain()
  return true;
}

bool ThreadBuffer::begin_chunk() noexcept {
  // Acquire pairs with drain(): chunks that the consumer has finished do not count any more.
  const std::uint64_t waiting = chunks_begun_ - chunks_done_.load(std::memory_order_acquire);
  if (waiting >= pressed_chunks_) budget_->bell.ring();
  if (waiting >= max_chunks_) return false;
  EventChunk* const chunk = take_chunk();
  if (chunk == nullptr) return false;
  if (chunks_begun_ == kChunksBeforeSpares) {
    spares_.reset(new (std::nothrow) std::atomic<EventChunk*>[most_spares_]);
  }
  chunk->next = nullptr;
  (chunk_ == nullptr ? first_ : chunk_->next) = chunk;
  chunk_ = chunk;
  ++chunks_begun_;
  return true;
}

EventChunk* ThreadBuffer::take_spare() noexcept {
  const std::uint64_t taken = spares_taken_.load(std::memory_order_relaxed);  // only this thread writes it
  // Acquire pairs with the release in enter_next_chunk().
  if (taken == spares_given_.load(std::memory_order_acquire)) return nullptr;
  EventChunk* const chunk = spares_[taken % most_spares_].load(std::memory_order_relaxed);
  spares_taken_.store(taken + 1, std::memory_order_release);  // pairs with the acquire in enter_next_chunk()
  return chunk;
}

EventChunk* ThreadBuffer::take_chunk() noexcept {
  if (EventChunk* const spare = take_spare()) return spare;
  const std::size_t used = budget_->used.fetch_add(1, std::memory_order_relaxed);
  if (static_cast<double>(used) >= static_cast<double>(budget_->max_chunks) * kPressedShare)
    budget_->bell.ring();
  if (used < budget_->max_chunks) {
    // Default-initialised: zeroing 16 KiB would be wasted work.
    if (auto* const chunk = new (std::nothrow) EventChunk) return chunk;
  }
  budget_->used.fetch_sub(1, std::memory_order_relaxed);
  return nullptr;
}

void ThreadBuffer::count_lost(const Event& first, const Event* second) noexcept {
  const EventKind kind = first.kind();
  if (gap_count_++ == 0) gap_ticks_ = first.ticks;
  if (kind == EventKind::kMemoryFreed && (first.flags() & kAllocationLost) == 0 && second != nullptr) {
    const MutexLock lock(lost_ends_mutex_);
    try {
      if (lost_ends_.size() < kMostLostEnds)
        lost_ends_.push_back({MemoryNumbers::of(*second).number, first.ticks});
    } catch (const std::bad_alloc&) {  // the block then seems to be live until the recording ends
    }
  }
  if (opens_scope(kind)) ++gap_depth_;
  if (closes_scope(kind)) gap_lowest_ = std::min(gap_lowest_, --gap_depth_);
  lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

Event ThreadBuffer::gap_event() const noexcept {
  // The gap is the time of the lost records. closed: number of scopes that began before the gap and ended in
  // it. opened: number of scopes that began in the gap and are still open.
  const auto closed = static_cast<std::uint64_t>(-gap_lowest_);
  const std::int64_t opened = gap_depth_ - gap_lowest_;
  return Event{gap_ticks_, nullptr, closed, Event::pack(EventKind::kGap, 0, opened)};
}

void ThreadBuffer::set_facts(const ThreadFacts& facts) {
  const MutexLock lock(facts_mutex_);
  facts_ = facts;
  facts_version_.fetch_add(1, std::memory_order_release);  // pairs with the acquire in facts_version()
}

// ---- consumer ------------------------------------------------------------------------------------------

void ThreadBuffer::enter_next_chunk() {
  EventChunk* const done = std::exchange(reading_, reading_ == nullptr ? first_ : reading_->next);
  if (done == nullptr) return;
  const std::uint64_t given = spares_given_.load(std::memory_order_relaxed);  // only this thread writes it
  const bool has_ring =
      chunks_done_.load(std::memory_order_relaxed) >= kChunksBeforeSpares && spares_ != nullptr;
  // Acquire pairs with the release in take_spare().
  if (!has_ring || given - spares_taken_.load(std::memory_order_acquire) == most_spares_) {
    free_chunk(done);
    return;
  }
  spares_[given % most_spares_].store(done, std::memory_order_relaxed);
  spares_given_.store(given + 1, std::memory_order_release);  // pairs with the acquire in take_spare()
}

void ThreadBuffer::take_lost_ends(std::vector<LostEnd>& out) {
  const MutexLock lock(lost_ends_mutex_);
  out.insert(out.end(), lost_ends_.begin(), lost_ends_.end());
  lost_ends_.clear();
}

void ThreadBuffer::reuse() {
  // No other thread uses the buffer now, so this thread may act as the producer.
  while (EventChunk* const spare = take_spare()) free_chunk(spare);
  ended_.store(false, std::memory_order_relaxed);
  lost_.store(0, std::memory_order_relaxed);
  events_before_ = head_.load(std::memory_order_relaxed);
  gap_count_ = 0;
  gap_depth_ = gap_lowest_ = 0;
  set_facts({});
}

// ---- any thread ----------------------------------------------------------------------------------------

double ThreadBuffer::fill_ratio() const noexcept {
  const std::uint64_t done = chunks_done_.load(std::memory_order_relaxed);
  const std::uint64_t begun = (head_.load(std::memory_order_relaxed) + kChunkEvents - 1) / kChunkEvents;
  return begun <= done ? 0.0 : static_cast<double>(begun - done) / static_cast<double>(max_chunks_);
}

ThreadFacts ThreadBuffer::facts() const {
  const MutexLock lock(facts_mutex_);
  return facts_;
}

}  // namespace runahead::record
