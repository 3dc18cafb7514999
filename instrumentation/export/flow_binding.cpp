#include "instrumentation/export/flow_binding.h"

#include <algorithm>

namespace runahead::exporters {
using namespace trace;
namespace {

struct Candidate {
  FlowSlice found;
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

// Returns how well a slice fits as the slice that an arrow leaves or enters; the slice with the highest score
// is used. REQUIRES: the slice touches the time of this end of the arrow. The criteria, most important first:
// the slice belongs to the flow's own op; the slice's kind suits the flow's kind; the slice ends where the
// arrow leaves, or continues where the arrow enters; the slice is longer than zero.
int score_of(const Flow& flow, bool leaving, const Slice& slice, Timestamp t) {
  const bool own = flow.op != kNoOp && slice.op == flow.op;
  const bool side = leaving ? slice.end == t : t < slice.end;
  const bool long_enough = slice.end > slice.begin;
  return (own ? 8 : 0) + (kind_suits(flow, leaving, slice.kind) ? 4 : 0) + (side ? 2 : 0) +
         (long_enough ? 1 : 0);
}

std::optional<FlowSlice> slice_at(const ChromeLayout& layout, const Flow& flow, bool leaving,
                                  bool with_async) {
  const TrackId track = leaving ? flow.from_track : flow.to_track;
  const Timestamp t = leaving ? flow.from_time : flow.to_time;
  const TrackPlace& place = layout.tracks[raw(track)];
  const bool here = place.kind == PlaceKind::kThreads || (with_async && place.kind == PlaceKind::kAsync);
  Candidate best;
  for (std::size_t depth = 0; here && depth < place.lanes.size(); ++depth) {
    const LaneRowsView& lane = place.lanes[depth];
    const std::uint64_t first = lane.first_near(t);
    for (std::uint64_t i = first; i < std::min(lane.size(), first + 4); ++i) {
      const Slice slice = lane.slice(i);
      if (slice.begin > t || slice.end < t) continue;
      const int score = score_of(flow, leaving, slice, t);
      // On a tie the deepest slice is taken.
      if (score >= best.score) best = {{track, static_cast<std::uint32_t>(depth), i, slice}, score};
    }
  }
  if (best.score < 0) return std::nullopt;
  return best.found;
}

Timestamp last_moment(const Slice& slice) {
  return slice.end > slice.begin ? slice.end - Duration{1} : slice.begin;
}

FlowEnd end_at(const ChromeLayout& layout, const FlowSlice& bound, Timestamp at) {
  const TrackPlace& place = layout.tracks[raw(bound.track)];
  return {place.pid, place.lane_tids[bound.depth], at};
}

}  // namespace

std::optional<FlowSlices> slices_of_flow(const ChromeLayout& layout, const Flow& flow, bool with_async) {
  if (flow.from_track == kNoTrack || flow.to_track == kNoTrack) return std::nullopt;
  const std::optional<FlowSlice> from = slice_at(layout, flow, true, with_async);
  const std::optional<FlowSlice> to = slice_at(layout, flow, false, with_async);
  if (!from || !to) return std::nullopt;
  return FlowSlices{*from, *to};
}

std::optional<BoundFlow> bind_flow(const ChromeLayout& layout, const Flow& flow) {
  const std::optional<FlowSlices> slices = slices_of_flow(layout, flow, false);
  if (!slices) return std::nullopt;
  const Slice &from = slices->from.slice, &to = slices->to.slice;
  Timestamp from_at = std::min(flow.from_time, last_moment(from));
  Timestamp to_at = std::min(flow.to_time, last_moment(to));
  // If the arrow goes back in time (because the clocks of two devices differ), move its end forward, then its
  // start back, as far as the slices allow.
  if (to_at < from_at) to_at = std::min(from_at, last_moment(to));
  if (to_at < from_at) from_at = std::max(to_at, from.begin);
  if (to_at < from_at) return std::nullopt;
  return BoundFlow{end_at(layout, slices->from, from_at), end_at(layout, slices->to, to_at)};
}

Timestamp leaves_at(const FlowTouch& from, Timestamp enters) {
  const Slice& slice = *from.slice;
  return from.at_end ? slice.end : std::max(slice.begin, std::min(slice.end, enters));
}

Flow flow_between(const FlowTouch& from, const FlowTouch& to) {
  const Slice &source = *from.slice, &target = *to.slice;
  Flow flow{.to_time = to.at_end ? target.end : target.begin};
  flow.from_time = leaves_at(from, flow.to_time);
  const bool same_op = source.op == target.op && source.op != kNoOp;
  if (source.kind == SliceKind::kEnqueue && is_work(target.kind) && same_op) {
    flow.kind = FlowKind::kEnqueueToExecute;
  } else if (is_work(source.kind) && target.kind == SliceKind::kWait) {
    flow.kind = FlowKind::kExecuteToWait;
  } else if (is_work(source.kind) && is_work(target.kind) && !same_op) {
    flow.kind = FlowKind::kOpToOp;
  } else {
    flow.kind = FlowKind::kOther;
  }
  flow.op = flow.kind == FlowKind::kOpToOp ? target.op : source.op;
  return flow;
}

}  // namespace runahead::exporters
