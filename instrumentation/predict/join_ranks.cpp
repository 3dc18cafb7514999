#include "instrumentation/predict/join_ranks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "instrumentation/causes/rank_report.h"

namespace runahead::predict {
namespace {

// A collective of several ranks.
struct Shared {
  Timestamp last = Timestamp::min();  // arrival
  std::vector<OpIndex> arrivals;      // ops of the joined program
};

class RankJoiner {
 public:
  RankJoiner(const trace::Trace& trace, const std::vector<RankToJoin>& ranks)
      : ranks_(ranks), report_(causes::explain_ranks(trace)), numbers_(ranks.size()) {}

  RunToReplay run() {
    find_range();
    find_shared();
    number_ops();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) add(rank);
    add_notes();
    return std::move(out_);
  }

 private:
  // Of the ops of a rank: which collective they are (kNone: none), and their indices in the joined program.
  struct Numbers {
    std::vector<std::uint32_t> shared;
    std::vector<OpIndex> first;  // the arrival, or the op itself; one more, for the end
    std::vector<OpIndex> op;     // the transfer, or the op itself
  };
  // Where the lists of a rank begin in the joined program.
  struct Bases {
    QueueIndex queue = 0;
    std::uint32_t wait_set = 0, signal = 0;
    Duration begin{};  // of the rank's program
  };

  void find_range();
  void find_shared();
  void take_shared(const causes::SharedCollective& collective);
  void number_ops();
  void add(std::size_t rank);
  void add_queues(std::size_t rank);
  void add_ops(std::size_t rank, const Bases& bases);
  void add_op(const Op& op, const std::vector<OpIndex>& before);
  void add_waits(std::size_t rank);
  void add_frontends(std::size_t rank, const Bases& bases);
  void add_event(std::size_t rank, const Bases& bases, Event event, std::vector<Event>& out) const;
  void add_notes();
  [[nodiscard]] std::string prefix(std::size_t rank) const { return ranks_[rank].rank.short_name() + " "; }

  const std::vector<RankToJoin>& ranks_;
  const causes::RankReport report_;
  std::vector<Numbers> numbers_;  // of each rank
  std::vector<Shared> shared_;
  RunToReplay out_;
};

void RankJoiner::find_range() {
  const RunToReplay& first = ranks_.front().run;
  out_.range = first.range;
  out_.measured = first.measured;
  for (const RankToJoin& rank : ranks_) {
    out_.range.begin = std::min(out_.range.begin, rank.run.range.begin);
    out_.range.end = std::max(out_.range.end, rank.run.range.end);
    out_.measured.blocked = std::max(out_.measured.blocked, rank.run.measured.blocked);
  }
  out_.measured.length = out_.measured.steps_time = out_.range.duration();
  out_.program.settings = first.program.settings;
  out_.program.waits = first.program.waits;
}

// ---- collectives ------------------------------------------------------------------------------------------

void RankJoiner::find_shared() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    numbers_[rank].shared.assign(ranks_[rank].run.program.ops.size(), kNone);
  for (const causes::SharedCollective& collective : report_.collectives) take_shared(collective);
}

// Ops that are not part of the replay arrived in time, unless one of them came last: then nobody waits for
// it, and the collective keeps its time.
void RankJoiner::take_shared(const causes::SharedCollective& collective) {
  Shared shared;
  std::vector<std::pair<std::size_t, OpIndex>> ops;
  bool last_is_known = false;
  for (const causes::Arrival& arrival : collective.arrivals) {
    const causes::Collective& one = report_.ranks[arrival.rank].collectives[arrival.collective];
    const auto found = ranks_[arrival.rank].op_at.find({one.stream, one.begin});
    const bool known = found != ranks_[arrival.rank].op_at.end();
    if (known) ops.emplace_back(arrival.rank, found->second);
    if (one.begin > shared.last) last_is_known = known;
    shared.last = std::max(shared.last, one.begin);
  }
  if (ops.size() < 2 || !last_is_known) return;
  for (const auto& [rank, op] : ops) numbers_[rank].shared[op] = static_cast<std::uint32_t>(shared_.size());
  shared_.push_back(shared);
}

void RankJoiner::number_ops() {
  OpIndex next = 0;
  for (Numbers& numbers : numbers_) {
    for (const std::uint32_t shared : numbers.shared) {
      numbers.first.push_back(next);
      if (shared != kNone) shared_[shared].arrivals.push_back(next++);
      numbers.op.push_back(next++);
    }
    numbers.first.push_back(next);
  }
}

// ---- the joined program -----------------------------------------------------------------------------------

void RankJoiner::add(std::size_t rank) {
  const Program& program = out_.program;
  const Bases bases{.queue = static_cast<QueueIndex>(program.queues.size()),
                    .wait_set = static_cast<std::uint32_t>(program.wait_sets.count()),
                    .signal = program.signals,
                    .begin = ranks_[rank].run.range.begin - out_.range.begin};
  add_queues(rank);
  add_ops(rank, bases);
  add_waits(rank);
  add_frontends(rank, bases);
}

void RankJoiner::add_queues(std::size_t rank) {
  const std::size_t first = out_.program.queues.size();
  for (Queue queue : ranks_[rank].run.program.queues) {
    queue.name = prefix(rank) + queue.name;
    queue.device = prefix(rank) + queue.device;
    out_.program.queues.push_back(std::move(queue));
  }
  for (const auto& [place, op] : ranks_[rank].op_at)
    out_.program.queues[first + ranks_[rank].run.program.ops[op].queue].track = place.first;
}

void RankJoiner::add_op(const Op& op, const std::vector<OpIndex>& before) {
  Program& program = out_.program;
  program.ops.push_back(op);
  program.predecessors.items.insert(program.predecessors.items.end(), before.begin(), before.end());
  program.predecessors.first.push_back(static_cast<std::uint32_t>(program.predecessors.items.size()));
  program.kinds.resize(program.predecessors.items.size(), trace::DependencyKind::kReadAfterWrite);
  program.allocates.first.push_back(0);
  program.uses.first.push_back(0);
}

void RankJoiner::add_ops(std::size_t rank, const Bases& bases) {
  const Program& of = ranks_[rank].run.program;
  const Numbers& numbers = numbers_[rank];
  for (OpIndex index = 0; index < of.ops.size(); ++index) {
    Op op = of.ops[index];
    op.queue += bases.queue;
    std::vector<OpIndex> before;
    for (const OpIndex on : of.predecessors.of(index)) before.push_back(numbers.op[on]);
    if (const std::uint32_t shared = numbers.shared[index]; shared != kNone) {
      const Timestamp end = ranks_[rank].begins[index] + op.duration;
      Op arrival = op;
      arrival.duration = Duration{};
      arrival.is_arrival = true;
      add_op(arrival, before);
      op.enqueue_delay = op.ready_delay = Duration{};
      op.duration = std::min(op.duration, bounded(end - shared_[shared].last));
      before = shared_[shared].arrivals;
    }
    add_op(op, before);
  }
  for (HostCopy copy : of.host_copies) {
    copy.op = numbers.op[copy.op];
    out_.program.host_copies.push_back(copy);
  }
}

void RankJoiner::add_waits(std::size_t rank) {
  const Program& of = ranks_[rank].run.program;
  Program& program = out_.program;
  std::vector<std::uint32_t> places;  // in the joined program
  for (const SyncPlace& place : of.sync_places) {
    const auto same = [&](const SyncPlace& one) {
      return one.call == place.call && one.place == place.place;
    };
    const auto known = std::ranges::find_if(program.sync_places, same);
    places.push_back(static_cast<std::uint32_t>(known - program.sync_places.begin()));
    if (known == program.sync_places.end()) program.sync_places.push_back(place);
  }
  for (std::uint32_t set = 0; set < of.wait_sets.count(); ++set) {
    for (const OpIndex op : of.wait_sets.of(set)) program.wait_sets.items.push_back(numbers_[rank].op[op]);
    program.wait_sets.first.push_back(static_cast<std::uint32_t>(program.wait_sets.items.size()));
    RecordedWait wait = of.recorded_waits[set];
    if (wait.place != kNone) wait.place = places[wait.place];
    program.recorded_waits.push_back(wait);
  }
  program.signals += of.signals;
}

void RankJoiner::add_event(std::size_t rank, const Bases& bases, Event event, std::vector<Event>& out) const {
  const Numbers& numbers = numbers_[rank];
  switch (event.action) {
    case Action::kEnqueue:
      if (const OpIndex first = numbers.first[event.target]; first != numbers.op[event.target]) {
        Event arrival = event;
        arrival.target = first;
        out.push_back(arrival);
        // the op itself is enqueued at the same time; a timeline shows the call there
        event = {.own_cost = event.own_cost,
                 .action = Action::kEnqueue,
                 .target = event.target,
                 .from = event.from,
                 .to = event.to};
      }
      event.target = numbers.op[event.target];
      break;
    case Action::kBarrier:
      if (event.target != kNone) event.target = numbers.op[event.target];
      break;
    case Action::kBeginStep:
    case Action::kEndStep:
      event.target = numbers.first[event.target];
      break;
    case Action::kWaitSet:
      event.target += bases.wait_set;
      break;
    case Action::kSignal:
    case Action::kAwait:
      event.target += bases.signal;
      break;
    case Action::kWaitOp:
    case Action::kWaitAll:
    case Action::kDrop:
    case Action::kJoin:
      break;  // only of our engine
  }
  out.push_back(event);
}

void RankJoiner::add_frontends(std::size_t rank, const Bases& bases) {
  for (const Frontend& of : ranks_[rank].run.program.frontends) {
    Frontend frontend{.name = prefix(rank) + of.name, .events = {}, .track = of.track};
    frontend.rank = static_cast<std::uint32_t>(rank);
    for (const Event& event : of.events) add_event(rank, bases, event, frontend.events);
    frontend.begin = bases.begin;
    out_.program.frontends.push_back(std::move(frontend));
  }
}

void RankJoiner::add_notes() {
  std::size_t ops = 0, joined = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (const causes::Collective& one : report_.ranks[rank].collectives)
      ops += ranks_[rank].op_at.count({one.stream, one.begin});
  }
  for (const Shared& shared : shared_) joined += shared.arrivals.size();
  out_.notes.push_back("the " + std::to_string(ranks_.size()) +
                       " ranks are replayed together, and the steps are those of " +
                       ranks_.front().rank.short_name() + ": in " + std::to_string(shared_.size()) +
                       " collectives, they wait for one another");
  if (joined < ops)
    out_.notes.push_back(std::to_string(ops - joined) + " of " + std::to_string(ops) +
                         " kernels of collectives have no counterpart in another rank, and keep their time");
  for (const RankToJoin& rank : ranks_) {
    for (const std::string& note : rank.run.notes) {
      if (std::ranges::find(out_.notes, note) == out_.notes.end()) out_.notes.push_back(note);
    }
  }
}

}  // namespace

RunToReplay join_ranks(const trace::Trace& trace, const std::vector<RankToJoin>& ranks) {
  return RankJoiner(trace, ranks).run();
}

}  // namespace runahead::predict
