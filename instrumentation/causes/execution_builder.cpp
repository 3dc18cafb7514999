#include "instrumentation/causes/execution_builder.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "instrumentation/causes/thread_edges.h"
#include "instrumentation/trace/lane_reader.h"
#include "instrumentation/trace/ranks.h"

namespace runahead::causes {

using trace::kNever;
using trace::Slice;
using trace::SliceKind;
using trace::Track;
using trace::TrackKind;

namespace {

bool is_host(const Track& track) {
  return track.info.kind == TrackKind::kThread || track.info.kind == TrackKind::kFrontend;
}
bool is_stream(const Track& track) {
  return track.info.kind == TrackKind::kStream || track.info.kind == TrackKind::kWorker;
}

// Zones of a host thread may have any name, such as a Python function "synchronize". Only names with these
// beginnings are calls of a runtime or driver.
bool is_runtime_name(std::string_view name) {
  constexpr std::array<std::string_view, 10> kBeginnings{"cuda", "cu",   "hip", "ur",   "ze",
                                                         "xpu",  "musa", "mu",  "cnrt", "acl"};
  return std::ranges::any_of(kBeginnings, [name](std::string_view begin) { return name.starts_with(begin); });
}

// Work that begins within this time after other work has ended may have waited for it.
constexpr Duration kAtOnce = std::chrono::microseconds(10);

// In CUDA's traces, the legacy default stream has the number 7. HIP numbers it 0.
bool is_default_stream(const Stream& stream) { return stream.number == 7 || stream.number == 0; }

// Work cannot begin before its launch. If it seems to (clocks differ, or the trace is damaged), the launch is
// moved.
void set_launch(Work& work, Timestamp at, TrackId thread) {
  work.launched = std::min(at, work.begin);
  work.launched_by = thread;
}

}  // namespace

void ExecutionBuilder::run() {
  find_keys();
  find_tracks();
  read_works();
  find_busy_times();
  join_launches();
  find_ops();
  read_calls();
  add_open_calls();
  std::ranges::sort(out_.calls_, {},
                    [](const HostCall& call) { return std::tuple(call.thread, call.begin, call.depth); });
  find_released_waits();
  sort_launches();
  find_stream_edges();
  find_edges_between_threads();
}

void ExecutionBuilder::find_keys() {
  keys_ = {trace_.find_string("correlation"), trace_.find_string("stream"),
           trace_.find_string("wait_on_stream"), trace_.find_string("wait_on_cuda_event_record_corr_id")};
}

std::optional<std::int64_t> ExecutionBuilder::integer(ArgsId args, std::optional<StringId> key) const {
  if (!key || args == kNoArgs) return std::nullopt;
  for (const trace::Arg& arg : trace_.args(args)) {
    if (arg.key != *key) continue;
    if (const auto* value = std::get_if<std::int64_t>(&arg.value)) return *value;
  }
  return std::nullopt;
}

// ---- tracks -----------------------------------------------------------------------------------------------

DeviceIndex ExecutionBuilder::device(const trace::TrackInfo& track) {
  const std::string name = track.device.empty() ? "cpu" : track.device;  // workers may have no device
  const auto found = std::ranges::find(out_.devices_, name, &Device::name);
  if (found != out_.devices_.end()) return static_cast<DeviceIndex>(found - out_.devices_.begin());
  out_.devices_.push_back({.name = name, .simulated = track.simulated});
  return static_cast<DeviceIndex>(out_.devices_.size() - 1);
}

bool ExecutionBuilder::counts(const Track& track) const {
  return group_ == kNoTrack || trace::root_of(trace_, track.info.id) == group_;
}

void ExecutionBuilder::find_tracks() {
  for (const Track& track : trace_.tracks()) {
    if (!counts(track)) continue;
    if (is_host(track)) out_.threads_.push_back(track.info.id);
    if (!is_stream(track)) continue;
    const DeviceIndex at = device(track.info);
    out_.devices_[at].streams.push_back(static_cast<StreamIndex>(out_.streams_.size()));
    out_.streams_.push_back(
        {.track = track.info.id, .device = at, .number = track.info.tid, .pid = track.info.pid});
  }
  std::int64_t first_pid = 0;
  for (const TrackId thread : out_.threads_) {
    const std::int64_t pid = out_.pid_of(thread);  // 0: a track of ranges, not of a process
    if (first_pid == 0) first_pid = pid;
    one_process_ = one_process_ && (pid == 0 || pid == first_pid);
  }
  // In a trace of PyTorch's profiler, the pid of a stream is the number of its device.
  for (Stream& stream : out_.streams_) {
    const auto launches = [&](TrackId thread) { return out_.pid_of(thread) == stream.pid; };
    if (std::ranges::none_of(out_.threads_, launches)) stream.pid = 0;
  }
}

// ---- work -------------------------------------------------------------------------------------------------

void ExecutionBuilder::read_works() {
  for (StreamIndex at = 0; at < out_.streams_.size(); ++at) add_works(at);
}

void ExecutionBuilder::add_works(StreamIndex index) {
  Stream& stream = out_.streams_[index];
  stream.first = static_cast<WorkIndex>(out_.works_.size());
  for (const trace::Lane& lane : trace_.track(stream.track).lanes) {
    trace::LaneReader reader(lane);
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const Slice slice = reader.slice(row);
      if (slice.kind == SliceKind::kWait) add_record(slice, stream.device);
      const bool work = slice.kind == SliceKind::kExecute || trace::is_copy(slice.kind);
      if (!work || (slice.flags & trace::kSlicePartOfOp) != 0) continue;
      out_.works_.push_back({.begin = slice.begin,
                             .end = slice.end,
                             .stream = index,
                             .name = slice.name,
                             .kind = slice.kind,
                             .op = slice.op,
                             .correlation = integer(slice.args, keys_.correlation).value_or(0),
                             .size_bytes = slice.size_bytes});
    }
  }
  stream.last = static_cast<WorkIndex>(out_.works_.size());
  const auto works = std::span(out_.works_).subspan(stream.first);
  std::ranges::sort(works, {}, [](const Work& work) { return std::pair(work.end, work.begin); });
}

void ExecutionBuilder::add_record(const Slice& slice, DeviceIndex device) {
  const auto correlation = integer(slice.args, keys_.correlation);
  if (!correlation) return;
  records_[*correlation] = {.stream = integer(slice.args, keys_.stream).value_or(-1),
                            .event_stream = integer(slice.args, keys_.wait_on_stream).value_or(-1),
                            .record_call = integer(slice.args, keys_.record_call).value_or(-1),
                            .device = device};
}

void ExecutionBuilder::find_busy_times() {
  for (Device& device : out_.devices_) device.busy = out_.busy_times(device.streams);
}

// ---- launches ---------------------------------------------------------------------------------------------

void ExecutionBuilder::join_launches() {
  std::unordered_map<std::uint32_t, StreamIndex> streams;
  for (StreamIndex at = 0; at < out_.streams_.size(); ++at) streams[raw(out_.streams_[at].track)] = at;
  for (std::uint64_t i = 0; i < trace_.flow_count(); ++i) {
    const trace::Flow flow = trace_.flow(i);
    if (flow.kind != trace::FlowKind::kLaunchToDevice || flow.is_half()) continue;
    const auto found = streams.find(raw(flow.to_track));
    if (found == streams.end()) continue;
    const Stream& stream = out_.streams_[found->second];
    const auto works = std::span(out_.works_).subspan(stream.first, stream.last - stream.first);
    auto at = std::ranges::lower_bound(works, flow.to_time, {}, &Work::end);
    // work that ended when the next began
    while (at != works.end() && at->begin != flow.to_time && at->end == flow.to_time) ++at;
    if (at == works.end() || at->begin > flow.to_time) continue;
    // An arrow of PyTorch's profiler enters its work at the begin. Others lead to records of
    // synchronisations, whose times may be within unrelated work.
    if (at->begin != flow.to_time && at->correlation != 0) continue;
    if (flow.from_track == kNoTrack) continue;
    set_launch(*at, flow.from_time, flow.from_track);
    out_.edges_.add(Evidence::kRecorded);
  }
}

// In our own recordings, an op states when it was enqueued, and a flow which op released a wait.
void ExecutionBuilder::find_ops() {
  auto& ops = out_.by_op_;
  for (WorkIndex at = 0; at < out_.works_.size(); ++at) {
    if (out_.works_[at].op != kNoOp) ops.emplace_back(out_.works_[at].op, at);
  }
  std::ranges::sort(ops);
  for (std::uint64_t i = 0; i < trace_.op_count() && !ops.empty(); ++i) {
    const trace::OpRow op = trace_.op_row(i);
    if (op.enqueued == kNever || op.enqueue_track == kNoTrack) continue;
    for (auto at = std::ranges::lower_bound(ops, std::pair(op.id, WorkIndex{0}));
         at != ops.end() && at->first == op.id; ++at) {
      Work& work = out_.works_[at->second];
      set_launch(work, op.enqueued, op.enqueue_track);
      out_.edges_.add(Evidence::kRecorded);
    }
  }
}

void ExecutionBuilder::find_released_waits() {
  for (std::uint64_t i = 0; i < trace_.flow_count() && !out_.by_op_.empty(); ++i) {
    const trace::Flow flow = trace_.flow(i);
    if (flow.kind != trace::FlowKind::kExecuteToWait || flow.is_half()) continue;
    const auto calls = std::ranges::equal_range(out_.calls_, flow.to_track, {}, &HostCall::thread);
    auto at = std::ranges::upper_bound(calls, flow.to_time, {}, &HostCall::begin);
    while (at != calls.begin()) {
      --at;
      if (at->end == flow.to_time && at->op == kNoOp) at->op = flow.op;
      if (at->end <= flow.to_time) break;
    }
  }
}

void ExecutionBuilder::sort_launches() {
  out_.latest_launch_.assign(out_.works_.size(), Timestamp::min());
  for (const Stream& stream : out_.streams_) {
    Timestamp latest = Timestamp::min();
    for (WorkIndex at = stream.first; at < stream.last; ++at) {
      if (out_.works_[at].is_launched()) latest = std::max(latest, out_.works_[at].launched);
      out_.latest_launch_[at] = latest;
    }
  }
  for (WorkIndex at = 0; at < out_.works_.size(); ++at) {
    if (out_.works_[at].is_launched()) out_.by_launch_.push_back(at);
  }
  std::ranges::sort(out_.by_launch_, {}, [this](WorkIndex at) {
    const Work& work = out_.works_[at];
    return std::tuple(work.launched_by, work.launched, at);
  });
}

// ---- host calls -------------------------------------------------------------------------------------------

CallRole ExecutionBuilder::role_of(StringId name) {
  const auto [entry, is_new] = roles_.try_emplace(raw(name), CallRole::kOther);
  if (is_new) entry->second = call_role(trace_.string(name));
  return entry->second;
}

void ExecutionBuilder::read_calls() {
  // Work whose launch no flow states, by its correlation id.
  std::unordered_map<std::int64_t, std::vector<WorkIndex>> unjoined;
  for (WorkIndex at = 0; at < out_.works_.size(); ++at) {
    const Work& work = out_.works_[at];
    if (!work.is_launched() && work.correlation != 0) unjoined[work.correlation].push_back(at);
  }
  const auto join = [&](const Track& track, const Slice& slice) {
    const auto correlation = integer(slice.args, keys_.correlation);
    const auto found = correlation ? unjoined.find(*correlation) : unjoined.end();
    if (found == unjoined.end()) return;
    for (const WorkIndex at : found->second) {
      Work& work = out_.works_[at];
      const std::int64_t pid = out_.streams_[work.stream].pid;
      if (pid != 0 && pid != track.info.pid) continue;
      set_launch(work, slice.begin, track.info.id);
      out_.edges_.add(Evidence::kRecorded);
    }
  };
  for (const TrackId thread : out_.threads_) {
    const Track& track = trace_.track(thread);
    for (std::uint32_t depth = 0; depth < track.lanes.size(); ++depth) {
      const trace::Lane& lane = track.lanes[depth];
      trace::LaneReader reader(lane);
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const Slice slice = reader.slice(row);
        const CallRole role = role_of(slice.name);
        if (slice.kind == SliceKind::kZone &&
            (role == CallRole::kOther || !is_runtime_name(trace_.string(slice.name))))
          continue;
        if (!unjoined.empty()) join(track, slice);
        add_call(track, depth, slice, false);
      }
    }
  }
}

// CUPTI records the time in which a launch waited for a place in the queue as overhead. Exports of Nsight
// Systems have it.
bool ExecutionBuilder::contains_full_queue(const Track& track, std::uint32_t depth, const Slice& call) const {
  if (depth + 1 >= track.lanes.size()) return false;
  const trace::Lane& lane = track.lanes[depth + 1];
  const std::uint64_t row = lane.first_row_beginning_from(call.begin);
  return row < lane.end_row() && lane.begin(row) < call.end &&
         trace_.string(lane.slice(row).name).starts_with("Command buffer full");
}

void ExecutionBuilder::add_call(const Track& track, std::uint32_t depth, const Slice& slice, bool open) {
  CallRole role = role_of(slice.name);
  // a wait of our engine, or of MXNet
  if (slice.kind == SliceKind::kWait && role == CallRole::kOther)
    role = slice.op == kNoOp ? CallRole::kDeviceSync : CallRole::kEventSync;
  if (role == CallRole::kOther || (is_launch(role) && slice.end - slice.begin < kSlowLaunch)) return;
  HostCall call{.begin = slice.begin,
                .end = slice.end,
                .thread = track.info.id,
                .depth = depth,
                .name = slice.name,
                .role = role,
                .open = open,
                .queue_full = is_launch(role) && contains_full_queue(track, depth, slice),
                .correlation = integer(slice.args, keys_.correlation).value_or(0),
                .op = slice.op};
  if (is_synchronisation(role) || role == CallRole::kStreamWait) call.record = record_of(slice, call);
  out_.calls_.push_back(call);
}

// The call's own arguments, or the record with its correlation id. Such ids are unique only within a process.
std::optional<SyncRecord> ExecutionBuilder::record_of(const Slice& slice, const HostCall& call) const {
  if (integer(slice.args, keys_.stream) || integer(slice.args, keys_.wait_on_stream)) {
    return SyncRecord{integer(slice.args, keys_.stream).value_or(-1),
                      integer(slice.args, keys_.wait_on_stream).value_or(-1),
                      integer(slice.args, keys_.record_call).value_or(-1)};
  }
  const auto found = records_.find(call.correlation);
  if (!one_process_ || call.correlation == 0 || found == records_.end()) return std::nullopt;
  return found->second;
}

void ExecutionBuilder::add_open_calls() {
  for (const trace::OpenSlice& open : trace_.open_slices()) {
    const Track& track = trace_.track(open.track);
    if (!is_host(track) || !counts(track)) continue;
    Slice slice = open.slice;
    slice.end = std::max(slice.begin, trace_.watermark());
    if (slice.kind == SliceKind::kWait) add_call(track, open.depth, slice, true);
  }
}

// ---- edges between streams --------------------------------------------------------------------------------

bool ExecutionBuilder::may_share_process(WorkIndex a, WorkIndex b) const {
  const auto pid = [this](WorkIndex at) {
    const Work& work = out_.works_[at];
    const std::int64_t of_stream = out_.streams_[work.stream].pid;
    return of_stream != 0 || work.launched_by == kNoTrack ? of_stream : out_.pid_of(work.launched_by);
  };
  return pid(a) == 0 || pid(b) == 0 || pid(a) == pid(b);
}

void ExecutionBuilder::add_stream_edge(const StreamEdge& edge) {
  const WorkIndex before = edge.before, after = edge.after;
  if (before == kNone || after == kNone) return;
  if (out_.works_[before].stream == out_.works_[after].stream) return;
  if (out_.works_[before].end > out_.works_[after].begin || !may_share_process(before, after)) return;
  // of two pieces of length zero at the same time, the order of their indices decides: no cycles
  if (out_.works_[before].end == out_.works_[after].end && before > after) return;
  out_.stream_edges_.push_back(edge);
}

// The first work of the stream that was launched after the call. Usually the thread launches it right after.
WorkIndex ExecutionBuilder::first_after_wait(const HostCall& wait, StreamIndex stream) const {
  const WorkIndex on_stream = out_.first_on_stream_launched_from(stream, wait.begin);
  const WorkIndex of_thread = out_.first_launched_from(wait.thread, wait.begin);
  if (of_thread == kNone || out_.works_[of_thread].stream != stream) return on_stream;
  const bool earlier =
      on_stream == kNone || out_.works_[of_thread].launched < out_.works_[on_stream].launched;
  return earlier ? of_thread : on_stream;
}

// The trace states both streams, and the call that recorded the event. If it lacks this call, the event was
// recorded shortly before the wait, as frameworks do. Streams of several devices may have the same number.
void ExecutionBuilder::find_recorded_edge(const HostCall& wait, RecordedEvents records) {
  const std::int64_t stated = wait.record->record_call;
  const HostCall* const last_record = records.empty() ? nullptr : records.back();
  const HostCall* const record = stated >= 0 ? out_.record_call(stated, wait) : last_record;
  if (record == nullptr && stated >= 0) return;
  const StreamIndex from = out_.find_stream(wait.record->event_stream, record == nullptr ? wait : *record);
  const StreamIndex to = out_.find_stream(wait.record->stream, wait, wait.record->device);
  if (from == kNone || to == kNone) return;
  const WorkIndex before = record == nullptr ? out_.last_on_stream_launched_before(from, wait.begin)
                                             : out_.last_before_event(*record, from);
  add_stream_edge(
      {before, first_after_wait(wait, to), record == nullptr ? Evidence::kInferred : Evidence::kRecorded});
}

// The trace states only that there was a wait. It concerns the next work that the thread launched. If the
// thread recorded events before, it concerns the last work before one of them. Otherwise it concerns work of
// another stream that ended when the next work began.
void ExecutionBuilder::find_inferred_edge(const HostCall& wait, RecordedEvents records) {
  const WorkIndex after = out_.first_launched_from(wait.thread, wait.begin);
  if (after == kNone) return;
  if (const WorkIndex before = inferred_by_events(after, records); before != kNone)
    return add_stream_edge({before, after});
  WorkIndex latest = kNone;
  for (StreamIndex at = 0; at < out_.streams_.size(); ++at) {
    if (at == out_.works_[after].stream) continue;
    const WorkIndex before = out_.last_ended(at, wait.begin, out_.works_[after].begin);
    if (before != kNone && (latest == kNone || out_.works_[before].end > out_.works_[latest].end))
      latest = before;
  }
  if (latest != kNone && out_.works_[after].begin - out_.works_[latest].end <= kAtOnce)
    add_stream_edge({latest, after});
}

// The last work before one of the latest events: of another stream, and ended before `after` began. Usually
// it is the last event. If `after` began late, and the work before the last event does not explain it, it is
// an earlier event whose work ended at most kAtOnce before `after` began.
WorkIndex ExecutionBuilder::inferred_by_events(WorkIndex after, RecordedEvents records) const {
  constexpr std::size_t kMostEvents = 64;
  const Work& work = out_.works_[after];
  const WorkIndex on_stream = out_.before_on_stream(after);
  Timestamp explained = work.is_launched() ? work.launched : Timestamp::min();
  if (on_stream != kNone) explained = std::max(explained, out_.works_[on_stream].end);
  WorkIndex newest = kNone;
  for (std::size_t i = 0; i < std::min(records.size(), kMostEvents); ++i) {
    const HostCall& record = *records[records.size() - 1 - i];
    const WorkIndex before = out_.last_launched_before(record.thread, record.begin);
    if (before == kNone || out_.works_[before].stream == work.stream) continue;
    if (out_.works_[before].end > work.begin) continue;
    if (newest == kNone) newest = before;
    explained = std::max(explained, out_.works_[newest].end);
    if (work.begin - out_.works_[before].end <= kAtOnce) return before;
    if (work.begin - explained <= kAtOnce) break;
  }
  return newest;
}

// In our own recordings, the time at which an op became ready is the end of the op that it waited for.
void ExecutionBuilder::find_op_edges() {
  std::vector<std::pair<Timestamp, WorkIndex>> ends;
  for (const auto& [op, at] : out_.by_op_) ends.emplace_back(out_.works_[at].end, at);
  std::ranges::sort(ends);
  for (std::uint64_t i = 0; i < trace_.op_count() && !ends.empty(); ++i) {
    const trace::OpRow op = trace_.op_row(i);
    if (op.ready == kNever || op.ready == op.enqueued) continue;
    const auto work = std::ranges::lower_bound(out_.by_op_, std::pair(op.id, WorkIndex{0}));
    if (work == out_.by_op_.end() || work->first != op.id) continue;
    for (auto at = std::ranges::lower_bound(ends, std::pair(op.ready, WorkIndex{0}));
         at != ends.end() && at->first == op.ready; ++at) {
      if (raw(out_.works_[at->second].op) >= raw(op.id)) continue;
      add_stream_edge({at->second, work->second, Evidence::kRecorded, StreamEdge::Kind::kOp});
      break;  // others that ended at the same time would say the same
    }
  }
}

// Work of the legacy default stream waits for all earlier work of the device's blocking streams, and they for
// it. A trace does not say which streams are blocking. So this edge is inferred only if the later work was
// launched long before it began, its own stream was idle, and it began when the earlier work ended.
void ExecutionBuilder::find_default_stream_edges() {
  for (const Device& device : out_.devices_) {
    if (std::ranges::none_of(device.streams,
                             [&](StreamIndex at) { return is_default_stream(out_.streams_[at]); }))
      continue;
    for (const StreamIndex to : device.streams) {
      for (WorkIndex at = out_.streams_[to].first; at < out_.streams_[to].last; ++at) {
        const Work& work = out_.works_[at];
        const WorkIndex before = out_.before_on_stream(at);
        const Timestamp idle_since = before == kNone ? Timestamp::min() : out_.works_[before].end;
        if (!work.is_launched() || work.op != kNoOp) continue;
        if (std::max(idle_since, work.launched) + 2 * kAtOnce > work.begin) continue;
        for (const StreamIndex from : device.streams) {
          if (from == to || is_default_stream(out_.streams_[from]) == is_default_stream(out_.streams_[to]))
            continue;
          const WorkIndex ended = out_.last_ended(from, work.launched, work.begin);
          if (ended != kNone && work.begin - out_.works_[ended].end <= kAtOnce)
            add_stream_edge({ended, at, Evidence::kInferred, StreamEdge::Kind::kDefaultStream});
        }
      }
    }
  }
}

void ExecutionBuilder::find_stream_edges() {
  for (std::size_t i = 0; i < out_.calls_.size(); ++i) {
    const HostCall& call = out_.calls_[i];
    if (call.role == CallRole::kEventRecord && call.correlation != 0)
      out_.record_calls_.push_back(
          {out_.pid_of(call.thread), call.correlation, static_cast<std::uint32_t>(i)});
  }
  std::ranges::sort(out_.record_calls_);
  std::vector<const HostCall*> records;  // of the thread of the call
  for (const HostCall& call : out_.calls_) {
    if (!records.empty() && records.back()->thread != call.thread) records.clear();
    if (call.role == CallRole::kEventRecord) records.push_back(&call);
    if (call.role != CallRole::kStreamWait) continue;
    const bool stated = call.record && call.record->stream >= 0 && call.record->event_stream >= 0;
    stated ? find_recorded_edge(call, records) : find_inferred_edge(call, records);
  }
  find_op_edges();
  find_default_stream_edges();
  std::ranges::sort(out_.stream_edges_, {}, [](const StreamEdge& edge) {
    return std::tuple(edge.after, edge.before, edge.evidence, edge.kind);
  });
  // two rules may find the same edge; the trace is believed rather than a rule
  const auto same = std::ranges::unique(
      out_.stream_edges_, {}, [](const StreamEdge& edge) { return std::pair(edge.after, edge.before); });
  out_.stream_edges_.erase(same.begin(), same.end());
  for (const StreamEdge& edge : out_.stream_edges_) out_.edges_.add(edge.evidence);
  // stream order: every piece of work but the first of each stream
  for (const Stream& stream : out_.streams_) {
    if (stream.last > stream.first) out_.edges_.recorded += stream.last - stream.first - 1;
  }
}

void ExecutionBuilder::find_edges_between_threads() {
  ThreadEdges found = find_thread_edges(out_);
  out_.thread_edges_ = std::move(found.edges);
  out_.parents_ = std::move(found.parents);
  for (const ThreadEdge& edge : out_.thread_edges_) out_.edges_.add(edge.evidence);
}

}  // namespace runahead::causes
