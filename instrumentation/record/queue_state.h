// QueueState: the queue of one device. It has the device's run-ahead counters (ops, bytes) and its op lives.
// An op life is a slice from the enqueue to the end of an op. Lives overlap, so each op life takes a free
// lane of the queue's track.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

class QueueState {
 public:
  // The number of lanes for op lives. If all lanes are in use, the life of a new op is not drawn. undrawn()
  // counts such ops. Their OpRows are still complete.
  static constexpr std::size_t kLifeLanes = 256;

  // desc: the counter of run-ahead ops.
  QueueState(BatchBuilder& batch, const TrackDesc& desc);

  // An op was enqueued. Returns the lane of the op's life, or -1 if no lane is free. leave() ends the op's
  // life.
  std::int32_t enter(const trace::Slice& life);
  // The op ended at life.end; life.flags say how the op ended. lane: the result of enter().
  void leave(const trace::Slice& life, std::int32_t lane);
  // The enqueue and the end of an op arrived together: the counters do not change.
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
  std::size_t lowest_free_ = 0;  // no lane with a smaller number is free
  std::uint64_t undrawn_ = 0;
};

}  // namespace runahead::record
