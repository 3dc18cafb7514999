#include "gui/timeline/lookup.h"

#include <algorithm>

#include "gui/timeline/selection_facts.h"
#include "instrumentation/trace/find_slice.h"

namespace runahead::gui {
namespace {

using trace::Lane;
using trace::OpenSlice;
using trace::Slice;
using trace::Trace;

// Returns how well a slice matches the time `t` and the op `op`. 2: the slice is of this op and contains t,
// or begins or ends at t. 1: the slice contains t. 0: no match.
int match(const Slice& slice, Timestamp end, Timestamp t, OpId op) {
  const bool touches = slice.begin <= t && t <= end;
  const bool holds = slice.begin <= t && t < end;
  if (op != kNoOp && slice.op == op && touches) return 2;
  return holds ? 1 : 0;
}

struct Candidate {
  SliceRef ref;
  int quality = 0;
};

void consider(Candidate& best, int quality, const SliceRef& ref) {
  // Callers pass outer slices first and inner slices later. If two slices match equally well, `>=` takes the
  // later slice, which is the deeper slice.
  if (quality > 0 && quality >= best.quality) best = {ref, quality};
}

void consider_lane(Candidate& best, const Lane& lane, SliceRef ref, Timestamp t, OpId op) {
  if (lane.empty()) return;
  const std::uint64_t at = lane.first_row_ending_after(t);
  const std::uint64_t first = at > lane.first_row() ? at - 1 : at;
  for (ref.row = first; ref.row < std::min(at + 1, lane.end_row()); ++ref.row) {
    const Slice slice = lane.slice(ref.row);
    consider(best, match(slice, slice.end, t, op), ref);
  }
}

bool is_earlier(const Trace& trace, const SliceRef& a, const SliceRef& b) {
  const auto first = find_slice(trace, a), second = find_slice(trace, b);
  return first && second && first->begin < second->begin;
}

}  // namespace

std::uint32_t lane_count(const Trace& trace, TrackId track) {
  auto lanes = static_cast<std::uint32_t>(trace.track(track).lanes.size());
  for (const OpenSlice& open : trace.open_slices()) {
    if (open.track == track) lanes = std::max(lanes, open.depth + 1);
  }
  return std::max<std::uint32_t>(lanes, 1);
}

const Lane* find_lane(const Trace& trace, TrackId track, std::uint32_t depth) {
  if (raw(track) >= trace.tracks().size()) return nullptr;
  const auto& lanes = trace.track(track).lanes;
  return depth < lanes.size() ? &lanes[depth] : nullptr;
}

std::optional<SliceRef> slice_near(const Trace& trace, TrackId track, Timestamp t, OpId op) {
  if (raw(track) >= trace.tracks().size()) return std::nullopt;
  Candidate best;
  const auto& lanes = trace.track(track).lanes;
  for (std::uint32_t depth = 0; depth < lanes.size(); ++depth) {
    consider_lane(best, lanes[depth], {.track = track, .depth = depth}, t, op);
  }
  for (const OpenSlice& open : trace.open_slices()) {
    if (open.track != track) continue;
    const auto begin = static_cast<std::uint64_t>(ns_from(open.slice.begin));
    consider(best, match(open.slice, Timestamp::max(), t, op), {track, open.depth, begin, true});
  }
  return best.quality > 0 ? std::optional(best.ref) : std::nullopt;
}

std::optional<SliceRef> slice_beginning_at(const Trace& trace, TrackId track, Timestamp t,
                                           const std::function<bool(const trace::Slice&)>& matches) {
  const auto place = trace::find_slice_beginning_at(trace, track, t, matches);
  return place ? std::optional(SliceRef{track, place->depth, place->row, false}) : std::nullopt;
}

std::optional<SliceRef> next_work(const Trace& trace, const IdleMark& gap) {
  return slice_beginning_at(trace, gap.next_track, gap.range.end, [](const trace::Slice&) { return true; });
}

std::vector<SliceRef> slices_of_op(const Trace& trace, OpId op) {
  std::vector<SliceRef> found;
  if (op == kNoOp) return found;
  const auto add = [&](TrackId track, Timestamp t) {
    if (track == kNoTrack || t == trace::kNever) return;
    const auto ref = slice_near(trace, track, t, op);
    if (!ref || std::find(found.begin(), found.end(), *ref) != found.end()) return;
    const auto slice = find_slice(trace, *ref);
    if (slice && slice->op == op) found.push_back(*ref);
  };
  if (const auto row = trace.op(op)) {
    add(row->enqueue_track, row->enqueued);
    add(row->execute_track, row->started);
  }
  constexpr std::size_t kMostFlows = 64;
  std::vector<trace::Flow> flows;
  trace.flows_of_op(op, kMostFlows, flows);
  for (const trace::Flow& flow : flows) {
    add(flow.from_track, flow.from_time);
    add(flow.to_track, flow.to_time);
  }
  std::sort(found.begin(), found.end(),
            [&](const SliceRef& a, const SliceRef& b) { return is_earlier(trace, a, b); });
  return found;
}

SliceFlows flows_of_slice(const Trace& trace, const SliceRef& ref, std::size_t limit) {
  SliceFlows result;
  const auto slice = find_slice(trace, ref);
  if (!slice) return result;
  const auto is_here = [&](TrackId track, Timestamp t, OpId op) {
    return track == ref.track && slice->begin <= t && t <= slice->end &&
           slice_near(trace, track, t, op) == ref;
  };
  std::vector<trace::Flow> flows;
  if (slice->op != kNoOp) {
    trace.flows_of_op(slice->op, limit, flows);
  } else {
    trace.flows_touching(ref.track, {slice->begin, slice->end + Duration{1}}, limit, flows);
  }
  for (const trace::Flow& flow : flows) {
    if (is_here(flow.from_track, flow.from_time, flow.op)) result.out.push_back(flow);
    if (is_here(flow.to_track, flow.to_time, flow.op)) result.in.push_back(flow);
  }
  return result;
}

}  // namespace runahead::gui
