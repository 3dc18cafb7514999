#include "instrumentation/predict/read_program.h"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "instrumentation/analysis/memory_report.h"
#include "instrumentation/analysis/op_graph.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/wrapping.h"
#include "instrumentation/predict/op_reader.h"
#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/lane_reader.h"
#include "instrumentation/trace/metadata.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::predict {
namespace {

using trace::Allocation;
using trace::OpRow;
using trace::Slice;
using trace::SliceKind;
using trace::Trace;

constexpr std::string_view kWindow = "window", kHeld = "held by", kWaitAll = "waitall";

// ---- frontends --------------------------------------------------------------------------------------------

// Something that a frontend did, in the order of `at`. Its own time does not include [from, to).
struct Item {
  Timestamp at{};
  Timestamp from{}, to{};
  Event event;
  bool is_event = true;  // false: only a time that is not the frontend's own
};

// The end of an op, at `ended`, ended a wait of this frontend, which returned at `at`.
struct Release {
  TrackId track = kNoTrack;
  Timestamp at{}, ended{};
  friend auto operator<=>(const Release&, const Release&) = default;
};

// All, sorted.
std::vector<Release> read_releases(const Trace& trace) {
  std::vector<Release> out;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const trace::Flow flow = trace.flow(i);
    if (flow.kind == trace::FlowKind::kExecuteToWait && !flow.is_half())
      out.push_back({flow.to_track, flow.to_time, flow.from_time});
  }
  std::ranges::sort(out);
  return out;
}

// Reads the slices of one frontend.
class FrontendReader {
 public:
  FrontendReader(const Trace& trace, TimeRange range, const std::unordered_map<OpId, OpIndex>& ops,
                 const std::vector<OpRow>& rows, const std::vector<Release>& releases)
      : trace_(trace), range_(range), ops_(ops), rows_(rows), releases_(releases) {}

  void read(TrackId track, Timestamp end_of_part);
  void add(Item item) {
    items_.push_back(item);
    if (item.event.action != Action::kDrop) end_ = std::max(end_, item.to);
  }
  // Marks the waits of the policy. If the recording has no wait points, adds them.
  void find_policy(BarrierKind kind, bool has_points);
  [[nodiscard]] Frontend take(std::string name) &&;
  [[nodiscard]] Duration blocked() const { return blocked_; }
  // When its last event ended.
  [[nodiscard]] Timestamp end() const { return end_; }
  // The own costs of waits for ops, by how long they were blocked.
  std::array<std::vector<Duration>, kIdleCount> wake_ups;

 private:
  void find_final_wait(TrackId track, Timestamp end_of_part);
  void add_points(BarrierKind kind);
  void add_slice(const Slice& slice);
  void add_enqueue(const Slice& slice);
  void add_wait(const Slice& slice);
  [[nodiscard]] Timestamp released_at(const Slice& slice) const;
  [[nodiscard]] OpIndex op_of(OpId id) const {
    const auto found = ops_.find(id);
    return found == ops_.end() ? kNone : found->second;
  }

  const Trace& trace_;
  const TimeRange range_;
  const std::unordered_map<OpId, OpIndex>& ops_;
  const std::vector<OpRow>& rows_;
  const std::vector<Release>& releases_;
  TrackId track_ = kNoTrack;
  std::vector<Item> items_;
  Timestamp final_wait_ = Timestamp::min();  // when the wait of the runner began
  Timestamp end_ = Timestamp::min();
  Duration blocked_{};
};

void FrontendReader::read(TrackId track, Timestamp end_of_part) {
  track_ = track;
  find_final_wait(track, end_of_part);
  for (const trace::Lane& lane : trace_.track(track).lanes) {
    trace::LaneReader reader(lane);
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) add_slice(reader.slice(row));
  }
}

// The runner waits for all ops when the workload has ended.
void FrontendReader::find_final_wait(TrackId track, Timestamp end_of_part) {
  Slice last;
  for (const trace::Lane& lane : trace_.track(track).lanes) {
    for (std::uint64_t row = lane.end_row(); row > lane.first_row(); --row) {
      const Slice slice = lane.slice(row - 1);
      if (slice.kind != SliceKind::kWait || slice.begin >= end_of_part) continue;
      if (slice.begin > last.begin) last = slice;
      break;
    }
  }
  if (trace_.string(last.name) == kWaitAll) final_wait_ = last.begin;
}

void FrontendReader::add_slice(const Slice& slice) {
  if (slice.begin < range_.begin || slice.begin >= range_.end) return;
  switch (slice.kind) {
    case SliceKind::kEnqueue:
      return add_enqueue(slice);
    case SliceKind::kWait:
      return add_wait(slice);
    case SliceKind::kStep:
      add({slice.begin, slice.begin, slice.begin, {.action = Action::kBeginStep}});
      add({slice.end, slice.end, slice.end, {.action = Action::kEndStep}});
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
  const Timestamp ready = rows_[op].ready;
  const Timestamp at = ready == trace::kNever ? slice.end : std::clamp(ready, slice.begin, slice.end);
  add({at, at, at, {.own_cost = at - slice.begin, .action = Action::kEnqueue, .target = op}});
}

// When the op ended whose end ended the wait; the begin of the wait if it did not have to wait. The recording
// has an arrow from this op to the end of the wait.
Timestamp FrontendReader::released_at(const Slice& slice) const {
  const auto arrow = std::ranges::lower_bound(releases_, Release{track_, slice.begin, Timestamp::min()});
  const bool found = arrow != releases_.end() && arrow->track == track_ && arrow->at <= slice.end;
  return found ? std::clamp(arrow->ended, slice.begin, slice.end) : slice.begin;
}

void FrontendReader::add_wait(const Slice& slice) {
  const std::string_view name = trace_.string(slice.name);
  if (slice.begin == final_wait_) return;  // the simulation also ends when the last op has ended
  const bool held = name.starts_with(kHeld) || name == kWindow;
  blocked_ += slice.duration();
  Item item{slice.begin, slice.begin, slice.end, {}, !held};
  item.event.action = slice.op == kNoOp ? Action::kWaitAll : Action::kWaitOp;
  item.event.target = slice.op == kNoOp ? kNone : op_of(slice.op);
  const Timestamp released = released_at(slice);
  item.event.blocked = idle_of(released - slice.begin);
  item.event.own_cost = bounded(slice.end - released);
  if (held || name == "wait_to_read" || name == kWaitAll)
    wake_ups[static_cast<std::size_t>(item.event.blocked)].push_back(item.event.own_cost);
  add(item);
}

// Without a record: the barrier waits at the end of a step for the op that was enqueued last; a policy that
// waited did so in the last wait of the step.
void FrontendReader::add_points(BarrierKind kind) {
  std::vector<Item> out;
  OpIndex last_op = kNone;
  std::optional<std::size_t> last_wait;  // in this step; an index into out
  for (const Item& item : items_) {
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

void FrontendReader::find_policy(BarrierKind kind, bool has_points) {
  // A step that begins when another one ends comes after it; what ends a step comes after what it contains.
  const auto rank = [](const Item& item) {
    if (!item.is_event) return 1;
    if (item.event.action == Action::kEndStep) return 0;
    if (item.event.action == Action::kBeginStep) return 1;
    return item.event.action == Action::kBarrier ? 2 : 3;  // the policy waits after the wait point
  };
  std::ranges::stable_sort(
      items_, [&](const Item& a, const Item& b) { return a.at != b.at ? a.at < b.at : rank(a) < rank(b); });
  if (!has_points) add_points(kind);
  if (!waits_at_points(kind)) return;
  bool in_policy = false;
  for (Item& item : items_) {
    if (!item.is_event) continue;
    const Action action = item.event.action;
    if (action == Action::kBarrier) in_policy = true;
    if (action == Action::kBeginStep || action == Action::kEndStep) in_policy = false;
    if (!in_policy || action == Action::kBarrier || action == Action::kDrop) continue;
    item.event.of_policy = true;
    if (action == Action::kWaitOp || action == Action::kWaitAll) in_policy = false;
  }
}

Frontend FrontendReader::take(std::string name) && {
  Frontend out{.name = std::move(name), .events = {}};
  Timestamp since = range_.begin;
  Duration own{};
  for (Item& item : items_) {
    own += std::max(item.from - since, Duration{});
    since = std::max(since, item.to);
    if (!item.is_event) continue;
    item.event.before = bounded(std::exchange(own, Duration{}));
    out.events.push_back(item.event);
  }
  return out;
}

bool uses_result(trace::DependencyKind kind) { return kind != trace::DependencyKind::kWriteAfterRead; }

void add_bytes(std::int64_t& sum, std::int64_t bytes) { sum = wrapping_sum(sum, bytes); }

// A value of a counter, which in a damaged file may be anything.
std::int64_t whole(double value) {
  return value > -1e18 && value < 1e18 ? static_cast<std::int64_t>(value) : 0;
}

// ---- the run ----------------------------------------------------------------------------------------------

class ProgramReader {
 public:
  explicit ProgramReader(const Trace& trace) : trace_(trace) {}
  Result<RunToReplay> read();

 private:
  Status find_range();
  void read_settings();
  void read_frontends();
  void find_end();
  void read_memory();
  void add_block(const Allocation& row, std::map<TrackId, std::uint32_t>& devices);
  void find_uses();
  void add_early_drops();
  void add_drop(const Allocation& row, BlockIndex block);
  void read_wait_points();
  void add_notes();
  void measure();
  [[nodiscard]] FrontendReader* reader_of(TrackId track);

  const Trace& trace_;
  RunToReplay out_;
  std::unordered_map<OpId, OpIndex> index_;
  std::vector<OpRow> rows_;
  std::vector<Release> releases_;
  std::map<TrackId, FrontendReader> frontends_;
  std::vector<std::vector<BlockIndex>> allocated_by_;  // index: op
  std::vector<BlockIndex> dropped_early_;              // before they were allocated
  Timestamp end_of_part_{};
  bool has_points_ = false;
  bool has_drops_ = true;  // of each freed block, the recording says when the program dropped it
  Duration blocked_{};
};

Status ProgramReader::find_range() {
  if (trace_.op_count() == 0) return Error{"the trace has no ops of an engine"};
  TimeRange range = trace_.extent();
  std::optional<std::string> barrier;
  for (const analysis::BarrierChange& change : analysis::barrier_changes(trace_)) {
    if (analysis::is_start(change)) range.begin = change.at;
    if (barrier && !analysis::is_start(change))
      return Error{"its barrier changed during the run (" + change.label +
                   "): record a run with one barrier"};
    barrier = std::string(analysis::barrier_after(change.label));
  }
  for (const analysis::PartOfRun& part : analysis::parts_of_run(trace_)) {
    if (!barrier && analysis::is_measured(part)) range.begin = std::min(range.begin, part.range.begin);
    if (part.name == trace::kResultsPart && part.range.begin > range.begin) range.end = part.range.begin;
  }
  if (range.duration() > kLongest) return Error{"its times are damaged: it would have lasted for months"};
  out_.range = range;
  if (!barrier) return Ok{};
  const Result<BarrierPolicy> policy = parse_barrier(*barrier);
  if (!policy) return Error{"its barrier is not known: " + policy.error().message};
  out_.program.settings.barrier = out_.program.settings.recorded_barrier = *policy;
  return Ok{};
}

void ProgramReader::read_settings() {
  Settings& settings = out_.program.settings;
  const trace::Metadata& metadata = trace_.metadata();
  const auto number = [&](const char* key, std::int64_t otherwise) {
    return trace::number_of<std::int64_t>(metadata, key).value_or(otherwise);
  };
  settings.limit_ops = number("engine.limit_ops", settings.limit_ops);
  settings.limit_bytes = number("engine.limit_bytes", settings.limit_bytes);
  settings.allocates_at_execution = trace::text_of(metadata, "engine.alloc") == "execute";
  settings.oldest_first = trace::text_of(metadata, "engine.order") == "oldest";
}

FrontendReader* ProgramReader::reader_of(TrackId track) {
  if (track == kNoTrack) return nullptr;
  const auto found = frontends_.find(track);
  return found == frontends_.end() ? nullptr : &found->second;
}

void ProgramReader::read_frontends() {
  for (const OpRow& row : rows_) {
    if (row.enqueue_track == kNoTrack || frontends_.contains(row.enqueue_track)) continue;
    frontends_.emplace(row.enqueue_track, FrontendReader(trace_, out_.range, index_, rows_, releases_));
  }
  for (auto& [track, reader] : frontends_) reader.read(track, end_of_part_);
}

// The run ends with its last op, or when its last frontend has nothing more to do.
void ProgramReader::find_end() {
  Timestamp end = std::ranges::max(rows_, {}, &OpRow::ended).ended;
  for (const auto& [track, reader] : frontends_) end = std::max(end, reader.end());
  out_.range.end = end;
}

void ProgramReader::read_wait_points() {
  const auto name = trace_.find_string(trace::kWaitPoint);
  if (!name) return;
  trace::InstantReader reader(trace_.instants());
  for (std::uint64_t i = trace_.first_instant_from(out_.range.begin); i < reader.size(); ++i) {
    const trace::Instant instant = reader.instant(i);
    FrontendReader* const frontend = instant.name == *name ? reader_of(instant.track) : nullptr;
    if (frontend == nullptr) continue;
    has_points_ = true;
    const auto op = index_.find(instant.op);
    frontend->add({instant.at,
                   instant.at,
                   instant.at,
                   {.action = Action::kBarrier, .target = op == index_.end() ? kNone : op->second}});
  }
}

// ---- memory -----------------------------------------------------------------------------------------------

void ProgramReader::add_drop(const Allocation& row, BlockIndex block) {
  if (row.end == trace::kNever) return;
  const auto op = index_.find(row.op);
  FrontendReader* frontend = op == index_.end() ? nullptr : reader_of(rows_[op->second].enqueue_track);
  if (frontend == nullptr && !frontends_.empty()) frontend = &frontends_.begin()->second;
  if (frontend == nullptr) return;
  if (row.dropped == row.begin && op != index_.end()) {
    dropped_early_.push_back(block);
    return;
  }
  Timestamp dropped = row.end;
  if (row.dropped != trace::kNever) {
    dropped = row.dropped;
  } else if (op != index_.end()) {
    // Without a record: at the end of the step at the latest.
    has_drops_ = false;
    const OpRow& writer = rows_[op->second];
    const auto step = analysis::step_at(trace_, writer.enqueue_track, writer.enqueued);
    if (step) dropped = std::min(dropped, step->step.end);
  }
  if (dropped > out_.range.end) return;  // after the run, such as when its results are read
  if (dropped < out_.range.begin) dropped = out_.range.begin;
  frontend->add({dropped, dropped, dropped, {.action = Action::kDrop, .target = block}});
}

void ProgramReader::add_block(const Allocation& row, std::map<TrackId, std::uint32_t>& devices) {
  if (row.begin >= out_.range.end) return;
  if (row.end != trace::kNever && row.end <= out_.range.begin) return;
  Program& program = out_.program;
  const auto [device, added] = devices.emplace(row.counter, program.memories.size());
  if (added) program.memories.push_back({.device = trace_.track(row.counter).info.device});
  const bool before = row.begin < out_.range.begin;
  if (before) add_bytes(program.memories[device->second].begin_bytes, row.size_bytes);
  const auto op = index_.find(row.op);
  if (!before && op == index_.end()) return;  // no op writes it: nobody says when it is allocated
  const auto block = static_cast<BlockIndex>(program.blocks.size());
  program.blocks.push_back({.device = device->second, .size_bytes = row.size_bytes, .began_before = before});
  if (!before) allocated_by_[op->second].push_back(block);
  add_drop(row, block);
}

void ProgramReader::read_memory() {
  allocated_by_.resize(rows_.size());
  std::unordered_map<std::uint64_t, Allocation> open;
  std::vector<Allocation> whole;
  trace_.allocations().each(out_.range.end, [&](const Allocation& row) {
    if (row.end == trace::kNever) {
      open[row.block] = row;
    } else {
      whole.push_back(row);
    }
  });
  for (const Allocation& row : whole) open.erase(row.block);
  for (const auto& [number, row] : open) whole.push_back(row);
  std::ranges::sort(whole, {}, &Allocation::block);
  std::map<TrackId, std::uint32_t> devices;
  for (const Allocation& row : whole) add_block(row, devices);
  find_uses();
  add_early_drops();
}

// An op that updates a block in place writes the blocks of the op whose result it updates.
void ProgramReader::find_uses() {
  Program& program = out_.program;
  std::vector<std::vector<BlockIndex>> writes = allocated_by_;
  const OpDependencies dependencies = read_dependencies(trace_, index_, rows_.size());
  std::vector<BlockIndex> used;
  for (OpIndex op = 0; op < rows_.size(); ++op) {
    used = allocated_by_[op];
    OpIndex before = kNone;
    for (const auto& [on, kind] : dependencies.of(op)) {
      if (std::exchange(before, on) != on) {
        program.predecessors.items.push_back(on);
        program.kinds.push_back(kind);
      } else if (program.kinds.back() != trace::DependencyKind::kWriteAfterWrite && uses_result(kind)) {
        program.kinds.back() = kind;
      }
      if (!uses_result(kind)) continue;
      used.insert(used.end(), writes[on].begin(), writes[on].end());
      if (kind == trace::DependencyKind::kWriteAfterWrite)
        writes[op].insert(writes[op].end(), writes[on].begin(), writes[on].end());
    }
    std::ranges::sort(used);
    const auto repeated = std::ranges::unique(used);
    used.erase(repeated.begin(), repeated.end());
    program.uses.items.insert(program.uses.items.end(), used.begin(), used.end());
    program.uses.first.push_back(static_cast<std::uint32_t>(program.uses.items.size()));
    program.allocates.items.insert(program.allocates.items.end(), allocated_by_[op].begin(),
                                   allocated_by_[op].end());
    program.allocates.first.push_back(static_cast<std::uint32_t>(program.allocates.items.size()));
    program.predecessors.first.push_back(static_cast<std::uint32_t>(program.predecessors.items.size()));
  }
}

// A block that its op allocates may be dropped before. Then the recording has the time of the allocation, and
// the program is taken to have dropped the block when its last user was enqueued.
void ProgramReader::add_early_drops() {
  const Program& program = out_.program;
  std::vector<OpIndex> last_user(program.blocks.size(), kNone);
  for (OpIndex op = 0; op < rows_.size(); ++op) {
    for (const BlockIndex block : program.uses.of(op)) last_user[block] = op;
  }
  for (const BlockIndex block : dropped_early_) {
    const OpRow& user = rows_[last_user[block]];
    if (FrontendReader* const frontend = reader_of(user.enqueue_track))
      frontend->add(
          {user.enqueued, user.enqueued, user.enqueued, {.action = Action::kDrop, .target = block}});
  }
}

// ---- all --------------------------------------------------------------------------------------------------

void ProgramReader::add_notes() {
  if (!has_points_)
    out_.notes.push_back(
        "the recording does not say where in a step the barrier waits: it is taken to wait at the end of the "
        "step, for the op that was enqueued last. Record the run again");
  if (!has_drops_)
    out_.notes.push_back(
        "the recording does not say when the program drops its arrays: it is taken to drop them at the end "
        "of "
        "a step. Record the run again");
}

void ProgramReader::measure() {
  Measured& measured = out_.measured;
  measured.length = out_.range.duration();
  measured.blocked = blocked_;
  for (const Frontend& frontend : out_.program.frontends)
    measured.steps += std::ranges::count(frontend.events, Action::kEndStep, &Event::action);
  for (const TrackId counter : analysis::memory_counters(trace_)) {
    const auto peak = analysis::memory_peak(trace_.track(counter).counter, out_.range);
    if (peak) add_bytes(measured.peak_bytes, whole(peak->bytes));
  }
  for (const trace::Track& track : trace_.tracks()) {
    if (track.info.role != trace::CounterRole::kRunAheadSteps) continue;
    if (const auto peak = analysis::memory_peak(track.counter, out_.range))
      measured.max_steps = whole(peak->bytes);
  }
}

Result<RunToReplay> ProgramReader::read() {
  if (Status status = find_range(); !status) return status.error();
  read_settings();
  rows_ = read_ops(trace_, out_.range, out_.program);
  if (rows_.empty()) return Error{"no op ran in the measured part of the run"};
  for (OpIndex op = 0; op < rows_.size(); ++op) index_.emplace(rows_[op].id, op);
  releases_ = read_releases(trace_);
  end_of_part_ = out_.range.end;
  read_frontends();
  find_end();
  read_memory();
  find_delays(rows_, out_.program);
  read_wait_points();
  std::array<std::vector<Duration>, kIdleCount> wake_ups;
  for (auto& [track, reader] : frontends_) {
    reader.find_policy(out_.program.settings.recorded_barrier.kind, has_points_);
    blocked_ = std::max(blocked_, reader.blocked());
    for (std::size_t i = 0; i < kIdleCount; ++i)
      wake_ups[i].insert(wake_ups[i].end(), reader.wake_ups[i].begin(), reader.wake_ups[i].end());
    const std::string name = trace_.track(track).info.name;
    out_.program.frontends.push_back(std::move(reader).take(name));
  }
  out_.program.waits = {.wake_up = delays_of(wake_ups, kUsualWakeUps), .read_back = kUsualReadBack};
  measure();
  add_notes();
  return std::move(out_);
}

}  // namespace

double Measured::steps_per_s() const { return rate_of(steps, length); }
double Measured::blocked_ratio() const { return share_of(blocked, length); }

Result<RunToReplay> read_program(const Trace& trace) { return ProgramReader(trace).read(); }

}  // namespace runahead::predict
