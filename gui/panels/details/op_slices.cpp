#include "gui/panels/details/op_slices.h"

#include <algorithm>
#include <optional>

#include "gui/timeline/selection_facts.h"

namespace runahead::gui {

namespace {

std::optional<SliceRef> open_slice_touching(const trace::Trace& trace, TrackId track, Timestamp at) {
  std::optional<SliceRef> found;
  const std::span<const trace::OpenSlice> open = trace.open_slices();
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i].track != track || open[i].slice.begin > at) continue;
    if (!found || open[i].depth > found->depth) found = SliceRef{track, open[i].depth, i, true};
  }
  return found;
}

void add_unique(std::vector<LinkedSlice>& out, const LinkedSlice& link) {
  const auto same = [&](const LinkedSlice& other) {
    return other.slice == link.slice && other.outgoing == link.outgoing;
  };
  if (std::ranges::none_of(out, same)) out.push_back(link);
}

}  // namespace

std::optional<SliceRef> slice_touching(const trace::Trace& trace, TrackId track, Timestamp at) {
  if (raw(track) >= trace.tracks().size()) return std::nullopt;
  const trace::Track& there = trace.track(track);
  for (std::size_t depth = there.lanes.size(); depth-- > 0;) {
    const trace::Lane& lane = there.lanes[depth];
    // A row that ends exactly at `at` counts too, so the search begins 1 ns before `at`.
    std::uint64_t row = lane.first_row_ending_after(at - Duration{1});
    if (row < lane.end_row() && lane.end(row) == at && row + 1 < lane.end_row() && lane.begin(row + 1) == at)
      ++row;
    if (row < lane.end_row() && lane.begin(row) <= at) {
      return SliceRef{track, static_cast<std::uint32_t>(depth), row, false};
    }
  }
  return open_slice_touching(trace, track, at);
}

std::vector<LinkedSlice> linked_slices(const trace::Trace& trace, const SliceRef& ref, std::size_t limit) {
  std::vector<LinkedSlice> links;
  const std::optional<trace::Slice> slice = find_slice(trace, ref);
  if (!slice || slice->op == kNoOp) return links;
  std::vector<trace::Flow> flows;
  trace.flows_of_op(slice->op, limit, flows);
  for (const trace::Flow& flow : flows) {
    const std::optional<SliceRef> from = slice_touching(trace, flow.from_track, flow.from_time);
    const std::optional<SliceRef> to = slice_touching(trace, flow.to_track, flow.to_time);
    if (to && from == ref) add_unique(links, {*to, flow.kind, true, flow.to_time});
    if (from && to == ref) add_unique(links, {*from, flow.kind, false, flow.from_time});
  }
  return links;
}

}  // namespace runahead::gui
