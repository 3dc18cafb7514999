#include "instrumentation/analysis/op_chain.h"

#include <algorithm>

namespace runahead::analysis {
namespace {

using trace::kNever;
using trace::Lane;
using trace::OpRow;
using trace::Slice;
using trace::SliceKind;
using trace::Track;
using trace::TrackKind;

bool runs_op(const Slice& slice) {
  if ((slice.flags & trace::kSlicePartOfOp) != 0) return false;
  return slice.op != kNoOp && (slice.kind == SliceKind::kExecute || is_copy(slice.kind));
}
// True if `second` may depend on `first`: `first` is an earlier op of the same engine. As each step of a walk
// goes to an earlier op, the walk always ends.
bool may_precede(OpId first, OpId second) { return raw(first) >> 48 == raw(second) >> 48 && first < second; }

bool may_execute(TrackKind kind) {
  return kind == TrackKind::kWorker || kind == TrackKind::kStream || kind == TrackKind::kThread ||
         kind == TrackKind::kFrontend;
}

// Returns the slice of `op` that begins when the op starts. Its kind says whether the op computed or copied.
std::optional<Slice> slice_of(const Track& track, const OpRow& op) {
  for (const Lane& lane : track.lanes) {
    std::uint64_t row = lane.first_row_beginning_from(op.started);
    for (; row < lane.end_row() && lane.begin(row) == op.started; ++row) {
      const Slice slice = lane.slice(row);
      if (slice.op == op.id && runs_op(slice)) return slice;
    }
  }
  return std::nullopt;
}

}  // namespace

OpChain::OpChain(const trace::Trace& trace) : trace_(trace) {
  for (const Track& track : trace.tracks()) {
    if (may_execute(track.info.kind) && !track.lanes.empty()) executing_.push_back(&track);
  }
  // When all tracks are searched for an op, frontends come last: they execute ops only in the naive engine,
  // which runs each op inside its enqueue.
  std::stable_sort(executing_.begin(), executing_.end(), [](const Track* a, const Track* b) {
    return (a->info.kind == TrackKind::kFrontend) < (b->info.kind == TrackKind::kFrontend);
  });
}

std::optional<OpChain::Link> OpChain::at(OpId id) const {
  const std::optional<OpRow> op = trace_.op(id);
  if (!op) return std::nullopt;
  Link link{*op, false};
  if (op->execute_track != kNoTrack && op->started != kNever) {
    const std::optional<Slice> slice = slice_of(trace_.track(op->execute_track), *op);
    link.copies = slice && is_copy(slice->kind);
  }
  return link;
}

std::optional<OpChain::Link> OpChain::ended_at(const Lane& lane, Timestamp t, OpId before) const {
  std::uint64_t row = lane.first_row_ending_after(t - Duration{1});
  for (; row < lane.end_row() && lane.end(row) == t; ++row) {
    const Slice slice = lane.slice(row);
    if (!runs_op(slice) || !may_precede(slice.op, before)) continue;
    if (const std::optional<OpRow> op = trace_.op(slice.op)) return Link{*op, is_copy(slice.kind)};
  }
  return std::nullopt;
}

std::optional<OpChain::Link> OpChain::before(const OpRow& op) const {
  if (op.ready == kNever || op.ready == op.enqueued) return std::nullopt;
  const auto on = [&](const Track& track) -> std::optional<Link> {
    for (const Lane& lane : track.lanes) {
      if (auto found = ended_at(lane, op.ready, op.id)) return found;
    }
    return std::nullopt;
  };
  // Searches the op's own worker or stream first, because most ops become ready when an op on the same worker
  // or stream ends.
  if (op.execute_track != kNoTrack) {
    if (auto found = on(trace_.track(op.execute_track))) return found;
  }
  for (const Track* track : executing_) {
    if (track->info.id == op.execute_track) continue;
    if (auto found = on(*track)) return found;
  }
  return std::nullopt;
}

std::optional<OpChain::Link> OpChain::last_ended(TimeRange range) const {
  std::optional<Slice> last;
  for (const Track* track : executing_) {
    for (const Lane& lane : track->lanes) {
      // Searches backwards from the range's end. Rows that are not ops, such as zones within an op or a
      // frontend's own zones, are skipped.
      for (std::uint64_t row = lane.first_row_ending_after(range.end); row > lane.first_row(); --row) {
        if (lane.end(row - 1) <= range.begin || (last && lane.end(row - 1) <= last->end)) break;
        const Slice slice = lane.slice(row - 1);
        if (!runs_op(slice)) continue;
        last = slice;
        break;
      }
    }
  }
  return last ? at(last->op) : std::nullopt;
}

Duration OpChain::busy_before(const OpRow& op, TimeRange range) const {
  if (range.empty() || op.execute_track == kNoTrack) return {};
  const Track& track = trace_.track(op.execute_track);
  if (track.lanes.empty()) return {};
  const Lane& lane = track.lanes.front();
  const std::uint64_t first = lane.first_row_ending_after(range.begin);
  const std::uint64_t last = lane.first_row_beginning_from(range.end, first);
  if (first >= last) return {};
  Duration busy = lane.busy(first, last);
  busy -= std::max(Duration{}, range.begin - lane.begin(first));
  busy -= std::max(Duration{}, lane.end(last - 1) - range.end);
  return std::clamp(busy, Duration{}, range.duration());
}

}  // namespace runahead::analysis
