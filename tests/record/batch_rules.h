// BatchRules checks that all batches of one source together keep the rules of trace/rows/batch.h: ids have no
// gaps; the rows of each lane are sorted and disjoint; a batch has at most one entry for each lane; the times
// of counters and the watermark never go back. BatchRules reports each broken rule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "instrumentation/trace/rows/batch.h"

namespace runahead::testing {

class BatchRules {
 public:
  // Empty if the batch keeps the rules. Otherwise, one line for each broken rule.
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
