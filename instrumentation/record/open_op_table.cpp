#include "instrumentation/record/open_op_table.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace runahead::record {
namespace {

// Engines come and go. If there are already this many windows, a new engine reuses the window of an engine
// without open ops.
constexpr std::size_t kManyWindows = 16;

OpEntry* earlier(OpEntry* stray, OpEntry* other) {
  return other == nullptr || stray->row.id < other->row.id ? stray : other;
}
OpEntry* later(OpEntry* stray, OpEntry* other) {
  return other == nullptr || other->row.id < stray->row.id ? stray : other;
}

}  // namespace

// ---- one engine ------------------------------------------------------------------------------------------

OpEntry& OpWindow::add(OpId op) {
  const std::uint64_t number = op_number(op);
  if (in_ring_ == 0 && number >= high_) low_ = high_ = number;
  if (number >= high_) {
    if (number - low_ > mask_) make_room(number);
    high_ = number + 1;
  } else if (number < low_) {
    if (high_ - number > mask_ + 1) return strays_.emplace(number, OpEntry{.row = {.id = op}}).first->second;
    low_ = number;
  }
  return add_in_ring(op);
}

OpEntry& OpWindow::add_in_ring(OpId op) {
  const std::uint64_t number = op_number(op);
  word_of(number) |= bit_of(number);
  ++in_ring_;
  OpEntry& entry = ring_[number & mask_];
  entry = OpEntry{.row = {.id = op}};
  return entry;
}

// Makes room for `number`: enlarges a well-filled ring; otherwise moves ops that lag far behind into strays_.
void OpWindow::make_room(std::uint64_t number) {
  low_ = first_used(low_);
  if (in_ring_ * 2 > mask_ && number - low_ <= 2 * mask_) grow();
  while (low_ < high_ && number - low_ > mask_) {
    const OpEntry& entry = ring_[low_ & mask_];
    strays_.emplace(low_, entry);
    word_of(low_) &= ~bit_of(low_);
    --in_ring_;
    low_ = first_used(low_);
  }
  if (in_ring_ == 0) low_ = number;
}

void OpWindow::grow() {
  OpWindow wider((mask_ + 1) * 2);
  wider.low_ = low_;
  wider.high_ = high_;
  for (std::uint64_t number = low_; number < high_; number = first_used(number + 1)) {
    wider.add_in_ring(ring_[number & mask_].row.id) = ring_[number & mask_];
  }
  wider.strays_ = std::move(strays_);
  *this = std::move(wider);
}

void OpWindow::erase(OpId op) {
  const std::uint64_t number = op_number(op);
  if (number < low_ || number >= high_ || !is_used(number)) {
    strays_.erase(number);
    return;
  }
  word_of(number) &= ~bit_of(number);
  --in_ring_;
  if (number == low_) low_ = in_ring_ == 0 ? high_ : first_used(number + 1);
}

OpEntry* OpWindow::find_stray(std::uint64_t number) {
  const auto found = strays_.find(number);
  return found == strays_.end() ? nullptr : &found->second;
}

std::uint64_t OpWindow::first_used(std::uint64_t from) {
  while (from < high_) {
    const std::uint64_t rest = word_of(from) >> (from % kWordBits);
    // A bit beyond high_ belongs to a low number, because the ring wraps around.
    if (rest != 0) return std::min(from + static_cast<std::uint64_t>(std::countr_zero(rest)), high_);
    from += kWordBits - from % kWordBits;
  }
  return high_;
}

std::optional<std::uint64_t> OpWindow::last_used(std::uint64_t before) {
  while (before > low_) {
    const std::uint64_t last = before - 1, shift = kWordBits - 1 - last % kWordBits;
    const std::uint64_t rest = word_of(last) << shift;
    if (rest != 0) {
      const auto back = static_cast<std::uint64_t>(std::countl_zero(rest));
      if (last - low_ < back) return std::nullopt;
      return last - back;
    }
    if (last - low_ < last % kWordBits + 1) return std::nullopt;
    before = last - last % kWordBits;
  }
  return std::nullopt;
}

OpEntry* OpWindow::at_or_null(std::uint64_t number) {
  return number == high_ ? nullptr : &ring_[number & mask_];
}

OpEntry* OpWindow::first() {
  OpEntry* const here = at_or_null(first_used(low_));
  return strays_.empty() ? here : earlier(&strays_.begin()->second, here);
}

OpEntry* OpWindow::last() {
  OpEntry* const here = at_or_null(last_used(high_).value_or(high_));
  return strays_.empty() ? here : later(&strays_.rbegin()->second, here);
}

OpEntry* OpWindow::after(OpId op) {
  const std::uint64_t number = op_number(op);
  OpEntry* const here = at_or_null(first_used(std::max(number + 1, low_)));
  const auto stray = strays_.upper_bound(number);
  return stray == strays_.end() ? here : earlier(&stray->second, here);
}

OpEntry* OpWindow::before(OpId op) {
  const std::uint64_t number = op_number(op);
  OpEntry* const here = at_or_null(last_used(std::min(number, high_)).value_or(high_));
  const auto stray = strays_.lower_bound(number);
  return stray == strays_.begin() ? here : later(&std::prev(stray)->second, here);
}

// ---- all engines -----------------------------------------------------------------------------------------

OpWindow& OpenOpTable::other_window(OpId op) {
  const std::uint64_t serial = serial_of(op);
  auto known = windows_.find(serial);
  if (known == windows_.end() && windows_.size() >= kManyWindows) known = reuse_idle(serial);
  if (known == windows_.end()) known = windows_.emplace(serial, std::make_unique<OpWindow>()).first;
  latest_serial_ = serial;
  latest_ = known->second.get();
  return *latest_;
}

OpenOpTable::Windows::iterator OpenOpTable::reuse_idle(std::uint64_t serial) {
  const auto idle = std::find_if(windows_.begin(), windows_.end(),
                                 [](const auto& window) { return window.second->size() == 0; });
  if (idle == windows_.end()) return idle;
  auto node = windows_.extract(idle);
  node.key() = serial;
  *node.mapped() = OpWindow();
  return windows_.insert(std::move(node)).position;
}

OpEntry* OpenOpTable::first() {
  for (const auto& [serial, window] : windows_) {
    if (OpEntry* const entry = window->first()) return entry;
  }
  return nullptr;
}

OpEntry* OpenOpTable::last() {
  for (auto window = windows_.rbegin(); window != windows_.rend(); ++window) {
    if (OpEntry* const entry = window->second->last()) return entry;
  }
  return nullptr;
}

OpEntry* OpenOpTable::after(OpId op) {
  for (auto window = windows_.lower_bound(serial_of(op)); window != windows_.end(); ++window) {
    OpEntry* const entry =
        window->first == serial_of(op) ? window->second->after(op) : window->second->first();
    if (entry != nullptr) return entry;
  }
  return nullptr;
}

OpEntry* OpenOpTable::before(OpId op) {
  for (auto window = windows_.upper_bound(serial_of(op)); window != windows_.begin();) {
    --window;
    OpEntry* const entry =
        window->first == serial_of(op) ? window->second->before(op) : window->second->last();
    if (entry != nullptr) return entry;
  }
  return nullptr;
}

}  // namespace runahead::record
