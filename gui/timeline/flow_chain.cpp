#include "gui/timeline/flow_chain.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {
namespace {

using trace::Dependency;
using trace::Flow;
using trace::FlowKind;
using trace::OpRow;
using trace::Trace;

// The maximum number of flows that are read for one op or slice. It is also the maximum number of
// dependencies, and of dependents (later ops that depend on the op), that are read for one op.
constexpr std::size_t kMostOfOne = 256;

auto place_of(const SliceRef& ref) { return std::tuple(ref.track, ref.depth, ref.row, ref.open); }

class Walk {
 public:
  Walk(const Trace& trace, std::size_t most) : trace_(trace), most_(most) {}

  FlowChain run(const SliceRef& from, std::uint32_t steps) {
    reach(from);
    const auto slice = find_slice(trace_, from);
    if (!slice) return std::move(chain_);
    add_flows(from, slice->op);
    // So far only the flows of the start slice were added. The start slice is also the first slice in
    // frontier_, so step 2 adds the dependencies of the start slice's op.
    for (step_ = 2; step_ <= steps && chain_.omitted == 0; ++step_) {
      for (const SliceRef& ref : std::exchange(frontier_, {})) expand(ref);
    }
    chain_.more = chain_.omitted == 0 && would_find_more();
    return std::move(chain_);
  }

 private:
  SliceRef end(TrackId track, Timestamp t, OpId op) const {
    return slice_near(trace_, track, t, op).value_or(SliceRef{.track = track, .row = UINT64_MAX});
  }

  void reach(const SliceRef& ref) {
    if (ref.row != UINT64_MAX && reached_.insert(place_of(ref)).second) frontier_.push_back(ref);
  }

  void add(const Flow& flow) {
    if (flow.from_track == kNoTrack || flow.to_track == kNoTrack) return;  // a half of a message, for example
    const auto key =
        std::tuple(flow.from_track, flow.from_time, flow.to_track, flow.to_time, flow.op, flow.kind);
    if (!known_.insert(key).second) return;
    if (probing_) {
      found_ = true;
      return;
    }
    if (chain_.flows.size() >= most_) {
      ++chain_.omitted;
      return;
    }
    // A dependency (kOpToOp) leads from the earlier op, from_op_, to the later op, flow.op.
    const OpId from_op = flow.kind == FlowKind::kOpToOp ? from_op_ : flow.op;
    const ChainFlow one{flow, end(flow.from_track, flow.from_time, from_op),
                        end(flow.to_track, flow.to_time, flow.op), step_};
    reach(one.from);
    reach(one.to);
    chain_.flows.push_back(one);
  }

  void add_flows(const SliceRef& ref, OpId op) {
    if (op == kNoOp) {
      const SliceFlows own = flows_of_slice(trace_, ref, kMostOfOne);
      for (const Flow& flow : own.in) add(flow);
      for (const Flow& flow : own.out) add(flow);
    } else if (flows_added_.insert(op).second) {
      std::vector<Flow> flows;
      const std::uint64_t all = trace_.flows_of_op(op, kMostOfOne, flows);
      from_op_ = kNoOp;
      for (const Flow& flow : flows) add(flow);
      if (!probing_) chain_.omitted += all - flows.size();
    }
  }

  void add_dependency(OpId earlier, OpId later) {
    const std::optional<OpRow> from = trace_.op(earlier), to = trace_.op(later);
    if (!from || !to || from->ended == trace::kNever || to->started == trace::kNever) return;
    from_op_ = earlier;
    add({.kind = FlowKind::kOpToOp,
         .from_track = from->execute_track,
         .to_track = to->execute_track,
         .from_time = from->ended,
         .to_time = to->started,
         .op = later});
  }

  void add_dependencies(OpId op) {
    if (op == kNoOp || !dependencies_added_.insert(op).second) return;
    std::vector<Dependency> on, of;
    std::uint64_t all = trace_.dependencies_of(op, kMostOfOne, on);
    all += trace_.dependents_of(op, kMostOfOne, of);
    for (const Dependency& one : on) add_dependency(one.on, op);
    for (const Dependency& one : of) add_dependency(op, one.op);
    if (!probing_) chain_.omitted += all - on.size() - of.size();
  }

  // In traces of other tools, dependencies are stored as flows. Such a flow contains only the id of the later
  // op. Therefore this function searches the flows by time, to find those that start in a slice of the
  // earlier op.
  void add_touching(const SliceRef& ref, const trace::Slice& slice) {
    std::vector<Flow> flows;
    trace_.flows_touching(ref.track, {slice.begin, slice.end + Duration{1}}, kMostOfOne, flows);
    for (const Flow& flow : flows) {
      const bool out = flow.from_track == ref.track && slice.begin <= flow.from_time &&
                       flow.from_time <= slice.end && flow.kind == FlowKind::kOpToOp;
      if (!out) continue;
      from_op_ = slice.op;
      if (end(flow.from_track, flow.from_time, slice.op) == ref) add(flow);
    }
  }

  void expand(const SliceRef& ref) {
    const auto slice = find_slice(trace_, ref);
    if (!slice) return;
    add_flows(ref, slice->op);
    add_dependencies(slice->op);
    if (slice->op != kNoOp && trace_.dependency_count() == 0) add_touching(ref, *slice);
  }

  // True if one more step would add a flow. The search stops at the first such flow.
  bool would_find_more() {
    probing_ = true;
    for (const SliceRef& ref : frontier_) {
      expand(ref);
      if (found_) return true;
    }
    return false;
  }

  const Trace& trace_;
  const std::size_t most_;
  FlowChain chain_;
  std::uint32_t step_ = 1;
  std::vector<SliceRef> frontier_;  // slices reached, but not yet expanded
  std::set<std::tuple<TrackId, std::uint32_t, std::uint64_t, bool>> reached_;
  std::set<std::tuple<TrackId, Timestamp, TrackId, Timestamp, OpId, FlowKind>> known_;
  std::set<OpId> flows_added_, dependencies_added_;
  OpId from_op_ = kNoOp;  // the earlier op of the dependency being added
  bool probing_ = false, found_ = false;
};

}  // namespace

FlowChain flow_chain(const Trace& trace, const SliceRef& from, std::uint32_t steps, std::size_t most) {
  return Walk(trace, most).run(from, steps);
}

void update_flow_chain(const Trace& trace, const TimelineState& state, FlowChain& chain) {
  const FlowChain::Key key{trace.identity(), trace.version(), state.selected, state.flow_steps};
  if (chain.key == key) return;
  chain = state.selected ? flow_chain(trace, *state.selected, state.flow_steps) : FlowChain{};
  chain.key = key;
}

}  // namespace runahead::gui
