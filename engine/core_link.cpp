// The enqueuing side of the dependency protocol (op_node.h): the part of Core that touches Vars.
#include <algorithm>
#include <utility>

#include "engine/core.h"
#include "engine/host_executor.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

std::string op_text(const OpSpec& spec) { return "op '" + std::string(spec.site->name) + "'"; }

std::string var_text(std::span<const Var> vars, std::string_view list, std::size_t index) {
  std::string text = std::string(list) + "[" + std::to_string(index) + "]";
  if (vars[index] && !vars[index].get()->name().empty()) {
    text += " ('" + std::string(vars[index].get()->name()) + "')";
  }
  return text;
}

// Notes: collects the predecessors of a node for the recording of the node's enqueue. The enqueue event has
// room for the first predecessor. The other predecessors are recorded in further events
// (record::op_depends()).
struct Notes {
  explicit Notes(EnqueueTicks at) : ticks(at) { earlier[0] = {}; }
  const EnqueueTicks ticks;
  std::size_t count = 0;
  record::OpDependency earlier[1 + record::kDependenciesPerEvent];
};
struct NoNotes {
  explicit NoNotes(EnqueueTicks) {}
};

// Linker: makes the edges of one node. If a predecessor is already done and has failed, the Linker marks the
// node as poisoned: the failure passes to the node, which will be skipped. If a predecessor that is not done
// fails later, the failure reaches the node along the edge. The Linker does not push an edge immediately: it
// pushes the edge when it finds the next edge or when it finishes. Therefore an op with one predecessor, the
// usual case, needs no guard (the extra count in `pending`) while it is linked.
//
// Without recording, the compiler keeps the Linker in registers. A pointer to the Linker would force it into
// memory. Therefore only inlined functions may get such a pointer.
template <bool kRecording>
class Linker {
 public:
  Linker(OpNode& node, OpNodePool& node_pool, FailureBook& failures, EnqueueTicks ticks = {})
      : node_(node), node_pool_(node_pool), failures_(failures), notes_(ticks) {}

  void follow_reader(const OpRef& reader) {
    note(reader, trace::DependencyKind::kWriteAfterRead);
    if (reader.in_flight()) hold({reader, EdgeKind::kOrder});
  }
  void follow_writer(VarState& var, EdgeKind kind) {
    const OpRef& writer = var.writer;
    note(writer, kind == EdgeKind::kRead ? trace::DependencyKind::kReadAfterWrite
                                         : trace::DependencyKind::kWriteAfterWrite);
    if (writer.node == nullptr) return;
    if (writer.is_current()) return hold({writer, kind, &var});
    follow_returned(node_, failures_, var, kind);
  }
  // Records the enqueue. Called before the node can start, so that in the recording no op starts before its
  // enqueue.
  void record_enqueue() requires kRecording {
    tell_noted();
    record::op_enqueued({.site = node_.site,
                         .queue = &node_.executor->queue_track(),
                         .op = node_.id,
                         .step = node_.step != nullptr ? node_.step->index : -1,
                         .output_bytes = node_.output_bytes,
                         .follows = notes_.earlier[0]},
                        notes_.ticks.begin, notes_.ticks.end);
  }
  // Records the predecessors that one more member adds to a bulk. The enqueue of the bulk itself is recorded
  // when the bulk is closed.
  void record_member() requires kRecording {
    tell_noted();
    if (notes_.earlier[0].number != 0) record::op_depends(node_.id, notes_.earlier[0], {}, notes_.ticks.end);
  }
  // Ends the linking. True: the node has no unfinished predecessor. False: the node may have run before this
  // function returns.
  [[nodiscard]] bool finish() {
    if (pushed_ == 0 && held_.to.node != nullptr) {
      // relaxed, because the release in the push makes this store visible to the completing thread
      node_.pending.store(1, std::memory_order_relaxed);
      push_held();
      if (pushed_ != 0) return false;
    } else {
      push_held();
    }
    return node_.finish_links(pushed_);
  }
  // Ends the linking of one member; later members may add more edges to the node. Returns the number of edges
  // that this Linker added.
  [[nodiscard]] std::int32_t pause() {
    push_held();
    return pushed_;
  }

 private:
  struct Held {
    OpRef to;
    EdgeKind kind{};
    VarState* var = nullptr;  // the Var that op `to` writes; null: `to` is a reader
  };
  void hold(const Held& found) {
    push_held();
    held_ = found;
  }
  void push_held() {
    if (held_.to.node != nullptr && !push(*held_.to.node, held_.kind)) follow_done(node_, failures_, held_);
  }
  // Called if the last writer of the Var is done and its node is back in the pool. If the write failed, the
  // failure is passed on to `node`.
  [[gnu::noinline]] static void follow_returned(OpNode& node, FailureBook& failures, VarState& var,
                                                EdgeKind kind) {
    if (const FailurePtr failure = var.failure_of(var.writer.number)) {
      carry(node, failures, failure, kind);
    } else {
      var.writer.node = nullptr;  // the writer succeeded: drop the reference
    }
  }
  // Called if a predecessor ended before the edge could be pushed. If the predecessor failed, its failure is
  // passed on to `node`.
  [[gnu::noinline]] static void follow_done(OpNode& node, FailureBook& failures, Held held) {
    OpNode* const to = held.to.node;
    if (held.var == nullptr) return;
    const FailurePtr& failure = to->done() ? to->final_failure() : to->failure();
    carry(node, failures, failure, held.kind);
    // With lookahead (op_node.h), an op closes its near_successors before it is done(). At that time the op's
    // values are ready, but its modelled end is later.
    if (failure || !to->done()) return;
    if (held.var->writer.node == to && held.var->writer.number == held.to.number)
      held.var->writer.node = nullptr;  // the writer succeeded: drop the reference
  }
  // Stores a predecessor for the recording, even if the predecessor has ended.
  void note(const OpRef& earlier, trace::DependencyKind kind) {
    if constexpr (kRecording) {
      if (earlier.number != 0) note_earlier(earlier, kind);
    }
  }
  void note_earlier(const OpRef& earlier, trace::DependencyKind kind) requires kRecording {
    if (earlier.number == node_.number()) return;  // a bulk's members run in order and need no edges
    if (notes_.count > record::kDependenciesPerEvent) tell_noted();
    notes_.earlier[notes_.count++] = {earlier.number, kind};
  }
  void tell_noted() requires kRecording {
    if (notes_.count > 1) {
      record::op_depends(node_.id, notes_.earlier[1],
                         notes_.count > 2 ? notes_.earlier[2] : record::OpDependency{}, notes_.ticks.end);
    }
    notes_.count = 1;
  }
  [[nodiscard]] bool push(OpNode& predecessor, EdgeKind kind) {
    if (&predecessor == &node_) return true;  // a bulk's members run in order and need no edges
    if (node_.executor->looks_ahead() && predecessor.executor == node_.executor) {
      const bool pushed = push_near(node_, node_pool_, predecessor, kind);
      if (pushed) ++pushed_;
      return pushed;
    }
    if (predecessor.successors.push(Edge(node_, kind), node_pool_)) {
      ++pushed_;
      return true;
    }
    // The predecessor ended after this enqueue began, so the op became ready only about now. This does not
    // apply to a modelled device: such a device has its own clock, and record::now_ticks() is not a time of
    // that clock.
    if (kRecording && !node_.executor->modelled()) node_.raise_ready(record::now_ticks());
    return false;
  }
  [[gnu::noinline]] static bool push_near(OpNode& node, OpNodePool& node_pool, OpNode& predecessor,
                                          EdgeKind kind) {
    if (predecessor.extra()->near_successors.push(Edge(node, kind), node_pool)) return true;
    node.raise_ready(predecessor.extra()->end_ticks);
    node.extra()->follow(predecessor.traits.stream, predecessor.extra()->number_on_stream);
    return false;
  }
  static void carry(OpNode& node, FailureBook& failures, const FailurePtr& failure, EdgeKind kind) {
    if (!failure) return;
    const auto poison = [&]() -> Poison& { return node.make_extra().poison; };
    if (failures.carry(failure, node.number(), kind == EdgeKind::kWrite, poison)) {
      node.poisoned.store(true, std::memory_order_relaxed);
    }
  }

  OpNode& node_;
  OpNodePool& node_pool_;
  FailureBook& failures_;
  std::int32_t pushed_ = 0;  // number of edges pushed so far; they lead to node_
  Held held_;
  [[no_unique_address]] std::conditional_t<kRecording, Notes, NoNotes> notes_;
};

// Call this before the first edge is pushed. The list of written Vars may be in the node's OpExtra, and an
// OpExtra must be made before the first edge (make_node_locked()).
void begin_writes(OpNode& node, std::span<const Var> writes) {
  for (const Var& write : writes) {
    write.get()->begin_write();
    node.more.add_write(*write.get());
  }
}

// Makes the node a successor of the ops that last used the spec's Vars. Then the Vars refer to the node as
// their last user.
template <bool kRecording>
void follow_all(Linker<kRecording>& linker, OpNode& node, const OpSpec& spec) {
  const OpRef self{&node, node.number()};
  begin_writes(node, spec.writes);
  for (const Var& read : spec.reads) {
    VarState& var = *read.get();
    linker.follow_writer(var, EdgeKind::kRead);
    var.add_reader(self);
  }
  for (const Var& write : spec.writes) {
    VarState& var = *write.get();
    for (const OpRef& reader : var.readers()) linker.follow_reader(reader);
    linker.follow_writer(var, EdgeKind::kWrite);
    var.clear_readers();
    var.writer = self;
  }
}

// Returns true if the node has no unfinished predecessor. The function is not inlined, because it would
// occupy registers that its callers need.
[[gnu::noinline, gnu::flatten]] bool follow_others(OpNode& node, const OpSpec& spec, OpNodePool& node_pool,
                                                   FailureBook& failures) {
  Linker<false> linker(node, node_pool, failures);
  follow_all(linker, node, spec);
  return linker.finish();
}

// True: a new op with these Vars would have no predecessor.
bool follows_none(const OpSpec& spec) {
  for (const Var& read : spec.reads) {
    if (read.get()->writer.node != nullptr) return false;
  }
  for (const Var& write : spec.writes) {
    const VarState& var = *write.get();
    if (var.writer.node != nullptr || !var.readers().empty()) return false;
  }
  return true;
}

// Does the work of follow_all() for a spec without predecessors (follows_none() is true).
void follow_none(OpNode& node, const OpSpec& spec) {
  const OpRef self{&node, node.number()};
  begin_writes(node, spec.writes);
  for (const Var& read : spec.reads) read.get()->add_reader(self);
  for (const Var& write : spec.writes) write.get()->writer = self;
}

}  // namespace

Executor* Core::executor_of_locked(const Device* device, StreamKind stream) {
  if (device != route_.device) find_route_locked(device);
  return stream == StreamKind::kCompute ? route_.compute : route_.others;
}

[[gnu::noinline]] void Core::find_route_locked(const Device* device) {
  route_ = {.device = device};
  for (const auto& executor : executors_) {
    if (&executor->device() != device) continue;
    if (route_.compute == nullptr) route_.compute = executor.get();
    route_.others = executor.get();  // the executor for copies, if any, comes after the one for compute
  }
}

Executor::Fed Core::queue_locked(Executor& executor, OpNode& node) {
  return executor.is_fed() ? static_cast<HostExecutor&>(executor).feed(node) : Executor::Fed::kNo;
}

Executor* Core::accept_locked(const OpSpec& spec) {
  if (stopping_ || !vars_fit_locked(spec)) return nullptr;
  return executor_of_locked(spec.device, spec.stream);
}

[[gnu::noinline, gnu::cold]] Error Core::refusal_locked(const OpSpec& spec) {
  if (stopping_) return Error{op_text(spec) + ": the engine has been stopped"};
  if (const std::string what = what_does_not_fit_locked(spec); !what.empty()) return Error{what};
  return Error{op_text(spec) + ": device " + spec.device->name() +
               " is not one of this engine's; open it by the engine's device()"};
}

Core::Linked Core::link_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                               std::uint64_t begin_ticks) {
  return begin_ticks == 0 ? link_one_locked<false>(spec, executor, function, 0)
                          : link_recorded_locked(spec, executor, function, begin_ticks);
}

[[gnu::noinline, gnu::flatten]] Core::Linked Core::link_recorded_locked(const OpSpec& spec,
                                                                        Executor& executor,
                                                                        OpFunction& function,
                                                                        std::uint64_t begin_ticks) {
  return link_one_locked<true>(spec, executor, function, begin_ticks);
}

template <bool kRecording>
Core::Linked Core::link_one_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                   std::uint64_t begin_ticks) {
  OpNode& node = make_node_locked(spec, executor, spec.output_bytes, false);
  node.function.overwrite(std::move(function));
  const std::uint64_t now = kRecording ? record::now_ticks() : 0;
  node.ready_ticks.store(executor.modelled() ? spec.device->now_ticks() : now, std::memory_order_relaxed);
  Linked linked{.handle = {node.id, &node}, .executor = &executor};
  if constexpr (kRecording) {
    Linker<true> linker(node, node_pool_, failures_, {begin_ticks, now});
    follow_all(linker, node, spec);
    linker.record_enqueue();
    linked.ready = linker.finish();
  } else if (follows_none(spec)) {
    follow_none(node, spec);
    linked.ready = node.finish_links(0);
  } else {
    linked.ready = follow_others(node, spec, node_pool_, failures_);
  }
  if (linked.ready) linked.fed = queue_locked(executor, node);
  return linked;
}

bool Core::vars_fit_locked(const OpSpec& spec) {
  const std::uint64_t stamp = ++stamps_;
  const auto fits = [&](const Var& var) {
    VarState* const state = var.get();
    return state != nullptr && &state->home == &vars_ && std::exchange(state->stamp, stamp) != stamp;
  };
  for (const Var& var : spec.reads) {
    if (!fits(var)) return false;
  }
  for (const Var& var : spec.writes) {
    if (!fits(var)) return false;
  }
  return true;
}

std::string Core::what_does_not_fit_locked(const OpSpec& spec) {
  const std::uint64_t stamp = ++stamps_;
  const auto look = [&](std::span<const Var> vars, std::string_view list) -> std::string {
    for (std::size_t i = 0; i < vars.size(); ++i) {
      VarState* const var = vars[i].get();
      const auto says = [&](const char* what) {
        return op_text(spec) + ": " + var_text(vars, list, i) + what;
      };
      if (var == nullptr) return says(" is an empty Var");
      if (&var->home != &vars_) return says(" is another engine's Var");
      if (std::exchange(var->stamp, stamp) == stamp) {
        return says(" is listed twice; list a Var once, in writes if it is changed");
      }
    }
    return {};
  };
  const std::string in_reads = look(spec.reads, "reads");
  return !in_reads.empty() ? in_reads : look(spec.writes, "writes");
}

OpId Core::next_id_locked() {
  const std::uint64_t number = last_number_.load(std::memory_order_relaxed) + 1;
  last_number_.store(number, std::memory_order_relaxed);
  return id_of(number);
}

OpNode& Core::make_node_locked(const OpSpec& spec, Executor& executor, std::int64_t output_bytes, bool bulk) {
  OpNode& node = node_pool_.take();
  node.id = next_id_locked();
  node.site = spec.site;
  node.executor = &executor;
  node.step = steps_.join_open();
  node.output_bytes = output_bytes;
  // The OpExtra is made here, before the first edge is pushed. Once an edge is pushed, a completing thread
  // may also make the OpExtra. Therefore it is then made only under the lock of failures_.
  if (executor.modelled() || spec.writes.size() > 1 || spec.priority != 0) {
    OpExtra& extra = node.make_extra();
    extra.cost = spec.cost;
    extra.size_bytes = spec.size_bytes;
    extra.priority = spec.priority;
  }
  // Traits are bit fields of one byte; assigning all of them at once writes the byte once
  OpNode::Traits traits;
  traits.stream = spec.stream;
  traits.second_round = gate_.enter(output_bytes) != 0;
  traits.bulk = bulk;
  node.traits = traits;
  return node;
}

std::int32_t Core::follow_more_locked(OpNode& node, const OpSpec& spec, EnqueueTicks ticks) {
  if (ticks.begin == 0) {
    Linker<false> linker(node, node_pool_, failures_);
    follow_all(linker, node, spec);
    return linker.pause();
  }
  Linker<true> linker(node, node_pool_, failures_, ticks);
  follow_all(linker, node, spec);
  linker.record_member();
  return linker.pause();
}

// ---- enqueue ---------------------------------------------------------------------------------------------

[[gnu::noinline]] void Core::spend_frontend_cost(std::int64_t cost) {
  const std::uint64_t begin = record::now_ticks();
  while (record::now_ticks() - begin < static_cast<std::uint64_t>(cost)) spin_pause();
}

[[gnu::noinline]] void Core::wait_for_room_locked(std::int64_t bytes) {
  struct Unlocked {  // releases the lock until the end of the scope, also if the scope ends by an exception
    explicit Unlocked(EnqueueLock& of) : lock(of) { lock.unlock(); }
    ~Unlocked() { lock.lock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    EnqueueLock& lock;
  };
  do {
    const Unlocked unlocked(enqueue_lock_);
    hold_back(bytes);
  } while (!gate_.admits(bytes));
}

Executor* Core::admit_locked(const OpSpec& spec, std::uint64_t& begin_ticks) {
  if (!gate_.admits(spec.output_bytes)) [[unlikely]] {
    wait_for_room_locked(spec.output_bytes);
    if (begin_ticks != 0) begin_ticks = record::now_ticks();
  }
  return accept_locked(spec);
}

// Flattened (all calls are inlined), because the number of instructions decides the time of an enqueue.
// Without this, a third of the instructions were function calls.
[[gnu::flatten]] Result<OpHandle> Core::enqueue(const OpSpec& spec, OpFunction function) {
  RUNAHEAD_CHECK(spec.site != nullptr && spec.device != nullptr);
  if (running_op().engine == this) return refusal_inside_op("enqueuing an op");
  std::uint64_t begin = record::recording() ? record::now_ticks() : 0;
  if (const std::int64_t cost = frontend_cost_ticks_.load(std::memory_order_relaxed); cost > 0) [[unlikely]]
    spend_frontend_cost(cost);

  Linked linked;
  if (!bulks_.used()) [[likely]] {
    const std::lock_guard lock(enqueue_lock_);
    Executor* const executor = admit_locked(spec, begin);
    if (executor == nullptr) [[unlikely]]
      return refusal_locked(spec);
    // checked again under the lock, because a frontend may have started to use bulks since the first check
    if (!bulks_.used()) [[likely]]
      linked = link_locked(spec, *executor, function, begin);
  }
  if (linked.executor == nullptr) [[unlikely]]
    return enqueue_among_bulks(spec, function, begin);
  hand_over(linked);
  return linked.handle;
}

[[gnu::noinline]] Result<OpHandle> Core::enqueue_among_bulks(const OpSpec& spec, OpFunction& function,
                                                             std::uint64_t begin_ticks) {
  std::vector<Linked> closed;
  Linked linked;
  {
    const std::lock_guard lock(enqueue_lock_);
    Executor* const executor = admit_locked(spec, begin_ticks);
    if (executor == nullptr) return refusal_locked(spec);
    linked = link_among_bulks_locked(spec, *executor, function, begin_ticks, closed);
  }
  hand_over(closed);
  hand_over(linked);
  return linked.handle;
}

void Core::hand_over(const Linked& linked) {
  if (linked.fed == Executor::Fed::kYes) return;
  if (linked.fed == Executor::Fed::kAnnounce) {
    linked.executor->announce();
  } else if (linked.ready || linked.executor->runs_inside_enqueue()) {
    linked.executor->accept(*static_cast<OpNode*>(linked.handle.node), linked.ready);
  }
}

}  // namespace runahead::engine
