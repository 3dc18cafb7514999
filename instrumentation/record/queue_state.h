// QueueState: the queue of one device: its run-ahead counters (ops, bytes), and its op lives: each op from
// enqueue to end, on an asynchronous lane.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

class QueueState {
 public:
  // The number of lanes for op lives. With more ops in flight, an op without a free lane is not drawn. Its
  // OpRow is complete all the same, and undrawn() counts it.
  static constexpr std::size_t kLifeLanes = 256;

  // desc: the counter of run-ahead ops.
  QueueState(BatchBuilder& batch, const TrackDesc& desc);

  // An op was enqueued. Returns its lane, -1 for none. `life` ends with leave().
  std::int32_t enter(const trace::Slice& life);
  // The op ended at life.end (flags: how). lane: the result of enter().
  void leave(const trace::Slice& life, std::int32_t lane);
  // Begin and end of an op arrived together: the counters do not change.
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
