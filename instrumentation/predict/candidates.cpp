#include "instrumentation/predict/candidates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "instrumentation/base/barrier.h"

namespace runahead::predict {
namespace {

constexpr double kLeastGain = 0.001, kLeastSaved = 0.01;
// However large the program is.
constexpr std::size_t kLeastCandidates = 8;
// Half of the simulations are for the rates, the others for the intervals.
constexpr std::uint64_t kShareOfRates = 2;

struct Idea {
  Change change;
  CandidateKind kind{};
};

// A name or a place, and the time that a change of it could save at most.
using TimeOf = std::pair<std::string, Duration>;

// The `most` with the longest times, without those that could not save kLeastGain of the length.
std::vector<TimeOf> longest(const std::map<std::string, Duration>& times, std::size_t most, Duration length) {
  std::vector<TimeOf> out;
  for (const auto& [name, time] : times) {
    if (static_cast<double>(time.count()) >= kLeastGain * static_cast<double>(length.count()))
      out.emplace_back(name, time);
  }
  std::ranges::stable_sort(out, std::greater<>(), &TimeOf::second);
  if (out.size() > most) out.resize(most);
  return out;
}

// Half of the busy time of each name.
std::map<std::string, Duration> halves_by_name(const Replay& replay) {
  std::map<StringId, Duration> times;
  for (const Op& op : replay.run().program.ops) times[op.name] += op.duration / 2;
  std::map<std::string, Duration> out;
  for (const auto& [name, time] : times) {
    const std::string_view words = replay.trace().string(name);
    if (!words.empty()) out[std::string(words)] += time;
  }
  return out;
}

// The time that calls of each synchronisation place took in the replay.
std::map<std::string, Duration> times_by_place(const Program& program) {
  std::map<std::string, Duration> out;
  if (program.sync_places.empty()) return out;
  const Outcome outcome = simulate(program, {.keep_times = true});
  for (std::size_t f = 0; f < program.frontends.size(); ++f) {
    const std::vector<Event>& events = program.frontends[f].events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].action != Action::kWaitSet) continue;
      const SyncPlace& at = program.sync_places[program.recorded_waits[events[i].target].place];
      const EventTimes& times = outcome.timeline.events[f][i];
      out[at.place.empty() ? at.call : at.call + "@" + at.place] += times.end - times.begin;
    }
  }
  return out;
}

bool has_loads(const Program& program) {
  return std::ranges::any_of(program.frontends, [](const Frontend& frontend) {
    return std::ranges::any_of(frontend.events, [](const Event& event) { return event.load > Duration{}; });
  });
}

void add_settings(const Program& program, std::vector<Idea>& out) {
  out.push_back({{"frontend", "0.5"}, CandidateKind::kFasterFrontend});
  if (std::ranges::any_of(program.host_copies, &HostCopy::pageable))
    out.push_back({{"pinned", "1"}, CandidateKind::kPinnedCopies});
  if (has_loads(program)) out.push_back({{"loading", "ahead"}, CandidateKind::kLoadingAhead});
  if (program.settings.of_graph) {
    out.push_back({{"graph", "1"}, CandidateKind::kGraph});
    return;
  }
  if (std::ranges::any_of(program.queues,
                          [](const Queue& queue) { return !queue.workers && computes(queue); }))
    out.push_back({{"streams", "2"}, CandidateKind::kMoreStreams});
  for (const BarrierPolicy& policy :
       {BarrierPolicy{BarrierKind::kNone}, BarrierPolicy{BarrierKind::kWaitToRead},
        BarrierPolicy{BarrierKind::kWaitAll}, BarrierPolicy{BarrierKind::kWindow, 4}}) {
    if (policy != program.settings.barrier)
      out.push_back({{"barrier", to_string(policy)}, CandidateKind::kOtherBarrier});
  }
  const auto cpu = std::ranges::find(program.queues, "cpu", &Queue::name);
  if (cpu != program.queues.end())
    out.push_back({{"workers", std::to_string(cpu->servers + 1)}, CandidateKind::kMoreWorkers});
  if (!program.settings.allocates_at_execution)
    out.push_back({{"alloc", "execute"}, CandidateKind::kLaterAllocation});
  if (!program.settings.oldest_first) out.push_back({{"order", "oldest"}, CandidateKind::kOldestFirst});
}

// The first ones matter most.
std::vector<Idea> ideas_for(const Replay& replay, const RankOptions& options) {
  std::vector<Idea> out;
  const Program& program = replay.run().program;
  add_settings(program, out);
  const Duration length = replay.replayed().length;
  const auto names = longest(halves_by_name(replay), options.most_names, length);
  const auto places = longest(times_by_place(program), options.most_places, length);
  for (std::size_t i = 0; i < std::max(names.size(), places.size()); ++i) {
    if (i < places.size()) out.push_back({{"sync:" + places[i].first, "drop"}, CandidateKind::kDroppedSync});
    if (i < names.size()) out.push_back({{"op:" + names[i].first, "0.5"}, CandidateKind::kFasterOp});
  }
  return out;
}

std::uint64_t size_of(const Program& program) {
  std::uint64_t size = program.ops.size();
  for (const Frontend& frontend : program.frontends) size += frontend.events.size();
  return std::max<std::uint64_t>(size, 1);
}

bool is_worthwhile(const Candidate& candidate) {
  return candidate.gain >= kLeastGain || candidate.peak_change <= -kLeastSaved;
}

// Without gains. A recent part has its interval, others have none.
Candidate rough_figures(const Replay& replay, const Program& program, const Outcome& outcome) {
  const RunFigures figures = run_figures(replay, program, outcome);
  return {.steps_per_s = figures.steps_per_s, .interval = figures.interval, .peak_bytes = figures.peak_bytes};
}

void add_gains(const RunFigures& base, Candidate& out) {
  const auto base_peak = static_cast<double>(base.peak_bytes);
  if (base_peak > 0) out.peak_change = static_cast<double>(out.peak_bytes) / base_peak - 1;
  if (base.steps_per_s <= 0) return;
  out.gain = out.steps_per_s / base.steps_per_s - 1;
  out.gain_low = out.interval.low / base.steps_per_s - 1;
  out.gain_high = out.interval.high / base.steps_per_s - 1;
}

class Ranking {
 public:
  Ranking(const Replay& replay, const RankOptions& options) : replay_(replay), options_(options) {
    left_ = options.most_simulated / size_of(replay.run().program);
    base_ = base_figures(replay);
  }

  std::vector<Candidate> run() {
    std::vector<Idea> ideas = ideas_for(replay_, options_);
    const std::uint64_t most = std::max<std::uint64_t>(left_ / kShareOfRates, kLeastCandidates);
    if (ideas.size() > most) ideas.resize(most);
    std::vector<Candidate> out;
    for (std::size_t i = 0; i < ideas.size(); ++i) {
      if (!go_on(0.5 * static_cast<double>(i) / static_cast<double>(ideas.size()))) return {};
      if (auto candidate = rated(ideas[i]); candidate && is_worthwhile(*candidate))
        out.push_back(std::move(*candidate));
    }
    std::ranges::sort(out, [](const Candidate& a, const Candidate& b) {
      return a.gain != b.gain ? a.gain > b.gain : joined(a.changes) < joined(b.changes);
    });
    return add_intervals(out) ? out : std::vector<Candidate>{};
  }

 private:
  [[nodiscard]] bool go_on(double done) const { return !options_.progress || options_.progress(done); }

  [[nodiscard]] std::optional<Program> changed(const std::vector<Change>& changes) const {
    Program program = replay_.run().program;
    for (const Change& change : changes) {
      if (!apply(change, replay_.trace(), program)) return std::nullopt;
    }
    return program;
  }

  std::optional<Candidate> rated(const Idea& idea) {
    const std::optional<Program> program = changed({idea.change});
    if (!program) return std::nullopt;
    const Outcome outcome = simulate(*program);
    left_ -= std::min<std::uint64_t>(left_, 1);
    if (outcome.stuck || base_.steps_per_s <= 0) return std::nullopt;
    Candidate out = rough_figures(replay_, *program, outcome);
    add_gains(base_, out);
    out.changes = {idea.change};
    out.kind = idea.kind;
    return out;
  }

  // False: cancelled.
  bool add_intervals(std::vector<Candidate>& candidates) {
    if (replay_.is_recent()) return true;  // they have them
    std::optional<Interval> usual;         // of the unchanged run, for a rate of 1
    const double base = base_.steps_per_s;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!go_on(0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(candidates.size()))) return false;
      Candidate& one = candidates[i];
      const std::uint64_t needed = std::max<std::uint64_t>(replay_.group_count(), 1);
      if (left_ >= 2 * needed) {  // as many are kept for the unchanged run
        left_ -= needed;
        if (const auto program = changed(one.changes))
          one.interval = replay_.interval_of(*program, one.steps_per_s);
      } else {
        if (!usual) usual = replay_.interval_of(replay_.run().program, base);
        const double ratio = one.steps_per_s / base;
        one.interval = {usual->low * ratio, usual->high * ratio};
      }
      add_gains(base_, one);
    }
    return true;
  }

  const Replay& replay_;
  const RankOptions& options_;
  RunFigures base_;
  std::uint64_t left_ = 0;  // simulations
};

}  // namespace

std::string_view key_of(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::kFasterOp:
      return "op";
    case CandidateKind::kDroppedSync:
      return "sync";
    case CandidateKind::kPinnedCopies:
      return "pinned";
    case CandidateKind::kFasterFrontend:
      return "frontend";
    case CandidateKind::kMoreWorkers:
      return "workers";
    case CandidateKind::kLaterAllocation:
      return "alloc";
    case CandidateKind::kOldestFirst:
      return "order";
    case CandidateKind::kOtherBarrier:
      return "barrier";
    case CandidateKind::kMoreStreams:
      return "streams";
    case CandidateKind::kGraph:
      return "graph";
    case CandidateKind::kLoadingAhead:
      return "loading";
  }
  return "";
}

std::string joined(const std::vector<Change>& changes) {
  std::string out;
  for (const Change& change : changes) out += (out.empty() ? "" : " ") + to_string(change);
  return out;
}

RunFigures base_figures(const Replay& replay) {
  return run_figures(replay, replay.run().program, replay.unchanged());
}

Candidate figures_of(const Replay& replay, std::vector<Change> changes, const Program& program,
                     const Outcome& outcome) {
  Candidate out = rough_figures(replay, program, outcome);
  out.changes = std::move(changes);
  if (!replay.is_recent()) out.interval = replay.interval_of(program, out.steps_per_s);
  add_gains(base_figures(replay), out);
  return out;
}

std::vector<Candidate> rank_changes(const Replay& replay, const RankOptions& options) {
  return Ranking(replay, options).run();
}

}  // namespace runahead::predict
