// GatheredRows: joins batches before they are written, so that the rows of each lane and of each counter are
// written together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "instrumentation/trace/rows/batch.h"

namespace runahead::recordings {
using namespace trace;

class GatheredRows {
 public:
  void add(const Batch& batch);
  void add(Batch&& batch);  // takes the slices of a lane without a copy, if the lane has none here
  // Turns the open slices into unfinished rows. Each of these rows ends at the watermark, or has length zero
  // if it begins later.
  void close_open_slices();

  [[nodiscard]] const Batch& rows() const { return rows_; }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }  // estimated size when encoded
  [[nodiscard]] std::size_t row_count() const { return row_count_; }
  [[nodiscard]] bool anything_new() const { return anything_new_; }
  // Removes the rows. The instants that were held back stay, and become part of the next rows. The lists of
  // open slices and ops, and the watermark, also stay until the next batch replaces them.
  void clear();
  // Clears this object, and returns the rows that were collected.
  [[nodiscard]] Batch take();
  void sort_instants();
  // Holds back the instants at or after the watermark (at most a few thousand): rows() does not have them
  // until clear(). Earlier instants may still arrive, and the instants in a file must be in time order.
  // REQUIRES: the instants are sorted.
  void hold_young_instants();
  void drop_first_string() { rows_.strings.erase(rows_.strings.begin()); }  // REQUIRES: a string

 private:
  template <typename Lane>  // LaneRows or const LaneRows&
  void add_lane(Lane&& lane);
  void add_counter(const CounterRows& counter);

  Batch rows_;
  std::vector<Instant> held_;
  std::unordered_map<std::uint64_t, std::size_t> lane_index_;     // (track, depth) -> index in rows_.lanes
  std::unordered_map<std::uint32_t, std::size_t> counter_index_;  // track -> index in rows_.counters
  std::size_t size_bytes_ = 0;
  std::size_t row_count_ = 0;
  bool anything_new_ = false;
};

}  // namespace runahead::recordings
