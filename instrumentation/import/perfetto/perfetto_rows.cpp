#include "instrumentation/import/perfetto/perfetto_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "instrumentation/export/flow_binding.h"
#include "instrumentation/import/common/nesting.h"

namespace runahead::importers::perfetto {
using namespace trace;
namespace {

// Where an arrow leaves or enters: at the begin or the end of a slice, or at a time on the track `node`.
struct Touch {
  NodeId node{};
  std::optional<std::size_t> slice;
  bool at_end = false;
  Timestamp at{};
};

// A flow that may continue. `last` is its last event so far.
struct OpenFlow {
  Touch last;
  bool gone_on = false;  // the flow already has an arrow
};

class RowBuilder {
 public:
  explicit RowBuilder(Decoded& decoded) : in_(decoded) {
    out_.nodes.resize(decoded.tracks.size());
    open_.resize(decoded.tracks.size());
    waiting_.resize(decoded.tracks.size());
  }

  Rows build() {
    in_.clocks.finish();
    take_samples();
    take_runs();
    for (const std::size_t index : in_time_order()) act_on(in_.events[index], times_[index]);
    finish();
    return std::move(out_);
  }

 private:
  [[nodiscard]] NodeRows& rows(NodeId id) { return out_.nodes[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::vector<std::size_t>& open(NodeId id) { return open_[static_cast<std::size_t>(id)]; }

  void note(Timestamp at) {
    out_.begin = any_ ? std::min(out_.begin, at) : at;
    out_.end = any_ ? std::max(out_.end, at) : at;
    any_ = true;
  }

  std::vector<std::size_t> in_time_order();
  void take_samples();
  void take_runs();
  void act_on(const Event& event, Timestamp at);
  void begin(const Event& event, NodeId node, Timestamp at);
  std::optional<std::size_t> end(const Event& event, NodeId node, Timestamp at);
  void drop_ended(NodeId node, Timestamp at);
  void mark_flows(const Event& event, const Touch& touch);
  void mark_flow(const FlowMark& mark, const Touch& touch);
  struct PendingFlow {
    Touch from, to;
    std::uint64_t number = 0;
  };
  void connect(const PendingFlow& pending);
  void finish();

  Decoded& in_;
  Rows out_;
  bool any_ = false;
  std::vector<Timestamp> times_;                // index: event
  std::vector<std::vector<std::size_t>> open_;  // index: node; value: slices that may contain the next
                                                // event
  // index: node; value: flows that enter the next slice of the node
  std::vector<std::vector<std::uint64_t>> waiting_;
  std::unordered_map<std::uint64_t, OpenFlow> flows_;  // key: flow number
  std::vector<PendingFlow> connected_;
};

std::vector<std::size_t> RowBuilder::in_time_order() {
  times_.resize(in_.events.size());
  std::vector<std::size_t> order;
  order.reserve(in_.events.size());
  for (std::size_t i = 0; i < in_.events.size(); ++i) {
    const std::optional<std::int64_t> ns = in_.clocks.convert(in_.events[i].time);
    if (!ns) {
      out_.losses.add(LossCause::kImportUndefined);
      continue;
    }
    times_[i] = timestamp_from_ns(*ns);
    note(times_[i]);
    order.push_back(i);
  }
  // The sort is stable, because at equal times the file order decides which slice contains the other.
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return times_[a] < times_[b]; });
  return order;
}

void RowBuilder::take_samples() {
  for (const Sample& sample : in_.samples) {
    const std::optional<std::int64_t> ns = in_.clocks.convert(sample.time);
    if (!ns) {
      out_.losses.add(LossCause::kImportUndefined);
      continue;
    }
    const Timestamp at = timestamp_from_ns(*ns);
    note(at);
    rows(in_.tracks.same(sample.track)).samples.push_back({at, sample.value});
  }
  in_.samples.clear();
  for (NodeRows& node : out_.nodes) {
    std::stable_sort(node.samples.begin(), node.samples.end(),
                     [](const CounterSample& a, const CounterSample& b) { return a.at < b.at; });
  }
}

void RowBuilder::take_runs() {
  for (const Run& run : in_.runs) {
    const std::optional<std::int64_t> begin = in_.clocks.convert(run.begin);
    std::optional<std::int64_t> end;
    if (run.end_ns) end = in_.clocks.convert({run.begin.clock, *run.end_ns});
    if (!begin) {
      out_.losses.add(LossCause::kImportUndefined);
      continue;
    }
    Slice slice{.begin = timestamp_from_ns(*begin),
                .end = kNeverClosed,
                .name = run.name,
                .kind = SliceKind::kExecute,
                .args = run.args};
    note(slice.begin);
    if (end) note(slice.end = timestamp_from_ns(*end));
    rows(in_.tracks.same(run.track)).slices.push_back(slice);
  }
  in_.runs = {};
}

void RowBuilder::act_on(const Event& event, Timestamp at) {
  const NodeId node = in_.tracks.same(event.track);
  drop_ended(node, at);
  switch (event.kind) {
    case EventKind::kBegin:
    case EventKind::kComplete:
      begin(event, node, at);
      mark_flows(event, {node, rows(node).slices.size() - 1, false, at});
      break;
    case EventKind::kEnd:
      if (const std::optional<std::size_t> slice = end(event, node, at))
        mark_flows(event, {node, slice, true, at});
      break;
    case EventKind::kInstant:
      rows(node).instants.push_back({at, kNoTrack, event.name, event.op, event.args});
      mark_flows(event, {node, std::nullopt, false, at});
      break;
    case EventKind::kPoint:
      if (open(node).empty() && in_.flows[event.first_flow].step != FlowMark::Step::kEndsAtNext) {
        out_.losses.add(LossCause::kUnboundFlow);
        break;
      }
      // The arrow uses the time of the event and not the begin of the slice, because a long slice may start
      // many arrows.
      mark_flows(event, {node, std::nullopt, false, at});
      break;
  }
}

// Removes the slices that ended by `at` from the open slices. Only slices from complete events can be removed
// here, because only for them is the end known in advance.
void RowBuilder::drop_ended(NodeId node, Timestamp at) {
  std::vector<std::size_t>& stack = open(node);
  const auto has_ended = [&](std::size_t index) {
    const Timestamp end = rows(node).slices[index].end;
    return end != kNeverClosed && end <= at;
  };
  while (!stack.empty() && has_ended(stack.back())) stack.pop_back();
}

void RowBuilder::begin(const Event& event, NodeId node, Timestamp at) {
  Slice slice{.begin = at,
              .end = kNeverClosed,
              .name = event.name,
              .kind = event.slice_kind,
              .flags = event.flags,
              .op = event.op,
              .size_bytes = event.size_bytes,
              .args = event.args};
  if (event.kind == EventKind::kComplete) {
    slice.end = at + Duration{event.duration_ns};
    note(slice.end);
  }
  rows(node).slices.push_back(slice);
  open(node).push_back(rows(node).slices.size() - 1);
  std::vector<std::uint64_t>& waiting = waiting_[static_cast<std::size_t>(node)];
  for (const std::uint64_t flow : std::exchange(waiting, {})) {
    mark_flow({FlowMark::Step::kEnds, flow}, {node, rows(node).slices.size() - 1, false, at});
  }
}

// Ends the innermost open slice and returns it. If the end event has a name, only open slices with this name
// count. Slices inside the ended slice end at the same time.
std::optional<std::size_t> RowBuilder::end(const Event& event, NodeId node, Timestamp at) {
  std::vector<std::size_t>& stack = open(node);
  std::vector<Slice>& slices = rows(node).slices;
  const auto found = std::find_if(stack.rbegin(), stack.rend(), [&](std::size_t index) {
    return slices[index].end == kNeverClosed && (!event.by_name || slices[index].name == event.name);
  });
  if (found == stack.rend()) {
    out_.losses.add(LossCause::kUnmatchedEnd);
    return std::nullopt;
  }
  const std::size_t slice = *found;
  const auto first = found.base() - 1;
  for (auto inner = first; inner != stack.end(); ++inner) {
    if (slices[*inner].end == kNeverClosed) slices[*inner].end = at;
  }
  stack.erase(first, stack.end());
  return slice;
}

// ---- arrows -----------------------------------------------------------------------------------------------

void RowBuilder::mark_flows(const Event& event, const Touch& touch) {
  for (std::uint32_t i = 0; i < event.flow_count; ++i) {
    const FlowMark& mark = in_.flows[event.first_flow + i];
    if (mark.step == FlowMark::Step::kEndsAtNext) {
      waiting_[static_cast<std::size_t>(touch.node)].push_back(mark.flow);
    } else {
      mark_flow(mark, touch);
    }
  }
}

void RowBuilder::mark_flow(const FlowMark& mark, const Touch& touch) {
  const auto found = flows_.find(mark.flow);
  const bool active = found != flows_.end();
  if (mark.step == FlowMark::Step::kBegins) {
    if (active && !found->second.gone_on) out_.losses.add(LossCause::kUnboundFlow);
    flows_.insert_or_assign(mark.flow, OpenFlow{touch, false});
    return;
  }
  if (!active) {
    if (mark.step == FlowMark::Step::kEnds || mark.step == FlowMark::Step::kEnters) {
      out_.losses.add(LossCause::kUnboundFlow);
    } else {
      flows_.emplace(mark.flow, OpenFlow{touch, false});
    }
    return;
  }
  connected_.push_back({found->second.last, touch, mark.flow});
  if (mark.step == FlowMark::Step::kEnds) {
    flows_.erase(found);
  } else if (mark.step == FlowMark::Step::kEnters) {
    found->second.gone_on = true;
  } else {
    found->second = {touch, true};
  }
}

// Makes an arrow. Called after the last event, when the ends of all slices are known. Our own exports may
// also state fields of an arrow that do not follow from its slices (ToldFlow).
void RowBuilder::connect(const PendingFlow& pending) {
  const auto& [from, to, number] = pending;
  Flow flow{.from_time = from.at, .to_time = to.at};
  if (from.slice) {
    Slice source = rows(from.node).slices[*from.slice];
    if (source.end == kNeverClosed) source.end = out_.end;
    const exporters::FlowTouch leaves{&source, from.at_end};
    if (!from.at_end) flow.from_time = exporters::leaves_at(leaves, flow.to_time);
    if (to.slice) {
      const Flow said = exporters::flow_between(leaves, {&rows(to.node).slices[*to.slice], to.at_end});
      flow.kind = said.kind;
      flow.op = said.op;
    }
  }
  if (const auto told = in_.told_flows.find(number); told != in_.told_flows.end()) told->second.add_to(flow);
  out_.flows.push_back({from.node, to.node, flow});
}

void RowBuilder::finish() {
  for (const auto& [number, flow] : flows_) {
    if (!flow.gone_on) out_.losses.add(LossCause::kUnboundFlow);
  }
  for (const std::vector<std::uint64_t>& waiting : waiting_) {
    out_.losses.add(LossCause::kUnboundFlow, waiting.size());
  }
  for (const PendingFlow& flow : connected_) connect(flow);
  in_.events.clear();
}

}  // namespace

Rows rows_of(Decoded& decoded) { return RowBuilder(decoded).build(); }

}  // namespace runahead::importers::perfetto
