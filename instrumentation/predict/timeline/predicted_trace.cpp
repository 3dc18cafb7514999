#include "instrumentation/predict/timeline/predicted_trace.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/base/wrapping.h"
#include "instrumentation/predict/changes/change_loading.h"
#include "instrumentation/predict/timeline/predicted_counters.h"
#include "instrumentation/predict/timeline/predicted_tracks.h"
#include "instrumentation/predict/timeline/predicted_zones.h"

namespace runahead::predict {
namespace {

using trace::Allocation;
using trace::Batch;
using trace::CounterRole;
using trace::Slice;
using trace::SliceKind;
using trace::TrackInfo;
using trace::TrackKind;

// In the place of the counters of reserved memory and of the process's memory.
constexpr std::string_view kNotPredicted = "not predicted: it depends on more than the ops";

struct Copy {
  SliceKind kind{};
  std::int64_t size_bytes = 0;
};

Timestamp at(Duration time) { return Timestamp(time); }

// A counter from its changes.
std::vector<Sample> sums_of(std::vector<Sample>& changes) {
  std::ranges::stable_sort(changes, {}, &Sample::at);
  std::vector<Sample> out;
  std::int64_t now = 0;
  for (const Sample& change : changes) {
    now = wrapping_sum(now, change.value);
    if (!out.empty() && out.back().at == change.at) {
      out.back().value = now;
    } else {
      out.push_back({change.at, now});
    }
  }
  return out;
}

class TraceWriter {
 public:
  TraceWriter(const Program& program, const Outcome& outcome, const trace::Trace* names)
      : program_(program),
        timeline_(outcome.timeline),
        names_(names),
        settings_(program.settings),
        tracks_(names, batch_.tracks),
        end_(outcome.length) {
    batch_.strings.emplace_back();
    find_copies();
  }

  trace::Trace write(const std::string& about);

 private:
  void find_copies();
  StringId string(std::string_view text);
  StringId name_of(const Op& op) {
    return names_ == nullptr ? string("op") : string(names_->string(op.name));
  }
  StringId category_of(const Block& block) {
    return names_ == nullptr ? StringId{} : string(names_->string(block.category));
  }
  [[nodiscard]] OpId id_of(OpIndex op) const {
    return program_.ops[op].id == kNoOp ? OpId{op + 1} : program_.ops[op].id;
  }
  [[nodiscard]] TrackId track_of(OpIndex op) const {
    return servers_[program_.ops[op].queue][timeline_.ops[op].server];
  }
  // The name of the call that waits for a set of ops.
  [[nodiscard]] std::string call_of(std::uint32_t set) const {
    const bool known = set < program_.recorded_waits.size() && program_.recorded_waits[set].place != kNone;
    return known ? program_.sync_places[program_.recorded_waits[set].place].call : "wait";
  }
  [[nodiscard]] bool is_shown(OpIndex op) const {
    return timeline_.ops[op].ran && !program_.ops[op].is_arrival;
  }
  void add_barrier_mark();
  void write_frontend(std::size_t frontend);
  void write_wait(const Event& event, EventTimes times, TrackId track, std::vector<Slice>& out);
  void write_events(std::size_t frontend, TrackId track, std::vector<Slice>& out);
  [[nodiscard]] std::vector<Slice> zones_of(std::size_t frontend);
  void write_queues();
  void write_ops();
  void add_end_mark();
  void write_memory();
  void write_categories();
  TrackId write_counter(TrackInfo info, const std::vector<Sample>& samples);
  void write_steps_per_second();
  void write_lives(const std::string& device, std::vector<OpIndex> ops);
  void write_steps(CounterRole role, std::string name, const std::vector<Sample>& samples);
  template <typename Value>
  [[nodiscard]] std::vector<Sample> in_flight(const std::vector<OpIndex>& ops, const Value& value_of) const;
  [[nodiscard]] bool is_simulated(const std::string& device) const {
    return std::ranges::any_of(program_.queues,
                               [&](const Queue& queue) { return queue.simulated && queue.device == device; });
  }
  void write_run_ahead();
  void write_copy_bandwidth();
  void write_not_predicted();
  void add_slice(TrackId track, std::uint32_t depth, const Slice& slice) {
    lanes_[{track, depth}].push_back(slice);
  }

  const Program& program_;
  const Timeline& timeline_;
  const trace::Trace* names_;
  const Settings& settings_;
  Batch batch_;
  PredictedTracks tracks_;
  std::unordered_map<std::string, StringId> strings_;
  std::map<std::pair<TrackId, std::uint32_t>, std::vector<Slice>> lanes_;
  const Duration end_;                                         // of the last op
  Duration run_end_{};                                         // of the frontends and the last op
  std::vector<std::vector<TrackId>> servers_;                  // of each queue
  std::unordered_map<OpIndex, Copy> copies_;                   // the ops that copy
  std::vector<std::pair<TrackId, std::int64_t>> enqueued_by_;  // of each op: frontend and step
};

// The recording says which ops copy, and how much.
void TraceWriter::find_copies() {
  for (const HostCopy& copy : program_.host_copies)
    copies_[copy.op] = {copy.to_device ? SliceKind::kCopyToDevice : SliceKind::kCopyToHost, copy.size_bytes};
  if (names_ == nullptr) return;
  std::unordered_map<OpId, OpIndex> ops;
  for (OpIndex op = 0; op < program_.ops.size(); ++op) {
    if (program_.ops[op].id != kNoOp) ops.emplace(program_.ops[op].id, op);
  }
  for (const trace::Track& track : names_->tracks()) {
    if (track.info.kind != TrackKind::kStream && track.info.kind != TrackKind::kWorker) continue;
    for (const trace::Lane& lane : track.lanes) {
      analysis::each_of_kinds(lane, analysis::kCopyKinds, lane.first_row(), lane.end_row(),
                              [&](const Slice& slice) {
                                const auto op = ops.find(slice.op);
                                if (op != ops.end()) copies_[op->second] = {slice.kind, slice.size_bytes};
                              });
    }
  }
}

StringId TraceWriter::string(std::string_view text) {
  const auto [found, added] =
      strings_.emplace(text, StringId{static_cast<std::uint32_t>(batch_.strings.size())});
  if (added) batch_.strings.emplace_back(text);
  return found->second;
}

// ---- frontends --------------------------------------------------------------------------------------------

// The barrier of another tool's trace is not known, unless the prediction chose one.
void TraceWriter::add_barrier_mark() {
  if (settings_.of_graph && !settings_.barrier_chosen) return;
  const TrackId track = tracks_.add({.kind = TrackKind::kMarkers, .name = "barrier"});
  batch_.instants.push_back(
      {at({}), track, string("start: " + to_string(settings_.barrier)), kNoOp, kNoArgs});
}

// The ruler of the window says that the timeline is predicted. After the run, its results would be read.
void TraceWriter::add_end_mark() {
  const TrackId track = tracks_.add({.kind = TrackKind::kMarkers, .name = "parts"});
  const std::string part(trace::kPartLabel);
  batch_.instants.push_back({at({}), track, string(part + "predicted"), kNoOp, kNoArgs});
  const std::string label = part + std::string(trace::kResultsPart);
  batch_.instants.push_back({at(run_end_ + Duration(1)), track, string(label), kNoOp, kNoArgs});
}

void TraceWriter::write_wait(const Event& event, EventTimes times, TrackId track, std::vector<Slice>& out) {
  Slice wait{.begin = at(times.begin), .end = at(times.end), .kind = SliceKind::kWait};
  switch (event.action) {
    case Action::kEnqueue:
    case Action::kBeginStep:
      if (times.begin == times.end) return;
      wait.name = string(event.action == Action::kBeginStep ? "window"
                         : settings_.barrier.kind == BarrierKind::kOps ||
                                 settings_.barrier.kind == BarrierKind::kBytes
                             ? "held by " + to_string(settings_.barrier)
                             : "held by the limit");
      break;
    case Action::kBarrier: {
      const BarrierKind kind = settings_.barrier.kind;
      if (!waits_at_points(kind)) return;
      wait.name = string(to_string(settings_.barrier));
      if (kind != BarrierKind::kWaitAll && event.target != kNone) wait.op = id_of(event.target);
      break;
    }
    case Action::kWaitOp:
      wait.name = string("wait_to_read");
      if (event.target != kNone) wait.op = id_of(event.target);
      break;
    case Action::kWaitAll:
      wait.name = string("waitall");
      break;
    case Action::kWaitSet:
      wait.name = string(call_of(event.target));
      break;
    case Action::kEndStep:
    case Action::kDrop:
    case Action::kJoin:
    case Action::kSignal:
    case Action::kAwait:
      return;
  }
  out.push_back(wait);
  if (times.released_by == kNone) return;
  const OpTimes& by = timeline_.ops[times.released_by];
  batch_.flows.push_back({.kind = trace::FlowKind::kExecuteToWait,
                          .from_track = track_of(times.released_by),
                          .to_track = track,
                          .from_time = at(by.ended),
                          .to_time = wait.end,
                          .op = id_of(times.released_by)});
}

// The frontend's zones. Steps, enqueues and waits are slices of other kinds.
std::vector<Slice> TraceWriter::zones_of(std::size_t index) {
  std::vector<Slice> out;
  if (names_ == nullptr) return out;
  const Frontend& frontend = program_.frontends[index];
  const std::string loader = loader_of(frontend);
  const bool loads_elsewhere =
      std::ranges::find(program_.frontends, loader, &Frontend::name) != program_.frontends.end();
  for (const PredictedZone& zone :
       predicted_zones(*names_, frontend, timeline_.events[index], loads_elsewhere))
    out.push_back({at(zone.begin), at(zone.end), string(names_->string(zone.name)), SliceKind::kZone});
  return out;
}

// The frontend's enqueues and waits, and its steps.
void TraceWriter::write_events(std::size_t index, TrackId track, std::vector<Slice>& out) {
  const Frontend& frontend = program_.frontends[index];
  std::int64_t step = -1;
  Duration step_begin{}, since{};
  bool open = false;
  for (std::size_t i = 0; i < frontend.events.size(); ++i) {
    const Event& event = frontend.events[i];
    const EventTimes times = timeline_.events[index][i];
    if (event.action == Action::kBarrier)
      batch_.instants.push_back({at(times.begin), track, string(trace::kWaitPoint),
                                 event.target == kNone ? kNoOp : id_of(event.target), kNoArgs});
    if (is_left_out(event, settings_)) continue;
    if (event.action == Action::kBeginStep) {
      ++step;
      step_begin = times.begin;
      open = true;
    }
    write_wait(event, times, track, out);
    if (event.action == Action::kEndStep && std::exchange(open, false))
      out.push_back({at(step_begin), at(times.end), string("step"), SliceKind::kStep});
    if (event.action == Action::kEnqueue && !program_.ops[event.target].is_arrival) {
      enqueued_by_[event.target] = {track, open ? step : -1};
      const Duration begin = std::max(times.end - event.own_cost,
                                      std::max(since, times.begin == times.end ? Duration{} : times.end));
      out.push_back({at(begin), at(times.end), name_of(program_.ops[event.target]), SliceKind::kEnqueue, 0,
                     id_of(event.target)});
    }
    since = times.end;
  }
  // as the runner does when the workload has ended
  out.push_back({at(since), at(std::max(since, end_)), string("waitall"), SliceKind::kWait});
  run_end_ = std::max({run_end_, since, end_});
}

void TraceWriter::write_frontend(std::size_t index) {
  const TrackId track = tracks_.add({.kind = TrackKind::kFrontend, .name = program_.frontends[index].name},
                                    program_.frontends[index].track);
  std::vector<Slice> slices = zones_of(index);
  write_events(index, track, slices);
  // a step is around the zones that begin or end with it
  std::ranges::stable_partition(slices, [](const Slice& one) { return one.kind == SliceKind::kStep; });
  const std::vector<std::uint32_t> depths = nest(slices);
  for (std::size_t i = 0; i < slices.size(); ++i) add_slice(track, depths[i], slices[i]);
}

// ---- ops --------------------------------------------------------------------------------------------------

void TraceWriter::write_queues() {
  for (const Queue& queue : program_.queues) {
    std::vector<TrackId>& servers = servers_.emplace_back();
    const std::string prefix = queue.device + " ";
    for (int server = 0; server < queue.servers; ++server) {
      TrackInfo info{.kind = queue.workers ? TrackKind::kWorker : TrackKind::kStream,
                     .simulated = queue.simulated,
                     .name = queue.name,
                     .device = queue.device};
      if (queue.workers) {
        info.name += " " + std::to_string(server);
      } else if (info.name.starts_with(prefix)) {
        info.name.erase(0, prefix.size());
      }
      servers.push_back(tracks_.add(std::move(info), queue.track));
    }
  }
}

void TraceWriter::write_ops() {
  std::vector<OpIndex> by_start;
  for (OpIndex i = 0; i < program_.ops.size(); ++i) {
    if (is_shown(i)) by_start.push_back(i);
  }
  std::ranges::sort(by_start, {}, [&](OpIndex i) { return std::pair(timeline_.ops[i].started, i); });
  for (const OpIndex i : by_start) {
    const Op& op = program_.ops[i];
    const OpTimes& times = timeline_.ops[i];
    const TrackId track = track_of(i);
    const std::uint8_t flags = times.late ? std::uint8_t{trace::kSliceLate} : std::uint8_t{0};
    Slice slice{at(times.started), at(times.ended), name_of(op), SliceKind::kExecute, flags, id_of(i)};
    if (const auto copy = copies_.find(i); copy != copies_.end()) {
      slice.kind = copy->second.kind;
      slice.size_bytes = copy->second.size_bytes;
    }
    add_slice(track, 0, slice);
    batch_.ops.push_back({.id = id_of(i),
                          .name = name_of(op),
                          .step = enqueued_by_[i].second,
                          .enqueued = at(times.enqueued),
                          .ready = at(times.ready),
                          .started = at(times.started),
                          .ended = at(times.ended),
                          .enqueue_track = enqueued_by_[i].first,
                          .execute_track = track,
                          .output_bytes = op.output_bytes,
                          .flags = flags});
  }
  std::ranges::stable_sort(batch_.ops, {}, &trace::OpRow::ended);
  for (OpIndex i = 0; i < program_.ops.size(); ++i) {
    if (!is_shown(i)) continue;
    for (std::size_t k = program_.predecessors.first[i]; k < program_.predecessors.first[i + 1]; ++k) {
      const OpIndex on = program_.predecessors.items[k];
      if (is_shown(on))
        batch_.dependencies.push_back(
            {id_of(i), id_of(on), program_.kinds[k], at(timeline_.ops[i].enqueued)});
    }
  }
}

void TraceWriter::write_memory() {
  std::vector<OpIndex> writers(program_.blocks.size(), kNone);
  for (OpIndex i = 0; i < program_.ops.size(); ++i) {
    for (std::size_t k = program_.allocates.first[i]; k < program_.allocates.first[i + 1]; ++k)
      writers[program_.allocates.items[k]] = i;
    for (const Part& part : program_.parts_of(i)) {
      for (const BlockIndex block : part.allocates) writers[block] = i;
    }
  }
  std::vector<TrackId> counters;
  for (std::size_t i = 0; i < program_.memories.size(); ++i) {
    const std::string& device = program_.memories[i].device;
    counters.push_back(write_counter({.kind = TrackKind::kCounter,
                                      .unit = trace::Unit::kBytes,
                                      .role = CounterRole::kLiveBytes,
                                      .simulated = is_simulated(device),
                                      .name = "live " + device,
                                      .device = device},
                                     timeline_.live_bytes[i]));
  }
  for (BlockIndex i = 0; i < program_.blocks.size(); ++i) {
    const Block& block = program_.blocks[i];
    const BlockTimes& times = timeline_.blocks[i];
    if (!block.began_before && times.begin == Duration::max()) continue;
    Allocation row{.block = i + 1,
                   .counter = counters[block.device],
                   .category = category_of(block),
                   .size_bytes = block.size_bytes};
    row.begin = block.began_before ? at(Duration(-1)) : at(times.begin);
    if (writers[i] != kNone) {
      row.op = id_of(writers[i]);
      row.name = name_of(program_.ops[writers[i]]);
    }
    if (times.end != Duration::max()) row.end = at(times.end);
    if (times.end != Duration::max() && times.dropped != Duration::max()) {
      row.dropped = std::max(row.begin, at(times.dropped));
      if (!block.began_before) row.early_drop_ns = std::max(times.begin - times.dropped, Duration{}).count();
    }
    batch_.allocations.push_back(row);
  }
}

// The live bytes of each category on each device.
void TraceWriter::write_categories() {
  std::map<std::pair<std::uint32_t, StringId>, std::vector<Sample>> changes;
  for (BlockIndex i = 0; i < program_.blocks.size(); ++i) {
    const Block& block = program_.blocks[i];
    const BlockTimes& times = timeline_.blocks[i];
    const Duration begin = block.began_before ? Duration{} : times.begin;
    if (begin == Duration::max() || block.category == StringId{}) continue;
    std::vector<Sample>& out = changes[{block.device, block.category}];
    out.push_back({begin, block.size_bytes});
    if (times.end != Duration::max()) out.push_back({times.end, wrapping_difference(0, block.size_bytes)});
  }
  for (auto& [key, of_category] : changes) {
    const std::string& device = program_.memories[key.first].device;
    const std::string category(names_ == nullptr ? "" : names_->string(key.second));
    write_counter({.kind = TrackKind::kCounter,
                   .unit = trace::Unit::kBytes,
                   .role = CounterRole::kCategoryBytes,
                   .simulated = is_simulated(device),
                   .name = category + " " + device,
                   .device = device},
                  sums_of(of_category));
  }
}

TrackId TraceWriter::write_counter(TrackInfo info, const std::vector<Sample>& samples) {
  const TrackId track = tracks_.add(std::move(info));
  trace::CounterRows rows{.track = track, .rows = {}};
  for (const Sample& sample : samples)
    rows.rows.push_back({at(sample.at), static_cast<double>(sample.value)});
  if (!rows.rows.empty()) batch_.counters.push_back(std::move(rows));
  return track;
}

void TraceWriter::write_steps(CounterRole role, std::string name, const std::vector<Sample>& samples) {
  write_counter(
      {.kind = TrackKind::kCounter, .unit = trace::Unit::kCount, .role = role, .name = std::move(name)},
      samples);
}

void TraceWriter::write_steps_per_second() {
  trace::CounterRows rows{.track = kNoTrack, .rows = steps_per_second(timeline_.steps_finished, run_end_)};
  if (rows.rows.empty()) return;
  rows.track = tracks_.add({.kind = TrackKind::kCounter,
                            .unit = trace::Unit::kPerSecond,
                            .role = CounterRole::kStepsPerSecond,
                            .name = "steps/s"});
  batch_.counters.push_back(std::move(rows));
}

// The life of each op of a device, from its enqueue to its end.
void TraceWriter::write_lives(const std::string& device, std::vector<OpIndex> ops) {
  const TrackId track = tracks_.add({.kind = TrackKind::kQueue,
                                     .simulated = is_simulated(device),
                                     .name = "op lives " + device,
                                     .device = device});
  std::ranges::sort(ops, {}, [&](OpIndex i) { return std::pair(timeline_.ops[i].enqueued, i); });
  const std::vector<std::uint32_t> lanes = lanes_of_lives(ops, timeline_.ops);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Op& op = program_.ops[ops[i]];
    const OpTimes& times = timeline_.ops[ops[i]];
    if (lanes[i] == kNone) continue;
    Slice life{at(times.enqueued), at(times.ended), name_of(op), SliceKind::kExecute, 0, id_of(ops[i])};
    life.size_bytes = op.output_bytes;
    add_slice(track, lanes[i], life);
  }
}

// The work in flight on each device: its ops, and bytes of their outputs.
void TraceWriter::write_run_ahead() {
  std::map<std::string, std::vector<OpIndex>> by_device;
  for (OpIndex i = 0; i < program_.ops.size(); ++i) {
    if (is_shown(i)) by_device[program_.queues[program_.ops[i].queue].device].push_back(i);
  }
  for (const auto& [device, ops] : by_device) {
    TrackInfo info{.kind = TrackKind::kCounter,
                   .unit = trace::Unit::kCount,
                   .role = CounterRole::kRunAheadOps,
                   .simulated = is_simulated(device),
                   .name = "run-ahead " + device,
                   .device = device};
    write_counter(info, in_flight(ops, [](const Op&) { return std::int64_t{1}; }));
    info.unit = trace::Unit::kBytes;
    info.role = CounterRole::kRunAheadBytes;
    info.name = "run-ahead bytes " + device;
    write_counter(info, in_flight(ops, [](const Op& op) { return op.output_bytes; }));
    write_lives(device, ops);
  }
}

template <typename Value>
std::vector<Sample> TraceWriter::in_flight(const std::vector<OpIndex>& ops, const Value& value_of) const {
  std::vector<Sample> changes;
  for (const OpIndex i : ops) {
    const std::int64_t value = value_of(program_.ops[i]);
    changes.push_back({timeline_.ops[i].enqueued, value});
    changes.push_back({timeline_.ops[i].ended, -value});
  }
  return sums_of(changes);
}

// Bytes per second of the copies of each device, as the engine records them.
void TraceWriter::write_copy_bandwidth() {
  struct Copies {
    TrackInfo info;
    std::vector<PredictedCopy> copies;
  };
  std::map<std::string, Copies> by_device;
  for (const auto& [op, copy] : copies_) {
    const OpTimes& times = timeline_.ops[op];
    if (!times.ran || times.ended <= times.started || copy.size_bytes <= 0) continue;
    const Queue& queue = program_.queues[program_.ops[op].queue];
    Copies& copies = by_device[queue.device];
    copies.info = {.kind = TrackKind::kCounter,
                   .unit = trace::Unit::kBytesPerSecond,
                   .role = CounterRole::kCopyBandwidth,
                   .simulated = queue.simulated,
                   .sort_order = 100,
                   .name = "copy bandwidth",
                   .device = queue.device};
    copies.copies.push_back({times.started, times.ended, copy.size_bytes});
  }
  for (auto& [device, copies] : by_device) {
    const TrackId track = tracks_.add(std::move(copies.info));
    batch_.counters.push_back({.track = track, .rows = copy_bandwidth(copies.copies)});
  }
}

// Memory that depends on more than the ops has a track that says so in the place of its counter.
void TraceWriter::write_not_predicted() {
  if (names_ == nullptr) return;
  for (const trace::Track& recorded : names_->tracks()) {
    const CounterRole role = recorded.info.role;
    if (role != CounterRole::kProcessRss && role != CounterRole::kReservedBytes) continue;
    const TrackId track = tracks_.add_beside(recorded.info, TrackKind::kThread);
    batch_.instants.push_back({at({}), track, string(kNotPredicted), kNoOp, kNoArgs});
  }
}

trace::Trace TraceWriter::write(const std::string& about) {
  enqueued_by_.assign(program_.ops.size(), {kNoTrack, -1});
  add_barrier_mark();
  write_queues();
  for (std::size_t i = 0; i < program_.frontends.size(); ++i) write_frontend(i);
  add_end_mark();
  write_ops();
  write_memory();
  write_categories();
  if (!settings_.of_graph) {
    write_run_ahead();
    write_copy_bandwidth();
  }
  write_not_predicted();
  write_steps(CounterRole::kStepsFinished, "steps finished", timeline_.steps_finished);
  write_steps_per_second();
  write_steps(CounterRole::kRunAheadSteps, "run-ahead steps", timeline_.steps_in_flight);
  for (auto& [lane, rows] : lanes_) {
    std::ranges::stable_sort(rows, {}, &Slice::begin);
    batch_.lanes.push_back({.track = lane.first, .depth = lane.second, .rows = std::move(rows)});
  }
  std::ranges::stable_sort(batch_.instants, {}, &trace::Instant::at);
  batch_.watermark = at(run_end_ + Duration(1));
  trace::Trace out;
  if (names_ != nullptr) {
    for (const auto& [key, value] : names_->metadata()) {
      if (!key.starts_with("measured.") && !key.starts_with("result")) out.set_metadata(key, value);
    }
  }
  if (!settings_.of_graph || settings_.barrier_chosen)
    out.set_metadata("barrier", to_string(settings_.barrier));
  out.set_metadata("engine.alloc", settings_.allocates_at_execution ? "execute" : "enqueue");
  out.set_metadata("engine.order", settings_.oldest_first ? "oldest" : "fifo");
  out.set_metadata("engine.limit_ops", std::to_string(settings_.limit_ops));
  out.set_metadata("engine.limit_bytes", std::to_string(settings_.limit_bytes));
  out.set_metadata("prediction", about);
  out.append(std::move(batch_));
  return out;
}

}  // namespace

trace::Trace predicted_trace(const Program& program, const Outcome& outcome, const trace::Trace* names,
                             const std::string& about) {
  return TraceWriter(program, outcome, names).write(about);
}

}  // namespace runahead::predict
