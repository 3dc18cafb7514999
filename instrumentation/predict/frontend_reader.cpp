#include "instrumentation/predict/frontend_reader.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "instrumentation/predict/load_times.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::predict {
namespace {

using trace::Slice;
using trace::SliceKind;

constexpr std::string_view kWindow = "window", kHeld = "held by", kHeldByLimit = "held by the limit",
                           kWaitAll = "waitall";

}  // namespace

std::vector<WaitRelease> read_releases(const trace::Trace& trace) {
  std::vector<WaitRelease> out;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const trace::Flow flow = trace.flow(i);
    if (flow.kind == trace::FlowKind::kExecuteToWait && !flow.is_half())
      out.push_back({flow.to_track, flow.to_time, flow.from_time, flow.op});
  }
  std::ranges::sort(out);
  return out;
}

std::vector<WaitRelease> read_releases(const trace::Trace& trace, TrackId frontend, TimeRange range) {
  std::vector<trace::Flow> flows;
  (void)trace.flows_touching(frontend, range, SIZE_MAX, flows);
  std::vector<WaitRelease> out;
  for (const trace::Flow& flow : flows) {
    if (flow.kind == trace::FlowKind::kExecuteToWait && !flow.is_half() && flow.to_track == frontend)
      out.push_back({flow.to_track, flow.to_time, flow.from_time, flow.op});
  }
  std::ranges::sort(out);
  return out;
}

void FrontendReader::read(TrackId track, std::optional<Timestamp> end_of_run) {
  track_ = track;
  if (end_of_run) find_final_wait(track, *end_of_run);
  items_.reserve(3 * run_.rows.size());  // an op is enqueued, and the program drops its output
  for (const trace::Lane& lane : run_.trace.track(track).lanes) {
    trace::LaneReader reader(lane);
    const std::uint64_t end = lane.first_row_beginning_from(range_.end);
    for (std::uint64_t row = lane.first_row_beginning_from(range_.begin); row < end; ++row)
      add_slice(reader.slice(row));
  }
}

// The runner waits for all ops when the workload has ended.
void FrontendReader::find_final_wait(TrackId track, Timestamp end_of_run) {
  Slice last;
  for (const trace::Lane& lane : run_.trace.track(track).lanes) {
    for (std::uint64_t row = lane.end_row(); row > lane.first_row(); --row) {
      const Slice slice = lane.slice(row - 1);
      if (slice.kind != SliceKind::kWait || slice.begin >= end_of_run) continue;
      if (slice.begin > last.begin) last = slice;
      break;
    }
  }
  if (run_.trace.string(last.name) == kWaitAll) final_wait_ = last.begin;
}

void FrontendReader::add_slice(const Slice& slice) {
  switch (slice.kind) {
    case SliceKind::kEnqueue:
      return add_enqueue(slice);
    case SliceKind::kWait:
      return add_wait(slice);
    case SliceKind::kStep:
      add({slice.begin, slice.begin, slice.begin, {.action = Action::kBeginStep}});
      if (slice.end <= range_.end) add({slice.end, slice.end, slice.end, {.action = Action::kEndStep}});
      return;
    case SliceKind::kZone:
      if (loads_data(run_.trace.string(slice.name))) loads_.push_back({slice.begin, slice.end});
      return;
    case SliceKind::kPause:
      add({slice.begin, slice.begin, slice.end, {}, false});
      return;
    default:
      return;
  }
}

void FrontendReader::add_enqueue(const Slice& slice) {
  const OpIndex op = op_of(slice.op);
  if (op == kNone) return;
  const Timestamp ready = run_.rows[op].ready;
  const Timestamp at = ready == trace::kNever ? slice.end : std::clamp(ready, slice.begin, slice.end);
  add({at, at, at, {.own_cost = at - slice.begin, .action = Action::kEnqueue, .target = op}});
}

// The op whose end ended the wait, and when it ended, within the wait. The recording has an arrow from this
// op to the end of the wait. Without one, the wait did not have to wait.
WaitRelease FrontendReader::release_of(const Slice& slice) const {
  const auto arrow =
      std::ranges::lower_bound(run_.releases, WaitRelease{track_, slice.begin, Timestamp::min()});
  const bool found = arrow != run_.releases.end() && arrow->track == track_ && arrow->at <= slice.end;
  WaitRelease out = found ? *arrow : WaitRelease{track_, slice.begin, slice.begin};
  out.ended = std::clamp(out.ended, slice.begin, slice.end);
  return out;
}

void FrontendReader::add_wait(const Slice& slice) {
  const std::string_view name = run_.trace.string(slice.name);
  if (slice.begin == final_wait_) return;  // the simulation also ends when the last op has ended
  const bool held = name.starts_with(kHeld) || name == kWindow;
  if (slice.end > counted_.begin && slice.end < counted_.end)
    blocked_ += slice.end - std::max(slice.begin, counted_.begin);
  FrontendItem item{slice.begin, slice.begin, slice.end, {}, !held, held};
  item.event.action = slice.op == kNoOp ? Action::kWaitAll : Action::kWaitOp;
  item.event.target = slice.op == kNoOp ? kNone : op_of(slice.op);
  if (name == kWindow) item.event.action = Action::kBeginStep;
  item.event.of_policy = held && name != kHeldByLimit;
  const WaitRelease release = release_of(slice);
  item.event.blocked = idle_of(release.ended - slice.begin);
  item.event.own_cost = bounded(slice.end - release.ended);
  if (held) item.event.target = op_of(release.by);
  if (const OpIndex by = op_of(release.by); by != kNone && item.event.blocked != Idle::kNot)
    wakes.push_back({by, item.event.blocked});
  if (held || name == "wait_to_read" || name == kWaitAll)
    wake_ups[static_cast<std::size_t>(item.event.blocked)].push_back(item.event.own_cost);
  add(item);
}

// Without a record: the barrier waits at the end of a step for the op that was enqueued last; a policy that
// waited did so in the last wait of the step.
void FrontendReader::add_points(BarrierKind kind) {
  std::vector<FrontendItem> out;
  OpIndex last_op = kNone;
  std::optional<std::size_t> last_wait;  // in this step; an index into out
  for (const FrontendItem& item : items_) {
    const bool waits = item.event.action == Action::kWaitOp || item.event.action == Action::kWaitAll;
    if (item.is_event && item.event.action == Action::kEnqueue) last_op = item.event.target;
    if (item.is_event && item.event.action == Action::kBeginStep) last_wait.reset();
    if (item.is_event && waits) last_wait = out.size();
    if (item.is_event && item.event.action == Action::kEndStep) {
      const bool at_wait = waits_at_points(kind) && last_wait;
      const auto place = at_wait ? out.begin() + static_cast<std::ptrdiff_t>(*last_wait) : out.end();
      const Timestamp at = at_wait ? place->at : item.at;
      out.insert(place, {at, at, at, {.action = Action::kBarrier, .target = last_op}});
    }
    out.push_back(item);
  }
  items_ = std::move(out);
}

// A window holds the step that has just begun. The others hold the next enqueue.
void FrontendReader::add_held_costs() {
  Event* step = nullptr;               // the last one that began
  const FrontendItem* held = nullptr;  // holds the next enqueue
  const auto add_cost = [](const FrontendItem& wait, Event& event) {
    event.held_cost = wait.event.own_cost;
    event.blocked = wait.event.blocked;
  };
  for (FrontendItem& item : items_) {
    if (item.is_held) {
      const bool begins_step = item.event.action == Action::kBeginStep;
      if (!begins_step) held = &item;
      if (begins_step && step != nullptr) add_cost(item, *step);
    } else if (item.is_event && item.event.action == Action::kBeginStep) {
      step = &item.event;
    } else if (item.is_event && item.event.action == Action::kEnqueue) {
      if (held == nullptr) continue;
      if (held->event.of_policy)
        holds_.push_back({item.event.target, {held->from, held->to}, held->event.target});
      add_cost(*std::exchange(held, nullptr), item.event);
    }
  }
}

void FrontendReader::find_policy(BarrierKind kind, bool has_points) {
  // A step that begins when another one ends comes after it; what ends a step comes after what it contains.
  const auto rank = [](const FrontendItem& item) {
    if (!item.is_event) return item.is_held ? 2 : 1;
    if (item.event.action == Action::kEndStep) return 0;
    if (item.event.action == Action::kBeginStep) return 1;
    return item.event.action == Action::kBarrier ? 2 : 3;  // the policy waits after the wait point
  };
  std::ranges::stable_sort(items_, [&](const FrontendItem& a, const FrontendItem& b) {
    return a.at != b.at ? a.at < b.at : rank(a) < rank(b);
  });
  add_held_costs();
  if (!has_points) add_points(kind);
  if (!waits_at_points(kind)) return;
  bool in_policy = false;
  for (FrontendItem& item : items_) {
    if (!item.is_event) continue;
    const Action action = item.event.action;
    if (action == Action::kBarrier) in_policy = true;
    if (action == Action::kBeginStep || action == Action::kEndStep) in_policy = false;
    if (!in_policy || action == Action::kBarrier || action == Action::kDrop) continue;
    item.event.of_policy = true;
    if (action == Action::kWaitOp || action == Action::kWaitAll) in_policy = false;
  }
}

std::vector<Event> FrontendReader::events_after(Timestamp begin) const {
  std::vector<Event> out;
  out.reserve(items_.size());
  const LoadTimes loads(loads_);
  Timestamp since = begin;
  Duration own{}, load{};
  for (const FrontendItem& item : items_) {
    own += std::max(item.from - since, Duration{});
    load += loads.within({since, item.from});
    since = std::max(since, item.to);
    if (!item.is_event) continue;
    const bool waits = item.event.action == Action::kWaitOp || item.event.action == Action::kWaitAll;
    if (waits && item.to < begin) continue;
    out.push_back(item.event);
    out.back().before = bounded(std::exchange(own, Duration{}));
    out.back().load = bounded(std::exchange(load, Duration{}));
    out.back().from = item.from;
    out.back().to = item.to;
    if (waits && item.from < begin) out.back().blocked = idle_of(item.to - item.event.own_cost - begin);
  }
  return out;
}

}  // namespace runahead::predict
