// AsyncTrack: slices of a track that belongs to no thread (a stream, or a track of a RowSource). The slices
// arrive after they have ended, in no reliable order, and may overlap. Each slice takes the lowest lane that
// is free from the slice's begin to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

class AsyncTrack {
 public:
  AsyncTrack(BatchBuilder& batch, TrackId id) : batch_(batch), id_(id) {}

  // `row`: the id of begin(), if this slice was begun as a row.
  void add(const trace::Slice& slice, std::uint64_t row = 0) { waiting_.push_back({slice, row}); }
  // An op has begun. When the op has ended, call add() with its slice.
  void begin(const trace::Slice& slice);
  // A row of a RowSource has begun (RowBegun).
  void begin(const trace::Slice& slice, std::uint64_t row) { running_.push_back({slice, {}, row}); }
  // Assigns lanes to the slices that arrived since the last call, ordered by begin; of those that begin
  // together, the longest comes first. A slice is late if it ended before the begin of a slice that an
  // earlier call has placed. Late slices are placed too, but counted as kLateRow.
  void place();
  // Closes all running ops as unfinished at `at`, because their ends will not be seen.
  void close_all(Timestamp at);
  void open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const;

  [[nodiscard]] TrackId id() const { return id_; }
  // The start of the earliest running copy; nullopt: no copy is running.
  [[nodiscard]] std::optional<Timestamp> copying_since() const;

 private:
  struct Running {
    trace::Slice slice;
    std::optional<std::size_t> lane;  // assigned by the next place()
    std::uint64_t row = 0;            // 0: an op
  };
  struct Waiting {
    trace::Slice slice;
    std::uint64_t row = 0;
  };
  void place_one(const Waiting& waiting);
  // Assigns lanes to the running rows that begin at `until` or earlier. A row is around the slices that begin
  // after it, so it gets its lane before them.
  void place_rows(Timestamp until);
  void close_oldest(Timestamp at);
  [[nodiscard]] std::optional<std::size_t> end_running(OpId op, std::uint64_t row);
  // The lowest lane that is free for [begin, end) and has no running op.
  [[nodiscard]] std::size_t free_lane(Timestamp begin, Timestamp end);

  BatchBuilder& batch_;
  const TrackId id_;
  std::vector<LaneWriter> lanes_;
  std::vector<Running> running_;  // few ops: usually one per stream
  std::vector<Waiting> waiting_;
  Timestamp latest_begin_ = timestamp_from_ns(INT64_MIN);
};

}  // namespace runahead::record
