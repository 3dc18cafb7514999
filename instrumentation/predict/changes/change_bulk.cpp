#include "instrumentation/predict/changes/change_bulk.h"

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
#include "instrumentation/predict/changes/change_waits.h"

namespace runahead::predict {
namespace {

class BulkMaker {
 public:
  BulkMaker(Program& program, std::size_t most) : program_(program), most_(most) {}

  // Returns the number of members of the largest bulk.
  std::size_t run(Frontend& frontend) {
    new_of_.assign(program_.ops.size(), kNone);
    part_of_.assign(program_.ops.size(), kNone);
    gather(frontend);
    for (OpIndex op = 0; op < program_.ops.size(); ++op) {
      if (new_of_[op] == kNone) add_bulk({op});
    }
    join_ops();
    for (Frontend& of : program_.frontends) rename_targets(of);
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
  void add_parts(const std::vector<OpIndex>& members, std::vector<Part>& out);
  static void add_list(Lists& out, std::span<const std::uint32_t> items);

  Program& program_;
  const std::size_t most_;
  std::vector<Event> events_;
  std::vector<OpIndex> open_;  // members of the open bulk
  Event last_;                 // the enqueue of its last member
  std::vector<std::vector<OpIndex>> bulks_;
  std::vector<OpIndex> new_of_;         // of each op: its bulk
  std::vector<std::uint32_t> part_of_;  // of each op: its part; kNone: it is alone
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
  Event enqueue{.own_cost = last_.own_cost, .action = Action::kEnqueue, .target = last_.target};
  if (open_.size() == 1) {  // the op stays as it was
    enqueue.ready_at_once = last_.ready_at_once;
    enqueue.after_wait = last_.after_wait;
    enqueue.wake_time = last_.wake_time;
  }
  add_bulk(std::exchange(open_, {}));
  events_.push_back(enqueue);
}

void BulkMaker::gather(Frontend& frontend) {
  for (Event event : frontend.events) {
    const bool is_op = event.action == Action::kEnqueue;
    const bool joins =
        is_op && !event.of_policy && computes(program_.queues[program_.ops[event.target].queue]);
    const bool fits =
        joins && !open_.empty() && program_.ops[event.target].queue == program_.ops[open_.front()].queue;
    if (!fits && closes(event) && !open_.empty()) {
      close();
      // what the frontend did before the event, it did before the bulk was closed
      events_.back().before = std::exchange(event.before, Duration{});
      events_.back().slow_start = std::exchange(event.slow_start, Duration{});
      events_.back().after_sleep = std::exchange(event.after_sleep, false);
    }
    if (is_op && !joins) add_bulk({event.target});
    if (joins) {
      open_.push_back(event.target);
      last_ = event;
      event.own_cost = Duration{};
      event.action = Action::kJoin;
    }
    events_.push_back(event);
    if (open_.size() >= most_) close();
  }
  close();
  frontend.events = std::move(events_);
}

void BulkMaker::rename_targets(Frontend& frontend) const {
  for (Event& event : frontend.events) {
    const bool is_op = event.action == Action::kEnqueue || event.action == Action::kWaitOp ||
                       event.action == Action::kBarrier;
    if (is_op && event.target != kNone) event.target = new_of_[event.target];
    if (event.action == Action::kJoin) event.target = part_of_[event.target];
  }
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
  Program out;
  for (const std::vector<OpIndex>& members : bulks_) {
    Op& op = out.ops.emplace_back(program_.ops[members.front()]);
    out.first_part.push_back(static_cast<std::uint32_t>(out.parts.size()));
    for (const OpIndex member : std::span(members).subspan(1)) {
      op.duration = bounded(op.duration + program_.ops[member].duration);
      op.output_bytes = wrapping_sum(op.output_bytes, program_.ops[member].output_bytes);
    }
    join_predecessors(members, out.predecessors, out.kinds);
    if (members.size() == 1) {
      add_list(out.allocates, program_.allocates.of(members.front()));
      add_list(out.uses, program_.uses.of(members.front()));
    } else {
      add_list(out.allocates, {});
      add_list(out.uses, {});
      add_parts(members, out.parts);
    }
  }
  out.first_part.push_back(static_cast<std::uint32_t>(out.parts.size()));
  program_.ops = std::move(out.ops);
  program_.first_part = std::move(out.first_part);
  program_.parts = std::move(out.parts);
  program_.predecessors = std::move(out.predecessors);
  program_.kinds = std::move(out.kinds);
  program_.allocates = std::move(out.allocates);
  program_.uses = std::move(out.uses);
}

void BulkMaker::add_parts(const std::vector<OpIndex>& members, std::vector<Part>& out) {
  for (const OpIndex member : members) {
    part_of_[member] = static_cast<std::uint32_t>(out.size());
    const auto allocates = program_.allocates.of(member), uses = program_.uses.of(member);
    out.push_back({.duration = program_.ops[member].duration,
                   .allocates = {allocates.begin(), allocates.end()},
                   .uses = {uses.begin(), uses.end()}});
  }
}

void BulkMaker::add_list(Lists& out, std::span<const std::uint32_t> items) {
  out.items.insert(out.items.end(), items.begin(), items.end());
  out.first.push_back(static_cast<std::uint32_t>(out.items.size()));
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
