#include "instrumentation/predict/op_reader.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

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

}  // namespace

Delays delays_of(const std::array<std::vector<Duration>, kIdleCount>& samples, const Delays& otherwise) {
  Delays out = otherwise;
  for (std::size_t i = 0; i < kIdleCount; ++i) {
    if (!samples[i].empty()) out.median[i] = median(samples[i]);
  }
  return out;
}

std::vector<OpRow> read_ops(const Trace& trace, TimeRange range, Program& program) {
  std::vector<OpRow> rows;
  for (std::uint64_t i = 0; i < trace.op_count(); ++i) {
    const OpRow row = trace.op_row(i);
    const bool ran = row.started != trace::kNever && row.ended != trace::kNever &&
                     row.enqueued != trace::kNever && executes(trace, row.execute_track);
    if (ran && row.enqueued >= range.begin && row.enqueued < range.end) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, &OpRow::id);
  QueueFinder queues(trace, program);
  program.ops.reserve(rows.size());
  for (const OpRow& row : rows) {
    program.ops.push_back({.id = row.id,
                           .name = row.name,
                           .queue = queues.queue_of(row.execute_track),
                           .duration = bounded(row.ended - row.started),
                           .output_bytes = row.output_bytes});
  }
  return rows;
}

void find_delays(std::span<const OpRow> rows, Program& program) {
  // When the server of each op had ended its op before.
  std::vector<OpIndex> by_server(rows.size());
  for (OpIndex i = 0; i < rows.size(); ++i) by_server[i] = i;
  std::ranges::sort(by_server, {},
                    [&](OpIndex i) { return std::tuple(rows[i].execute_track, rows[i].started, i); });
  std::vector<std::array<std::vector<Duration>, kIdleCount>> samples(program.queues.size());
  for (std::size_t at = 0; at < by_server.size(); ++at) {
    const OpIndex i = by_server[at];
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
    }
    const bool first = at == 0 || rows[by_server[at - 1]].execute_track != row.execute_track;
    const Timestamp free = first ? Timestamp::min() : rows[by_server[at - 1]].ended;
    op.start_idle = first ? Idle::kLong : idle_of(ready - free);
    op.start_delay = bounded(row.started - std::max(ready, free));
    // The first op of a server also waited until the server was ready to work at all.
    if (!first) samples[op.queue][static_cast<std::size_t>(op.start_idle)].push_back(op.start_delay);
  }
  for (std::size_t i = 0; i < program.queues.size(); ++i)
    program.queues[i].start_delays = delays_of(samples[i], program.queues[i].start_delays);
}

OpDependencies read_dependencies(const Trace& trace, const std::unordered_map<OpId, OpIndex>& index,
                                 std::size_t ops) {
  std::vector<std::pair<OpIndex, OpDependencies::On>> all;
  for (std::uint64_t i = 0; i < trace.dependency_count(); ++i) {
    const trace::Dependency row = trace.dependency(i);
    const auto op = index.find(row.op), on = index.find(row.on);
    if (op != index.end() && on != index.end()) all.push_back({op->second, {on->second, row.kind}});
  }
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  OpDependencies out;
  out.first_.assign(ops + 1, 0);
  for (const auto& [op, on] : all) {
    ++out.first_[op + 1];
    out.on_.push_back(on);
  }
  for (std::size_t i = 0; i < ops; ++i) out.first_[i + 1] += out.first_[i];
  return out;
}

}  // namespace runahead::predict
