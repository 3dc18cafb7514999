#include "gui/timeline/slice_walk.h"

#include <algorithm>
#include <vector>

#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {
namespace {

using trace::Trace;

constexpr std::size_t kMostArrows = 64;

std::optional<SliceRef> open_on(const Trace& trace, const SliceRef& lane) {
  for (const trace::OpenSlice& open : trace.open_slices()) {
    if (open.track != lane.track || open.depth != lane.depth) continue;
    return SliceRef{lane.track, lane.depth, static_cast<std::uint64_t>(ns_from(open.slice.begin)), true};
  }
  return std::nullopt;
}

std::optional<SliceRef> along_op(const Trace& trace, const SliceRef& from, bool forward) {
  const auto slice = find_slice(trace, from);
  if (!slice) return std::nullopt;
  const std::vector<SliceRef> same_op = slices_of_op(trace, slice->op);
  const auto here = std::find(same_op.begin(), same_op.end(), from);
  if (here == same_op.end()) return std::nullopt;
  if (forward) return here + 1 != same_op.end() ? std::optional(here[1]) : std::nullopt;
  return here != same_op.begin() ? std::optional(here[-1]) : std::nullopt;
}

}  // namespace

std::optional<SliceRef> beside_on_track(const Trace& trace, const SliceRef& from, bool forward) {
  const trace::Lane* const lane = find_lane(trace, from.track, from.depth);
  if (lane == nullptr) return std::nullopt;
  if (from.open) {
    if (forward || lane->empty()) return std::nullopt;
    return SliceRef{from.track, from.depth, lane->end_row() - 1, false};
  }
  if (forward && from.row + 1 == lane->end_row()) return open_on(trace, from);
  if (!forward && from.row <= lane->first_row()) return std::nullopt;
  return SliceRef{from.track, from.depth, forward ? from.row + 1 : from.row - 1, false};
}

std::optional<SliceRef> along_flow(const Trace& trace, const SliceRef& from, bool forward) {
  const SliceFlows flows = flows_of_slice(trace, from, kMostArrows);
  for (const trace::Flow& flow : forward ? flows.out : flows.in) {
    const auto to = forward ? slice_near(trace, flow.to_track, flow.to_time, flow.op)
                            : slice_near(trace, flow.from_track, flow.from_time, flow.op);
    if (to && *to != from) return to;
  }
  return along_op(trace, from, forward);
}

}  // namespace runahead::gui
