#include "gui/panels/details/op_slices.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"
#include "instrumentation/analysis/op_chain.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

// The group of the process that a track belongs to, in a recording that joins processes; otherwise kNoTrack.
TrackId process_of(const trace::Trace& trace, TrackId track) {
  constexpr int kMostParents = 16;  // parents may form a cycle
  if (!trace.metadata().contains("processes")) return kNoTrack;
  for (int i = 0; i < kMostParents && trace.track(track).info.parent != kNoTrack; ++i)
    track = trace.track(track).info.parent;
  return track;
}

std::optional<SliceRef> open_slice_touching(const trace::Trace& trace, TrackId track, Timestamp at) {
  std::optional<SliceRef> found;
  for (const trace::OpenSlice& open : trace.open_slices()) {
    if (open.track != track || open.slice.begin > at || (found && open.depth <= found->depth)) continue;
    const auto begin_ns = static_cast<std::uint64_t>(ns_from(open.slice.begin));
    found = SliceRef{track, open.depth, begin_ns, true};
  }
  return found;
}

// The maximum number of dependents of an op that are read.
constexpr std::size_t kMostDependents = 1024;
// An op that became ready when another op ended was enqueued before that end. Therefore its rows are in one
// of the next blocks, whatever the length of the trace.
constexpr std::size_t kMostDependentBlocks = 16;

// Returns the slice that begins when the op starts; nullopt: the op has not started, or its slice is lost.
std::optional<SliceRef> execution_of(const trace::Trace& trace, const trace::OpRow& op) {
  if (op.started == trace::kNever || op.execute_track == kNoTrack) return std::nullopt;
  const std::optional<SliceRef> near = slice_near(trace, op.execute_track, op.started, op.id);
  const std::optional<trace::Slice> slice = near ? find_slice(trace, *near) : std::nullopt;
  return slice && slice->op == op.id ? near : std::nullopt;
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

std::vector<LinkedSlice> links_of_chain(const trace::Trace& trace, const FlowChain& chain,
                                        const SliceRef& ref) {
  std::vector<LinkedSlice> links;
  for (const ChainFlow& one : chain.flows) {
    if (one.step > 1) continue;
    const trace::Flow& flow = one.flow;
    const std::optional<SliceRef> from = slice_touching(trace, flow.from_track, flow.from_time);
    const std::optional<SliceRef> to = slice_touching(trace, flow.to_track, flow.to_time);
    if (!from || !to) continue;
    // A flow that leaves `ref` may begin in a slice that lies within `ref`. In this case `from` is that inner
    // slice, and one.from is `ref`.
    const bool outgoing = one.from == ref || from == ref;
    add_unique(links, outgoing ? LinkedSlice{*to, flow.kind, true, flow.to_time}
                               : LinkedSlice{*from, flow.kind, false, flow.from_time});
  }
  return links;
}

std::optional<SliceRef> made_ready_by(const trace::Trace& trace, const SliceRef& ref) {
  const std::optional<trace::Slice> slice = find_slice(trace, ref);
  if (!slice || slice->op == kNoOp) return std::nullopt;
  const std::optional<trace::OpRow> op = trace.op(slice->op);
  if (!op) return std::nullopt;
  const auto before = analysis::OpChain(trace).before(*op);
  if (!before || raw(before->op.execute_track) >= trace.tracks().size()) return std::nullopt;
  const trace::Track& track = trace.track(before->op.execute_track);
  for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
    const trace::Lane& lane = track.lanes[depth];
    for (std::uint64_t row = lane.first_row_ending_after(before->op.ended - Duration{1});
         row < lane.end_row() && lane.end(row) == before->op.ended; ++row) {
      if (lane.slice(row).op == before->op.id)
        return SliceRef{track.info.id, static_cast<std::uint32_t>(depth), row, false};
    }
  }
  return std::nullopt;
}

MadeReady made_ready(const trace::Trace& trace, const SliceRef& ref, std::size_t most) {
  MadeReady out;
  const std::optional<trace::Slice> slice = find_slice(trace, ref);
  const std::optional<trace::OpRow> op = slice && slice->op != kNoOp ? trace.op(slice->op) : std::nullopt;
  if (!op || op->ended == trace::kNever || ref.open || slice->end != op->ended) return out;
  std::vector<trace::Dependency> dependents;
  out.all =
      trace.dependents_of(op->id, kMostDependents, dependents, kMostDependentBlocks) <= dependents.size();
  std::set<OpId> seen;
  for (const trace::Dependency& dependent : dependents) {
    const std::optional<trace::OpRow> later = trace.op(dependent.op);
    if (!later || later->ready != op->ended || later->ready == later->enqueued) continue;
    if (!seen.insert(later->id).second) continue;
    const std::optional<SliceRef> runs = execution_of(trace, *later);
    if (runs) out.ops.push_back({*runs, later->started - op->ended});
  }
  std::ranges::stable_sort(out.ops, {}, &MadeReady::Op::started);
  out.ops.resize(std::min(out.ops.size(), most));
  out.omitted = seen.size() - out.ops.size();
  return out;
}

void update_made_ready(const trace::Trace& trace, const SliceRef& ref, MadeReady& out) {
  MadeReady::Key key{trace.identity(), trace.version(), ref};
  if (out.key == key) return;
  out = made_ready(trace, ref);
  out.key = std::move(key);
}

std::string where_linked(const trace::Trace& trace, const SliceRef& linked, const SliceRef& ref) {
  const std::optional<trace::Slice> there = find_slice(trace, linked), here = find_slice(trace, ref);
  if (!there || !here) return {};
  std::string words;
  const TrackId process = process_of(trace, linked.track);
  if (process != process_of(trace, ref.track)) words += ", " + trace.track(process).info.name;
  // An open slice may lie in a slice that is open too: then the lane above may not exist yet.
  if (linked.depth > 0 && linked.depth <= trace.track(linked.track).lanes.size()) {
    const trace::Lane& above = trace.track(linked.track).lanes[linked.depth - 1];
    const std::uint64_t row = above.first_row_ending_after(there->begin);
    if (row < above.end_row() && above.begin(row) <= there->begin &&
        above.slice(row).kind != trace::SliceKind::kStep)
      words += ", " + filled(Text::kLinkedIn, {trace.string(above.slice(row).name)});
  }
  const Duration later = there->begin - here->begin;
  if (later == Duration{}) return words;
  const std::string apart = format_duration(later < Duration{} ? -later : later);
  return words + ", " + filled(later < Duration{} ? Text::kLinkedEarlier : Text::kLinkedLater, {apart});
}

std::vector<OpPart> op_parts(const trace::OpRow& op) {
  std::vector<OpPart> parts;
  Timestamp from = op.enqueued;
  const auto add = [&](Text name, Timestamp to) {
    if (to == trace::kNever || from == trace::kNever) return;
    if (to > from) parts.push_back({name, to - from});
    from = std::max(from, to);
  };
  add(Text::kOpPartInputs, op.ready);
  add(Text::kOpPartQueued, op.started);
  add(Text::kOpPartRuns, op.ended);
  return parts;
}

}  // namespace runahead::gui
