#include "instrumentation/predict/change_bulk.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/base/parse_number.h"
#include "instrumentation/base/wrapping.h"
#include "instrumentation/predict/change_waits.h"

namespace runahead::predict {
namespace {

class BulkMaker {
 public:
  BulkMaker(Program& program, std::size_t most) : program_(program), most_(most) {}

  // Returns the number of members of the largest bulk.
  std::size_t run(Frontend& frontend) {
    new_of_.assign(program_.ops.size(), kNone);
    gather(frontend);
    for (OpIndex op = 0; op < program_.ops.size(); ++op) {
      if (new_of_[op] == kNone) add_bulk({op});
    }
    for (Frontend& of : program_.frontends) rename_targets(of);
    join_ops();
    return std::ranges::max(bulks_, {}, &std::vector<OpIndex>::size).size();
  }

 private:
  void gather(Frontend& frontend);
  [[nodiscard]] bool closes(const Event& event) const;
  void close();
  OpIndex add_bulk(std::vector<OpIndex> members);
  void rename_targets(Frontend& frontend) const;
  void join_ops();
  void join_predecessors(const std::vector<OpIndex>& members, Lists& out,
                         std::vector<trace::DependencyKind>& kinds) const;
  static void join(const std::vector<OpIndex>& members, const Lists& lists, Lists& out);

  Program& program_;
  const std::size_t most_;
  std::vector<Event> events_;
  std::vector<OpIndex> open_;  // members of the open bulk
  Duration own_{}, cost_{};    // of the frontend, for the open bulk
  std::vector<std::vector<OpIndex>> bulks_;
  std::vector<OpIndex> new_of_;  // of each op: its bulk
};

bool BulkMaker::closes(const Event& event) const {
  if (event.action == Action::kDrop) return false;
  if (event.action == Action::kBarrier && !waits_at_points(program_.settings.barrier.kind)) return false;
  return event.action == Action::kEnqueue || !is_left_out(event, program_.settings);
}

OpIndex BulkMaker::add_bulk(std::vector<OpIndex> members) {
  const auto bulk = static_cast<OpIndex>(bulks_.size());
  for (const OpIndex member : members) new_of_[member] = bulk;
  bulks_.push_back(std::move(members));
  return bulk;
}

void BulkMaker::close() {
  if (open_.empty()) return;
  const OpIndex last = open_.back();
  add_bulk(std::exchange(open_, {}));
  events_.push_back({.before = std::exchange(own_, Duration{}),
                     .own_cost = std::exchange(cost_, Duration{}),
                     .action = Action::kEnqueue,
                     .target = last});
}

void BulkMaker::gather(Frontend& frontend) {
  for (Event event : frontend.events) {
    const bool is_op = event.action == Action::kEnqueue;
    const bool joins =
        is_op && !event.of_policy && computes(program_.queues[program_.ops[event.target].queue]);
    const bool fits =
        joins && !open_.empty() && program_.ops[event.target].queue == program_.ops[open_.front()].queue;
    if (!fits && closes(event)) close();
    event.before = bounded(event.before + std::exchange(own_, Duration{}));
    if (joins) {
      open_.push_back(event.target);
      own_ = event.before;
      cost_ = event.own_cost;
      if (open_.size() >= most_) close();
      continue;
    }
    if (is_op) add_bulk({event.target});
    events_.push_back(event);
  }
  close();
  frontend.events = std::move(events_);
}

void BulkMaker::rename_targets(Frontend& frontend) const {
  for (Event& event : frontend.events) {
    const bool is_op = event.action == Action::kEnqueue || event.action == Action::kWaitOp ||
                       event.action == Action::kBarrier;
    if (is_op && event.target != kNone) event.target = new_of_[event.target];
  }
}

void BulkMaker::join(const std::vector<OpIndex>& members, const Lists& lists, Lists& out) {
  std::vector<std::uint32_t> all;
  for (const OpIndex member : members) {
    const auto items = lists.of(member);
    all.insert(all.end(), items.begin(), items.end());
  }
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  out.items.insert(out.items.end(), all.begin(), repeated.begin());
  out.first.push_back(static_cast<std::uint32_t>(out.items.size()));
}

void BulkMaker::join_predecessors(const std::vector<OpIndex>& members, Lists& out,
                                  std::vector<trace::DependencyKind>& kinds) const {
  const Lists& before = program_.predecessors;
  std::map<OpIndex, trace::DependencyKind> all;
  for (const OpIndex member : members) {
    for (std::uint32_t i = before.first[member]; i < before.first[member + 1]; ++i) {
      const OpIndex on = new_of_[before.items[i]];
      if (on == new_of_[member]) continue;
      const auto found = all.try_emplace(on, program_.kinds[i]).first;
      found->second = std::min(found->second, program_.kinds[i]);
    }
  }
  for (const auto& [on, kind] : all) {
    out.items.push_back(on);
    kinds.push_back(kind);
  }
  out.first.push_back(static_cast<std::uint32_t>(out.items.size()));
}

void BulkMaker::join_ops() {
  std::vector<Op> ops;
  Lists predecessors, allocates, uses;
  std::vector<trace::DependencyKind> kinds;
  for (const std::vector<OpIndex>& members : bulks_) {
    Op& op = ops.emplace_back(program_.ops[members.front()]);
    for (const OpIndex member : std::span(members).subspan(1)) {
      op.duration = bounded(op.duration + program_.ops[member].duration);
      op.output_bytes = wrapping_sum(op.output_bytes, program_.ops[member].output_bytes);
    }
    join_predecessors(members, predecessors, kinds);
    join(members, program_.allocates, allocates);
    join(members, program_.uses, uses);
  }
  program_.ops = std::move(ops);
  program_.predecessors = std::move(predecessors);
  program_.kinds = std::move(kinds);
  program_.allocates = std::move(allocates);
  program_.uses = std::move(uses);
}

bool enqueues(const Frontend& frontend) {
  return std::ranges::find(frontend.events, Action::kEnqueue, &Event::action) != frontend.events.end();
}

}  // namespace

Status make_bulks(const Change& change, const trace::Trace& trace, Program& program) {
  const auto most = parse_positive_bytes(change.value);
  if (!most || *most < 2) return wrong_change(change, "the value must be a number above 1");
  if (std::ranges::count_if(program.frontends, enqueues) > 1)
    return wrong_change(change,
                        "several threads enqueue ops, and a wait of one closes the bulks of the others");
  if (std::ranges::any_of(program.ops,
                          [&](const Op& op) { return trace.string(op.name).starts_with("bulk of "); }))
    return wrong_change(change, "the run had bulks: record it without them");
  if (std::ranges::any_of(program.ops, [&](const Op& op) {
        const Queue& queue = program.queues[op.queue];
        return queue.simulated && computes(queue);
      }))
    return wrong_change(
        change,
        "a simulated device runs a bulk as one kernel, and the recording does not say how long "
        "this kernel takes");
  const auto frontend = std::ranges::find_if(program.frontends, enqueues);
  if (frontend == program.frontends.end() ||
      BulkMaker(program, static_cast<std::size_t>(*most)).run(*frontend) < 2)
    return wrong_change(change, "no two ops of the run would be in one bulk");
  return Ok{};
}

}  // namespace runahead::predict
