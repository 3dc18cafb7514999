// OpenOpTable: the open ops (enqueued or started, not ended yet). It finds an op by its id, and goes through
// the ops in id order. An engine numbers its ops consecutively, so its ops in flight have neighbouring
// numbers. Each engine has a window: a ring indexed by op number. If an op stays open so long that the window
// moves past its number, the op is kept in a separate map.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "instrumentation/record/hooks/site.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::record {

struct OpEntry {
  trace::OpRow row;
  const TrackDesc* queue = nullptr;  // the queue that counted the op's enqueue; null: none
  std::int32_t life_lane = -1;       // lane of the op's life on the queue's track; -1: the life is not drawn
  // the op's end came before its enqueue, so the entry waits for the enqueue
  bool ended = false;
  bool end_unseen = false;  // the op's end was lost
};

// The open ops of one engine.
class OpWindow {
 public:
  OpWindow() : OpWindow(kFirstCapacity) {}

  [[nodiscard]] OpEntry* find(OpId op) {
    const std::uint64_t number = op_number(op);
    if (number - low_ < high_ - low_ && is_used(number)) return &ring_[number & mask_];  // modulo 2^64
    return strays_.empty() ? nullptr : find_stray(number);
  }
  // Adds an op. REQUIRES: find(op) is null. The reference is valid until the next add() or erase().
  OpEntry& add(OpId op);
  void erase(OpId op);

  [[nodiscard]] std::size_t size() const { return in_ring_ + strays_.size(); }
  // first() and after() go through the ops in id order, last() and before() in reverse order. Null: there is
  // no such op.
  [[nodiscard]] OpEntry* first();
  [[nodiscard]] OpEntry* last();
  [[nodiscard]] OpEntry* after(OpId op);   // `op` may be open or not
  [[nodiscard]] OpEntry* before(OpId op);  // `op` may be open or not

 private:
  static constexpr std::size_t kFirstCapacity = 1024;
  explicit OpWindow(std::size_t capacity)
      : ring_(capacity), used_(capacity / kWordBits), mask_(capacity - 1) {}

  static constexpr std::uint64_t kWordBits = 64;
  [[nodiscard]] std::uint64_t& word_of(std::uint64_t number) { return used_[(number & mask_) / kWordBits]; }
  [[nodiscard]] static std::uint64_t bit_of(std::uint64_t number) { return 1ull << (number % kWordBits); }
  [[nodiscard]] bool is_used(std::uint64_t number) { return (word_of(number) & bit_of(number)) != 0; }
  [[nodiscard]] std::uint64_t first_used(std::uint64_t from);  // lowest used number >= `from`; high_: none
  // the greatest used number below `before`
  [[nodiscard]] std::optional<std::uint64_t> last_used(std::uint64_t before);
  [[nodiscard]] OpEntry* at_or_null(std::uint64_t number);  // null: `number` is high_
  [[nodiscard]] OpEntry* find_stray(std::uint64_t number);
  OpEntry& add_in_ring(OpId op);
  void make_room(std::uint64_t number);
  void grow();

  // The ring has the ops with numbers in [low_, high_). This range is never longer than the ring. used_ has
  // one bit for each place of the ring: 1 if the place holds an op.
  std::vector<OpEntry> ring_;
  std::vector<std::uint64_t> used_;
  std::uint64_t mask_;
  std::uint64_t low_ = 0, high_ = 0;
  std::size_t in_ring_ = 0;
  std::map<std::uint64_t, OpEntry> strays_;  // indexed by op number
};

class OpenOpTable {
 public:
  [[nodiscard]] OpEntry* find(OpId op) { return window_of(op).find(op); }
  // Returns the entry of `op`, and makes it if needed. References are valid until the next find_or_add() or
  // erase().
  OpEntry& find_or_add(OpId op) {
    OpWindow& window = window_of(op);
    if (OpEntry* const known = window.find(op)) return *known;
    ++size_;
    return window.add(op);
  }
  void erase(OpEntry& entry) {
    window_of(entry.row.id).erase(entry.row.id);
    --size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  // Returns the first op in id order. Within an engine this is the enqueue order.
  [[nodiscard]] OpEntry* first();
  [[nodiscard]] OpEntry* last();
  [[nodiscard]] OpEntry* after(OpId op);
  [[nodiscard]] OpEntry* before(OpId op);

 private:
  [[nodiscard]] static std::uint64_t serial_of(OpId op) { return raw(op) - op_number(op); }
  [[nodiscard]] OpWindow& window_of(OpId op) {
    if (latest_ != nullptr && serial_of(op) == latest_serial_) return *latest_;
    return other_window(op);
  }
  using Windows = std::map<std::uint64_t, std::unique_ptr<OpWindow>>;  // indexed by engine serial
  OpWindow& other_window(OpId op);
  Windows::iterator reuse_idle(std::uint64_t serial);  // end(): no window is idle

  Windows windows_;
  std::uint64_t latest_serial_ = 0;
  OpWindow* latest_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace runahead::record
