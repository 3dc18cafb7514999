// The part of Core for bulks. A bulk is a group of ops that the engine links, schedules and completes as one
// op (bulk_book.h).
#include <algorithm>
#include <utility>

#include "engine/core.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {

namespace {

bool follows(const OpSpec& spec, const OpNode& node) {
  const auto touches = [&](const OpRef& op) { return op.node == &node && op.is_current(); };
  const auto is_last_writer = [&](const Var& var) { return touches(var.get()->writer); };
  return std::ranges::any_of(spec.reads, is_last_writer) ||
         std::ranges::any_of(spec.writes, [&](const Var& var) {
           return is_last_writer(var) || std::ranges::any_of(var.get()->readers(), touches);
         });
}

}  // namespace

Core::Linked Core::link_among_bulks_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                           std::uint64_t begin_ticks, std::vector<Linked>& closed) {
  Bulk& bulk = bulks_.mine();
  close_followed_locked(bulk, spec, closed);
  if (goes_into_locked(bulk, executor, spec, closed))
    return join_bulk_locked(bulk, executor, spec, function, begin_ticks, closed);
  return link_locked(spec, executor, function, begin_ticks);
}

// Closes the open bulk of another frontend if the op depends on it. If that bulk stayed open, a later member
// might depend on the op. Then the op and the bulk would wait for each other.
void Core::close_followed_locked(const Bulk& mine, const OpSpec& spec, std::vector<Linked>& closed) {
  if (!bulks_.any_open()) return;
  bulks_.for_each_open([&](Bulk& bulk) {
    if (&bulk != &mine && follows(spec, *bulk.node)) close_bulk_locked(bulk, closed);
  });
}

// True: the op becomes a member of the caller's bulk. If the op does not fit into the open bulk, closes that
// bulk.
bool Core::goes_into_locked(Bulk& bulk, Executor& executor, const OpSpec& spec, std::vector<Linked>& closed) {
  const bool alone =
      bulk.most_members <= 1 || spec.stream != StreamKind::kCompute || executor.runs_inside_enqueue();
  if (bulk.node != nullptr && (alone || !bulk.takes(executor, spec))) close_bulk_locked(bulk, closed);
  return !alone;
}

Core::Linked Core::join_bulk_locked(Bulk& bulk, Executor& executor, const OpSpec& spec, OpFunction& function,
                                    std::uint64_t begin_ticks, std::vector<Linked>& closed) {
  if (bulk.node == nullptr) {
    OpNode& node = make_node_locked(spec, executor, 0, true);
    node.ready_ticks.store(0, std::memory_order_relaxed);
    static const record::Site kOpenBulk{"bulk", trace::SliceKind::kExecute};
    node.site = &kOpenBulk;
    node.make_extra().cost = {};
    bulks_.opened(bulk, node);
  }
  OpNode& node = *bulk.node;
  const bool recording = begin_ticks != 0;
  const std::uint64_t now = recording ? record::now_ticks() : 0;
  BulkMember& member = node.extra()->members.emplace_back();
  member.function = std::move(function);
  member.site = spec.site;
  member.id = next_id_locked();
  member.cost = spec.cost;
  ++bulk_members_;
  node.extra()->cost.flops += spec.cost.flops;
  node.extra()->cost.memory_bytes += spec.cost.memory_bytes;
  node.output_bytes += spec.output_bytes;
  gate_.enter_more(spec.output_bytes);
  bulk.edges += follow_more_locked(node, spec, {begin_ticks, now});
  const Linked linked{.handle = {node.id, &node}, .executor = &executor};
  if (recording) {
    // `queue` is not set, because the run-ahead counter counts the bulk as one op and does not count members
    record::op_enqueued({.site = spec.site,
                         .op = member.id,
                         .step = node.step != nullptr ? node.step->index : -1,
                         .output_bytes = spec.output_bytes},
                        begin_ticks, now);
  }
  // If a frontend waits, the bulk is closed immediately, because an open bulk would make that wait longer.
  const bool full = node.extra()->members.size() >= static_cast<std::size_t>(bulk.most_members);
  if (full || gate_.anyone_waits()) close_bulk_locked(bulk, closed);
  return linked;
}

void Core::close_bulk_locked(Bulk& bulk, std::vector<Linked>& closed) {
  OpNode& node = *bulk.node;
  Executor& executor = *node.executor;
  node.site = &bulk_site(node.extra()->members.size());
  const std::uint64_t now = record::recording() ? record::now_ticks() : 0;
  if (executor.modelled()) {
    node.raise_ready(executor.device().now_ticks());
  } else if (now != 0) {
    node.raise_ready(now);
  }
  if (now != 0) {
    record::op_enqueued({.site = node.site,
                         .queue = &executor.queue_track(),
                         .op = node.id,
                         .step = node.step != nullptr ? node.step->index : -1,
                         .output_bytes = node.output_bytes},
                        now, record::now_ticks());
  }
  Linked linked{.handle = {node.id, &node}, .executor = &executor};
  const std::int32_t edges = bulk.edges;
  // closed() is called before finish_links(): after that, the bulk may run and its node may be reused
  bulks_.closed(bulk);
  linked.ready = node.finish_links(edges);
  if (linked.ready) linked.fed = queue_locked(executor, node);
  closed.push_back(linked);
}

void Core::close_bulks_locked(std::vector<Linked>& closed) {
  if (!bulks_.any_open()) return;
  bulks_.for_each_open([&](Bulk& bulk) { close_bulk_locked(bulk, closed); });
}

// Called by a frontend that is about to wait, so that no open bulk holds back the ops for which the frontend
// waits. A frontend that adds a member after this call, while another frontend waits at the gate, closes its
// own bulk (join_bulk_locked()).
void Core::close_bulks() {
  if (!bulks_.used()) return;
  std::vector<Linked> closed;
  {
    const std::lock_guard lock(enqueue_lock_);
    close_bulks_locked(closed);
  }
  hand_over(closed);
}

void Core::close_my_bulk() {
  if (!bulks_.used()) return;
  std::vector<Linked> closed;
  {
    const std::lock_guard lock(enqueue_lock_);
    if (Bulk& bulk = bulks_.mine(); bulk.node != nullptr) close_bulk_locked(bulk, closed);
  }
  hand_over(closed);
}

int Core::set_bulk(int most_members) {
  close_my_bulk();
  const std::lock_guard lock(enqueue_lock_);
  return bulks_.set_size(bulks_.mine(), most_members);
}

}  // namespace runahead::engine
