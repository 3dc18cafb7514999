#include "instrumentation/predict/host_reader.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "instrumentation/causes/call_place.h"
#include "instrumentation/causes/thread_edges.h"
#include "instrumentation/predict/load_times.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::predict {
namespace {

using causes::CallRole;
using causes::Execution;
using causes::HostCall;
using causes::Stream;
using causes::StreamIndex;
using causes::Synchronisation;
using causes::SyncPart;
using causes::ThreadEdge;
using causes::Work;
using causes::WorkIndex;

constexpr Duration kClocksDiffer = std::chrono::microseconds(1);

// Of more streams than this, a call waits for the work that ended last.
constexpr std::ptrdiff_t kMostAwaited = 64;

// The order of what happens at the same time.
enum Rank : int { kStarts, kEndsStep, kBeginsStep, kLaunches, kStartsOthers, kWaits, kStops };

}  // namespace

// ---- launches ---------------------------------------------------------------------------------------------

bool HostReader::is_replayed(const Synchronisation& sync) const {
  const HostCall& call = execution_.calls()[sync.call];
  return call.begin < part_.host_end && call.end > part_.range.begin;
}

// True if the call launched work, and waited for other work until there was a place for it.
bool HostReader::waited_in_full_queue(const Synchronisation& sync) const {
  const HostCall& call = execution_.calls()[sync.call];
  const bool launches = is_launch(call.role) || call.role == CallRole::kAsyncCopy;
  if (!launches || sync.awaited == kNone || causes::waited_for_own_work(execution_, sync)) return false;
  return std::ranges::all_of(execution_.launched_during(call.thread, call.range()),
                             [&](WorkIndex at) { return execution_.works()[at].begin >= call.end; });
}

EnqueueTimes HostReader::enqueue_times() const {
  EnqueueTimes out;
  for (const Work& work : execution_.works()) out.push_back(work.launched);
  for (const Synchronisation& sync : all_) {
    if (!is_replayed(sync) || !waited_in_full_queue(sync)) continue;
    const HostCall& call = execution_.calls()[sync.call];
    for (const WorkIndex at : execution_.launched_during(call.thread, call.range())) out[at] = call.end;
  }
  return out;
}

void HostReader::add_launches() {
  for (OpIndex op = 0; op < works_->works.size(); ++op) {
    const WorkIndex work = works_->works[op];
    const Timestamp at = (*enqueue_times_)[work];
    const TrackId thread = works_->is_launched[op] != 0 ? execution_.works()[work].launched_by : kNoTrack;
    add(thread, {at, at, at, kLaunches, {.action = Action::kEnqueue, .target = op}});
  }
}

// ---- waits ------------------------------------------------------------------------------------------------

// True if the process of the call can have launched the work of the stream.
bool HostReader::covers(const HostCall& call, const Stream& stream) const {
  if (stream.first == stream.last) return false;
  const std::int64_t pid = execution_.pid_of(call.thread);
  if (stream.pid != 0) return stream.pid == pid || pid == 0;
  const Work& last = execution_.works()[stream.last - 1];
  return last.launched_by == kNoTrack || execution_.pid_of(last.launched_by) == pid;
}

// The stream that a call waits for: the one that the trace states, of the work for which it waited, or to
// which the thread launched last.
StreamIndex HostReader::stream_of(const Synchronisation& sync) const {
  const HostCall& call = execution_.calls()[sync.call];
  if (call.record && call.record->stream >= 0) {
    const StreamIndex stated = execution_.find_stream(call.record->stream, call, call.record->device);
    if (stated != kNone) return stated;
  }
  const WorkIndex work =
      sync.awaited != kNone ? sync.awaited : execution_.last_launched_before(call.thread, call.begin);
  return work == kNone ? kNone : execution_.works()[work].stream;
}

// The work before the event for which the call waits, as the trace states it. kNone: it does not.
WorkIndex HostReader::work_of_event(const HostCall& call) const {
  if (!call.record || call.record->record_call < 0) return kNone;
  const HostCall* const recorded = execution_.record_call(call.record->record_call, call);
  if (recorded == nullptr) return kNone;
  const StreamIndex stream = execution_.find_stream(call.record->event_stream, *recorded);
  return stream == kNone ? kNone : execution_.last_before_event(*recorded, stream);
}

// True if the call waits for all streams of its process or device, and this is one of them.
bool HostReader::covers_all(const Synchronisation& sync, StreamIndex at) const {
  const HostCall& call = execution_.calls()[sync.call];
  const Stream& stream = execution_.streams()[at];
  switch (call.role) {
    case CallRole::kDeviceSync:
      if (sync.awaited != kNone &&
          execution_.streams()[execution_.works()[sync.awaited].stream].device != stream.device)
        return false;
      return covers(call, stream);
    case CallRole::kAllocate:
    case CallRole::kFree:
      return covers(call, stream);
    default:
      return false;  // only the work itself
  }
}

std::vector<OpIndex> HostReader::awaited_by(const Synchronisation& sync) const {
  const HostCall& call = execution_.calls()[sync.call];
  const bool is_own = causes::waited_for_own_work(execution_, sync);
  std::vector<OpIndex> out;
  const auto add_work = [&](WorkIndex work) {
    if (work == kNone || works_->ops[work] == kNone) return;
    // What ended after the call was not waited for, whatever the trace states. Exception: the call staged its
    // own copy, and returned shortly before the copy had ended.
    const Work& row = execution_.works()[work];
    const bool staged = is_own && row.begin < call.end;
    if (row.end <= call.end + kClocksDiffer || staged) out.push_back(works_->ops[work]);
  };
  add_work(sync.awaited);
  // what had ended before the call may not have ended with a change
  if (sync.awaited == kNone && call.role == CallRole::kEventSync) add_work(work_of_event(call));
  const auto add_last = [&](StreamIndex at) {
    if (at != kNone) add_work(execution_.last_ended(at, call.begin, call.end + kClocksDiffer));
  };
  if (call.role == CallRole::kStreamSync) add_last(stream_of(sync));
  for (StreamIndex at = 0; at < execution_.streams().size(); ++at) {
    if (covers_all(sync, at)) add_last(at);
  }
  if (std::ssize(out) > kMostAwaited) {
    const auto end = [&](OpIndex op) { return works_->begins[op] + program_->ops[op].duration; };
    std::ranges::nth_element(out, out.begin() + kMostAwaited, std::greater<>(), end);
    out.resize(kMostAwaited);
  }
  std::ranges::sort(out);
  const auto repeated = std::ranges::unique(out);
  out.erase(repeated.begin(), repeated.end());
  return out;
}

std::uint32_t HostReader::place_of_call(const HostCall& call, bool& is_explicit) {
  const causes::CallPlace place = causes::place_of(execution_.trace(), call);
  is_explicit = is_synchronisation(call.role) && place.op.empty();
  const auto [found, is_new] = places_.try_emplace(std::pair(call.name, place.text()),
                                                   static_cast<std::uint32_t>(program_->sync_places.size()));
  if (is_new)
    program_->sync_places.push_back({std::string(execution_.trace().string(call.name)), place.text()});
  return found->second;
}

void HostReader::add_wait(const Synchronisation& sync) {
  const HostCall& call = execution_.calls()[sync.call];
  if (sync.parts.of(SyncPart::kUnknown) > Duration{}) {
    out_.unknown_wait =
        bounded(out_.unknown_wait + bounded(call.end - std::max(call.begin, part_.range.begin)));
    threads_[call.thread];
    return;
  }
  Timestamp from = std::max(call.begin, part_.range.begin);
  // What the call itself launched was launched before it waited.
  const auto launched = execution_.launched_during(call.thread, {from, call.end});
  if (!launched.empty() && !waited_in_full_queue(sync))
    from = std::max(from, execution_.works()[launched.back()].launched);
  const std::vector<OpIndex> awaited = awaited_by(sync);
  Timestamp released = from;
  for (const OpIndex op : awaited)
    released = std::max(released, works_->begins[op] + program_->ops[op].duration);
  released = std::min(released, call.end);
  bool is_explicit = false;
  const std::uint32_t place = place_of_call(call, is_explicit);
  const Idle blocked = idle_of(released - from);
  const Event event{.own_cost = bounded(call.end - released),
                    .action = Action::kWaitSet,
                    .blocked = blocked,
                    .of_policy = is_explicit && call.thread == main_,
                    .target = static_cast<std::uint32_t>(program_->wait_sets.count())};
  program_->wait_sets.items.insert(program_->wait_sets.items.end(), awaited.begin(), awaited.end());
  program_->wait_sets.first.push_back(static_cast<std::uint32_t>(program_->wait_sets.items.size()));
  const bool keeps_cost = awaited.empty() || !is_synchronisation(call.role);
  program_->recorded_waits.push_back({place, call.role, keeps_cost});
  Duration& waited = threads_[call.thread].waited;
  waited = bounded(waited + bounded(call.end - from));
  out_.blocked = std::max(out_.blocked, waited);
  if (!keeps_cost) out_.wake_ups[static_cast<std::size_t>(blocked)].push_back(event.own_cost);
  add(call.thread, {from, from, call.end, kWaits, event});
  if (call.end > from) threads_[call.thread].blocked.push_back({from, call.end});
}

void HostReader::add_waits() {
  for (const Synchronisation& sync : all_) {
    if (is_replayed(sync)) add_wait(sync);
  }
  sort_blocked_times();
}

void HostReader::sort_blocked_times() {
  for (auto& [track, thread] : threads_)
    std::ranges::sort(thread.blocked, {},
                      [](const TimeRange& range) { return std::pair(range.begin, range.end); });
}

// ---- steps ------------------------------------------------------------------------------------------------

void HostReader::add_steps() {
  std::vector<TimeRange> ranges = steps_.ranges;
  if (ranges.empty()) {
    Timestamp end = part_.range.begin;
    for (const HostItem& item : threads_[main_].items) end = std::max(end, item.to);
    ranges.push_back({part_.range.begin, end + Duration(1)});
  }
  for (const TimeRange& range : ranges) {
    const auto op_at = [&](Timestamp t) {
      return static_cast<OpIndex>(std::ranges::lower_bound(works_->order, t) - works_->order.begin());
    };
    const OpIndex first = op_at(range.begin), last = op_at(range.end);
    const Timestamp end = range.end - Duration(steps_.ranges.empty() ? 1 : 0);
    const int rank = steps_.ranges.empty() ? kStops : kEndsStep;
    add(main_, {range.begin,
                range.begin,
                range.begin,
                kBeginsStep,
                {.action = Action::kBeginStep, .target = first}});
    add(main_,
        {end, end, end, rank, {.action = Action::kBarrier, .target = first < last ? last - 1 : kNone}});
    add(main_, {end, end, end, rank, {.action = Action::kEndStep, .target = last}});
  }
}

// ---- threads ----------------------------------------------------------------------------------------------

// A parent that starts several threads one after the other waits for each of them until it starts the next.
void HostReader::add_joins() {
  std::map<std::tuple<TrackId, TrackId, Timestamp>, Timestamp> forks;  // parent, child, until: the begin
  std::set<std::pair<TrackId, Timestamp>> begins;                      // parent, begin
  for (const ThreadEdge& edge : execution_.thread_edges()) {
    if (edge.kind != ThreadEdge::Kind::kFork) continue;
    forks[{edge.from, edge.to, edge.until}] = edge.from_time;
    begins.emplace(edge.from, edge.from_time);
  }
  std::vector<std::pair<TrackId, TimeRange>> joined;
  for (const ThreadEdge& edge : execution_.thread_edges()) {
    if (edge.kind != ThreadEdge::Kind::kJoin) continue;
    const auto fork = forks.find({edge.to, edge.from, edge.from_time});
    if (fork == forks.end() || fork->second < part_.range.begin || edge.to_time > part_.host_end) continue;
    // in a damaged trace, the thread may have been in a call then
    if (position(edge.from, edge.from_time) != edge.from_time) continue;
    Timestamp until = edge.to_time;
    const auto next = begins.lower_bound({edge.to, edge.from_time});
    if (next != begins.end() && next->first == edge.to) until = std::min(until, next->second);
    const Timestamp stopped = edge.from_time;
    const std::uint32_t number = program_->signals++;
    add(edge.from, {stopped, stopped, stopped, kStops, {.action = Action::kSignal, .target = number}});
    add(edge.to, {stopped,
                  fork->second,
                  until,
                  kWaits,
                  {.own_cost = bounded(until - stopped), .action = Action::kAwait, .target = number}});
    joined.emplace_back(edge.to, TimeRange{fork->second, until});
  }
  for (const auto& [thread, range] : joined) threads_[thread].blocked.push_back(range);
  sort_blocked_times();
}

// Where in its program the thread was at `t`: at `t`, or at the begin of the wait in which it was.
Timestamp HostReader::position(TrackId thread, Timestamp t) const {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return t;
  const std::vector<TimeRange>& blocked = found->second.blocked;
  const auto after = std::ranges::upper_bound(blocked, t, {}, &TimeRange::begin);
  return after != blocked.begin() && std::prev(after)->contains(t) ? std::prev(after)->begin : t;
}

// True if a slice of the thread begins or ends within (range.begin, range.end].
bool HostReader::shows_something(TrackId thread, TimeRange range) const {
  return std::ranges::any_of(execution_.trace().track(thread).lanes, [&](const trace::Lane& lane) {
    const std::uint64_t row = lane.first_row_ending_after(range.begin);
    if (row == lane.end_row()) return false;
    return lane.end(row) <= range.end || (lane.begin(row) > range.begin && lane.begin(row) <= range.end);
  });
}

bool HostReader::is_fork(TrackId thread, TrackId parent, Timestamp t) const {
  return std::ranges::any_of(
      execution_.thread_edges_to(thread, {t, t + Duration(1)}),
      [&](const ThreadEdge& edge) { return edge.kind == ThreadEdge::Kind::kFork && edge.from == parent; });
}

// A thread that had shown nothing for kThreadIdle while its parent did something was started by the parent.
void HostReader::add_starts(TrackId thread, TrackId parent) {
  const trace::Track& track = execution_.trace().track(thread);
  if (track.lanes.empty()) return;
  const trace::Lane& lane = track.lanes[0];
  trace::LaneReader reader(lane);
  std::uint64_t row = lane.first_row_ending_after(part_.range.begin);
  Timestamp idle_since = part_.range.begin;
  for (; row < lane.end_row(); ++row) {
    const TimeRange slice = reader.times(row);
    if (slice.begin >= part_.host_end) return;
    const TimeRange idle{idle_since, slice.begin};
    idle_since = std::max(idle_since, slice.end);
    if (idle.duration() < causes::kThreadIdle) continue;
    if (!is_fork(thread, parent, slice.begin) && !shows_something(parent, idle)) continue;
    const Timestamp started = position(parent, slice.begin);
    if (started <= idle.begin) continue;
    const std::uint32_t number = program_->signals++;
    add(parent, {started, started, started, kStartsOthers, {.action = Action::kSignal, .target = number}});
    add(thread, {slice.begin, idle.begin, started, kStarts, {.action = Action::kAwait, .target = number}});
  }
}

// An arrow from a point that the thread has waited for already says nothing new.
void HostReader::add_flows() {
  std::map<std::pair<TrackId, TrackId>, Timestamp> known;  // to, from
  for (const ThreadEdge& edge : execution_.thread_edges()) {
    const bool flow = edge.kind == ThreadEdge::Kind::kFlow || edge.kind == ThreadEdge::Kind::kSequence;
    if (!flow || !threads_.contains(edge.from) || !threads_.contains(edge.to)) continue;
    if (edge.from_time < part_.range.begin || edge.to_time >= part_.host_end) continue;
    const Timestamp from = position(edge.from, edge.from_time), to = position(edge.to, edge.to_time);
    const auto [last, is_new] = known.try_emplace(std::pair(edge.to, edge.from), from);
    if (from >= to || (!is_new && from <= last->second)) continue;
    last->second = from;
    const std::uint32_t number = program_->signals++;
    add(edge.from, {from, from, from, kStartsOthers, {.action = Action::kSignal, .target = number}});
    add(edge.to, {to, to, to, kStarts, {.action = Action::kAwait, .target = number}});
  }
}

// ---- all --------------------------------------------------------------------------------------------------

void HostReader::take(TrackId track, Thread& thread) {
  std::ranges::stable_sort(thread.items, {},
                           [](const HostItem& item) { return std::pair(item.at, item.rank); });
  const bool of_trace = track != kNoTrack;
  Frontend frontend{
      .name = of_trace ? execution_.trace().track(track).info.name : std::string(kLaunchedElsewhere),
      .events = {},
      .track = track};
  const LoadTimes loads = of_trace ? LoadTimes(execution_.trace(), track) : LoadTimes();
  Timestamp since = part_.range.begin;
  for (HostItem& item : thread.items) {
    item.event.before = bounded(item.from - since);
    item.event.load = bounded(loads.within({since, item.from}));
    item.event.from = item.from;
    item.event.to = item.to;
    since = std::max(since, item.to);
    frontend.events.push_back(item.event);
  }
  out_.end = std::max(out_.end, since);
  program_->frontends.push_back(std::move(frontend));
}

ReadHost HostReader::read(const ReadWorks& works, const EnqueueTimes& enqueue_times, Program& program) {
  works_ = &works;
  enqueue_times_ = &enqueue_times;
  program_ = &program;
  main_ = causes::main_thread(execution_, steps_);
  add_launches();
  add_waits();
  add_joins();
  add_steps();
  std::vector<TrackId> tracks;
  for (const auto& [track, thread] : threads_) tracks.push_back(track);
  for (const TrackId track : tracks) {
    const TrackId parent = track == kNoTrack || track == main_ ? kNoTrack : execution_.parent_of(track);
    if (parent != kNoTrack && threads_.contains(parent)) add_starts(track, parent);
  }
  add_flows();
  for (auto& [track, thread] : threads_) take(track, thread);
  return std::move(out_);
}

}  // namespace runahead::predict
