// AsyncTrack: slices of a track that is no thread's (a stream, a source's own): they come when they have
// ended, in no sure order, and may overlap. Each takes the lowest lane that is free from its begin to its
// end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

class AsyncTrack {
 public:
  AsyncTrack(BatchBuilder& batch, TrackId id) : batch_(batch), id_(id) {}

  void add(const trace::Slice& slice) { waiting_.push_back(slice); }
  // An op that has begun; its slice comes by add() with the same op.
  void begin(const trace::Slice& slice);
  // Gives lanes to what came since the last time, in order of begin. A slice that ended before one begun that
  // is already placed came late: counted.
  void place();
  // Nothing running is going to end: closes all as unfinished at `at`.
  void close_all(Timestamp at);
  void open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const;

  [[nodiscard]] TrackId id() const { return id_; }
  // When the earliest copy that runs began; nullopt if none does.
  [[nodiscard]] std::optional<Timestamp> copying_since() const;

 private:
  struct Running {
    trace::Slice slice;
    std::optional<std::size_t> lane;  // given at the next place()
  };
  void place_one(const trace::Slice& slice);
  void close_oldest(Timestamp at);
  [[nodiscard]] std::optional<std::size_t> end_running(OpId op);
  // The lowest lane with room for [begin, end), that of nothing running.
  [[nodiscard]] std::size_t free_lane(Timestamp begin, Timestamp end);

  BatchBuilder& batch_;
  const TrackId id_;
  std::vector<LaneWriter> lanes_;
  std::vector<Running> running_;  // few: one a stream
  std::vector<trace::Slice> waiting_;
  Timestamp latest_begin_ = timestamp_from_ns(INT64_MIN);
};

}  // namespace runahead::record
