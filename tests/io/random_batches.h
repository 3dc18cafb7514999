// Batches as a source would hand them over, at random from a seed: every kind of track, row and definition.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "instrumentation/trace/batch.h"

namespace runahead::testing {

class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : random_(seed) {}

  // The next batch; the first one defines the first tracks and strings. Ids go on over batches.
  [[nodiscard]] trace::Batch next();

  [[nodiscard]] std::int64_t uniform(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  static constexpr int kDepths = 3;

  void define(trace::Batch& batch);
  [[nodiscard]] trace::Slice slice_after(Timestamp begin);
  [[nodiscard]] StringId any_string() {
    return StringId{static_cast<std::uint32_t>(uniform(0, strings_ - 1))};
  }
  [[nodiscard]] ArgsId any_args() { return ArgsId{static_cast<std::uint32_t>(uniform(0, args_))}; }
  void add_lanes(trace::Batch& batch);
  void add_counters(trace::Batch& batch);
  void add_others(trace::Batch& batch);

  std::mt19937_64 random_;
  std::int64_t strings_ = 1, args_ = 0;
  std::vector<TrackId> slice_tracks_, counter_tracks_;
  std::uint32_t tracks_ = 0;
  std::vector<std::array<Timestamp, kDepths>> lane_ends_;
  std::vector<Timestamp> counter_ends_;
  Timestamp now_{};
  std::uint64_t next_op_ = 1;
};

}  // namespace runahead::testing
