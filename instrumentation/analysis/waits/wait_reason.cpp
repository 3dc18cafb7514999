#include "instrumentation/analysis/waits/wait_reason.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/analysis/waits/wait_walk.h"

namespace runahead::analysis {
namespace {

using trace::kNever;
using trace::OpRow;
using trace::Trace;

// Walks back in time from the end of the wait, and assigns each interval to exactly one WaitPart.
class Walk {
 public:
  Walk(const Trace& trace, const OpChain& ops, const Wait& wait, TimeRange range,
       const WaitReasonOptions& options)
      : trace_(trace), ops_(ops), wait_(wait), options_(options) {
    window_ = {std::max(wait.slice.begin, range.begin), std::min(wait.slice.end, range.end)};
    window_.end = std::max(window_.begin, window_.end);
    known_from_ = window_.end;
  }

  WaitReason run(const ReleasedBy& released_by) {
    if (is_foreign(released_by)) {
      spend_until(window_.begin, WaitPart::kOther);
      return std::move(reason_);
    }
    std::optional<OpChain::Link> link = releasing_op(released_by);
    if (!link) {
      spend_after(wait_.slice.begin, nothing_to_wait_for() ? WaitPart::kWakeUp : WaitPart::kOther);
    } else if (link->op.ended != kNever) {
      spend_after(link->op.ended, WaitPart::kWakeUp);
    }
    while (link) link = follow(*link);
    spend_until(window_.begin, WaitPart::kOther);
    if (wait_.slice.flags & trace::kSliceHeldByLimit) label_as_limit();
    return std::move(reason_);
  }

 private:
  // True: the wait is not a wait of this engine, and the trace does not say what it waited for. In this case,
  // any op that ended during the wait could be the reason of the wait, or no op at all.
  [[nodiscard]] bool is_foreign(const ReleasedBy& released_by) const {
    return trace_.track(wait_.track).info.kind != trace::TrackKind::kFrontend && wait_.slice.op == kNoOp &&
           released_by(wait_) == kNoOp;
  }
  [[nodiscard]] std::optional<OpChain::Link> releasing_op(const ReleasedBy& released_by) const {
    const trace::Slice& slice = wait_.slice;
    if (slice.op != kNoOp) {
      auto waited_for = ops_.at(slice.op);
      const bool ended = waited_for && waited_for->op.ended != kNever;
      if (waited_for && (ended || wait_.open)) return waited_for;
    }
    if (wait_.open) return std::nullopt;
    if (const OpId by = released_by(wait_); by != kNoOp) {
      if (auto found = ops_.at(by); found && found->op.ended != kNever) return found;
    }
    return slice.op == kNoOp ? ops_.last_ended({slice.begin, slice.end}) : std::nullopt;
  }
  // Call only if the op that released the wait is not known. Returns true if there was probably nothing to
  // wait for, because the wait was for no particular op and no events of ops were lost or evicted.
  [[nodiscard]] bool nothing_to_wait_for() const {
    const trace::LossCounts& lost = trace_.losses();
    return !wait_.open && wait_.slice.op == kNoOp && !lost.facts_missing() &&
           lost.of(trace::LossCause::kEvicted) == 0;
  }

  // `t` is the time at which the wait was released. Assigns the time of the wait after `t`. The times in
  // which the waiting thread itself copied are assigned to kCopying. All other times are assigned to `part`.
  void spend_after(Timestamp t, WaitPart part) {
    std::vector<TimeRange> copies = own_copies();
    std::ranges::sort(copies, std::greater<>(), &TimeRange::begin);
    for (const TimeRange& copy : copies) {
      if (copy.begin < t) break;
      spend_until(copy.end, part);
      spend_until(copy.begin, WaitPart::kCopying);
    }
    spend_until(t, part);
  }
  // Returns the times within the wait in which the waiting thread itself copied. Copies that belong to an op
  // do not count: they are work of an op that the waiting thread ran to help the workers.
  [[nodiscard]] std::vector<TimeRange> own_copies() const {
    const TimeRange within{wait_.slice.begin, wait_.slice.end};
    std::vector<TimeRange> found;
    const auto take = [&](const trace::Slice& slice, Timestamp end) {
      if (trace::is_copy(slice.kind) && slice.op == kNoOp && slice.begin >= within.begin && end <= within.end)
        found.push_back({slice.begin, end});
    };
    for (const trace::Lane& lane : trace_.track(wait_.track).lanes)
      each_of_kinds(lane, kCopyKinds, lane.first_row_ending_after(within.begin),
                    lane.first_row_beginning_from(within.end),
                    [&](const trace::Slice& slice) { take(slice, slice.end); });
    if (!wait_.open) return found;
    for (const trace::OpenSlice& open : trace_.open_slices()) {
      if (open.track == wait_.track) take(open.slice, within.end);
    }
    return found;
  }

  // Assigns the time from `t` to known_from_ to `part`, because the time after known_from_ is already
  // assigned. Then moves known_from_ to `t`.
  void spend_until(Timestamp t, WaitPart part) {
    t = std::clamp(t, window_.begin, known_from_);
    reason_.split.of(part) += known_from_ - t;
    known_from_ = t;
  }
  void note(const OpRow& op, Duration ran) {
    ++reason_.op_count;
    if (reason_.chain.size() < options_.most_listed) reason_.chain.push_back(op.id);
    if (reason_.longest == kNoOp || ran > reason_.longest_time) {
      reason_.longest = op.id;
      reason_.longest_time = ran;
    }
  }

  // Splits the time from the op's ready time to the op's end into parts. Returns the previous op of the
  // chain; nullopt: the walk is finished.
  std::optional<OpChain::Link> follow(const OpChain::Link& link) {
    const OpRow& op = link.op;
    // the op had ended when the wait began
    if (op.ended != kNever && op.ended <= window_.begin) return std::nullopt;
    if (reason_.op_count >= options_.most_followed) {
      reason_.whole = false;
      return std::nullopt;
    }
    const Timestamp until = known_from_;
    if (op.started != kNever) {
      spend_until(op.started, link.copies ? WaitPart::kCopying : WaitPart::kExecuting);
    }
    note(op, until - known_from_);
    if (op.started != kNever && op.ready != kNever) spend_queueing(op);
    if (known_from_ <= window_.begin) return std::nullopt;
    auto before = ops_.before(op);
    if (before) {
      // Usually this interval is empty, because `before` ended when this op became ready.
      spend_until(before->op.ended, WaitPart::kOther);
    } else if (op.enqueued != kNever) {
      spend_until(op.enqueued, WaitPart::kOther);
      spend_until(window_.begin, WaitPart::kEnqueue);
    }
    return before;
  }
  // Splits the time between the op's ready time and its start into queueing (the worker or stream ran other
  // ops) and dispatch (the rest).
  void spend_queueing(const OpRow& op) {
    const Timestamp ready = std::clamp(op.ready, window_.begin, known_from_);
    const Duration busy = ops_.busy_before(op, {ready, known_from_});
    spend_until(ready + busy, WaitPart::kDispatch);
    spend_until(ready, WaitPart::kQueueing);
  }
  void label_as_limit() {
    const Duration all = reason_.split.total();
    reason_.split = {};
    reason_.split.of(WaitPart::kLimit) = all;
  }

  const Trace& trace_;
  const OpChain& ops_;
  const Wait& wait_;
  const WaitReasonOptions& options_;
  TimeRange window_;
  Timestamp known_from_;  // the time in [known_from_, window_.end) is already assigned to parts
  WaitReason reason_;
};

OpId released_by_flow(const Trace& trace, const Wait& wait) {
  constexpr std::size_t kMostAtOneMoment = 64;
  std::vector<trace::Flow> flows;
  const Timestamp end = wait.slice.end;
  trace.flows_touching(wait.track, {end, end + Duration{1}}, kMostAtOneMoment, flows);
  for (const trace::Flow& flow : flows) {
    if (flow.kind != trace::FlowKind::kExecuteToWait || flow.to_track != wait.track) continue;
    if (flow.to_time == end) return flow.op;
  }
  return kNoOp;
}

}  // namespace

Duration WaitSplit::total() const { return std::accumulate(parts.begin(), parts.end(), Duration{}); }

Duration WaitSplit::ops_before() const {
  return of(WaitPart::kExecuting) + of(WaitPart::kCopying) + of(WaitPart::kQueueing) +
         of(WaitPart::kDispatch) + of(WaitPart::kEnqueue);
}

void WaitSplit::add(const WaitSplit& other) {
  for (std::size_t i = 0; i < kWaitPartCount; ++i) parts[i] += other.parts[i];
}

WaitReason walk_wait(const Trace& trace, const OpChain& ops, const Wait& wait, TimeRange range,
                     const ReleasedBy& released_by, const WaitReasonOptions& options) {
  return Walk(trace, ops, wait, range, options).run(released_by);
}

WaitReason wait_reason(const Trace& trace, const Wait& wait, const WaitReasonOptions& options) {
  const OpChain ops(trace);
  return walk_wait(
      trace, ops, wait, {wait.slice.begin, wait.slice.end},
      [&](const Wait& w) { return released_by_flow(trace, w); }, options);
}

}  // namespace runahead::analysis
