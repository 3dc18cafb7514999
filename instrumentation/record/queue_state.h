// QueueState: one device's queue: the counters of run-ahead (ops, bytes) and the op lives, each op from its
// enqueue to its end on an asynchronous lane.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

class QueueState {
 public:
  // Op lives are drawn on this many lanes. With more ops in flight an op that finds none free is not drawn:
  // its OpRow has its moments all the same, and undrawn() counts it.
  static constexpr std::size_t kLifeLanes = 256;

  // desc: the counter of run-ahead ops.
  QueueState(BatchBuilder& batch, const TrackDesc& desc);

  // An op was enqueued; returns its lane, -1 for none. `life` ends at leave().
  std::int32_t enter(const trace::Slice& life);
  // It ended, at life.end (flags: how); lane: as enter() said.
  void leave(const trace::Slice& life, std::int32_t lane);
  // An op of which both ends came at once: no change of the counters.
  void pass(const trace::Slice& life);

  void open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const;
  [[nodiscard]] std::uint64_t undrawn() const { return undrawn_; }

 private:
  struct Life {
    LaneWriter lane;
    trace::Slice slice;
    bool open = false;
  };
  [[nodiscard]] std::int32_t free_lane(Timestamp begin);
  void change(Timestamp at, std::int64_t ops, std::int64_t bytes);

  BatchBuilder& batch_;
  CounterWriter ops_, bytes_;
  TrackId lives_track_ = kNoTrack;
  std::int64_t open_ops_ = 0, open_bytes_ = 0;
  std::vector<Life> lives_;
  std::size_t lowest_free_ = 0;  // no lane below it is free
  std::uint64_t undrawn_ = 0;
};

}  // namespace runahead::record
