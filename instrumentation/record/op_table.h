// OpTable: the ops that are open, found by id, walked from the oldest or the newest. Entries do not move.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "instrumentation/record/site.h"
#include "instrumentation/trace/slice.h"

namespace runahead::record {

struct OpEntry {
  trace::OpRow row;
  trace::SliceKind kind = trace::SliceKind::kExecute;
  const TrackDesc* queue = nullptr;  // where its enqueue was counted; null: it was not
  bool ended = false;                // its end came before its enqueue: waits for that
  bool end_unseen = false;           // its end was lost
  std::int32_t life_lane = -1;       // of the queue's op lives; -1: not drawn
  OpEntry* older = nullptr;          // by arrival
  OpEntry* newer = nullptr;
};

class OpTable {
 public:
  OpTable();
  [[nodiscard]] OpEntry* find(OpId op);
  // The entry of `op`, made if there is none. References hold until erase().
  OpEntry& find_or_add(OpId op);
  void erase(OpEntry& entry);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] OpEntry* oldest() { return oldest_; }
  [[nodiscard]] OpEntry* newest() { return newest_; }

 private:
  [[nodiscard]] std::size_t home_of(OpId op) const;
  [[nodiscard]] std::size_t slot_of(OpId op) const;  // where it is, or the free slot where it would be
  void grow();

  // Open addressing with linear probing; null: free. Erasing shifts back, so no tombstones gather.
  std::vector<OpEntry*> slots_;
  int shift_;
  std::size_t size_ = 0;
  std::deque<OpEntry> storage_;
  std::vector<OpEntry*> unused_;
  OpEntry* oldest_ = nullptr;
  OpEntry* newest_ = nullptr;
};

}  // namespace runahead::record
