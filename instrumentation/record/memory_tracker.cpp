#include "instrumentation/record/memory_tracker.h"

#include <algorithm>
#include <utility>

namespace runahead::record {
namespace {

// A round is one call of write_rows(). A freed block waits this number of rounds for its allocation event or
// its op. Threads are drained one after another, so an event of another thread may arrive only in the next
// round.
constexpr std::uint8_t kRoundsToWait = 2;

}  // namespace

void MemoryTracker::allocated(const trace::Allocation& row, bool awaits_op) {
  Block& block = blocks_[row.block];
  if (const Timestamp end = block.row.end; end == trace::kNever) {
    block.row = row;
  } else if (!block.known) {
    block.row = row;
    block.row.end = std::max(end, row.begin);
    block.known = true;
  }
  block.row.op = row.op;
  block.allocation_seen = true;
  block.awaits_op = awaits_op;
  touch(row.block);
}

void MemoryTracker::set_op(std::uint64_t number, OpId op) {
  const auto found = blocks_.find(number);
  if (found == blocks_.end()) return;
  Block& block = found->second;
  block.awaits_op = false;
  if (block.row.op == op) return;
  block.row.op = op;
  block.written = false;  // the row in the file lacks the op: write the row again
  touch(number);
}

void MemoryTracker::freed(const trace::Allocation& row) {
  const auto [found, is_new] = blocks_.try_emplace(row.block);
  if (is_new) found->second.row = row;
  end(found, row.end, row.dropped);
}

void MemoryTracker::freed_unseen(std::uint64_t number, Timestamp at) {
  const auto [found, is_new] = blocks_.try_emplace(number);
  if (is_new) found->second = {.row = {.block = number, .begin = at}, .known = false};
  end(found, at);
}

void MemoryTracker::end(Blocks::iterator found, Timestamp at, Timestamp dropped) {
  Block& block = found->second;
  trace::Allocation& row = block.row;
  row.end = std::max(at, row.begin);
  row.dropped = dropped;
  if (dropped != trace::kNever) {
    row.dropped = std::clamp(dropped, row.begin, row.end);
    const bool begin_known = block.known && (row.flags & trace::kAllocationBeganBefore) == 0;
    if (begin_known && dropped < row.begin) row.early_drop_ns = ns_from(row.begin - dropped);
  }
  if (!complete(block)) return touch(found->first);
  add(block);
  blocks_.erase(found);
}

void MemoryTracker::forget_all(Timestamp at) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, block] : blocks_) {
    if (block.row.begin <= at) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  for (const std::uint64_t number : numbers) {
    Block& block = blocks_[number];
    if (block.row.end == trace::kNever) {
      block.row.end = std::max(at, block.row.begin);
      block.row.flags |= trace::kAllocationEndUnseen;
    }
    add(block);
    blocks_.erase(number);
  }
}

void MemoryTracker::write_rows(bool everything) {
  std::vector<std::uint64_t> again;
  for (const std::uint64_t number : touched_) {
    const auto found = blocks_.find(number);
    if (found == blocks_.end()) continue;
    Block& block = found->second;
    if (block.row.end != trace::kNever) {
      if (everything || complete(block) || ++block.rounds > kRoundsToWait) {
        add(block);
        blocks_.erase(found);
      } else {
        again.push_back(number);
      }
    } else if (!block.written) {
      batch_.add(block.row);
      block.written = true;
    }
  }
  touched_ = std::move(again);
}

void MemoryTracker::live(std::vector<trace::Allocation>& out) const {
  for (const auto& [number, block] : blocks_) {
    if (block.written) out.push_back(block.row);
  }
  std::ranges::sort(out, {}, &trace::Allocation::block);
  // the end and the drop come with a later row
  for (trace::Allocation& row : out) {
    row.end = row.dropped = trace::kNever;
    row.early_drop_ns = 0;
  }
}

}  // namespace runahead::record
