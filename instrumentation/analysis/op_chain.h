// OpChain finds, for an op of a trace, the earlier op whose end made it ready. To construct an OpChain costs
// O(tracks), so use the same OpChain for many ops.
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
  // Returns the op whose end made `op` ready: an op of the same engine that was enqueued earlier and ended at
  // the ready time of `op`. nullopt: `op` was ready when it was enqueued, its ready time is unknown, or the
  // earlier op is not in the trace. O(lanes * log rows).
  [[nodiscard]] std::optional<Link> before(const trace::OpRow& op) const;
  // Returns the last op that ended in (range.begin, range.end]. O(lanes * log rows).
  [[nodiscard]] std::optional<Link> last_ended(TimeRange range) const;
  // Returns how long the worker or stream of `op` was busy in `range`. The caller passes a range before the
  // start of `op`, so this is the time spent on other ops. O(log rows).
  [[nodiscard]] Duration busy_before(const trace::OpRow& op, TimeRange range) const;

 private:
  [[nodiscard]] std::optional<Link> ended_at(const trace::Lane& lane, Timestamp t, OpId before) const;

  const trace::Trace& trace_;
  std::vector<const trace::Track*> executing_;  // tracks on which ops run
};

}  // namespace runahead::analysis
