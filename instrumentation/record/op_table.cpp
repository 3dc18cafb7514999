#include "instrumentation/record/op_table.h"

#include <utility>

namespace runahead::record {
namespace {
constexpr int kFirstBits = 10;
}  // namespace

OpTable::OpTable() : slots_(std::size_t{1} << kFirstBits), shift_(64 - kFirstBits) {}

std::size_t OpTable::home_of(OpId op) const {
  // Ids come in sequence: a cache line's worth of them keeps together. Lines are spread by Fibonacci hashing.
  constexpr int kLineBits = 3;
  const std::uint64_t line = ((raw(op) >> kLineBits) * 0x9e37'79b9'7f4a'7c15ull) >> (shift_ + kLineBits);
  return static_cast<std::size_t>(line << kLineBits | (raw(op) & ((1u << kLineBits) - 1)));
}

std::size_t OpTable::slot_of(OpId op) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = home_of(op);
  while (slots_[slot] != nullptr && slots_[slot]->row.id != op) slot = (slot + 1) & mask;
  return slot;
}

OpEntry* OpTable::find(OpId op) { return slots_[slot_of(op)]; }

OpEntry& OpTable::find_or_add(OpId op) {
  std::size_t slot = slot_of(op);
  if (slots_[slot] != nullptr) return *slots_[slot];
  if ((size_ + 1) * 2 > slots_.size()) {
    grow();
    slot = slot_of(op);
  }
  if (unused_.empty()) unused_.push_back(&storage_.emplace_back());
  OpEntry& entry = *unused_.back();
  unused_.pop_back();
  entry = OpEntry{};
  entry.row.id = op;
  entry.older = newest_;
  (newest_ == nullptr ? oldest_ : newest_->newer) = &entry;
  newest_ = &entry;
  slots_[slot] = &entry;
  ++size_;
  return entry;
}

void OpTable::erase(OpEntry& entry) {
  (entry.older == nullptr ? oldest_ : entry.older->newer) = entry.newer;
  (entry.newer == nullptr ? newest_ : entry.newer->older) = entry.older;
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = slot_of(entry.row.id);
  for (std::size_t next = (hole + 1) & mask; slots_[next] != nullptr; next = (next + 1) & mask) {
    // Moves back what may not stay behind a hole: all but what lies at or after its home, past the hole.
    const std::size_t home = home_of(slots_[next]->row.id);
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    slots_[hole] = slots_[next];
    hole = next;
  }
  slots_[hole] = nullptr;
  unused_.push_back(&entry);
  --size_;
}

void OpTable::grow() {
  const std::vector<OpEntry*> old = std::exchange(slots_, std::vector<OpEntry*>(slots_.size() * 2));
  --shift_;
  for (OpEntry* const entry : old) {
    if (entry != nullptr) slots_[slot_of(entry->row.id)] = entry;
  }
}

}  // namespace runahead::record
