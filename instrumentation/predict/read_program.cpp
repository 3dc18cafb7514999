#include "instrumentation/predict/read_program.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/analysis/memory_report.h"
#include "instrumentation/analysis/op_graph.h"
#include "instrumentation/analysis/parts/last_steps.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/steady_rate.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/wrapping.h"
#include "instrumentation/predict/frontend_reader.h"
#include "instrumentation/predict/learn_delays.h"
#include "instrumentation/predict/middle_of_run.h"
#include "instrumentation/predict/new_memory.h"
#include "instrumentation/predict/op_reader.h"
#include "instrumentation/predict/run_part.h"
#include "instrumentation/predict/wake_times.h"
#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/metadata.h"
#include "instrumentation/trace/ranks.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::predict {
namespace {

using trace::Allocation;
using trace::OpRow;
using trace::Slice;
using trace::SliceKind;
using trace::Trace;

bool uses_result(trace::DependencyKind kind) { return kind != trace::DependencyKind::kWriteAfterRead; }

void add_bytes(std::int64_t& sum, std::int64_t bytes) { sum = wrapping_sum(sum, bytes); }

// A value of a counter, which in a damaged file may be anything.
std::int64_t whole(double value) {
  return value > -1e18 && value < 1e18 ? static_cast<std::int64_t>(value) : 0;
}

TimeRange life_of(const Allocation& row) {
  return {row.begin, row.end == trace::kNever ? Timestamp::max() : row.end};
}

// REQUIRES: row.dropped is known.
Timestamp dropped_at(const Allocation& row) {
  return row.dropped == row.begin ? row.begin - bounded(Duration(row.early_drop_ns)) : row.dropped;
}

// Adds the rows of blocks that are still live. REQUIRES: `whole` is sorted by block; it stays so.
void add_open_rows(std::vector<Allocation> open, std::vector<Allocation>& whole) {
  std::ranges::stable_sort(open, {}, &Allocation::block);
  const std::size_t ended = whole.size();
  auto other = whole.begin();
  std::vector<Allocation> live;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (i + 1 < open.size() && open[i + 1].block == open[i].block) continue;
    while (other != whole.end() && other->block < open[i].block) ++other;
    if (other == whole.end() || other->block != open[i].block) live.push_back(open[i]);
  }
  whole.insert(whole.end(), live.begin(), live.end());
  std::ranges::inplace_merge(whole, whole.begin() + static_cast<std::ptrdiff_t>(ended), {},
                             &Allocation::block);
}

// ---- the run ----------------------------------------------------------------------------------------------

class ProgramReader {
 public:
  ProgramReader(const Trace& trace, const ReadOptions& options) : trace_(trace), options_(options) {}
  Result<RunToReplay> read();

 private:
  Status find_range();
  Status find_whole_range();
  void leave_out_cancelled();
  Status take_part();
  [[nodiscard]] bool is_part() const { return part_.has_value(); }
  void read_settings();
  void read_rows();
  void read_frontends();
  [[nodiscard]] std::size_t count_processes() const;
  void find_end();
  void read_memory();
  [[nodiscard]] bool in_run(const Allocation& row) const;
  [[nodiscard]] bool is_needed(const Allocation& row) const {
    return life_of(row).contains(out_.range.begin) || in_run(row);
  }
  void add_block(const Allocation& row);
  std::uint32_t device_of(TrackId counter);
  void count_begin_bytes();
  void find_uses();
  void add_early_drops();
  void add_drop(const Allocation& row, BlockIndex block);
  void read_wait_points();
  void write_frontends();
  void add_notes();
  void find_steps();
  [[nodiscard]] bool was_free_before_end(BlockIndex block, OpIndex op) const;
  void measure();
  [[nodiscard]] FrontendReader* reader_of(TrackId track);
  // When each frontend waited, was paused, had not begun, or had ended.
  [[nodiscard]] std::vector<analysis::Ranges> waits_of_frontends() const;

  const Trace& trace_;
  const ReadOptions options_;
  std::optional<RunPart> part_;               // nullopt: the whole run
  TimeRange read_{};                          // the time of the frontends that is read
  Timestamp run_end_{};                       // of the whole run, also if its last steps were cancelled
  Timestamp drops_until_ = Timestamp::max();  // from then on, the frontends are not read
  RunToReplay out_;
  std::unordered_map<OpId, OpIndex> index_;
  PartOps ops_;
  std::vector<OpRow>& rows_ = ops_.rows;
  OpDependencies dependencies_;
  std::vector<WaitRelease> releases_;
  const FrontendReader::Run run_{trace_, index_, rows_, releases_};
  std::map<TrackId, FrontendReader> frontends_;
  std::map<TrackId, std::uint32_t> devices_;           // by the counter of its live bytes
  std::map<TrackId, std::int64_t> explained_;          // by counter: bytes of rows live at range.begin
  std::vector<TimeRange> lives_;                       // of each block
  std::vector<std::vector<BlockIndex>> allocated_by_;  // index: op
  std::vector<std::vector<BlockIndex>> written_by_;    // the same, and blocks that began before
  std::vector<BlockIndex> dropped_early_;              // before they were allocated
  bool has_points_ = false;
  bool has_drops_ = true;  // of each freed block, the recording says when the program dropped it
  Duration blocked_{};
  TimeRange steps_{};  // the time that figures are of
};

Status ProgramReader::find_range() {
  if (trace_.op_count() == 0) return Error{"the trace has no ops of an engine"};
  if (trace_.extent().duration() > kLongest)
    return Error{"its times are damaged: it would have lasted for months"};
  const bool limited =
      options_.most > Duration{} || (options_.most_ops > 0 && trace_.op_count() > options_.most_ops);
  return limited || barrier_changed(trace_) ? take_part() : find_whole_range();
}

Status ProgramReader::take_part() {
  Result<RunPart> part = find_part(trace_, options_);
  if (!part) return part.error();
  part_ = std::move(*part);
  read_ = part_->steps;
  out_.range = {part_->from, part_->from};
  out_.program.settings.barrier = out_.program.settings.recorded_barrier = part_->barrier;
  if (!part_->note.empty()) out_.notes.push_back(part_->note);
  return Ok{};
}

Status ProgramReader::find_whole_range() {
  TimeRange range = trace_.extent();
  std::optional<std::string> barrier;
  for (const analysis::BarrierChange& change : analysis::barrier_changes(trace_)) {
    if (analysis::is_start(change)) range.begin = change.at;
    barrier = std::string(analysis::barrier_after(change.label));
  }
  for (const analysis::PartOfRun& part : analysis::parts_of_run(trace_)) {
    if (!barrier && analysis::is_measured(part)) range.begin = std::min(range.begin, part.range.begin);
    if (part.name == trace::kResultsPart && part.range.begin > range.begin) range.end = part.range.begin;
  }
  out_.range = read_ = range;
  run_end_ = range.end;
  leave_out_cancelled();
  if (!barrier) return Ok{};
  const Result<BarrierPolicy> policy = parse_barrier(*barrier);
  if (!policy) return Error{"its barrier is not known: " + policy.error().message};
  out_.program.settings.barrier = out_.program.settings.recorded_barrier = *policy;
  return Ok{};
}

// Figures are those from the begin of the first step until the last one has finished. A part of a run begins
// with a step and ends with one, so all of it counts.
void ProgramReader::find_steps() {
  out_.program.figures_of_steps = !is_part();
  steps_ = {out_.range.begin, Timestamp::max()};
  if (is_part()) return;
  Timestamp begin = out_.range.end;
  for (const trace::Track& track : trace_.tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      const std::uint64_t first = lane.first_row_beginning_from(out_.range.begin);
      const std::uint64_t last = lane.first_row_beginning_from(out_.range.end);
      const std::uint64_t step = lane.next_of_kinds(trace::kinds_of(trace::SliceKind::kStep), first, last);
      if (step < last) begin = std::min(begin, lane.slice(step).begin);
    }
  }
  const Timestamp end = analysis::last_step_end(trace_, {begin, out_.range.end});
  if (end > begin) steps_ = {begin, end};
}

void ProgramReader::leave_out_cancelled() {
  const analysis::CancelledSteps cancelled = analysis::cancelled_steps(trace_, read_);
  if (cancelled.steps == 0) return;
  read_.end = drops_until_ = cancelled.begin;
  out_.notes.push_back(
      cancelled.steps == 1
          ? "the run was stopped: its last step was cancelled, and is not part of the prediction"
          : "the run was stopped: its last " + std::to_string(cancelled.steps) +
                " steps were cancelled, and are not part of the prediction");
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

void ProgramReader::read_rows() {
  if (is_part()) {
    ops_ = read_part_ops(trace_, read_, part_->from);
    add_ops(trace_, rows_, out_.program);
  } else {
    rows_ = read_ops(trace_, read_, out_.program);
  }
  index_.reserve(rows_.size());
  for (OpIndex op = 0; op < rows_.size(); ++op) {
    index_.emplace(rows_[op].id, op);
    if (rows_[op].enqueued < read_.begin) out_.program.done.push_back(op);
  }
}

void ProgramReader::read_frontends() {
  for (const OpRow& row : rows_) {
    if (row.enqueue_track == kNoTrack || frontends_.contains(row.enqueue_track)) continue;
    frontends_.emplace(row.enqueue_track, FrontendReader(run_, read_, steps_));
  }
  if (is_part()) {
    const TimeRange waits{read_.begin, read_.end + Duration(1)};
    for (const auto& [track, reader] : frontends_) {
      const std::vector<WaitRelease> more = read_releases(trace_, track, waits);
      releases_.insert(releases_.end(), more.begin(), more.end());
    }
  } else {
    releases_ = read_releases(trace_);
  }
  for (auto& [track, reader] : frontends_)
    reader.read(track, is_part() ? std::nullopt : std::optional(run_end_));
}

// Of a joined trace, the processes that enqueued ops. Their steps, limits and barriers are their own.
std::size_t ProgramReader::count_processes() const {
  if (trace::ranks_of(trace_).empty()) return 1;
  std::set<TrackId> roots;
  for (const auto& [track, reader] : frontends_) roots.insert(trace::root_of(trace_, track));
  return roots.size();
}

// The run ends with its last op, or when its last frontend has nothing more to do.
void ProgramReader::find_end() {
  Timestamp end = std::ranges::max(rows_, {}, &OpRow::ended).ended;
  for (const auto& [track, reader] : frontends_) end = std::max(end, reader.end());
  out_.range.end = end;
  if (!is_part()) read_.end = end;
}

void ProgramReader::read_wait_points() {
  const auto name = trace_.find_string(trace::kWaitPoint);
  if (!name) return;
  trace::InstantReader reader(trace_.instants());
  for (std::uint64_t i = trace_.first_instant_from(read_.begin); i < reader.size(); ++i) {
    const trace::Instant instant = reader.instant(i);
    if (instant.at >= drops_until_ || (is_part() && instant.at > read_.end)) break;
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
  if (row.dropped == row.begin && row.early_drop_ns == 0 && op != index_.end()) {
    dropped_early_.push_back(block);
    return;
  }
  Timestamp dropped = row.end;
  if (row.dropped != trace::kNever) {
    dropped = dropped_at(row);
  } else if (op != index_.end()) {
    // Without a record: at the end of the step at the latest.
    has_drops_ = false;
    const OpRow& writer = rows_[op->second];
    const auto step = analysis::step_at(trace_, writer.enqueue_track, writer.enqueued);
    if (step) dropped = std::min(dropped, step->step.end);
  }
  if (dropped > std::min(read_.end, drops_until_)) return;  // such as when the results of the run are read
  if (dropped < read_.begin) dropped = read_.begin;
  frontend->add({dropped, dropped, dropped, {.action = Action::kDrop, .target = block}});
}

std::uint32_t ProgramReader::device_of(TrackId counter) {
  std::vector<Memory>& memories = out_.program.memories;
  const auto [device, added] = devices_.emplace(counter, memories.size());
  if (added) memories.push_back({.device = trace_.track(counter).info.device});
  return device->second;
}

// Of a part: blocks that its ops allocate, and those that were live when it began. The program may have
// dropped such a block before the part, so that only ops from before the part held it: that one is left out.
bool ProgramReader::in_run(const Allocation& row) const {
  if (!is_part()) return row.begin < read_.end && (row.end == trace::kNever || row.end > read_.begin);
  if (row.begin >= read_.begin) return index_.contains(row.op);
  if (row.end == trace::kNever) return true;
  const bool was_dropped = row.dropped != trace::kNever && dropped_at(row) <= read_.begin;
  return row.end > read_.begin && (row.end > part_->from || !was_dropped);
}

void ProgramReader::add_block(const Allocation& row) {
  Program& program = out_.program;
  const TimeRange life = life_of(row);
  if (life.contains(out_.range.begin)) add_bytes(explained_[row.counter], row.size_bytes);
  if (!in_run(row)) return;
  const std::uint32_t device = device_of(row.counter);
  const bool before = row.begin < read_.begin;
  if (before) add_bytes(program.memories[device].begin_bytes, row.size_bytes);
  const auto op = index_.find(row.op);
  if (!before && op == index_.end()) return;  // no op writes it: nobody says when it is allocated
  const auto block = static_cast<BlockIndex>(program.blocks.size());
  program.blocks.push_back(
      {.device = device, .size_bytes = row.size_bytes, .category = row.category, .began_before = before});
  lives_.push_back(life);
  if (op != index_.end()) written_by_[op->second].push_back(block);
  if (!before) allocated_by_[op->second].push_back(block);
  add_drop(row, block);
}

// The rows of a part do not say how much memory was allocated long before it. The counter does: what the rows
// do not explain stays live.
void ProgramReader::count_begin_bytes() {
  for (const TrackId counter : analysis::memory_counters(trace_)) {
    const std::optional<double> live = trace_.track(counter).counter.value_at(out_.range.begin);
    if (!live) continue;
    const std::int64_t others = wrapping_difference(whole(*live), explained_[counter]);
    add_bytes(out_.program.memories[device_of(counter)].begin_bytes, std::max<std::int64_t>(others, 0));
  }
}

void ProgramReader::read_memory() {
  allocated_by_.resize(rows_.size());
  written_by_.resize(rows_.size());
  // Most rows of a part are of blocks that are not of the part: of those, only the number of the block is
  // kept.
  std::vector<Allocation> open, whole;
  std::vector<std::uint64_t> others;
  whole.reserve(rows_.size());
  const auto found = [&](const Allocation& row) {
    const bool ended = row.end != trace::kNever;
    if (is_needed(row)) {
      (ended ? whole : open).push_back(row);
    } else if (ended) {
      others.push_back(row.block);
    }
  };
  if (is_part()) {
    trace_.allocations().each_written_from(read_.begin, found);
  } else {
    trace_.allocations().each(read_.end, found);
  }
  std::ranges::sort(others);
  std::erase_if(open, [&](const Allocation& row) { return std::ranges::binary_search(others, row.block); });
  std::ranges::sort(whole, {}, &Allocation::block);
  add_open_rows(std::move(open), whole);
  for (const Allocation& row : whole) add_block(row);
  if (is_part()) count_begin_bytes();
  find_new_blocks(trace_, {read_.begin, out_.range.end}, lives_, out_.program);
  find_uses();
  add_early_drops();
}

// True if the block was free before the op ended, so that the op cannot have used it. Example: a pass of a
// compiled graph updates the buffers that the pass before it updated, but not the output of that pass. The
// clocks of devices and of the host differ a little.
bool ProgramReader::was_free_before_end(BlockIndex block, OpIndex op) const {
  constexpr Duration kClocks = std::chrono::microseconds(20);
  const Timestamp freed = lives_[block].end;
  return freed < rows_[op].ended - kClocks;
}

// An op that updates a block in place writes the blocks of the op whose result it updates.
void ProgramReader::find_uses() {
  Program& program = out_.program;
  std::vector<std::vector<BlockIndex>> writes = written_by_;
  dependencies_ =
      read_dependencies(trace_, index_, rows_.size(), is_part() ? std::optional(read_) : std::nullopt);
  std::vector<BlockIndex> used;
  for (OpIndex op = 0; op < rows_.size(); ++op) {
    used = written_by_[op];
    OpIndex before = kNone;
    for (const auto& [on, kind] : dependencies_.of(op)) {
      if (std::exchange(before, on) != on) {
        program.predecessors.items.push_back(on);
        program.kinds.push_back(kind);
      } else if (program.kinds.back() != trace::DependencyKind::kWriteAfterWrite && uses_result(kind)) {
        program.kinds.back() = kind;
      }
      if (!uses_result(kind)) continue;
      const bool updates = kind == trace::DependencyKind::kWriteAfterWrite;
      for (const BlockIndex block : writes[on]) {
        if (updates && was_free_before_end(block, op)) continue;
        used.push_back(block);
        if (updates) writes[op].push_back(block);
      }
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

// The program may drop a block before its op allocates it. A recording without Allocation::early_drop_ns has
// such a drop at the allocation. Then the drop is taken to be at the enqueue of the block's last user.
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
  steps_.end = std::min(steps_.end, out_.range.end);
  measured.steps_time = steps_.duration();
  measured.blocked = blocked_;
  for (const Frontend& frontend : out_.program.frontends)
    measured.steps += std::ranges::count(frontend.events, Action::kEndStep, &Event::action);
  for (const TrackId counter : analysis::memory_counters(trace_)) {
    const auto peak = analysis::memory_peak(trace_.track(counter).counter, steps_);
    if (peak) add_bytes(measured.peak_bytes, whole(peak->bytes));
  }
  for (const trace::Track& track : trace_.tracks()) {
    if (track.info.role != trace::CounterRole::kRunAheadSteps) continue;
    if (const auto peak = analysis::memory_peak(track.counter, out_.range))
      measured.max_steps = whole(peak->bytes);
  }
}

std::vector<analysis::Ranges> ProgramReader::waits_of_frontends() const {
  std::vector<analysis::Ranges> out;
  for (const auto& [track, reader] : frontends_) {
    std::vector<const trace::Lane*> lanes;
    TimeRange active{out_.range.end, out_.range.begin};
    for (const trace::Lane& lane : trace_.track(track).lanes) {
      if (lane.end_row() == lane.first_row()) continue;
      lanes.push_back(&lane);
      active.begin = std::min(active.begin, lane.begin(lane.first_row()));
      active.end = std::max(active.end, lane.end(lane.end_row() - 1));
    }
    std::vector<TimeRange> idle = analysis::busy_ranges(
        lanes, trace::kinds_of(trace::SliceKind::kWait) | trace::kinds_of(trace::SliceKind::kPause),
        out_.range);
    idle.push_back({out_.range.begin, active.begin});
    idle.push_back({active.end, out_.range.end + Duration(1)});
    out.push_back(analysis::union_of(std::move(idle)));
  }
  return out;
}

void ProgramReader::write_frontends() {
  Program& program = out_.program;
  std::array<std::vector<Duration>, kIdleCount> wake_ups;
  std::vector<Frontend> whole, from_middle;
  std::vector<BarrierHold> holds;
  std::vector<FrontendWake> wakes;
  for (auto& [track, reader] : frontends_) {
    reader.find_policy(program.settings.recorded_barrier.kind, has_points_);
    blocked_ = std::max(blocked_, reader.blocked());
    for (std::size_t i = 0; i < kIdleCount; ++i)
      wake_ups[i].insert(wake_ups[i].end(), reader.wake_ups[i].begin(), reader.wake_ups[i].end());
    holds.insert(holds.end(), reader.holds().begin(), reader.holds().end());
    wakes.insert(wakes.end(), reader.wakes.begin(), reader.wakes.end());
    const std::string& name = trace_.track(track).info.name;
    whole.push_back({name, reader.events(), track});
    if (is_part()) from_middle.push_back({name, reader.events_after(part_->from), track});
  }
  // What the whole part shows replaces what its end shows.
  if (is_part()) find_enqueue_wakes(from_middle, part_->from, rows_, program);
  find_enqueue_wakes(whole, read_.begin, rows_, program);
  Duration slow_start{};
  find_slow_starts(from_middle, program.ops, slow_start);
  find_slow_starts(whole, program.ops, slow_start);
  find_learn_delays(holds, rows_, program);
  find_wake_times(wakes, rows_, program);
  find_new_memory_times(is_part(), program);
  // What was live before a part is not simulated.
  const std::vector<PoolCounters> pools =
      is_part() ? std::vector<PoolCounters>(program.queues.size()) : pools_of(trace_, program);
  find_lateness(rows_, waits_of_frontends(), pools, out_.range.begin, program);
  // The results that are read after a run are examples too.
  const TimeRange copies{out_.range.begin, is_part() ? out_.range.end : trace_.extent().end};
  program.waits = {.wake_up = delays_of(wake_ups, kUsualWakeUps),
                   .slow_start = slow_start,
                   .read_back = kUsualReadBack,
                   .read_times = read_times_of(trace_, copies, program)};
  if (is_part())
    out_.from_middle = start_in_middle(program, {part_->from, rows_, lives_, std::move(from_middle)});
  program.frontends = std::move(whole);
}

Result<RunToReplay> ProgramReader::read() {
  if (Status status = find_range(); !status) return status.error();
  find_steps();
  read_settings();
  read_rows();
  if (rows_.empty()) return Error{"no op ran in the measured part of the run"};
  read_frontends();
  if (const std::size_t processes = count_processes(); processes > 1)
    return Error{"it joins " + std::to_string(processes) +
                 " processes with ops of an engine: give the recording of one of them"};
  find_end();
  read_memory();
  find_delays(trace_, ops_, dependencies_, out_.program);
  read_wait_points();
  write_frontends();
  measure();
  add_notes();
  return std::move(out_);
}

}  // namespace

double Measured::steps_per_s() const { return rate_of(steps, steps_time); }
double Measured::blocked_ratio() const { return share_of(blocked, steps_time); }

Result<RunToReplay> read_program(const Trace& trace, const ReadOptions& options) {
  return ProgramReader(trace, options).read();
}

}  // namespace runahead::predict
