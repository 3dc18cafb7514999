// EngineTruth: what our engine knows about a run, from the rows of its recording alone: when each op was
// enqueued, started and ended, on which other ops it depended, and for which op each wait waited. It uses
// nothing of the layer `causes` but the names of parts and causes. Tests compare it with what `causes` infers
// from a trace that does not have these rows.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"
#include "instrumentation/causes/critical_path.h"
#include "instrumentation/causes/idle_time.h"
#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/trace/trace.h"

namespace runahead::testing {

class EngineTruth {
 public:
  explicit EngineTruth(const trace::Trace& trace);  // must outlive this

  struct Wait {
    TimeRange range;
    TrackId frontend = kNoTrack;
    bool for_all = false;  // the wait was for all ops, not for one
    // The op, or the last to end of all ops. kNoOp: what the wait was for had ended when it began.
    OpId awaited = kNoOp;
    causes::SyncParts parts{};
  };
  // All waits of all frontends, in the order of beginning.
  [[nodiscard]] const std::vector<Wait>& waits() const { return waits_; }

  // When each op ran. The key is the op's number.
  [[nodiscard]] std::optional<TimeRange> ran(std::int64_t op_number) const;

  // Why the device of this op was idle in the range before the op began. The time in which the frontend
  // neither waited nor enqueued has the cause kHost.
  [[nodiscard]] causes::IdleParts idle_before(std::int64_t op_number, TimeRange gap) const;

  struct PathSegment {
    TimeRange range;
    causes::PathClass path_class = causes::PathClass::kHost;
    OpId op = kNoOp;
  };
  // The critical path of the range, as docs/causes.md defines it. Sorted, disjoint, covers the range.
  [[nodiscard]] std::vector<PathSegment> critical_path(TimeRange range) const;

 private:
  struct Op {
    OpId id = kNoOp;
    TimeRange ran;   // as its slice says
    TimeRange call;  // the call that enqueued it
    TrackId frontend = kNoTrack, stream = kNoTrack;
    bool copies = false;
    std::vector<OpId> depends_on{};
    OpId before_on_stream = kNoOp;
  };
  void find_ops();
  void find_waits();
  [[nodiscard]] const Op* find(OpId id) const;
  [[nodiscard]] const Op* last_ended_within(TimeRange range) const;
  [[nodiscard]] OpId op_of_wait(const analysis::Wait& wait) const;
  [[nodiscard]] const Op* find_number(std::int64_t number) const;
  // The op that had to end last before this op could start: an op on which it depends, or the op before it on
  // its stream; null: none.
  [[nodiscard]] const Op* predecessor(const Op& op) const;
  [[nodiscard]] causes::SyncParts parts_of(TimeRange wait, const Op* awaited) const;
  [[nodiscard]] const Wait* last_wait(TrackId frontend, Timestamp before) const;
  void add_host_time(TrackId frontend, TimeRange range, causes::IdleParts& parts) const;

  const trace::Trace& trace_;
  std::map<OpId, Op> ops_;
  std::map<std::int64_t, const Op*> by_number_;
  std::vector<Wait> waits_;
};

}  // namespace runahead::testing
