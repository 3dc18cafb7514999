// OpChain: from an op to the one whose end made it ready, on one trace. For analyses that walk many chains:
// what is made once is O(tracks).
#pragma once

#include <optional>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

class OpChain {
 public:
  struct Link {
    trace::OpRow op;
    bool copies = false;  // of a copy kind
  };

  explicit OpChain(const trace::Trace& trace);  // must outlive this, unchanged

  [[nodiscard]] std::optional<Link> at(OpId id) const;
  // The op of the same engine, enqueued before, that ended at the moment that this one became ready; nullopt
  // where its ready time is its enqueue time, not known, or that op is not here. O(lanes * log rows).
  [[nodiscard]] std::optional<Link> before(const trace::OpRow& op) const;
  // The last one that ended in (range.begin, range.end]. O(lanes * log rows).
  [[nodiscard]] std::optional<Link> last_ended(TimeRange range) const;
  // For how long the worker or stream of `op` ran other ops within `range`. O(log rows).
  [[nodiscard]] Duration busy_before(const trace::OpRow& op, TimeRange range) const;

 private:
  [[nodiscard]] std::optional<Link> ended_at(const trace::Lane& lane, Timestamp t, OpId before) const;

  const trace::Trace& trace_;
  std::vector<const trace::Track*> executing_;  // tracks on which ops run
};

}  // namespace runahead::analysis
