#include "instrumentation/predict/op_reader.h"

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/base/median.h"

namespace runahead::predict {
namespace {

using trace::OpRow;
using trace::Trace;
using trace::TrackKind;

// A shorter time from the end of the last predecessor until the op was ready is part of the start's delay.
constexpr Duration kAtOnce = std::chrono::microseconds(2);

// A damaged file may say that another track executed an op.
bool executes(const Trace& trace, TrackId track) {
  if (raw(track) >= trace.tracks().size()) return false;
  const TrackKind kind = trace.track(track).info.kind;
  return kind == TrackKind::kWorker || kind == TrackKind::kStream;
}

// "cpu" for the worker "cpu 1": all workers of a kind take ops from one queue.
std::string queue_name(const trace::TrackInfo& track) {
  if (track.kind != TrackKind::kWorker) return track.device + " " + track.name;
  std::string_view name = track.name;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  return std::string(name);
}

// A queue has a server for each of its tracks, also for workers that had nothing to do.
class QueueFinder {
 public:
  QueueFinder(const Trace& trace, Program& program) : program_(program) {
    for (const trace::Track& track : trace.tracks()) {
      if (track.info.kind == TrackKind::kWorker || track.info.kind == TrackKind::kStream) add(track.info);
    }
  }

  // REQUIRES: a worker or a stream.
  [[nodiscard]] QueueIndex queue_of(TrackId track) const { return by_track_.at(track); }

 private:
  void add(const trace::TrackInfo& info) {
    const bool worker = info.kind == TrackKind::kWorker;
    const auto [named, added] =
        by_name_.emplace(queue_name(info), static_cast<QueueIndex>(program_.queues.size()));
    by_track_[info.id] = named->second;
    if (!added) {
      ++program_.queues[named->second].servers;
      return;
    }
    program_.queues.push_back({.name = named->first,
                               .device = info.device.empty() ? "cpu" : info.device,
                               .servers = 1,
                               .workers = worker,
                               .simulated = info.simulated,
                               .start_delays = worker           ? kUsualWorkerDelays
                                               : info.simulated ? kUsualSimulatedDelays
                                                                : kUsualStreamDelays});
  }

  Program& program_;
  std::map<TrackId, QueueIndex> by_track_;
  std::map<std::string, QueueIndex> by_name_;
};

bool ran(const Trace& trace, const OpRow& row) {
  return row.started != trace::kNever && row.ended != trace::kNever && row.enqueued != trace::kNever &&
         executes(trace, row.execute_track);
}

// Rows of ops and dependencies are in the order of time, but the collector may add a row late. Therefore so
// many rows more are read at the borders of a part.
constexpr std::uint64_t kNearRows = 1024;
// After so many rows without an op of the part, each op that is missing is looked up by its number.
constexpr std::uint64_t kMostUnwanted = 4096;

// The first of `count` rows for which holds(row) is true; it is true for all later rows.
template <typename Holds>
std::uint64_t first_row(std::uint64_t count, Holds holds) {
  std::uint64_t low = 0;
  while (low < count) {
    const std::uint64_t middle = low + (count - low) / 2;
    if (holds(middle)) {
      count = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// An op whose end was lost has no time: the next row decides.
std::uint64_t first_ended_after(const Trace& trace, Timestamp t) {
  return first_row(trace.op_count(), [&](std::uint64_t i) {
    while (i + 1 < trace.op_count() && trace.op_row(i).ended == trace::kNever) ++i;
    return trace.op_row(i).ended > t;
  });
}

std::unordered_set<OpId> enqueued_in(const Trace& trace, TimeRange range) {
  std::unordered_set<OpId> out;
  for (const trace::Track& track : trace.tracks()) {
    for (const trace::Lane& lane : track.lanes)
      analysis::each_of_kinds(
          lane, trace::kinds_of(trace::SliceKind::kEnqueue), lane.first_row_beginning_from(range.begin),
          lane.first_row_beginning_from(range.end), [&](const trace::Slice& slice) { out.insert(slice.op); });
  }
  return out;
}

// When the server of the op had ended what it executed before.
std::optional<Timestamp> free_before(const Trace& trace, const OpRow& op) {
  std::optional<Timestamp> out;
  for (const trace::Lane& lane : trace.track(op.execute_track).lanes) {
    const std::uint64_t row = lane.first_row_beginning_from(op.started);
    if (row > lane.first_row()) out = std::max(out.value_or(Timestamp::min()), lane.end(row - 1));
  }
  return out;
}

// When a server executed an op; kNone: not an op of the program.
struct ServerUse {
  TrackId track = kNoTrack;
  Timestamp started{};
  OpIndex op = kNone;
  Timestamp ended{};
  friend auto operator<=>(const ServerUse&, const ServerUse&) = default;
};

}  // namespace

Delays delays_of(const std::array<std::vector<Duration>, kIdleCount>& samples, const Delays& usual) {
  Delays out;
  for (std::size_t i = 0; i < kIdleCount; ++i) {
    std::vector<Duration> all = samples[i];
    all.insert(all.end(), kUsualSamples, usual.median[i]);
    out.median[i] = median(std::move(all));
  }
  return out;
}

std::vector<OpRow> read_ops(const Trace& trace, TimeRange range, Program& program) {
  std::vector<OpRow> rows;
  for (std::uint64_t i = 0; i < trace.op_count(); ++i) {
    const OpRow row = trace.op_row(i);
    if (ran(trace, row) && row.enqueued >= range.begin && row.enqueued < range.end) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, &OpRow::id);
  add_ops(trace, rows, program);
  return rows;
}

PartOps read_part_ops(const Trace& trace, TimeRange steps, Timestamp from) {
  std::unordered_set<OpId> wanted = enqueued_in(trace, steps);
  PartOps out;
  out.rows.reserve(wanted.size() + kNearRows);
  const std::uint64_t after = first_ended_after(trace, from);
  std::uint64_t unwanted = 0;  // rows in a row without an op of the part
  for (std::uint64_t i = after - std::min(after, kNearRows); i < trace.op_count(); ++i) {
    if (wanted.empty() || unwanted > kMostUnwanted) break;
    const OpRow row = trace.op_row(i);
    out.complete_from = std::max(out.complete_from, i < after ? row.ended : Timestamp::min());
    const bool in_part = wanted.erase(row.id) > 0;
    unwanted = in_part || row.ended <= from ? 0 : unwanted + 1;
    if (!ran(trace, row)) continue;
    (in_part || (row.enqueued < steps.begin && row.ended > from) ? out.rows : out.others).push_back(row);
  }
  for (const OpId id : wanted) {
    const auto row = trace.op(id);
    if (row && ran(trace, *row)) out.rows.push_back(*row);
  }
  std::ranges::sort(out.rows, {}, &OpRow::id);
  return out;
}

void add_ops(const Trace& trace, std::span<const OpRow> rows, Program& program) {
  QueueFinder queues(trace, program);
  program.ops.reserve(rows.size());
  for (const OpRow& row : rows) {
    program.ops.push_back({.id = row.id,
                           .name = row.name,
                           .queue = queues.queue_of(row.execute_track),
                           .duration = bounded(row.ended - row.started),
                           .output_bytes = row.output_bytes});
  }
}

void find_delays(const Trace& trace, const PartOps& ops, const OpDependencies& dependencies,
                 Program& program) {
  const bool is_part = ops.complete_from > Timestamp::min();
  const std::vector<OpRow>& rows = ops.rows;
  std::vector<ServerUse> uses;
  uses.reserve(rows.size() + ops.others.size());
  for (OpIndex i = 0; i < rows.size(); ++i)
    uses.push_back({rows[i].execute_track, rows[i].started, i, rows[i].ended});
  for (const OpRow& row : ops.others) uses.push_back({row.execute_track, row.started, kNone, row.ended});
  std::ranges::sort(uses);
  std::vector<std::array<std::vector<Duration>, kIdleCount>> samples(program.queues.size());
  for (std::size_t at = 0; at < uses.size(); ++at) {
    const OpIndex i = uses[at].op;
    if (i == kNone) continue;
    Op& op = program.ops[i];
    const OpRow& row = rows[i];
    Timestamp condition = row.enqueued;
    for (std::size_t k = program.predecessors.first[i]; k < program.predecessors.first[i + 1]; ++k)
      condition = std::max(condition, rows[program.predecessors.items[k]].ended);
    Timestamp ready = row.ready == trace::kNever ? condition : row.ready;
    if (condition > row.enqueued) {
      op.ready_delay = bounded(ready - condition);
      if (op.ready_delay < kAtOnce) op.ready_delay = Duration{};
      ready = condition + op.ready_delay;
      if (is_part && dependencies.on_others(i)) op.ready_delay = Duration{};
    }
    std::optional<Timestamp> free;
    if (at > 0 && uses[at - 1].track == row.execute_track) free = uses[at - 1].ended;
    // Another op, which is in neither list, may have been between the two.
    if (free.value_or(Timestamp::min()) < ops.complete_from) free = free_before(trace, row);
    op.start_idle = free ? idle_of(ready - *free) : Idle::kLong;
    op.start_delay = bounded(row.started - std::max(ready, free.value_or(ready)));
    // The first op of a server also waited until the server was ready to work at all.
    if (free) samples[op.queue][static_cast<std::size_t>(op.start_idle)].push_back(op.start_delay);
  }
  for (std::size_t i = 0; i < program.queues.size(); ++i)
    program.queues[i].start_delays = delays_of(samples[i], program.queues[i].start_delays);
}

namespace {

// The rest of the time of a smaller copy or op is a large part of it.
constexpr std::int64_t kLarge = 64 << 10;

// ns per byte of the large copies to the host, by the device that they are from. A copy from the cpu is a
// zone of the frontend, which makes it within the host.
std::map<std::string_view, std::vector<double>> copies_to_host(const Trace& trace, TimeRange range) {
  std::map<std::string_view, std::vector<double>> out;
  for (const trace::Track& track : trace.tracks()) {
    const bool frontend = track.info.kind == TrackKind::kFrontend;
    if (!frontend && track.info.kind != TrackKind::kStream) continue;
    std::vector<double>& copies = out[frontend ? std::string_view("cpu") : track.info.device];
    for (const trace::Lane& lane : track.lanes) {
      const std::uint64_t first = lane.first_row_beginning_from(range.begin);
      const std::uint64_t last = std::max(first, lane.first_row_beginning_from(range.end));
      analysis::each_of_kinds(lane, trace::kinds_of(trace::SliceKind::kCopyToHost), first, last,
                              [&](const trace::Slice& copy) {
                                if (copy.size_bytes >= kLarge && copy.end > copy.begin)
                                  copies.push_back(static_cast<double>((copy.end - copy.begin).count()) /
                                                   static_cast<double>(copy.size_bytes));
                              });
    }
  }
  return out;
}

}  // namespace

std::vector<ReadTimes> read_times_of(const Trace& trace, TimeRange range, const Program& program) {
  std::map<std::string_view, double> least;
  for (const Op& op : program.ops) {
    const Queue& queue = program.queues[op.queue];
    if (op.output_bytes < kLarge || op.duration <= Duration{} || !computes(queue)) continue;
    const double ns_per_byte =
        static_cast<double>(op.duration.count()) / static_cast<double>(op.output_bytes);
    const auto [at, first] = least.try_emplace(queue.device, ns_per_byte);
    if (!first) at->second = std::min(at->second, ns_per_byte);
  }
  auto copies = copies_to_host(trace, range);
  std::vector<ReadTimes> out;
  for (const Queue& queue : program.queues) {
    ReadTimes times = kUsualReadTimes;
    if (queue.workers) {
      times.copy = kUsualCopyOfHost;
      times.sum = kUsualSumOfHost;
    }
    if (const auto found = least.find(queue.device); found != least.end())
      times.sum_ns_per_byte = queue.workers ? std::max(found->second, kLeastSumOfHost)
                                            : std::min(found->second, kUsualReadTimes.sum_ns_per_byte);
    if (std::vector<double>& examples = copies[queue.device]; !examples.empty())
      times.copy_ns_per_byte = median(examples);
    out.push_back(times);
  }
  return out;
}

OpDependencies read_dependencies(const Trace& trace, const std::unordered_map<OpId, OpIndex>& index,
                                 std::size_t ops, std::optional<TimeRange> enqueued) {
  std::vector<std::pair<OpIndex, OpDependencies::On>> all;
  OpDependencies out;
  out.on_others_.resize(ops);
  std::uint64_t first = 0, last = trace.dependency_count();
  if (enqueued) {
    const auto at = [&](std::uint64_t i) { return trace.dependency(i).at; };
    first = first_row(last, [&](std::uint64_t i) { return at(i) >= enqueued->begin; });
    last = first_row(last, [&](std::uint64_t i) { return at(i) > enqueued->end; });
    first -= std::min(first, kNearRows);
    last = std::min(last + kNearRows, trace.dependency_count());
  }
  for (std::uint64_t i = first; i < last; ++i) {
    const trace::Dependency row = trace.dependency(i);
    const auto op = index.find(row.op), on = index.find(row.on);
    if (op == index.end()) continue;
    if (on == index.end()) {
      out.on_others_[op->second] = 1;
    } else {
      all.push_back({op->second, {on->second, row.kind}});
    }
  }
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  out.first_.assign(ops + 1, 0);
  for (const auto& [op, on] : all) {
    ++out.first_[op + 1];
    out.on_.push_back(on);
  }
  for (std::size_t i = 0; i < ops; ++i) out.first_[i + 1] += out.first_[i];
  return out;
}

}  // namespace runahead::predict
