// BatchRules: checks what trace/batch.h promises of the batches of one source, over all of them: ids dense,
// rows of a lane sorted and disjoint, one entry a lane, counters and watermarks that never go back. Says what
// is broken.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "instrumentation/trace/rows/batch.h"

namespace runahead::testing {

class BatchRules {
 public:
  // Empty when the batch keeps the rules, else a line for each that it breaks.
  [[nodiscard]] std::string broken_by(const trace::Batch& batch);

 private:
  using LaneKey = std::pair<std::uint32_t, std::uint32_t>;

  void check_definitions(const trace::Batch& batch);
  void check_lanes(const trace::Batch& batch);
  void check_counters(const trace::Batch& batch);
  void check_others(const trace::Batch& batch);
  void check_slice(const trace::Slice& slice, const char* where);
  void check_track(TrackId track, const char* where);
  void expect(bool holds, const char* rule, const char* where = "");

  std::uint32_t strings_ = 0, tracks_ = 0;
  std::map<LaneKey, Timestamp> lane_ends_;
  std::map<std::uint32_t, Timestamp> counter_ends_;
  Timestamp watermark_{};
  std::string broken_;
};

}  // namespace runahead::testing
