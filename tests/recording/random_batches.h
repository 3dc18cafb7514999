// Makes random batches from a seed. The batches keep the same rules as the batches of a recorder. They
// contain every kind of track, row and definition.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "instrumentation/trace/rows/batch.h"

namespace runahead::testing {

class RandomSource {
 public:
  // most_rows: the largest number of rows of a lane in a batch, for one lane in ten. The other lanes have at
  // most 20 rows.
  explicit RandomSource(std::uint64_t seed, std::int64_t most_rows = 20)
      : random_(seed), most_rows_(most_rows) {}

  // The next batch. The first batch defines the first tracks and strings. Ids continue from batch to batch.
  [[nodiscard]] trace::Batch next();

  [[nodiscard]] std::int64_t uniform(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  // Random ids among the ids that have been defined so far.
  [[nodiscard]] StringId any_string() {
    return StringId{static_cast<std::uint32_t>(uniform(0, strings_ - 1))};
  }
  [[nodiscard]] ArgsId any_args() { return ArgsId{static_cast<std::uint32_t>(uniform(0, args_))}; }
  [[nodiscard]] TrackId any_track() { return one_of(slice_tracks_); }  // REQUIRES: a slice track is defined
  [[nodiscard]] TrackId any_counter() { return one_of(counter_tracks_); }  // REQUIRES: a counter is defined
  [[nodiscard]] OpId any_op();

 private:
  static constexpr int kDepths = 3;

  void define(trace::Batch& batch);
  [[nodiscard]] trace::Slice slice_after(Timestamp begin);
  [[nodiscard]] TrackId one_of(const std::vector<TrackId>& tracks) {
    return tracks[static_cast<std::size_t>(uniform(0, static_cast<std::int64_t>(tracks.size()) - 1))];
  }
  void add_lanes(trace::Batch& batch);
  void add_counters(trace::Batch& batch);
  void add_others(trace::Batch& batch);
  void add_allocations(trace::Batch& batch);

  [[nodiscard]] std::int64_t rows_of_lane() {
    return uniform(1, most_rows_ > 20 && uniform(0, 9) == 0 ? most_rows_ : 20);
  }

  std::mt19937_64 random_;
  const std::int64_t most_rows_;
  std::int64_t strings_ = 1, args_ = 0;
  std::vector<TrackId> slice_tracks_, counter_tracks_;
  std::uint32_t tracks_ = 0;
  std::vector<std::array<Timestamp, kDepths>> lane_ends_;
  std::vector<Timestamp> counter_ends_;
  Timestamp now_{};
  std::uint64_t next_op_ = 1;
  std::uint64_t next_block_ = 1;
  std::vector<trace::Allocation> held_;
};

}  // namespace runahead::testing
