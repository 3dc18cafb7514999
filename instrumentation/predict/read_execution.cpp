#include "instrumentation/predict/read_execution.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/base/format.h"
#include "instrumentation/base/median.h"
#include "instrumentation/causes/collectives.h"
#include "instrumentation/causes/execution.h"
#include "instrumentation/causes/steps.h"
#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/predict/host_reader.h"
#include "instrumentation/predict/join_ranks.h"
#include "instrumentation/predict/op_reader.h"
#include "instrumentation/predict/work_reader.h"
#include "instrumentation/trace/ranks.h"

namespace runahead::predict {
namespace {

// Of a run without an example: from the end of the awaited work to the return of the call, and a call that
// has nothing to wait for.
constexpr Duration kUsualWakeUp = std::chrono::microseconds(5);
constexpr Duration kUsualCall = std::chrono::microseconds(2);

ReplayedPart part_of(const causes::Execution& execution, const causes::Steps& steps) {
  const TimeRange range = causes::explained_range(execution, steps);
  const Timestamp host_end = steps.count() > 0 ? steps.ranges.back().end : range.end + Duration(1);
  return {range, host_end};
}

// The most steps begun and not finished. A step has finished when all that was launched in it has ended.
std::int64_t most_steps(const causes::Steps& steps, const ReadWorks& works, const Program& program) {
  std::vector<Timestamp> ends;
  for (const TimeRange& range : steps.ranges) ends.push_back(range.end);
  for (OpIndex op = 0; op < program.ops.size(); ++op) {
    const auto step = steps.step_at(works.order[op]);
    if (step) ends[*step] = std::max(ends[*step], works.begins[op] + program.ops[op].duration);
  }
  std::priority_queue<Timestamp, std::vector<Timestamp>, std::greater<>> open;
  std::size_t most = 1;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    while (!open.empty() && open.top() <= steps.ranges[i].begin) open.pop();
    open.push(ends[i]);
    most = std::max(most, open.size());
  }
  return static_cast<std::int64_t>(most);
}

std::vector<std::string> notes_of(const causes::Steps& steps, const ReadWorks& works, const ReadHost& host) {
  std::vector<std::string> out;
  if (steps.count() == 0) out.emplace_back("the trace names no steps: the whole run counts as one");
  if (works.unknown_launches > 0)
    out.push_back("the trace does not say when " + std::to_string(works.unknown_launches) + " of " +
                  std::to_string(works.works.size()) +
                  " kernels and copies were launched: the replay launches them when they began");
  if (host.unknown_wait > Duration{})
    out.push_back("calls waited " + format_duration(host.unknown_wait) +
                  ", and the trace does not say for what: the replay takes this for the threads' own time");
  if (works.contradictions > 0)
    out.push_back(std::to_string(works.contradictions) +
                  " dependencies contradict the order of launches, and are left out");
  return out;
}

void add_note_of_collectives(const std::vector<causes::Collective>& all, std::vector<std::string>& notes) {
  const auto waits = [](const causes::Collective& one) { return causes::waits_for_all(one.kind); };
  const std::ptrdiff_t count = std::ranges::count_if(all, waits);
  if (count == 0) return;
  notes.push_back("the trace has one rank of a distributed run: its " + std::to_string(count) +
                  " collectives keep their time, also where they waited for other ranks; for a prediction of "
                  "all ranks, join their traces (runahead merge)");
}

// Calls of a GPU's runtime spin by default, so a long wait wakes up as fast as a short one. A kind of wait
// that the run does not have takes the median of its other waits.
WaitCosts wait_costs(const ReadHost& host) {
  std::vector<Duration> waits;
  for (const Idle kind : {Idle::kShort, Idle::kNap, Idle::kLong}) {
    const std::vector<Duration>& samples = host.wake_ups[static_cast<std::size_t>(kind)];
    waits.insert(waits.end(), samples.begin(), samples.end());
  }
  const Duration usual = waits.empty() ? kUsualWakeUp : median(waits);
  return {.wake_up = delays_of(host.wake_ups, {{std::min(usual, kUsualCall), usual, usual, usual}}),
          .read_back = kUsualReadBack};
}

Settings settings_of_graph() {
  Settings settings;
  settings.limit_ops = settings.limit_bytes = 0;
  settings.of_graph = true;
  return settings;
}

// What is read of one rank.
struct ReadRank {
  RunToReplay run;
  ReadWorks works;
  std::vector<std::pair<TrackId, Timestamp>> places;  // of each op: its stream, and its begin in the trace
};

// `group`: the tracks of the rank; kNoTrack: the trace has one rank.
Result<ReadRank> read_rank(const trace::Trace& trace, TrackId group) {
  const causes::Execution execution(trace, group);
  if (execution.works().empty()) return Error{"the trace has no work of a device, and no ops of an engine"};
  const causes::Steps steps = causes::find_steps(execution);
  const ReplayedPart part = part_of(execution, steps);
  const std::vector<causes::Synchronisation> all = causes::find_synchronisations(execution);
  ReadRank out;
  Program& program = out.run.program;
  program.settings = settings_of_graph();
  HostReader host(execution, steps, part, all);
  EnqueueTimes enqueue_times = host.enqueue_times();
  out.works = read_works(execution, part, enqueue_times, program);
  const ReadWorks& works = out.works;
  if (works.works.empty()) return Error{"no work of a device was launched in the steps of the trace"};
  const ReadHost read = host.read(works, enqueue_times, program);
  program.waits = wait_costs(read);
  TimeRange range{part.range.begin, read.end};
  for (OpIndex op = 0; op < works.works.size(); ++op) {
    range.end = std::max(range.end, works.begins[op] + program.ops[op].duration);
    const causes::Work& work = execution.works()[works.works[op]];
    out.places.emplace_back(execution.streams()[work.stream].track, work.begin);
  }
  out.run.range = range;
  out.run.measured = {.length = range.duration(),
                      .steps_time = range.duration(),
                      .steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(steps.count())),
                      .blocked = read.blocked,
                      .max_steps = most_steps(steps, works, program)};
  out.run.notes = notes_of(steps, works, read);
  if (group == kNoTrack) add_note_of_collectives(causes::find_collectives(execution, steps), out.run.notes);
  return out;
}

Result<RunToReplay> read_ranks(const trace::Trace& trace, const std::vector<trace::Rank>& ranks) {
  std::vector<RankToJoin> all;
  for (const trace::Rank& rank : ranks) {
    const std::string name = rank.short_name();
    if (!rank.is_placed())
      return Error{"how the clock of " + name +
                   " relates to the others is not known: give the trace of one process"};
    Result<ReadRank> read = read_rank(trace, rank.group);
    if (!read) return Error{name + " cannot be replayed: " + read.error().message};
    RankToJoin& one = all.emplace_back(
        RankToJoin{.rank = rank, .run = std::move(read->run), .begins = std::move(read->works.begins)});
    for (OpIndex op = 0; op < one.begins.size(); ++op) one.op_at.emplace(read->places[op], op);
  }
  return join_ranks(trace, all);
}

}  // namespace

Result<RunToReplay> read_execution(const trace::Trace& trace) {
  if (const auto ranks = trace::ranks_of(trace); !ranks.empty()) return read_ranks(trace, ranks);
  Result<ReadRank> read = read_rank(trace, kNoTrack);
  if (!read) return read.error();
  return std::move(read->run);
}

}  // namespace runahead::predict
