#include "instrumentation/trace/io/flow_binding.h"

#include <algorithm>

namespace runahead::trace::io {
namespace {

struct Candidate {
  Slice slice;
  int tid = 0;
  int score = -1;
};

bool is_work(SliceKind kind) {
  return kind == SliceKind::kExecute || kind == SliceKind::kCopyToDevice || kind == SliceKind::kCopyToHost ||
         kind == SliceKind::kCopyOnDevice || kind == SliceKind::kAllocation;
}

bool kind_suits(const Flow& flow, bool leaving, SliceKind kind) {
  switch (flow.kind) {
    case FlowKind::kEnqueueToExecute:
      return leaving ? kind == SliceKind::kEnqueue : is_work(kind);
    case FlowKind::kExecuteToWait:
      return leaving ? is_work(kind) : kind == SliceKind::kWait;
    case FlowKind::kOpToOp:
      return is_work(kind);
    case FlowKind::kLaunchToDevice:
      return leaving || is_work(kind);
    case FlowKind::kOther:
      return true;
  }
  return true;
}

// Of the slices that touch the moment: the flow's own op counts most, then the kind, then whether it leaves
// at the end (or enters where the slice goes on), then a length to bind to.
int score_of(const Flow& flow, bool leaving, const Slice& slice, Timestamp t) {
  const bool own = flow.op != kNoOp && slice.op == flow.op;
  const bool side = leaving ? slice.end == t : t < slice.end;
  const bool long_enough = slice.end > slice.begin;
  return (own ? 8 : 0) + (kind_suits(flow, leaving, slice.kind) ? 4 : 0) + (side ? 2 : 0) +
         (long_enough ? 1 : 0);
}

std::optional<Candidate> slice_at(const TrackPlace& place, const Flow& flow, bool leaving, Timestamp t) {
  Candidate best;
  for (std::size_t depth = 0; depth < place.lane_tids.size(); ++depth) {
    const LaneRowsView& lane = place.lanes[depth];
    const std::uint64_t first = lane.first_near(t);
    for (std::uint64_t i = first; i < std::min(lane.size(), first + 4); ++i) {
      const Slice slice = lane.slice(i);
      if (slice.begin > t || slice.end < t) continue;
      const int score = score_of(flow, leaving, slice, t);
      // Of equals the deepest.
      if (score >= best.score) best = {slice, place.lane_tids[depth], score};
    }
  }
  if (best.score < 0) return std::nullopt;
  return best;
}

Timestamp last_moment(const Slice& slice) {
  return slice.end > slice.begin ? slice.end - Duration{1} : slice.begin;
}

}  // namespace

std::optional<BoundFlow> bind_flow(const ChromeLayout& layout, const Flow& flow) {
  if (flow.from_track == kNoTrack || flow.to_track == kNoTrack) return std::nullopt;
  const TrackPlace& from_place = layout.tracks[raw(flow.from_track)];
  const TrackPlace& to_place = layout.tracks[raw(flow.to_track)];
  const std::optional<Candidate> from = slice_at(from_place, flow, true, flow.from_time);
  const std::optional<Candidate> to = slice_at(to_place, flow, false, flow.to_time);
  if (!from || !to) return std::nullopt;
  Timestamp from_at = std::min(flow.from_time, last_moment(from->slice));
  Timestamp to_at = std::min(flow.to_time, last_moment(to->slice));
  // An arrow back in time (clocks of two devices): as far forward as the slices allow.
  if (to_at < from_at) to_at = std::min(from_at, last_moment(to->slice));
  if (to_at < from_at) from_at = std::max(to_at, from->slice.begin);
  if (to_at < from_at) return std::nullopt;
  return BoundFlow{{from_place.pid, from->tid, from_at}, {to_place.pid, to->tid, to_at}};
}

}  // namespace runahead::trace::io
