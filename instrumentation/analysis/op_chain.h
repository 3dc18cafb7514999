// OpChain finds, for an op of a trace, the earlier op whose end made it ready. The construction costs
// O(tracks). Therefore use one OpChain for many walks.
#pragma once

#include <optional>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

class OpChain {
 public:
  struct Link {
    trace::OpRow op;
    bool copies = false;  // the op is a copy
  };

  explicit OpChain(const trace::Trace& trace);  // the trace must outlive this object and must not change

  [[nodiscard]] std::optional<Link> at(OpId id) const;
  // The op of the same engine that was enqueued earlier and ended when this op became ready. nullopt: the
  // ready time is the enqueue time or unknown, or the earlier op is not in the trace. O(lanes * log rows).
  [[nodiscard]] std::optional<Link> before(const trace::OpRow& op) const;
  // The last op that ended in (range.begin, range.end]. O(lanes * log rows).
  [[nodiscard]] std::optional<Link> last_ended(TimeRange range) const;
  // The time in `range` that the worker or stream of `op` spent on other ops. O(log rows).
  [[nodiscard]] Duration busy_before(const trace::OpRow& op, TimeRange range) const;

 private:
  [[nodiscard]] std::optional<Link> ended_at(const trace::Lane& lane, Timestamp t, OpId before) const;

  const trace::Trace& trace_;
  std::vector<const trace::Track*> executing_;  // tracks on which ops run
};

}  // namespace runahead::analysis
